#include "tuner/plan/gpu_several_vectors.hpp"

#include <algorithm>

#include "tuner/cost/figures/row_steps.hpp"
#include "tuner/plan/gpu_figures.hpp"

namespace spmvgen::gpu {
namespace {

/// Lanes that share an entry in kernels whose lanes may; 1 with one right-hand side.
std::int64_t lanes_of_an_entry(const Situation& s) {
    Signature sums;
    sums.kernel = "csr_classical";
    sums.value = vectors_type(s.request, s.f.value_type);
    sums.accumulator = s.request.accumulator;
    sums.num_rhs = s.request.num_rhs;
    sums.params["subwarp"] = s.request.target.wavefront;
    return rhs_lanes(sums);
}

/// Entries of rows of `mean` that are taken at a time with several right-hand sides: more of few
/// rows, and where lanes share none.
std::int64_t entries_at_a_time(const Situation& s, double mean) {
    constexpr double short_mean = 3, usual_mean = 6, long_mean = 64;
    constexpr double rounds = 2.5;                         // of loads, from which more lanes pay
    constexpr std::int64_t most_shared = 4, enough = 16;   // entries, and lanes that load them
    constexpr double unrolled = 4, threads = 1 << 16;
    const std::int64_t lanes = lanes_of_an_entry(s);
    std::int64_t entries = lanes > 1           ? 1
                           : mean < short_mean ? 1
                           : mean < usual_mean ? 2
                           : mean < long_mean  ? 4
                                               : 8;
    while (lanes > 1 && entries < most_shared && 2 * entries * lanes <= enough &&
           mean >= rounds * static_cast<double>(entries * lanes))
        entries *= 2;
    while (static_cast<double>(s.f.rows * entries * lanes) < threads &&
           static_cast<double>(2 * entries) * unrolled <= mean)
        entries *= 2;
    return entries;
}

/// Pieces of rows of x under way at a time where lanes share entries: fewer of short rows leave room
/// for more warps, of which 64 want lanes with 32 registers.
std::int64_t pieces_at_a_time(const Situation& s) {
    constexpr double short_mean = 6, long_mean = 10;
    constexpr std::int64_t many_lanes = 8, few_lanes = 4;
    constexpr int most_of_short = 16;  // right-hand sides
    const std::int64_t lanes = lanes_of_an_entry(s);
    if (lanes >= many_lanes && s.f.mean_row < short_mean && s.request.num_rhs <= most_of_short)
        return 2;
    return lanes == few_lanes && s.f.mean_row >= long_mean ? 8 : 4;
}

/// Small blocks with several right-hand sides: each lane has many registers.
void choose_block(ParamChoice& c) {
    constexpr std::int64_t block = 128;
    if (c.request().num_rhs > 1)
        c.set("block", Values{block}, [](const Situation&) { return block; });
}

constexpr double half_the_rows = 0.5;  ///< which tell by the length that they do not exceed

}  // namespace

std::int64_t subwarp_of_many(const Situation& s) {
    const std::int64_t wavefront = s.request.target.wavefront;
    return std::min(wavefront, entries_at_a_time(s, s.f.mean_row) * lanes_of_an_entry(s));
}

void choose_classical_of_many(ParamChoice& c) {
    choose_block(c);
    c.set("subwarp", subwarps(c), subwarp_of_many);
    c.set("unroll", Values{2, 4, 8}, pieces_at_a_time);
}

/// With several right-hand sides: what a block's part of a long row is worth joining for, and where
/// half of the rows are long, fewer lanes for the shorter of them and blocks for more of the others.
void choose_by_length_of_many(ParamChoice& c) {
    constexpr double long_half = 32;
    constexpr int many = 16;
    choose_block(c);
    const auto is_long = [](const Situation& s) {
        return static_cast<double>(row_quantile(s.f, half_the_rows)) >= long_half;
    };
    c.set("share", Values{1024, 2048},
          [](const Situation& s) { return s.request.num_rhs < many ? 1024 : 2048; });
    c.set("subwarp", subwarps(c), [&](const Situation& s) {
        const auto half = static_cast<double>(row_quantile(s.f, half_the_rows));
        const std::int64_t lanes = lanes_of_an_entry(s);
        return lanes == 1 ? (half < 2 ? 2 : 4) : (is_long(s) ? 2 : 1) * lanes;
    });
    c.set("most_short", Values{16, 64}, [&](const Situation& s) { return is_long(s) ? 64 : 16; });
    c.set("most_middle", Values{128, 512},
          [&](const Situation& s) { return is_long(s) ? 128 : 512; });
}

}  // namespace spmvgen::gpu
