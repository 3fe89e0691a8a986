#pragma once
#include <string>

#include "matrix/csr_matrix.hpp"
#include "options/named_operands.hpp"
#include "options/operands.hpp"
#include "options/run_options.hpp"

namespace spmvgen::cli {

/// Of --check with --epilogue: throws UsageError where the two do not go together with the other
/// options, or the reference cannot follow the expression.
void check_epilogue_options(const RunOptions& options);

/// The epilogue that is run with --check: it also stores what it gets of each row.
std::string epilogue_to_check(const std::string& epilogue);

/// Checks what an apply made: what the epilogue got against the product, and what it gave against
/// the reference. `y` is what the apply gave, `named` holds what it left.
CheckResult check_epilogue_run(const CsrMatrix& matrix, const Operands& operands,
                               const NamedOperands& named, const std::string& epilogue,
                               const Buffer& y);

}  // namespace spmvgen::cli
