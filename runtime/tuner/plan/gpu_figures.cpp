#include "tuner/plan/gpu_figures.hpp"

#include <algorithm>
#include <iterator>

#include "families/tiles.hpp"
#include "registry.hpp"
#include "tuner/cost/work/gpu_units.hpp"

namespace spmvgen {
namespace {

/// Of the shared memory that a block may have, for the hubs of all blocks of a multiprocessor. On
/// NVIDIA what they leave is its cache, in which all other sectors of x have to find room on their
/// way; on AMD it is for the places of sums.
constexpr double nvidia_hubs = 0.6, amd_hubs = 0.5;

// From times on an H200 (bench/results/README.md, docs/explanation/choice.md).
constexpr GpuLimits nvidia{
    1e6, 1024, {{{0, 8}, {2e5, 32}, {2e6, 128}, {2e7, 512}, {2e8, 2048}}}, 8e7, 8};
constexpr GpuLimits amd{1e8, 768, {{{0, 2}, {1e5, 8}, {1e7, 32}, {1e7, 32}, {1e7, 32}}}, 0, 32};

/// Whether a multiprocessor has registers and shared memory for such a block of tiles_hubs, with
/// the sums of the signature. On AMD none was timed.
bool may_be_one_block(Signature s, const HubBlocks& block) {
    const Architecture& device = architecture(s.target);
    if (device.kind != TargetKind::cuda || s.num_rhs > 1) return false;
    s.params = {{"block", block.threads}, {"staged", most_staged_of_hubs}, {"hubs", block.hubs}};
    return block.threads <= most_tiles_hubs_threads(s) &&
           tiles_shared_bytes(s) <= device.gpu.shared_bytes;
}

}  // namespace

const GpuLimits& gpu_limits(const Request& request) {
    return architecture(request.target).kind == TargetKind::cuda ? nvidia : amd;
}

double units_of(const Request& request) {
    return request.units > 0 ? request.units : gpu::typical_units;
}

double slice_padding(const Situation& s) {
    return s.f.sell_padding.back();
}

double sorted_slice_padding(const Situation& s) {
    return s.f.sell_sorted_padding.back();
}

std::int64_t hub_columns(const Target& target, ValueType vectors, std::int64_t blocks) {
    const Architecture& device = architecture(target);
    const double bytes = (device.kind == TargetKind::cuda ? nvidia_hubs : amd_hubs) *
                         static_cast<double>(device.gpu.shared_bytes);
    const auto room = static_cast<std::int64_t>(
        bytes / static_cast<double>(size_of(vectors) * static_cast<std::size_t>(blocks)));
    const auto& params = kernel_entry("tiles_hubs").params;
    const auto& counts = std::ranges::find(params, "hubs", &Parameter::name)->allowed;
    return *std::prev(std::ranges::upper_bound(counts, room));
}

HubBlocks hub_blocks(const Request& request, ValueType value) {
    constexpr HubBlocks one{.threads = 1024, .of_unit = 1}, two{.threads = 512, .of_unit = 2};
    Signature s;
    s.kernel = "tiles_hubs";
    s.value = vectors_type(request, value);
    s.accumulator = request.accumulator;
    s.num_rhs = request.num_rhs;
    s.target = request.target;
    const auto with_hubs = [&](HubBlocks blocks) {
        blocks.hubs = hub_columns(s.target, s.value, blocks.of_unit * rhs_group(s));
        return blocks;
    };
    const auto given = [&](const ParamName& name, std::int64_t otherwise) {
        const auto found = request.params.find(name);
        return found == request.params.end() ? otherwise : found->second;
    };
    const bool is_given = request.params.contains("block") || request.params.contains("per_unit");
    const HubBlocks free = !is_given && may_be_one_block(s, with_hubs(one)) ? one : two;
    const std::int64_t threads = given("block", free.threads);
    const std::int64_t of_unit = threads >= one.threads ? one.of_unit : two.of_unit;
    return with_hubs({.threads = threads, .of_unit = given("per_unit", of_unit)});
}

Params many_entries_params() {
    return {{"items", 16}, {"run", 2}};
}

// Hamrle3 in f64: 29.5 µs, with blocks of 128 threads 33.0; sell_slices of 1024 32.8. Freescale1 of
// the second gallery set 79.5, sell_slices 103.
Params shared_gathers_params() {
    return {{"block", 256}, {"run", 4}};
}

// On an H200, of f64: strips 1.00 to 1.05 times as fast with 128 threads as with 256, tiles 1.00 to
// 1.10 times; of f32 both are 1.00 to 1.08 times slower.
std::int64_t block_threads(ValueType vectors) {
    return vectors == ValueType::f64 ? 128 : 256;
}

}  // namespace spmvgen
