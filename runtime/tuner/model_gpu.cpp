#include "tuner/model_work.hpp"

namespace spmvgen::model {
namespace {

constexpr double assumed_units = 100;         // of a GPU whose profile does not tell
constexpr double gpu_step_us = 1e-3;          // of a unit: a warp's step
constexpr double latency_us = 0.6;            // of loads that wait for each other
constexpr double resident_warps = 64;         // of a unit: so many wait at the same time
constexpr double own_unit_cache = 64 * 1024;  // bytes: x from a unit's own cache
constexpr double least_far = 4e6;             // bytes: x from the cache that all share

Work csr_rows_work(const Problem& p) {
    const double lanes = p.param("subwarp");
    return {.stored = p.csr_bytes(),
            .entries = p.nnz,
            .near = p.warp_sectors(lanes) + p.row_sectors(lanes),
            .steps = p.row_steps(lanes),
            .waits = p.row_waits(lanes, p.param("unroll")),
            .depth = p.longest / lanes / p.param("unroll"),
            .rows = p.rows};
}

Work csr_k_work(const Problem& p) {
    Work work = csr_rows_work(p);
    const double groups = p.rows / p.param("srs");
    work.stored += (groups + groups / p.param("ssrs")) * p.index;
    return work;
}

/// No row keeps a warp for longer than a middle one would.
Work by_length_work(const Problem& p) {
    Work work = csr_rows_work(p);
    work.depth = std::min(p.longest, p.param("most_middle")) / warp / p.param("unroll");
    return work;
}

/// Subwarps draw rows from one counter.
Work csr_light_work(const Problem& p) {
    Work work = csr_rows_work(p);
    const double drawing = p.param("level") > 0 ? warp / p.param("subwarp") : 1;
    work.atomics = p.rows / p.param("rows") / std::max(drawing, 1.0);
    work.launches = 2;
    return work;
}

Work load_balance_work(const Problem& p) {
    const double chunk = warp * p.param("entries");
    return {.launches = 2,
            .stored = p.csr_bytes(),
            .entries = p.nnz,
            .near = p.run_sectors() + p.coalesced_sectors(),
            .steps = p.nnz / warp,
            .waits = p.nnz / chunk,
            .depth = 0,
            .atomics = 2 * p.nnz / chunk,
            .rows = p.rows};
}

Work merge_path_work(const Problem& p) {
    const double tile = p.param("block") * p.param("items");
    return {.launches = 2,
            .stored = p.csr_bytes(),
            .entries = p.nnz,
            .near = p.run_sectors() + p.coalesced_sectors(),
            .steps = (p.nnz + p.rows) / warp,
            .waits = (p.nnz + p.rows) / warp / p.param("items"),
            .depth = 0,
            .atomics = 2 * (p.nnz + p.rows) / tile,
            .rows = p.rows};
}

Work coo_work(const Problem& p) {
    return {.launches = 2,
            .stored = p.coo_bytes(p.nnz) + p.y_bytes(),
            .entries = p.nnz,
            .near = p.run_sectors() + p.coalesced_sectors(),
            .steps = p.nnz / warp,
            .waits = p.nnz / warp / p.param("entries"),
            .depth = 0,
            .atomics = p.filled_rows() + p.nnz / (warp * p.param("entries")),
            .rows = p.rows};
}

Work ell_groups_work(const Problem& p) {
    const double entries = p.ell_entries(), shared = p.param("blocks_per_row");
    const double threads = p.param("groups") * shared;
    return {.launches = shared > 1 ? 2.0 : 1.0,
            .stored = p.padded_bytes(entries),
            .entries = p.nnz,
            .near = p.warp_sectors(1) + p.coalesced_sectors(),
            .steps = entries / warp,
            .waits = std::max(p.row_waits(1, p.param("unroll") * threads) * threads,
                              entries / warp / p.param("unroll")),
            .depth = p.longest / threads / p.param("unroll"),
            .atomics = shared > 1 ? p.rows * shared : 0,
            .rows = p.rows * threads};
}

Work ell_shuffle_work(const Problem& p) {
    const double lanes = p.param("group"), steps = p.row_steps(lanes);
    return {.stored = p.padded_bytes(std::max(p.nnz, std::min(steps * warp, p.ell_entries() * 2))),
            .entries = p.nnz,
            .near = p.warp_sectors(lanes) + p.coalesced_sectors(),
            .steps = steps,
            .waits = p.row_waits(lanes, p.param("unroll")),
            .depth = p.longest / lanes / p.param("unroll"),
            .rows = p.rows};
}

Work sell_work(const Problem& p) {
    const double lanes = p.param("threads_per_row"), slice = p.param("slice", 32);
    const bool is_sorted = p.param("sigma") > 1;
    const double padding = p.slice_padding(slice, is_sorted);
    const double entries = p.nnz * padding;
    return {
        .stored = p.padded_bytes(entries) + p.rows / slice * p.offset +
                  (is_sorted ? p.rows * p.index : 0),
        .entries = p.nnz,
        .near = p.warp_sectors(lanes) + p.coalesced_sectors() * padding,
        .steps = p.rows * lanes / warp * (mean_steps(p.f, static_cast<int>(lanes)) * padding + 1),
        .waits = p.rows * lanes / warp * padding *
                 mean_steps(p.f, static_cast<int>(lanes * p.param("unroll"))),
        .depth = p.longest / lanes / p.param("unroll"),
        .rows = p.rows,
        .sorted = is_sorted && p.slice_padding(32, false) > 1.02
                      ? p.nnz * (1 - p.warp_sectors(lanes))
                      : 0};
}

/// As runtime/formats/hyb.cpp decides it.
double ell_width(const Problem& p) {
    constexpr double rows_per_column = 10000;
    const double quantile = row_quantile(p.f, p.param("percent") / 100);
    switch (static_cast<int>(p.param("partition", 0))) {
        case 1:
            return quantile;
        case 2:
            return row_quantile(p.f, p.index / (p.value + 2 * p.index));
        case 3:
            return std::min(p.longest, p.param("columns"));
        default:
            return std::min(quantile, std::floor(p.rows / rows_per_column));
    }
}

/// A block gpu_works off the tails of its rows, lane by lane. Nothing tells how many of the long
/// rows are of one block: between one and all of them.
double fused_depth(const Problem& p, const RowTails& tail, double width) {
    const double longest = std::max(p.longest - width, 0.0), block = p.param("block");
    const double one = longest / block, all = std::min(longest, tail.entries / block);
    return width / p.param("unroll") + std::sqrt(one * std::max(all, one));
}

Work hyb_work(const Problem& p) {
    const double width = ell_width(p);
    const RowTails tail = row_tails(p.f, width);
    const double ell = std::min(p.rows * width, p.ell_entries());
    const double head = std::max(p.nnz - tail.entries, 0.0);
    const bool fused = p.s.kernel == "hyb_fused";
    const double run =
        fused ? 1 : p.param("per_thread");  // entries of the tail that a thread takes
    const double tail_sectors = fused ? p.warp_sectors(1) : p.run_sectors();
    return {
        .launches = fused || tail.entries == 0 ? 1.0 : 2.0,
        .stored =
            p.padded_bytes(ell) + p.coo_bytes(tail.entries) + (fused ? 0 : tail.rows * p.vector),
        .entries = p.nnz,
        .near = (head * p.warp_sectors(1) + tail.entries * tail_sectors) / std::max(p.nnz, 1.0) +
                p.coalesced_sectors(),
        .steps = (ell + tail.entries * (fused ? p.slice_padding(32, false) : 1)) / warp,
        .waits = (ell / p.param("unroll") + tail.entries / run + p.rows) / warp,
        .depth = fused ? fused_depth(p, tail, width) : width / p.param("unroll"),
        .atomics = fused ? 0 : tail.rows + tail.entries / run,
        .rows = p.rows};
}

constexpr KernelWork gpu_works[] = {{"csr_classical", csr_rows_work},
                                    {"csr_by_length", by_length_work},
                                    {"csr_k_blocks", csr_k_work},
                                    {"csr_light", csr_light_work},
                                    {"csr_load_balance", load_balance_work},
                                    {"csr_merge_path", merge_path_work},
                                    {"coo", coo_work},
                                    {"ell_groups", ell_groups_work},
                                    {"ell_shuffle", ell_shuffle_work},
                                    {"sell_slices", sell_work},
                                    {"hyb", hyb_work},
                                    {"hyb_fused", hyb_work},
                                    {"bcsr_fused", blocks_work},
                                    {"bcsr_split", blocks_work}};

}  // namespace

Work blocks_work(const Problem& p) {
    const double high = p.param("block_rows"), wide = p.param("block_cols");
    const double stored = p.nnz * p.block_fill(high, wide), blocks = stored / (high * wide);
    const bool split = p.s.kernel == "bcsr_split";
    const double lanes = p.param("subwarp");
    return {.launches = split ? 2.0 : 1.0,
            .stored = stored * p.value + blocks * p.index + p.rows / high * p.offset +
                      (split ? 2 * blocks * high * p.vector : 0),
            .entries = stored / high,
            .near = p.warp_sectors(std::min(lanes * wide, warp)) + p.coalesced_sectors(),
            .steps = stored / warp + p.rows / high * lanes / warp,
            .waits = (blocks / p.param("unroll") + p.rows / high * lanes) / warp,
            .depth = p.longest / wide / (split ? 1 : lanes) / p.param("unroll"),
            .rows = p.rows};
}

std::optional<Costs> gpu_costs(const Problem& p, const DeviceProfile& profile) {
    const auto found = std::ranges::find(gpu_works, p.s.kernel, &KernelWork::kernel);
    if (found == std::end(gpu_works)) return std::nullopt;
    const Work w = found->work(p);
    const double units = profile.units > 0 ? profile.units : assumed_units;
    const double bytes = w.stored + p.x_bytes() + p.y_bytes();
    const double far_rate = profile.gather_rate(std::max(p.x_bytes(), least_far), 0);
    const double launch = profile.launch_us.value;
    return Costs{launch,
                 launch * w.launches,
                 us_of(bytes, profile.read_rate(bytes, 0)),
                 us_of(w.entries * w.near, profile.gather_rate(own_unit_cache, 0)),
                 us_of(w.entries * p.window_sectors(), far_rate),
                 w.steps * gpu_step_us / units,
                 w.waits * latency_us / units / resident_warps,
                 w.depth * latency_us,
                 w.rows * gpu_step_us / units / warp,
                 us_of(w.atomics, profile.atomic_rate(std::max(p.y_bytes(), least_far), 0)),
                 us_of(w.sorted, far_rate)};
}

}  // namespace spmvgen::model
