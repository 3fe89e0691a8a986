#include "tuner/rules/gpu_params.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "tuner/cost/figures/row_steps.hpp"
#include "tuner/cost/figures/subwarp.hpp"
#include "tuner/csr_k/csr_k.hpp"
#include "tuner/rules/matrix_rules.hpp"

namespace spmvgen {
namespace {

// From times on an H200 (docs/performance-gpu.md, docs/tuning.md).
constexpr std::int64_t small_tail = 4'000'000;  ///< entries, up to which HYB's COO part wants many
                                                ///< threads with few entries
constexpr double least_saving = 1;  ///< entries a row that sorting saves, to be worth x's locality
constexpr double long_slice_mean = 40;  ///< mean row, where one thread a row is too slow
constexpr std::int64_t filling_threads = 40'000;
constexpr double thread_entries = 20;  ///< of the longest row, that a thread of a slice may have
constexpr double entries_for_another = 1.5e5;  ///< of the matrix, for each one more: the others
                                               ///< take as long meanwhile
constexpr std::int64_t gpu_sorting_window = 1024;
constexpr std::int64_t narrow_sorting_window = 256;  ///< of strips of few rows,
constexpr std::int64_t most_narrow_rows = 1 << 18;   ///< these: cop20k_A 8.5 and 9.6 µs
constexpr double half_the_rows = 0.5;                ///< by csr_by_length's number of lanes: the
                                                     ///< length that half of them do not exceed

constexpr GpuLimits nvidia{
    1e6, 1024, {{{0, 8}, {2e5, 32}, {2e6, 128}, {2e7, 512}, {2e8, 2048}}}, 8e7, 8};
constexpr GpuLimits amd{1e8, 768, {{{0, 2}, {1e5, 8}, {1e7, 32}, {1e7, 32}, {1e7, 32}}}, 0, 32};

/// Sets parameters of one kernel, those that it has.
class Setter {
  public:
    explicit Setter(const KernelEntry& kernel) : kernel_(kernel) {}
    /// The largest legal value up to `wanted`, else the least.
    void set(std::string_view name, std::int64_t wanted) {
        const auto p = std::ranges::find(kernel_.get().params, name, &Parameter::name);
        if (p == kernel_.get().params.end()) return;
        const auto above = std::ranges::upper_bound(p->allowed, wanted);
        params_[std::string(name)] = above == p->allowed.begin() ? *above : *std::prev(above);
    }
    std::int64_t value(const std::string& name) const { return params_.at(name); }
    Params take() { return std::move(params_); }

