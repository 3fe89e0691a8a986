#include <algorithm>
#include <cmath>
#include <vector>

#include "tuner/plan/cpu_figures.hpp"
#include "tuner/plan/gpu_figures.hpp"
#include "tuner/plan/kernel_plan.hpp"

namespace spmvgen {
namespace {

/// Pieces of diagonals that begin within a tile. The sample may have none of the rows that are far
/// longer than others: none of their entries is taken to go on in another row.
double dia_heads(const CostProblem& p) {
    constexpr double far_longer = 4;
    const double apart = p.lengths.entries(far_longer * std::max(p.f.mean_row, 1.0));
    return apart + (p.nnz - apart) * p.m.diagonal_heads();
}

/// The pieces in tiles of so many rows: those, and what goes on in the next tile.
double dia_pieces(const CostProblem& p, double tile) {
    const double heads = dia_heads(p);
    return heads + (p.nnz - heads) / tile;
}

double dia_bytes(const CostProblem& p, double pieces) {
    constexpr double rows_of_piece = 4;  // bytes
    return p.nnz * p.value + pieces * (p.index + p.offset + rows_of_piece);
}

}  // namespace

namespace cpu {
namespace {

CpuWork dia_work(const Problem& p) {
    const double tile = p.param("tile"), pieces = dia_pieces(p, tile);
    CpuWork w = p.of_any(dia_bytes(p, pieces));
    // x is read in order, piece after piece; sums are loaded and stored for each.
    w.near = 0;
    // A piece that begins anywhere ends anywhere: on average half of the rows that are taken at a
    // time are left over, and follow one by one.
    const double left_over =
        dia_heads(p) * std::min(p.nnz / std::max(pieces, 1.0), (p.param("lanes") - 1) / 2);
    w.steps = 2 * (p.nnz - left_over) / p.lane + left_over + pieces;
    w.rows = w.turns = pieces;  // each ends elsewhere than the one before
    w.busiest = p.m.busiest(p.threads, true);
    return w;
}

/// Two registers: more rows of a piece would be left over.
void choose_dia_cpu(ParamChoice& c) {
    c.put("lanes", std::max<std::int64_t>(2, 2 * register_lanes(c.request(), c.value_type())));
}

}  // namespace
}  // namespace cpu

namespace gpu {
namespace {

GpuWork dia_work(const Problem& p) {
    const double unroll = p.param("unroll"), pieces = dia_pieces(p, p.block);
    const double tiles = std::ceil(p.rows / p.block), warps = tiles * p.block / warp;
    const double rounds = std::ceil(pieces / std::max(tiles, 1.0) / unroll);
    GpuWork w;
    w.bytes = dia_bytes(p, pieces) + p.vectors_bytes();
    // Of x as many sectors as its elements fill, and one more for each warp of a piece.
    w.near = p.nnz * (p.value + p.vector) / sector + pieces * p.block / warp;
    w.far = p.far(p.block);
    // A piece that is not there costs half.
    w.steps = warps * (pieces / std::max(tiles, 1.0) + rounds * unroll) / 2;
    // What the pieces are the first warp of a block loads, for the others it is near.
    w.resident = resident_warps(unroll * (std::max(p.value, 4.0) + p.vector));
    w.waits = warps * (rounds + begin_waits);
    // A tile has as many pieces as its longest row has entries, if not more.
    w.depth = 2 * std::max(rounds, std::ceil(p.longest / unroll)) + begin_waits;
    w.warps = warps;
    w.blocks = tiles;
    w.rows = p.rows;
    return w;
}

std::vector<Params> dia_grid(const Situation&, const BlockFill&) {
    return ParamSets().with("block", {512}).beside_the_plan();
}

}  // namespace
}  // namespace gpu

extern constexpr KernelPlans dia_plans{
    {.kernel = "dia_cpu",
     .choose = cpu::choose_dia_cpu,
     .cpu_work = cpu::dia_work,
     .needs_diagonals = true},
    {.kernel = "dia", .grid = gpu::dia_grid, .gpu_work = gpu::dia_work},
};

}  // namespace spmvgen
