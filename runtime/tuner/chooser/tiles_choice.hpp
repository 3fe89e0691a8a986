#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/plans/tiles_plan.hpp"
#include "spmvgen/matrix.hpp"
#include "spmvgen/signature.hpp"
#include "tuner/cost/figures/sampled_hubs.hpp"

namespace spmvgen {

/// Share of the entries in hubs that does not pay for the shared memory.
inline constexpr double few_hub_entries = 0.15;
/// Of the share that the most hubs cover, what fewer hubs have to.
inline constexpr double nearly_all_hubs = 0.95;

/// What one matrix suggests for kernels that keep hub columns in shared memory. Looks, at most
/// once, how often columns occur. The matrix must outlive it. For
/// one thread at a time.
class TilesChooser {
  public:
    /// threads = 0: what OpenMP would use.
    TilesChooser(const CsrView& matrix, int threads) : matrix_(matrix), threads_(threads) {}
    /// As far as a sample of the matrix tells, which is asked for when it is wanted.
    explicit TilesChooser(std::function<const SampledHubs&()> sample)
        : sample_(std::move(sample)) {}

    /// Sets the parameter `hubs` of a complete signature, unless it is in `given` or the kernel
    /// has none: of the counts that leave room for `per_unit` blocks on a multiprocessor the least
    /// that covers nearly as many entries as the largest; the very least where even that covers
    /// few. A start for searches by timing, which find what the L1 cache would have done. Returns a
    /// line for people, "" when nothing was set.
    std::string fit(Signature& signature, const Params& given);

  private:
    void look(std::span<const std::int64_t> counts);

    const CsrView matrix_;
    const int threads_ = 1;
    const std::function<const SampledHubs&()> sample_ = {};
    std::vector<double> shares_;  ///< of all counts that the kernel allows
};

}  // namespace spmvgen