  private:
    std::reference_wrapper<const KernelEntry> kernel_;
    Params params_;
};

std::int64_t omega(const Situation& s) {
    std::int64_t chosen = 1;
    for (auto& row : gpu_limits(s).omega)
        if (static_cast<double>(s.f.nnz) >= row.least_nnz) chosen = row.omega;
    return std::min(chosen, gpu_limits(s).most_omega);
}

/// Entries under way at a time: about as many as a row has; of wide values a few fewer.
constexpr std::array<double, 3> slice_unroll_means{2.5, 4.5, 5.1};

void set_slices(const Situation& s, Setter& params) {
    // Threads for a row of a slice: enough of them in all to fill a GPU, and more than one for long
    // rows, but none without entries.
    const double mean = s.f.mean_row, longest = static_cast<double>(s.f.max_row);
    const double most = thread_entries + static_cast<double>(s.f.nnz) / entries_for_another;
    std::int64_t threads = mean >= long_slice_mean ? 4 : 1;
    while (static_cast<double>(threads) * 4 <= mean &&
           (s.f.rows * threads < filling_threads || longest > most * static_cast<double>(threads)))
        threads *= 2;
    params.set("threads_per_row", threads);
    const auto [short_mean, narrow_mean, wide_mean] = slice_unroll_means;
    const bool wide = size_of(stored_type(s.request, s.f.value_type)) >= sizeof(double);
    params.set("unroll", mean > (wide ? wide_mean : narrow_mean) ? 8 : mean > short_mean ? 4 : 2);
}

constexpr double short_of_one_lane = 3.5;  ///< mean row, up to which a lane finds fewer than 8

std::int64_t classical_unroll(std::int64_t subwarp, double mean) {
    return subwarp == 1 && mean > short_of_one_lane ? 8 : 4;
}

std::int64_t hyb_per_thread(std::int64_t nnz) {
    return nnz < small_tail ? 4 : 16;
}

/// Hub columns; where nothing is known of the columns, as many as there is room for.
std::int64_t hubs(const Situation& s) {
    if (s.request.hubs) return s.request.hubs->hubs;
    Signature sums;
    sums.value = vectors_type(s.request, s.f.value_type);
    sums.accumulator = s.request.accumulator;
    sums.num_rhs = s.request.num_rhs;
    return hub_columns(s.request.target, sums.value) / rhs_group(sums);
}

/// Algorithm 5.
constexpr std::int64_t most_groups = 16;

void set_groups(const Situation& s, Setter& params) {
    const std::int64_t width = s.f.max_row, rows = std::max<std::int64_t>(s.f.rows, 1);
    if (static_cast<double>(width) / static_cast<double>(rows) <= 1e-2) return;
    std::int64_t groups = 1;
    while (groups < most_groups && groups < width) groups *= 2;
    params.set("groups", groups);
    if (groups < most_groups) return;
    const std::int64_t wavefronts =
        std::int64_t{s.request.units} * architecture(s.request.target).gpu.max_wavefronts;
    params.set("blocks_per_row",
               std::max<std::int64_t>(1, std::min(width / most_groups, wavefronts / rows)));
}

/// LightSpMV's size of a vector, by the mean row; the largest is the wavefront.
std::int64_t light_subwarp(const Situation& s) {
    const double mean = std::round(s.f.mean_row);
    return mean <= 2 ? 2 : mean <= 4 ? 4 : mean <= 64 ? 8 : s.request.target.wavefront;
}

/// The block size, and so many lanes that each has two to four of the blocks that lie in a row.
void set_blocks(const Situation& s, Setter& params) {
    if (!s.request.blocks) return;
    for (auto& [name, value] : block_size(s)) params.set(name, value);
    const double blocks =
        s.f.mean_row * s.request.blocks->fill / static_cast<double>(s.request.blocks->cols);
    std::int64_t lanes = 1;
    while (lanes < s.request.target.wavefront && 4.0 * static_cast<double>(lanes) <= blocks)
        lanes *= 2;
    params.set("subwarp", lanes);
}

/// As many entries under way as rows have, and two tiles of rows where these have few.
void set_tiles(const Situation& s, Setter& params) {
    constexpr double width = 4;
    params.set("unroll", static_cast<std::int64_t>(std::ceil(s.f.mean_row / width)));
    params.set("tiles", s.f.mean_row <= width ? 2 : 1);
}

/// Threads of a block of strips and of tiles, by the type of x. Of f64 smaller ones are faster on
/// an H200: strips 1.00 to 1.05 times (StocF-1465 50.7 and 48.3 µs, Transport 55.9 and 53.3,
/// vas_stokes_1M 86.4 and 82.1), tiles 1.00 to 1.10 times (wiki-Talk 50.1 and 45.4, Freescale2 66.1
/// and 62.4; but kkt_power 51.9 and 53.7). Of f32 both are 1.00 to 1.08 times slower.
std::int64_t block_threads(ValueType vectors) {
    return vectors == ValueType::f64 ? 128 : 256;
}

/// Format tiles: so many tiles a warp that all warps which fit have some, of hubs several times;
/// and places for about as many rows as a tile ends.
constexpr std::int64_t most_run = 8;
constexpr std::int64_t least_staged = 32;

std::int64_t most_staged(const KernelEntry& kernel) {
    return kernel.id == "tiles_hubs" ? 128 : 256;
}

void set_tiles_of_entries(const KernelEntry& kernel, const Situation& s, Setter& params) {
    constexpr std::int64_t items = 8;
    constexpr double room = 1.25;  // for tiles with more rows than the mean
    const std::int64_t tile = items * s.request.target.wavefront;
    const std::int64_t warps = std::max<std::int64_t>(
        1, std::int64_t{s.request.units} * architecture(s.request.target).gpu.max_wavefronts);
    const std::int64_t times = kernel.id == "tiles_hubs" ? 4 : 1;
    params.set("run", std::clamp<std::int64_t>(s.f.nnz / (tile * warps * times), 1, most_run));
    const auto filled = static_cast<double>(s.f.rows - s.f.empty_rows);
    const double ended = room * static_cast<double>(tile) * filled /
                         static_cast<double>(std::max<std::int64_t>(s.f.nnz, 1));
    std::int64_t staged = least_staged;
    while (staged < most_staged(kernel) && static_cast<double>(staged) < ended) staged *= 2;
    params.set("staged", staged);
}

// What of it is possible. Of functions with steps, both sides of each step are tried.

bool has(const KernelEntry& kernel, std::string_view name) {
    return std::ranges::find(kernel.params, name, &Parameter::name) != kernel.params.end();
}

/// Every way to set one parameter more, when the kernel has it.
void vary(std::vector<Setter>& ways, const KernelEntry& kernel, std::string_view name,
          const std::vector<std::int64_t>& values) {
    if (!has(kernel, name)) return;
    std::vector<Setter> more;
    for (auto& way : ways)
        for (const std::int64_t value : values) {
            more.push_back(way);
            more.back().set(name, value);
        }
    ways = std::move(more);
}

std::vector<std::int64_t> powers_of_two(std::int64_t least, std::int64_t most) {
    std::vector<std::int64_t> powers;
    for (std::int64_t n = least; n <= most; n *= 2) powers.push_back(n);
    return powers;
}

std::vector<std::int64_t> possible_omega(const Situation& s) {
    std::vector<std::int64_t> values;
    for (auto& row : gpu_limits(s).omega)
        values.push_back(std::min(row.omega, gpu_limits(s).most_omega));
    return values;
}

void vary_slices(std::vector<Setter>& ways, const Situation& s) {
    std::vector<double> steps{slice_unroll_means[0], slice_unroll_means[1], slice_unroll_means[2],
                              long_slice_mean};
    for (const std::int64_t threads : powers_of_two(1, filling_threads))
        steps.push_back(static_cast<double>(4 * threads));
    std::vector<Setter> more;
    RowFeatures f = s.f;
    for (const double step : steps)
        for (const double mean : {std::nextafter(step, 0.0), std::nextafter(step, 2 * step)})
            for (const std::int64_t threads : powers_of_two(1, 2 * filling_threads)) {
                f.mean_row = mean;
                f.rows = filling_threads / threads;
                for (Setter way : ways) {
                    set_slices({f, s.request, {}}, way);
                    more.push_back(way);
                }
            }
    ways = std::move(more);
}

void vary_groups(std::vector<Setter>& ways, const KernelEntry& kernel, const Situation& s) {
    // Unless ELL is asked for, only few_long_rows leads to it.
    const bool any_width = s.request.format != "auto";
    std::vector<Setter> shared = ways;
    vary(ways, kernel, "groups", powers_of_two(any_width ? 1 : most_groups, most_groups));
    vary(shared, kernel, "groups", {most_groups});
    vary(shared, kernel, "blocks_per_row", powers_of_two(1, 1 << 20));
    ways.insert(ways.end(), shared.begin(), shared.end());
}

}  // namespace

const GpuLimits& gpu_limits(const Situation& s) {
    return architecture(s.request.target).kind == TargetKind::cuda ? nvidia : amd;
}

double slice_padding(const Situation& s) {
    return s.f.sell_padding.back();
}

double sorted_slice_padding(const Situation& s) {
    return s.f.sell_sorted_padding.back();
}

Params gpu_params(const KernelEntry& kernel, const Situation& s) {
    if (kernel.format == Format::csr_k) return plan_csr_k(kernel, s).params;
    Setter params(kernel);
    const int wavefront = s.request.target.wavefront;
    const std::int64_t subwarp = choose_subwarp(s.f, wavefront);
    params.set("subwarp", subwarp);
    if (kernel.id == "csr_by_length")
        params.set("subwarp", row_quantile(s.f, half_the_rows) < 2 ? 2 : 4);
    if (kernel.id == "csr_light") params.set("subwarp", light_subwarp(s));
    if (kernel.id == "csr_classical") params.set("unroll", classical_unroll(subwarp, s.f.mean_row));
    if (kernel.id == "hyb") params.set("per_thread", hyb_per_thread(s.f.nnz));
    if (kernel.id == "sell_slices" || kernel.id == "strips") set_slices(s, params);
    if (kernel.id == "strips" || kernel.id == "tiles")
        params.set("block", block_threads(vectors_type(s.request, s.f.value_type)));
    params.set("group", std::min<std::int64_t>(wavefront, subwarp_of_longest_row(s.f, wavefront)));
    params.set("omega", omega(s));
    if (kernel.format == Format::ell) set_groups(s, params);
    if (kernel.format == Format::bcsr) set_blocks(s, params);
    if (kernel.format == Format::tiles) set_tiles_of_entries(kernel, s, params);
    if (kernel.id == "csr_matrix_units") set_tiles(s, params);
    params.set("hubs", hubs(s));
    if ((slice_padding(s) - sorted_slice_padding(s)) * s.f.mean_row >= least_saving)
        params.set("sigma", kernel.id == "strips" && s.f.rows < most_narrow_rows
                                ? narrow_sorting_window
                                : gpu_sorting_window);
    return params.take();
}

std::vector<Params> gpu_possible(const KernelEntry& kernel, const Request& request,
                                 ValueType value) {
    if (kernel.format == Format::csr_k || kernel.format == Format::bcsr) refuse_to_list(kernel);
    Features f;
    f.value_type = value;
    const Situation s{f, request, {}};
    std::vector<Setter> ways{Setter(kernel)};
    vary(ways, kernel, "subwarp",
         kernel.id == "csr_by_length" ? powers_of_two(2, 4)
                                      : powers_of_two(1, request.target.wavefront));
    if (kernel.id == "csr_load_balance") vary(ways, kernel, "block", {128, far_x_block});
    if (kernel.id == "csr_classical")
        for (Setter way : std::vector(ways))
            for (const double mean : {0.0, 2 * short_of_one_lane}) {
                way.set("unroll", classical_unroll(way.value("subwarp"), mean));
                ways.push_back(way);
            }
    if (kernel.id == "hyb")
        vary(ways, kernel, "per_thread", {hyb_per_thread(0), hyb_per_thread(small_tail)});
    if (kernel.id == "sell_slices" || kernel.id == "strips") vary_slices(ways, s);
    vary(ways, kernel, "group", powers_of_two(1, request.target.wavefront));
    vary(ways, kernel, "omega", possible_omega(s));
    if (kernel.format == Format::tiles) {
        vary(ways, kernel, "run", powers_of_two(1, most_run));
        if (kernel.id == "tiles") {
            for (auto& way : ways) way.set("block", block_threads(vectors_type(request, value)));
            ways.push_back(ways.front());
            for (auto& [name, wanted] : many_entries_params()) ways.back().set(name, wanted);
            ways.push_back(Setter(kernel));
            for (auto& [name, wanted] : shared_gathers_params()) ways.back().set(name, wanted);
        }
        vary(ways, kernel, "staged", powers_of_two(least_staged, most_staged(kernel)));
        for (auto& way : ways) way.set("hubs", hubs(s));
    }
    if (kernel.format == Format::ell) vary_groups(ways, kernel, s);
    if (kernel.id == "strips")
        for (auto& way : ways) way.set("block", block_threads(vectors_type(request, value)));
    std::vector<Setter> sorted = ways;
    std::vector<std::int64_t> windows{gpu_sorting_window};
    if (kernel.id == "strips") windows.push_back(narrow_sorting_window);
    vary(sorted, kernel, "sigma", windows);
    ways.insert(ways.end(), sorted.begin(), sorted.end());
    std::set<Params> all;
    for (auto& way : ways) all.insert(way.take());
    return {all.begin(), all.end()};
}

}  // namespace spmvgen
