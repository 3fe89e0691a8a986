#pragma once
#include "spmvgen/types.hpp"

namespace spmvgen {

/// Throws Error(unsupported), which tells what is needed and what is free, when x and `y_copies` of
/// y are more than the memory that is available now. To be called before they are allocated.
void check_vectors_fit(ValueType type, double x_elements, double y_elements, int y_copies = 1);

}  // namespace spmvgen
