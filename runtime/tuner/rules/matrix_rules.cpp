#include "tuner/rules/matrix_rules.hpp"
#include "tuner/cost/figures/row_steps.hpp"
#include "tuner/cost/figures/subwarp.hpp"
#include "tuner/plan/gpu_several_vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "formats/value_encoding.hpp"

namespace spmvgen {
namespace {

// From what prototypes took on an H200: their bytes, and where they lost.
constexpr std::int64_t least_gpu_entries = 450'000;  ///< with fewer a launch is about all
constexpr double most_gpu_padding = 1.35;            ///< stored values over nonzeros
constexpr double most_index_bytes = 3;               ///< a nonzero: with more x's gathers decide,
constexpr double most_even_index_bytes = 3.6;        ///< less so in even rows of wide values, or
                                                     ///< of one
constexpr double most_gpu_share = 0.97;              ///< of CSR's bytes
constexpr double short_mean = 3.5;           ///< mean row, up to which a thread's chain of loads
                                             ///< decides,
constexpr double most_short_index = 1.2;     ///< unless so few bytes a nonzero name its column
constexpr double least_concentration = 2.5;  ///< of hubs: their share of the entries over
                                             ///< theirs of the columns
constexpr double least_hub_share = 0.27;     ///< of the entries, for hubs to pay
/// Over the share of the entries in as many bytes of the sectors of x used most: where these have
/// as much, a cache keeps them, and hubs are not needed.
constexpr double least_beside_cache = 1.05;
constexpr std::int64_t most_even_row = 1024;   ///< entries of a row, as Algorithm 3 has it
constexpr double skewed_strips_padding = 1.5;  ///< sorted padding, where single rows stand out
constexpr double long_strips_mean = 256;       ///< mean row, of matrices of few rows

// Few long rows: csr_by_length, which cuts them into parts, is the fastest kernel as long as the
// caches hold x (bench/results/README.md). Beyond that ell_groups is, whose rows go along x in
// step.
constexpr std::int64_t most_few_rows = 2048, most_few_entries = 12'000'000;
constexpr std::int64_t most_few_columns = 3'000'000;  ///< half of an H200's L2, in f64
constexpr double few_rows_mean = 1000;
constexpr double dense_row = 1.0 / 16;  ///< of the columns: neighbouring lanes then load
                                        ///< neighbours in x, and entries may be any number

// A launch's time is most of what small products take: real matrices of up to 1.2 million entries
// on an H200 (bench/results/README.md) take 0.5 to 0.9 of what coo, csr_load_balance and tiles
// take.
constexpr std::int64_t most_small_entries = 1'300'000;
constexpr std::int64_t least_long_row = 32;  ///< entries of a row that holds up a small product,
constexpr double least_far_longer = 4;       ///< as a multiple of the mean, too

// From a run of many kernels over all twins on an H200 (docs/explanation/tiles.md): where slices
// have to be sorted and rows are short, tiles are 1.05 to 1.3 times as fast as sorted slices or
// strips.
constexpr double least_tiles_mean = 3.5;
constexpr double most_tiles_mean = 8;
constexpr double least_tiles_padding = 1.35;       ///< in slices as they come,
constexpr double least_cached_padding = 1.6;       ///< where the L2 serves all entries,
constexpr double most_tiles_padding = 3;           ///< with more csr_load_balance is level
constexpr double least_tiles_index = 2;            ///< bytes of strips a nonzero: fewer are faster
constexpr std::int64_t many_entries = 17'300'000;  ///< from which on tiles have 16 entries a lane
/// Of x: beyond any L2. csr_load_balance takes 1765 µs for uk-2002, tiles 1831.
constexpr double far_x_bytes = 1e8;

// From the exhaustive records of the same machine: bcsr_fused 1.02 to 1.7 times as fast as strips
// on raefsky3, venkat01, qcd5_4, rma10, shipsec1, pwtk; 1.1 to 1.3 times slower on larger ones.
constexpr double most_block_fill = 1.1;
constexpr int most_flat_columns = 4;  ///< of blocks of one row: 1x7 takes 9.5 µs for rma10 in f32,
                                      ///< strips 6.1
constexpr double least_strips_saving = 0.85;

// Of a matrix whose values are all one, which strips and tiles need not read: an H200, f64, own
// values (bench/results/README.md). dblp-2010 15.2 µs as tiles, 16.7 as bcsr_fused;
// sx-stackoverflow (20 % of the entries in hubs) 247 with hubs, 263 without, soc-Pokec (15 %) 219
// and 223; hugetric-00000 (no padding) 53.3 as strips, 58.6 as sell_slices, netherlands_osm 25.2,
// and 23.3 as bcsr_fused. In f32 sx-stackoverflow (29 %) 223 and 259, soc-Pokec (25 %) 263 and 223;
// roadNet-CA (padding 1.42) 12.9 as strips, 14.5 as bcsr_fused, netherlands_osm (1.79) 15.1 and
// 15.4, belgium_osm (1.83) 9.1 and 9.1; another NACA0015 (3.2 bytes of index) 11.9, as tiles
// 14.7. Shares are those of 96 KiB of hubs, the limits are for 64 KiB.
constexpr double most_short_padding = 1.1;
constexpr double most_narrow_short_padding = 1.5;
constexpr double least_one_value_hub_share = 0.13;
constexpr double least_narrow_hub_share = 0.25;

// Of bcsr_fused in 1x1 beside csr_classical: from the same records NACA0015 24.3 and 28.7 µs (f32:
// 15.8 and 18.6), dblp-2010 17.9 and 19.1 (15.9 and 17.2), roads 1.07 to 1.15 times as fast in f32;
// since launches overlap, belgium_osm 16.1 and 18.3, roadNet-CA 29.9 and 31.4, roadNet-PA 14.9 and
// 14.9 in f64.
constexpr double least_shared_mean = 4.5;  ///< from which on two lanes or more take a row
constexpr double least_short_mean = 1.5;
// Of 19 drawn matrices of seeds below 1000 csr_by_length took 0.95 times as long with blocks for
// rows from 129 entries on, at worst 1.03 times.
constexpr std::int64_t most_warp_rows_entries = 150'000;
constexpr double most_mean_of_short_rows = 8;

// From the same records, sell_slices of 1024 threads beside 256: cage14 (34 % saved) 158 and 190
// µs, Hamrle3 (20 %) 30 and 34, ss (14 %) 116 and 122, dgreen (13 %) 91 and 97; packing (12 %) 129
// and 118.
constexpr double least_saved_gathers = 0.125;
constexpr double most_gathered_longest = 4;  ///< longest row over the mean: a block waits for it
constexpr double most_gathered_padding = 1.2;
constexpr double most_spared_bytes = 1.85;  ///< a nonzero, by strips: cage14 in f32 113 and 149 µs

/// All values are the same, and nothing but the kernels with codes of values leaves them out.
bool all_one_value(const Situation& s) {
    return s.request.exact &&
           s.request.exact->value_code == static_cast<std::int64_t>(ValueCode::one_value);
}

/// Whether x and y are of f32.
bool is_narrow(const Situation& s) {
    return vectors_type(s.request, s.f.value_type) == ValueType::f32;
}

double strips_bytes(const Situation& s) {
    return s.request.strips->bytes / static_cast<double>(s.f.nnz);
}

/// Whether hubs in shared memory have enough of the entries.
bool hubs_pay(const Situation& s) {
    if (!s.request.hubs) return false;
    const auto& [hubs, share, in_sectors] = *s.request.hubs;
    const double of_columns = static_cast<double>(hubs) / static_cast<double>(s.f.cols);
    const double of_one_value = is_narrow(s) ? least_narrow_hub_share : least_one_value_hub_share;
    const double least = all_one_value(s) ? of_one_value : least_hub_share;
    return share >= std::max(least, least_concentration * of_columns);
}

Pick gpu_strips(const Situation& s) {
    if (!s.request.strips || s.f.nnz < least_gpu_entries) return {};
    const double csr = csr_bytes_a_nonzero(s), bytes = strips_bytes(s);
    const StripsOutlook& outlook = *s.request.strips;
    if (outlook.whole_columns) {
        if (hubs_pay(s)) return {};
        if (s.f.mean_row < short_mean && outlook.padding > most_short_padding) return {};
        return {"strips", "pattern without values, as all values are one"};
    }
    const bool even = s.f.max_row <= most_even_row &&
                      (stored_bytes(s) >= sizeof(double) || (is_narrow(s) && all_one_value(s)));
    if (outlook.padding > most_gpu_padding ||
        outlook.index_bytes > (even ? most_even_index_bytes : most_index_bytes) ||
        bytes > most_gpu_share * csr)
        return {};
    if (s.f.mean_row < short_mean && outlook.index_bytes > most_short_index) return {};
    return {"strips", fmt::format("{:.1f} bytes an entry as strips, {:.1f} as CSR", bytes, csr)};
}

/// Blocks, but too few block rows for strips to give each a lane: several lanes take one.
Pick few_block_rows(const Situation& s) {
    if (!s.request.blocks || s.request.num_rhs > 1 || is_complex(s.f.value_type) ||
        s.f.nnz < least_gpu_entries || s.f.rows >= most_blocked_rows || s.f.max_row > most_even_row)
        return {};
    const BlockChoice& blocks = *s.request.blocks;
    if (blocks.rows * blocks.cols == 1 || blocks.fill > most_block_fill) return {};
    if (blocks.rows == 1 && blocks.cols > most_flat_columns) return {};
    const double bytes = blocked_bytes_a_nonzero(s);
    // Codes of values, which blocked CSR has not, can save more.
    if (s.request.strips && strips_bytes(s) < least_strips_saving * bytes) return {};
    return {"bcsr_fused", fmt::format("{:.1f} bytes an entry in {}x{} blocks, {} rows", bytes,
                                      blocks.rows, blocks.cols, s.f.rows)};
}

/// Blocked CSR of 1 x 1: a lane or two a row, with several rows' loads under way. Where strips were
/// thought of, and do not compress: for few applies CSR as it is needs no conversion.
Pick short_rows_in_cache(const Situation& s) {
    if (!s.request.strips || s.f.mean_row > most_mean_of_short_rows || s.request.num_rhs > 1 ||
        is_complex(s.f.value_type) || s.f.nnz < least_gpu_entries || !uneven_in_l2(s))
        return {};
    if (s.f.mean_row < least_short_mean) return {};
    const int found = choose_subwarp(s.f, s.request.target.wavefront);
    const int subwarp = s.f.mean_row < least_shared_mean ? 1 : std::max(2, found);
    const std::string why = fmt::format("rows of {:.1f} entries in the L2 cache", s.f.mean_row);
    if (subwarp > 1 && all_one_value(s) && s.f.nnz >= most_small_entries)
        return {"tiles", why + ", all of one value"};
    if (subwarp == 1 && all_one_value(s) && is_narrow(s) &&
        s.f.sell_padding.back() <= most_narrow_short_padding)
        return {"strips", why + ", all of one value"};
    return {"bcsr_fused",
            why,
            {{"block_rows", 1},
             {"block_cols", 1},
             {"subwarp", subwarp},
             {"unroll", 4},
             {"block", 128}}};
}

/// Whether blocks of threads that take rows as they come wait for none of them long.
bool has_even_blocks(const RowFeatures& f) {
    // Drawn matrices: 1.4 times the time with two entries a row, 1.1 with a few long rows.
    return f.max_row <= most_even_row && f.sell_sorted_padding.back() <= most_gathered_padding &&
           f.mean_row >= short_mean &&
           static_cast<double>(f.max_row) <= most_gathered_longest * f.mean_row;
}

/// Rows that need the same far elements of x lie within a thousand rows: in blocks of as many
/// threads they share an L1 cache.
Pick far_gathers(const Situation& s) {
    if (s.request.saved_gathers.value_or(0) < least_saved_gathers || s.request.num_rhs > 1)
        return {};
    if (!has_even_blocks(s.f)) return {};
    // Columns that strips compress this little, but codes of values can be worth more.
    if (s.request.strips && csr_bytes_a_nonzero(s) - strips_bytes(s) > most_spared_bytes) return {};
    return {"sell_slices",
            fmt::format("blocks of 1024 rows fetch {:.0f} % fewer bytes than blocks of 256",
                        100 * *s.request.saved_gathers),
            {{"block", 1024}, {"sigma", 4096}, {"unroll", 8}, {"threads_per_row", 1}}};
}

/// Of these each is work for many blocks of threads.
bool has_few_long_rows(const RowFeatures& f) {
    const bool dense = f.mean_row >= dense_row * static_cast<double>(f.cols);
    return f.rows <= most_few_rows && f.mean_row >= few_rows_mean && f.cols <= most_few_columns &&
           (dense || f.nnz <= most_few_entries);
}

/// Small, and some rows are far longer, or all are long: these hold nobody up, in one launch.
Pick small_with_long_rows(const Situation& s) {
    const bool far_longer = static_cast<double>(s.f.max_row) > least_far_longer * s.f.mean_row;
    const bool small_with_long = s.f.nnz < most_small_entries && s.f.max_row > least_long_row &&
                                 (far_longer || s.f.mean_row >= long_strips_mean);
    if (!small_with_long && !has_few_long_rows(s.f)) return {};
    const bool small = s.f.nnz < most_warp_rows_entries && s.request.num_rhs == 1;
    return {
        "csr_by_length",
        fmt::format("{} entries, longest row {}, mean {:.1f}", s.f.nnz, s.f.max_row, s.f.mean_row),
        small ? Params{{"most_middle", small_most_middle}} : Params{}};
}

bool has_rows_of_tiles(const RowFeatures& f) {
    return f.max_row <= most_even_row && f.mean_row >= least_tiles_mean &&
           f.mean_row < most_tiles_mean && f.sell_padding.back() >= least_tiles_padding &&
           f.sell_padding.back() <= most_tiles_padding;
}

/// Short rows that slices would have to sort: that scatters x, and tiles take them as they come.
/// Where strips were thought of, and do not compress, as for short_rows_in_cache.
Pick short_uneven_rows(const Situation& s) {
    if (!s.request.strips || s.request.num_rhs > 1 || is_complex(s.f.value_type) ||
        s.f.nnz < most_small_entries || !has_rows_of_tiles(s.f))
        return {};
    const double padding = s.f.sell_padding.back();
    if (uneven_in_l2(s) && padding < least_cached_padding) return {};
    if (s.request.strips->index_bytes < least_tiles_index || s.request.strips->whole_columns)
        return {};
    const bool shared = s.request.saved_gathers.value_or(0) >= least_saved_gathers;
    return {"tiles",
            fmt::format("rows of {:.1f} entries, padding {:.2f} in slices of 32", s.f.mean_row,
                        padding),
            shared && stored_bytes(s) >= sizeof(double) ? shared_gathers_params() : Params{}};
}

/// A network's product is bound by the cache that serves x: hubs in shared memory lessen that,
/// where a multiprocessor's own cache does not.
Pick networks(const Situation& s) {
    if (!hubs_pay(s)) return {};
    const auto& [hubs, share, in_sectors] = *s.request.hubs;
    if (share < least_beside_cache * in_sectors)
        return {"tiles",
                fmt::format("{:.0f} % of the entries in {} columns, most beside each other",
                            100 * share, hubs)};
    return {"tiles_hubs", fmt::format("{:.0f} % of the entries in {} columns", 100 * share, hubs)};
}

/// Rows of all lengths: work is shared out by entries.
Pick uneven_rows(const Situation& s) {
    if (!s.request.look || s.f.nnz < least_gpu_entries || s.f.mean_row >= long_strips_mean)
        return {};
    if (s.f.max_row <= most_even_row && s.f.sell_sorted_padding.back() <= skewed_strips_padding)
        return {};
    const bool plain = s.request.num_rhs == 1 && !is_complex(s.f.value_type);
    const auto x_bytes = static_cast<double>(s.f.cols) *
                         static_cast<double>(size_of(vectors_type(s.request, s.f.value_type)));
    if (plain && x_bytes > far_x_bytes)
        return {"csr_load_balance",
                fmt::format("longest row {}, mean {:.1f}, {:.0f} MB of x", s.f.max_row,
                            s.f.mean_row, x_bytes / 1e6),
                {{"block", far_x_block}}};
    Params params;
    if (plain && s.f.nnz >= many_entries) params = many_entries_params();
    return {"tiles",
            fmt::format("longest row {}, mean {:.1f}, padding {:.2f} in sorted slices", s.f.max_row,
                        s.f.mean_row, s.f.sell_sorted_padding.back()),
            params};
}

// Several vectors: an H100, seeds below 1000 (docs/explanation/several-vectors.md).
constexpr int some_vectors = 3;          ///< from which on plain rows read x at least as fast
constexpr double longest_apart = 16;     ///< longest row over the mean, where some stand out,
constexpr double longest_shared = 4;     ///< and where lanes share an entry; of these a row of so
constexpr double least_shared = 48;      ///< many entries holds up a product, if it is small
constexpr double small_shared = 3e6;     ///< or if the longest rows of a warp are
constexpr double most_uneven = 1.8;      ///< so many times the mean
constexpr std::int64_t few_tall = 4096;  ///< rows, of a matrix with few
constexpr double tall_mean = 256;        ///< their mean length

bool stand_out(const Situation& s, double apart) {
    const auto longest = static_cast<double>(s.f.max_row);
    return longest > apart * s.f.mean_row && longest >= tall_mean;
}

/// Rows that the others of their warp, or all others, would wait for where lanes share entries.
bool hold_up_shared(const Situation& s) {
    if (stand_out(s, longest_shared)) return true;
    const auto longest = static_cast<double>(s.f.max_row);
    if (longest < least_shared || longest <= longest_shared * s.f.mean_row) return false;
    const std::int64_t rows = s.request.target.wavefront / gpu::subwarp_of_many(s);
    return static_cast<double>(s.f.nnz) < small_shared ||
           longest_over_mean(s.f, static_cast<int>(rows)) >= most_uneven;
}

constexpr double most_rows_of_x = 0.62;  ///< that blocks of rows name, over entries
constexpr double most_shared_fill = 1.6;
constexpr double most_fill_of_long = 1.85;    ///< the same of few long rows,
constexpr double most_fill_of_uneven = 1.25;  ///< and where these are uneven,
constexpr double most_fill_of_short = 1.25;   ///< and of short rows where blocks are few
constexpr double short_shared_mean = 24;
constexpr std::int64_t few_rows_of_blocks = 1800;

double most_fill(const Situation& s) {
    if (gpu::has_few_rows(s))
        return gpu::has_even_rows(s) ? most_fill_of_long : most_fill_of_uneven;
    const bool are_few = s.f.rows < few_rows_of_blocks * s.request.blocks->rows;
    return are_few && s.f.mean_row < short_shared_mean ? most_fill_of_short : most_shared_fill;
}

/// Few rows, for which a warp each leaves multiprocessors idle: each, or two and more that share
/// rows of x, has several warps.
Pick wide_rows(const Situation& s) {
    constexpr std::array<const char*, 4> how_many{"each", "two", "three", "four"};
    if (s.request.num_rhs == 1 || !s.request.blocks || is_complex(s.f.value_type)) return {};
    const auto [rows, lanes] = gpu::wide_rows_of_blocks(s, *s.request.blocks);
    if (lanes == 0) return {};
    return {"bcsr_fused",
            fmt::format("{} right-hand sides, {} lanes for {} of {} rows", s.request.num_rhs, lanes,
                        how_many[static_cast<std::size_t>(rows - 1)], s.f.rows),
            {{"block_rows", rows}, {"block_cols", 1}, {"subwarp", lanes}}};
}

/// Rows of few places share rows of x: a lane has the sums of several rows.
Pick blocks_of_several_vectors(const Situation& s) {
    if (s.request.num_rhs == 1 || !s.request.blocks || !gpu::shares_entries(s) ||
        is_complex(s.f.value_type) || hold_up_shared(s))
        return {};
    const BlockChoice& blocks = *s.request.blocks;
    if (blocks.rows < 2 || !gpu::has_enough_block_rows(s) || blocks.fill > most_fill(s) ||
        blocks.fill / blocks.rows > most_rows_of_x)
        return {};
    return {"bcsr_fused", fmt::format("{} right-hand sides", s.request.num_rhs)};
}

/// The lanes of these share entries, or load many numbers of x at a time: what A's bytes save in
/// other formats is too little.
Pick several_vectors(const Situation& s) {
    const int k = s.request.num_rhs;
    if (k == 1) return {};
    const std::string why = fmt::format("{} right-hand sides", k);
    const bool few_rows = gpu::shares_entries(s)
                              ? gpu::has_few_rows(s) && !gpu::has_enough_even_rows(s)
                              : s.f.rows < few_tall && s.f.mean_row >= tall_mean;
    if (few_rows || (k < some_vectors ? stand_out(s, longest_apart) : hold_up_shared(s)))
        return {"csr_by_length", why};
    return k < some_vectors ? Pick{} : Pick{"csr_classical", why};
}

constexpr std::array gpu_rules_by_matrix{
    Rule{wide_rows, {"bcsr_fused"}},
    Rule{blocks_of_several_vectors, {"bcsr_fused"}},
    Rule{several_vectors, {"csr_by_length", "csr_classical"}},
    Rule{small_with_long_rows, {"csr_by_length"}},
    Rule{few_block_rows, {"bcsr_fused"}},
    Rule{short_uneven_rows, {"tiles"}},
    Rule{far_gathers, {"sell_slices"}},
    Rule{gpu_strips, {"strips"}},
    Rule{short_rows_in_cache, {"bcsr_fused", "tiles", "strips"}},
    Rule{networks, {"tiles_hubs", "tiles"}},
    Rule{uneven_rows, {"tiles", "csr_load_balance"}}};

}  // namespace

bool may_ask_for_gathers(const RowFeatures& f) {
    return has_even_blocks(f) || has_rows_of_tiles(f);
}

std::span<const Rule> gpu_matrix_rules() {
    return gpu_rules_by_matrix;
}

}  // namespace spmvgen
