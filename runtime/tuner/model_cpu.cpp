#include "tuner/model_work.hpp"

namespace spmvgen::model {
namespace {

constexpr double step_us = 1e-3;         // of a thread: a step, a row
constexpr double own_cache = 32 * 1024;  // bytes: x from a core's first cache

// CPU kernels: steps and rows are of one thread after the other.

/// Entries of each row in vectors of `lanes`, the last one not full.
double vectors_of_rows(const Problem& p, double lanes) {
    return p.rows * mean_steps(p.f, static_cast<int>(std::max(lanes, 1.0)));
}

Work cpu_rows_work(const Problem& p) {
    const double lanes = p.param("lanes");
    return {.stored = p.csr_bytes(),
            .entries = p.nnz,
            .near = 1,
            .steps = vectors_of_rows(p, lanes),
            .depth = p.longest,
            .rows = p.rows};
}

/// Rows are cut where the threads' shares end.
Work cpu_balanced_work(const Problem& p) {
    Work work = cpu_rows_work(p);
    work.depth = 0;
    return work;
}

Work cpu_coo_work(const Problem& p) {
    Work work = cpu_balanced_work(p);
    work.stored = p.coo_bytes(p.nnz);
    return work;
}

Work cpu_padded_work(const Problem& p) {
    const double lanes = p.param("lanes", 8) * p.param("unroll");
    const bool is_sorted = p.param("sigma") > 1;
    const double entries =
        p.s.kernel == "ell" ? p.rows * p.longest : p.nnz * p.slice_padding(lanes, is_sorted);
    return {.stored = p.padded_bytes(entries) + (is_sorted ? p.rows * p.index : 0),
            .entries = p.nnz,
            .near = 1,
            .steps = entries / lanes,
            .depth = p.longest,
            .rows = p.rows / lanes,
            .sorted = is_sorted ? p.nnz * (1 - p.warp_sectors(1)) : 0};
}

Work cpu_blocks_work(const Problem& p) {
    Work work = blocks_work(p);
    work.steps = work.entries / p.param("block_cols");
    work.near = 1;
    work.depth = p.longest;
    work.rows = p.rows / p.param("block_rows");
    return work;
}

constexpr KernelWork cpu_works[] = {
    {"csr_rows", cpu_rows_work},     {"csr_vector", cpu_rows_work},
    {"csr_k_rows", cpu_rows_work},   {"csr_balanced", cpu_balanced_work},
    {"coo_segmented", cpu_coo_work}, {"ell", cpu_padded_work},
    {"sell", cpu_padded_work},       {"bcsr", cpu_blocks_work}};

}  // namespace

std::optional<Costs> cpu_costs(const Problem& p, const DeviceProfile& profile, int threads) {
    const auto found = std::ranges::find(cpu_works, p.s.kernel, &KernelWork::kernel);
    if (found == std::end(cpu_works)) return std::nullopt;
    const Work w = found->work(p);
    const double bytes = w.stored + p.x_bytes() + p.y_bytes(), team = std::max(threads, 1);
    const double far_rate = profile.gather_rate(std::max(p.x_bytes(), own_cache), threads);
    const double launch = profile.launch_us.value;
    // The longest row is one thread's; what it has beyond an even share, the others wait for.
    const double beyond = std::max(w.depth - p.nnz / team, 0.0);
    return Costs{launch,
                 threads > 1 ? launch : 0,
                 us_of(bytes, profile.read_rate(bytes, threads)),
                 us_of(w.entries * w.near, profile.gather_rate(own_cache, threads)),
                 us_of(w.entries * p.sectors(p.f.window_sectors[2]), far_rate),
                 w.steps * step_us / team,
                 0,
                 beyond * step_us,
                 w.rows * step_us / team,
                 0,
                 us_of(w.sorted, far_rate)};
}

}  // namespace spmvgen::model
