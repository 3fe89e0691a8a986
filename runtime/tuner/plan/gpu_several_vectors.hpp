// Parameters of CSR's GPU kernels with several right-hand sides: an H100, seeds below 1000; those
// of small products by the time of a round of loads, about 1 µs
// (docs/explanation/several-vectors.md).
#pragma once
#include "tuner/plan/kernel_plan.hpp"

namespace spmvgen::gpu {

/// Lanes that share an entry, where a row has no others.
inline constexpr std::int64_t lanes_of_two_lines = 16;

/// What a subwarp may be: powers of two within the wavefront.
inline Values subwarps(const ParamChoice& c) {
    return Values::powers(1, c.wavefront());
}

/// Lanes that share an entry in kernels whose lanes may; 1 with one right-hand side.
std::int64_t lanes_of_an_entry(const Situation& s);

/// Bytes that a lane loads of a row of x at once: a piece of it.
inline constexpr double piece_bytes = 16;

/// Bytes of a row of x, or of y.
double row_bytes(const Situation& s);

/// Whether the lanes that share an entry have one piece of 16 bytes each, and not two.
bool has_one_piece(const Situation& s);

/// Lanes of each of `rows` rows of `mean` entries where `lanes` of them share one: as many as load
/// what two or three rounds of so many `loads` take, more where fewer than `few` threads would be
/// had.
std::int64_t lanes_of_a_row(const Situation& s, std::int64_t lanes, double mean, double rows,
                            double few, double loads);

/// Lanes of csr_classical for a row of the mean length.
std::int64_t subwarp_of_many(const Situation& s);

/// Whether lanes share an entry, each with some of the right-hand sides.
bool shares_entries(const Situation& s);

/// Whether lanes share entries and rows are long, and so few that all are under way at once: a
/// product takes as long as its longest row.
bool has_few_rows(const Situation& s);

/// Whether the longest row is about as long as others.
bool has_even_rows(const Situation& s);

/// Whether that holds, and rows are enough to keep the multiprocessors busy, a warp each, and not
/// so long that few more entries of the longest are many.
bool has_enough_even_rows(const Situation& s);

/// Whether rows of blocks, whose size the request tells, are enough for bcsr_fused: that they keep
/// the multiprocessors busy, or have blocks for so many lanes as a block of the grid has.
bool has_enough_block_rows(const Situation& s);

/// Rows of a block of bcsr_fused, and the lanes that take them; no lanes = not so.
struct WideRows {
    int rows = 1;
    std::int64_t lanes = 0;
};
/// More lanes than a warp has for a row, or for some rows that share rows of x, where these are so
/// few that all are under way at once. `blocks`: those of the request.
WideRows wide_rows_of_blocks(const Situation& s, const BlockChoice& blocks);

/// Lanes of bcsr_fused for a row of blocks, where lanes share a block, and pieces of x under way.
std::int64_t subwarp_of_blocks(const Situation& s);
std::int64_t pieces_of_blocks(const Situation& s);

/// All parameters of csr_classical and of csr_by_length.
void choose_classical_of_many(ParamChoice& c);
void choose_by_length_of_many(ParamChoice& c);

}  // namespace spmvgen::gpu
