#include "matrix/vectors_fit.hpp"

#include <fmt/format.h>

#include "matrix/memory_limit.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {

void check_vectors_fit(ValueType type, double x_elements, double y_elements, int y_copies) {
    const auto element = static_cast<double>(size_of(type));
    const double x = element * x_elements, y = element * y_elements * y_copies;
    const auto available = static_cast<double>(available_memory());
    if (x + y <= available) return;
    throw Error(ErrorCode::unsupported,
                fmt::format("not enough memory: x needs {} and y{} {}, but {} are free",
                            format_bytes(x), y_copies > 1 ? " with its copies" : "",
                            format_bytes(y), format_bytes(available)));
}

}  // namespace spmvgen
