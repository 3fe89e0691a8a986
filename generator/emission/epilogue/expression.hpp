#pragma once
#include <string>
#include <vector>

#include "specializer/pass_variables.hpp"
#include "spmvgen/epilogue.hpp"
#include "spmvgen/signature.hpp"

namespace spmvgen {

/// The virtual file that defines epilogue() for the templates.
inline const std::string epilogue_file = "dialect/epilogue.hpp";

/// The operands as variables that the epilogue reads and writes: of a reduction, a thread's part of
/// it, which is a double.
std::vector<specializer::Variable> epilogue_variables(const Signature& signature);

/// Text of epilogue_file for the signature's epilogue, which is not empty, in a GPU's kernel or a
/// CPU's. Throws Error(invalid_argument) as parse_epilogue() does, for operands with several
/// right-hand sides, and for reductions of complex numbers.
std::string epilogue_text(const Signature& signature, bool gpu);

}  // namespace spmvgen
