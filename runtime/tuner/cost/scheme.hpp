#pragma once
#include <cstddef>
#include <span>
#include <string_view>

namespace spmvgen {

/// What predicted times of one family of machines are made of: GPUs or CPUs
/// (cost/predict.hpp). All that it names lives as long as the program.
struct CostScheme {
    std::string_view kind;                    ///< of the file that has its constants: "gpu-costs"
    std::span<const std::string_view> costs;  ///< their names
    std::size_t serial = 0;  ///< the first so many add up; the others hide each other in part
};

/// Microseconds of so many at such a rate.
inline double us_of(double amount, double per_s) {
    return 1e6 * amount / per_s;
}

}  // namespace spmvgen
