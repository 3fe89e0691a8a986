#include "tuner/cost/gpu_problem.hpp"
#include "tuner/row_steps.hpp"

namespace spmvgen::gpu {
namespace {

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

}  // namespace

GpuWork ell_work(const Problem& p) {
    const bool groups_of_threads = p.s.kernel == "ell_groups";
    const double shared = groups_of_threads ? p.param("blocks_per_row") : 1;
    const double lanes = groups_of_threads ? p.param("groups") * shared : p.param("group");
    const double unroll = p.param("unroll");
    const double uneven = std::max(longest_over_mean(p.f, 32), 1.0);
    const double stored = std::min(p.rows * p.longest, p.nnz * uneven + p.rows);
    GpuWork w;
    w.launches = shared > 1 ? 2 : 1;
    w.bytes = stored * (p.value + p.index) + p.vectors_bytes();
    w.near = p.nnz * p.x_near(groups_of_threads ? 1 : lanes) + p.a_near(stored);
    w.far = p.far(p.block / lanes);
    w.steps = stored / warp + p.rows * lanes / warp;
    w.warps = p.rows * lanes / warp;
    w.waits = stored / warp / unroll + w.warps * begin_waits;
    w.depth = std::ceil(p.longest / lanes / unroll) + begin_waits;
    w.blocks = p.rows * lanes / p.block;
    w.rows = p.rows * lanes;
    w.atomics = shared > 1 ? p.rows * shared : 0;
    return w;
}

GpuWork hyb_work(const Problem& p) {
    const double width = ell_width(p), unroll = p.param("unroll");
    const RowTails tail = row_tails(p.f, width);
    const bool fused = p.s.kernel == "hyb_fused";
    const double ell = std::min(p.rows * width, p.nnz * p.slice_padding(warp) + p.rows);
    const double head = std::max(p.nnz - tail.entries, 0.0);
    GpuWork w;
    w.launches = fused || tail.entries == 0 ? 1 : 2;
    w.bytes = ell * (p.value + p.index) + tail.entries * (p.value + 2 * p.index) +
              p.vectors_bytes() + (fused ? 0 : tail.rows * p.vector);
    w.near = head * p.x_near(1) +
             tail.entries * (fused ? p.x_near(1) : p.of_vector(p.f.run_sectors)) +
             p.a_near(ell + tail.entries);
    w.far = p.far(p.block);
    w.steps = (ell + tail.entries) / warp;
    w.warps = p.rows / warp + (fused ? 0 : tail.entries / p.param("per_thread") / warp);
    w.waits = ell / unroll / warp + w.warps * begin_waits;
    w.depth = width / unroll + begin_waits +
              (fused ? std::max(p.longest - width, 0.0) / p.block : p.param("per_thread"));
    w.blocks = w.warps * warp / p.block;
    w.rows = p.rows;
    w.atomics = fused ? 0 : tail.rows + tail.entries / p.param("per_thread");
    return w;
}

}  // namespace spmvgen::gpu
