#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "tuner/rules/rules.hpp"

/// What the rules of GPUs share, and the parameters of the kernels that they choose.
namespace spmvgen {

/// What differs by vendor: the limits of Algorithm 3, and ω, wavefronts for each one that is
/// resident, of kernels that balance nonzeros, by the number of these (Tsai, Cojean & Anzt 2020;
/// the last two of NVIDIA's are today's Ginkgo's).
struct GpuLimits {
    struct Oversubscription {
        double least_nnz;
        std::int64_t omega;
    };
    double nnz_limit;
    std::int64_t row_len_limit;
    std::array<Oversubscription, 5> omega;
    double cached_bytes;      ///< of entries that the L2 serves, mostly
    std::int64_t most_omega;  ///< more did not help our kernel, which has several entries a lane
                              ///< under way (docs/performance-gpu.md)
};
const GpuLimits& gpu_limits(const Situation& situation);

/// Stored entries over nonzeros in slices of 32 rows, as they come and sorted.
double slice_padding(const Situation& situation);
double sorted_slice_padding(const Situation& situation);

/// RuleSet::params and RuleSet::possible of GPUs.
Params gpu_params(const KernelEntry& kernel, const Situation& situation);
std::vector<Params> gpu_possible(const KernelEntry& kernel, const Request& request,
                                 ValueType value);

}  // namespace spmvgen
