#pragma once
#include <nlohmann/json.hpp>
#include <vector>

namespace spmvgen {

/// From a signature to code, for every GPU kernel and every GPU compiler that is found: one object
/// each with the milliseconds of emission and compilation (medians of `rounds` after the compiler's
/// first job) and of that first job, which loads the compiler.
std::vector<nlohmann::json> time_gpu_compilers(int rounds);

}  // namespace spmvgen
