#include "tuner/plan/gpu_several_vectors.hpp"

#include <algorithm>

#include "tuner/cost/figures/row_steps.hpp"
#include "tuner/plan/gpu_figures.hpp"

namespace spmvgen::gpu {

std::int64_t lanes_of_an_entry(const Situation& s) {
    Signature sums;
    sums.kernel = "csr_classical";
    sums.value = vectors_type(s.request, s.f.value_type);
    sums.accumulator = s.request.accumulator;
    sums.num_rhs = s.request.num_rhs;
    sums.params["subwarp"] = s.request.target.wavefront;
    return rhs_lanes(sums);
}

double row_bytes(const Situation& s) {
    return static_cast<double>(s.request.num_rhs) *
           static_cast<double>(size_of(vectors_type(s.request, s.f.value_type)));
}

bool has_one_piece(const Situation& s) {
    return row_bytes(s) <= piece_bytes * static_cast<double>(lanes_of_an_entry(s));
}

namespace {

constexpr std::int64_t few_lanes = 4;          ///< that share an entry
constexpr std::int64_t few_threads = 1 << 18;  ///< of one launch, that keep no H100 busy
constexpr double fewest_threads = 1 << 16;  ///< the same, of which two may have one entry of a row

}  // namespace

std::int64_t lanes_of_a_row(const Situation& s, std::int64_t lanes, double mean, double rows,
                            double few, double loads) {
    const double rounds = 2.5 * loads;                    // of loads, from which more lanes pay
    const double few_rounds = 1 + loads;                  // the same of few threads
    constexpr std::int64_t most_shared = 4, enough = 16;  // entries, and lanes that load them
    const std::int64_t wavefront = s.request.target.wavefront;
    std::int64_t all = lanes;
    while (all < most_shared * lanes && 2 * all <= enough &&
           mean >= rounds * static_cast<double>(all))
        all *= 2;
    const auto more_pay = [&] {
        const double threads = rows * static_cast<double>(all);
        const double own = threads < fewest_threads ? 1 : few_rounds;
        return threads < few && mean >= own * static_cast<double>(all);
    };
    while (2 * all <= wavefront && more_pay()) all *= 2;
    return std::min(wavefront, all);
}

namespace {

/// Lanes of a row where each takes an entry alone.
std::int64_t lanes_alone(const Situation& s) {
    constexpr double short_mean = 3, usual_mean = 6, long_mean = 64;
    constexpr double unrolled = 4, threads = 1 << 16;
    const double mean = s.f.mean_row;
    std::int64_t entries = mean < short_mean ? 1 : mean < usual_mean ? 2 : mean < long_mean ? 4 : 8;
    while (static_cast<double>(s.f.rows * entries) < threads &&
           static_cast<double>(2 * entries) * unrolled <= mean)
        entries *= 2;
    return std::min(s.request.target.wavefront, static_cast<int>(entries));
}

constexpr double line = 128;               ///< bytes of the first cache
constexpr std::int64_t waiting_lanes = 8;  ///< of a row in products that wait for one

/// Of y. Products with little are over in a few rounds of loads.
double y_bytes(const Situation& s) {
    return static_cast<double>(s.f.rows) * row_bytes(s);
}
constexpr double little = 12e6;  ///< bytes of y

/// Whether the longest row, of more than a usual few entries, takes a small product longer than the
/// others.
bool waits_for_a_row(const Situation& s) {
    constexpr double small = 1e6, apart = 2;  // entries; longest row over the mean
    constexpr std::int64_t least = 32;
    return static_cast<double>(s.f.nnz) < small && s.f.max_row >= least &&
           static_cast<double>(s.f.max_row) >= apart * s.f.mean_row;
}

constexpr double short_mean = 6;  ///< mean row, that one round of loads takes
constexpr double two_entries = 2.25, some_entries = 4.5;  ///< mean row

/// Whether the lanes that share an entry are many and have half a piece each, as 16 bytes do not
/// divide a row of x.
bool has_half_pieces(const Situation& s) {
    constexpr double half = 8;  // bytes
    constexpr std::int64_t many = 8;
    const std::int64_t lanes = lanes_of_an_entry(s);
    return lanes >= many && row_bytes(s) <= half * static_cast<double>(lanes);
}

/// Of a row of x, that a lane takes of rows of hardly any entries: two pieces of 16 bytes, where
/// others have one.
constexpr double bytes_of_lane = 32;

/// Whether most rows have an entry or two, or none, and are many: what a product takes is beginning
/// threads for them. Where two lanes hold a row of x, further ones have little to load, so that
/// fewer pay for longer rows, too.
bool has_hardly_any(const Situation& s) {
    constexpr std::int64_t least_lanes = 4;
    constexpr double one_entry = 1.5;
    const bool is_short = row_bytes(s) < 2 * bytes_of_lane;
    return lanes_of_an_entry(s) >= least_lanes &&
           s.f.mean_row < (is_short ? two_entries : one_entry) &&
           static_cast<double>(s.f.rows) >= fewest_threads;
}

std::int64_t lanes_of_hardly_any(const Situation& s) {
    constexpr std::int64_t least = 2;
    std::int64_t lanes = least;
    while (static_cast<double>(lanes) * bytes_of_lane < row_bytes(s)) lanes *= 2;
    return std::min<std::int64_t>(lanes, s.request.target.wavefront);
}

/// The same where a row of x has more than one line.
std::int64_t pieces_of_two_lines(const Situation& s) {
    constexpr double few = 1 << 17;  // threads
    const std::int64_t all = subwarp_of_many(s);
    if (y_bytes(s) >= little) return s.f.mean_row < short_mean || all == lanes_of_two_lines ? 2 : 4;
    if (all != lanes_of_two_lines) return 4;
    return static_cast<double>(s.f.rows * all) < few || waits_for_a_row(s) ? 8 : 4;
}

/// Pieces of rows of x under way at a time where lanes share entries: fewer of short rows leave
/// room for more warps, of which 64 want lanes with 32 registers.
std::int64_t pieces_at_a_time(const Situation& s) {
    constexpr double one_round = 5;
    constexpr std::int64_t many = 1 << 19;  // threads
    if (has_hardly_any(s)) return lanes_of_hardly_any(s) < few_lanes ? 2 : 1;
    const std::int64_t lanes = lanes_of_an_entry(s);
    const double mean = s.f.mean_row;
    if (lanes == few_lanes)
        return mean >= one_round ? 8 : mean < two_entries || s.f.rows * lanes >= many ? 2 : 4;
    if (lanes < few_lanes) return 4;
    if (!has_one_piece(s)) return pieces_of_two_lines(s);
    if (mean < two_entries) return 2;
    if (waits_for_a_row(s)) return 8;
    constexpr std::int64_t few_waves =
        800'000;  // threads: more of them wait with fewer pieces each
    if (mean < short_mean) return s.f.rows * lanes < few_waves ? 4 : 2;
    return s.f.rows * subwarp_of_many(s) < few_threads ? 8 : 4;
}

/// Whether waiting for the longest row is what a product takes, rather than its bytes.
bool is_small(const Situation& s) {
    constexpr double small = 1e7;  // entries times right-hand sides
    return static_cast<double>(s.f.nnz) * s.request.num_rhs < small;
}

constexpr std::int64_t few_rows = 1024;  ///< that leave multiprocessors idle, a block each

/// Whether so few rows are all there are that a warp for each leaves multiprocessors idle.
bool leaves_idle(const Situation& s) {
    constexpr std::int64_t fewest = 1536, fewest_of_many = 3072;
    constexpr double long_mean = 48;
    return shares_entries(s) && s.f.rows < (row_bytes(s) < line ? fewest : fewest_of_many) &&
           s.f.mean_row >= long_mean;
}

/// Whether these rows are long enough for blocks: parts of rows are then what a product consists
/// of.
bool has_few_long_rows(const Situation& s) {
    constexpr double long_mean = 160;
    return leaves_idle(s) && s.f.mean_row >= long_mean;
}

/// How many parts of `share` entries few long rows have.
double parts_of_few(const Situation& s, std::int64_t share) {
    return std::max(static_cast<double>(s.f.rows),
                    static_cast<double>(s.f.nnz) / static_cast<double>(share));
}

/// Entries of a part of few long rows: of as few as have all parts resident at once, for a few more
/// take a second round; where none has, of so few that it takes several.
std::int64_t part_of_few(const Situation& s) {
    constexpr double of_unit = 8;  // blocks that are resident on a multiprocessor of Hopper
    const double resident = of_unit * units_of(s.request);
    for (const std::int64_t share : {512, 1024, 2048})
        if (parts_of_few(s, share) <= resident) return share;
    constexpr double long_mean = 2048;
    return s.f.mean_row >= long_mean ? 1024 : 512;
}

/// Entries of a block's part of a long row: joining costs a number for each right-hand side,
/// waiting for a part is what small products do. Rows of up to two such parts are not cut, and none
/// where many are long.
std::int64_t part_of_a_long_row(const Situation& s) {
    constexpr std::int64_t few = 512, usual = 1024, many = 2048;
    constexpr double large = 4e7;  // entries times right-hand sides
    constexpr double long_mean = 512;
    constexpr std::int64_t some_rows = 1 << 14;
    if (lanes_of_an_entry(s) == 1) return usual;
    if (has_few_long_rows(s)) return part_of_few(s);
    if (s.f.rows >= few_rows && s.f.mean_row >= long_mean) return many;
    if (is_small(s) && s.f.max_row > 2 * few) return few;
    const bool is_large = static_cast<double>(s.f.nnz) * s.request.num_rhs >= large;
    return is_large && s.f.rows >= some_rows ? many : usual;
}

constexpr double little_of_two_lines = 8e6;  ///< bytes of y, where a row of x has two lines

/// Whether a long row is what a small product waits for, beside others that are not.
bool waits_for_a_long_row(const Situation& s) {
    constexpr std::int64_t long_row = 256, small = 300'000, small_of_two_lines = 420'000,
                           many_lanes = 4;
    // Bytes of y, from which on registers for more warps count.
    const double much = has_one_piece(s) ? 8e6 : 12e6;
    const bool is_larger = !has_one_piece(s) && y_bytes(s) < little_of_two_lines;
    return lanes_of_an_entry(s) >= many_lanes &&
           s.f.nnz < (is_larger ? small_of_two_lines : small) && s.f.max_row >= long_row &&
           y_bytes(s) < much && !leaves_idle(s);
}

/// Whether lanes then have more loads under way, as few rows leave registers for them.
bool waits_with_more_loads(const Situation& s) {
    constexpr std::int64_t many_lanes = 8;
    constexpr double little_of_one_line = 5e6;
    return lanes_of_an_entry(s) >= many_lanes &&
           y_bytes(s) < (has_one_piece(s) ? little_of_one_line : little_of_two_lines) &&
           waits_for_a_long_row(s);
}

/// Larger blocks where a product waits for a long row, or where parts of few long rows are fewer
/// than multiprocessors take three of. Lanes with two pieces and more loads under way fill the
/// registers, so that larger blocks pay only where there is little else to do.
std::int64_t block_of_long_rows(const Situation& s) {
    constexpr std::int64_t usual = 128;
    constexpr double few_of_unit = 2.65;  // parts
    constexpr std::int64_t few_entries = 100'000;
    constexpr double hardly_any_y = 4e6;  // bytes
    if (has_few_long_rows(s))
        return parts_of_few(s, part_of_few(s)) < few_of_unit * units_of(s.request) ? 2 * usual
                                                                                   : usual;
    if (!waits_for_a_long_row(s)) return usual;
    const bool is_full = !has_one_piece(s) && waits_with_more_loads(s) &&
                         (s.f.nnz >= few_entries || y_bytes(s) >= hardly_any_y);
    return is_full ? usual : 2 * usual;
}

/// The length that half of the rows do not exceed.
double half_of_the_rows(const Situation& s) {
    return static_cast<double>(row_quantile(s.f, 0.5));
}

bool is_half_long(const Situation& s) {
    constexpr double long_half = 32;
    return half_of_the_rows(s) >= long_half;
}

/// Of csr_by_length where rows are many and most are short: each lane takes two pieces of a row of
/// x, and no more than four numbers, as long as that leaves threads enough. With four pieces in all
/// that pays for rows that one round of loads takes.
std::int64_t lanes_of_many_short_rows(const Situation& s) {
    constexpr std::int64_t least = 2, most_numbers = 4, enough_threads = 1 << 19;
    std::int64_t lanes = lanes_of_an_entry(s) / (has_half_pieces(s) ? 2 : 1);
    const auto half_suffices = [&] {
        const std::int64_t half = lanes / 2;
        return row_bytes(s) <= bytes_of_lane * static_cast<double>(half) &&
               s.request.num_rhs <= most_numbers * half && s.f.rows * half >= enough_threads &&
               (has_half_pieces(s) || lanes > few_lanes || s.f.mean_row < short_mean);
    };
    while (lanes > least && half_suffices()) lanes /= 2;
    return lanes;
}

/// Lanes of csr_by_length for a short row.
std::int64_t lanes_of_a_short_row(const Situation& s) {
    constexpr std::int64_t least = 4, least_beside_long = 8;
    const std::int64_t lanes = lanes_of_an_entry(s);
    if (lanes == 1) return half_of_the_rows(s) < 2 ? 2 : least;
    if (is_half_long(s)) return std::max(lanes, least_beside_long);
    const bool are_many = static_cast<double>(s.f.rows) >= fewest_threads;
    if (lanes >= least && has_one_piece(s) && are_many) return lanes_of_many_short_rows(s);
    return std::max(lanes, least);
}

/// Pieces of rows of x under way at a time in csr_by_length: fewer where a lane has two pieces,
/// unless a long row is what small products wait for, and fewer of many short rows.
std::int64_t pieces_by_length(const Situation& s) {
    constexpr std::int64_t many_lanes = 8, longest = 512;
    constexpr double many = 5e6;   // entries times right-hand sides
    constexpr double much = 16e6;  // bytes of y
    const std::int64_t lanes = lanes_of_an_entry(s);
    if (lanes < many_lanes || lanes_of_a_short_row(s) < lanes) return 4;
    if (waits_for_a_long_row(s)) return waits_with_more_loads(s) ? 8 : 4;
    if (has_few_long_rows(s)) return has_one_piece(s) ? 8 : 4;
    if (!has_one_piece(s)) return is_small(s) && s.f.max_row > longest && y_bytes(s) < much ? 8 : 4;
    const bool many_rows =
        static_cast<double>(s.f.nnz) * s.request.num_rhs >= many || y_bytes(s) >= much;
    return s.f.mean_row < short_mean && many_rows ? 4 : 8;
}

}  // namespace

std::int64_t subwarp_of_many(const Situation& s) {
    const std::int64_t lanes = lanes_of_an_entry(s);
    if (lanes == 1) return lanes_alone(s);
    if (has_hardly_any(s)) return lanes_of_hardly_any(s);
    const auto rows = static_cast<double>(s.f.rows);
    if (has_half_pieces(s) && s.f.mean_row < some_entries && rows >= fewest_threads &&
        !waits_for_a_row(s))
        return lanes / 2;
    // Few lanes have so many pieces under way that a row takes half of the rounds.
    std::int64_t all = lanes_of_a_row(s, lanes, s.f.mean_row, rows,
                                      lanes == few_lanes ? few_threads / 2 : few_threads,
                                      lanes <= few_lanes ? 2 : 1);
    if (!has_one_piece(s)) return all;
    const std::int64_t threads = s.f.rows * all;
    if (all < waiting_lanes && threads < few_threads && waits_for_a_row(s)) all *= 2;
    return all;
}

bool has_few_rows(const Situation& s) {
    constexpr std::int64_t few = 8192;
    constexpr double long_mean = 48;
    return shares_entries(s) && s.f.rows < few && s.f.mean_row >= long_mean;
}

bool has_even_rows(const Situation& s) {
    constexpr double uneven = 2.2;  // longest row over the mean
    return static_cast<double>(s.f.max_row) < uneven * s.f.mean_row;
}

bool has_enough_even_rows(const Situation& s) {
    constexpr std::int64_t enough = 1536;
    constexpr double longest_mean = 1024;  // of more entries the longest row has too many more
    return s.f.rows >= enough && s.f.mean_row < longest_mean && has_even_rows(s);
}

bool shares_entries(const Situation& s) {
    return lanes_of_an_entry(s) > 1;
}

/// Larger blocks where a product of short rows has so few that beginning them is what it takes.
std::int64_t block_of_short_rows(const Situation& s) {
    constexpr std::int64_t usual = 128;  // small, for a lane has many registers
    constexpr double few_of_unit = 23;   // blocks
    const double blocks = static_cast<double>(s.f.rows * subwarp_of_many(s)) / usual;
    return lanes_of_an_entry(s) >= few_lanes && s.f.mean_row < short_mean &&
                   blocks < few_of_unit * units_of(s.request)
               ? 2 * usual
               : usual;
}

void choose_classical_of_many(ParamChoice& c) {
    c.set("block", Values{128, 256}, block_of_short_rows);
    c.set("subwarp", subwarps(c), subwarp_of_many);
    c.set("unroll", Values{1, 2, 4, 8}, pieces_at_a_time);
}

void choose_by_length_of_many(ParamChoice& c) {
    constexpr double large = 3e6;  // entries, among which a warp's long row holds nobody up
    c.set("block", Values{128, 256}, block_of_long_rows);
    c.set("share", Values{512, 1024, 2048}, part_of_a_long_row);
    c.set("subwarp", subwarps(c), lanes_of_a_short_row);
    c.set("unroll", Values{4, 8}, pieces_by_length);
    c.set("most_short", Values{16, 64}, [](const Situation& s) {
        return is_half_long(s) && lanes_of_an_entry(s) == 1 ? 64 : 16;
    });
    c.set("most_middle", Values{64, 128, 512}, [](const Situation& s) {
        if (leaves_idle(s)) return 64;
        const bool waits = lanes_of_an_entry(s) > 1 && static_cast<double>(s.f.nnz) < large;
        return is_half_long(s) || waits ? 128 : 512;
    });
}

}  // namespace spmvgen::gpu
