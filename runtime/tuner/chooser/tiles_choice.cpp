#include "tuner/chooser/tiles_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "families/tiles.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"
#include "tuner/plan/gpu_figures.hpp"

namespace spmvgen {
namespace {

/// Whether so many hubs leave room for the blocks that the signature asks for, and on NVIDIA enough
/// of the cache.
bool fits(Signature s, std::int64_t hubs) {
    const Architecture& device = architecture(s.target);
    s.params["hubs"] = hubs;
    try {
        complete(s);
    } catch (const Error&) {
        return false;
    }
    const std::int64_t blocks = s.params.at("per_unit");
    return tiles_shared_bytes(s) * blocks <= device.gpu.shared_bytes &&
           (device.kind != TargetKind::cuda ||
            hubs <= hub_columns(s.target, s.value, blocks * rhs_group(s)));
}

}  // namespace

void TilesChooser::look(std::span<const std::int64_t> counts) {
    if (!sample_) {
        shares_ = plan_tiles(matrix_, counts, threads_).hub_share;
        return;
    }
    const SampledHubs& sampled = sample_();
    for (const std::int64_t count : counts) shares_.push_back(sampled.share(count));
}

std::string TilesChooser::fit(Signature& s, const Params& given) {
    const auto& params = kernel_entry(s.kernel).params;
    const auto hubs = std::ranges::find(params, "hubs", &Parameter::name);
    if (hubs == params.end() || given.contains("hubs")) return "";
    if (shares_.empty()) look(hubs->allowed);
    std::vector<std::size_t> fitting;  // places in `allowed`, which ascends
    for (std::size_t i = 0; i < hubs->allowed.size(); ++i)
        if (fits(s, hubs->allowed[i])) fitting.push_back(i);
    if (fitting.empty()) return "";
    const auto share = [&](std::size_t i) { return shares_[i]; };
    const double most = share(fitting.back());
    const std::size_t chosen =
        most < few_hub_entries
            ? fitting.front()
            : *std::ranges::find_if(
                  fitting, [&](std::size_t i) { return share(i) >= nearly_all_hubs * most; });
    s.params["hubs"] = hubs->allowed[chosen];
    return fmt::format("{} hub columns have {:.0f} % of the entries", hubs->allowed[chosen],
                       100 * share(chosen));
}

}  // namespace spmvgen
