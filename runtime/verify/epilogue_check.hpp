#pragma once
#include <span>
#include <string>
#include <vector>

#include "spmvgen/epilogue.hpp"
#include "spmvgen/types.hpp"

namespace spmvgen {

/// What one apply with an epilogue made, all numbers as f64.
struct EpilogueRun {
    ValueType type = ValueType::f64;                 ///< of the vectors, f32 or f64
    std::span<const double> value;                   ///< what the epilogue got, for each row
    std::span<const double> y;                       ///< what it gave
    std::vector<std::vector<double>> before, after;  ///< operands, in the order of the program
};

/// Why the reference cannot follow the epilogue; "" = it can. It knows + - * / % of numbers, signs,
/// comparisons, && || ! and ?:, fabs, fmin, fmax and sqrt, and all statements.
std::string why_not_checkable(const std::string& epilogue);

/// Evaluates the epilogue of every row with a running bound of the rounding errors, and compares.
/// "" when all agrees, else the first element, or reduction, that is further away than its bound
/// allows. Rows in which a comparison is as close as its rounding errors are left out. Throws
/// Error(unsupported) for an epilogue that why_not_checkable() refuses.
std::string check_epilogue(const std::string& epilogue, const EpilogueRun& run);

}  // namespace spmvgen
