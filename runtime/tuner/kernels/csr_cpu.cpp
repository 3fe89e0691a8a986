#include <algorithm>
#include <cmath>

#include "tuner/csr_k/csr_k.hpp"
#include "tuner/plan/cpu_figures.hpp"
#include "tuner/plan/kernel_plan.hpp"

namespace spmvgen {
namespace cpu {
namespace {

/// Rows in vectors of `lanes` entries, or one entry after the other.
void add_rows(CpuWork& w, const Problem& p, double lanes, double unroll) {
    const double sums = std::log2(lanes * unroll);  // halves of registers that are added
    w.near = lanes * p.vectors(lanes);
    w.steps = p.vectors(lanes) * p.registers(lanes) + p.rows * sums;
    w.rows = p.rows;
    w.turns =
        p.rows * p.m.row_turns(static_cast<std::int64_t>(lanes), static_cast<std::int64_t>(unroll));
}

/// A thread's rows are its own.
CpuWork rows_work(const Problem& p) {
    CpuWork w = p.of_any(p.csr_bytes() - p.vectors_bytes());
    add_rows(w, p, p.param("lanes"), p.param("unroll"));
    w.busiest = p.m.busiest(p.threads, false);
    return w;
}

/// Rows are cut where shares end.
CpuWork balanced_work(const Problem& p) {
    CpuWork w = p.of_any(p.csr_bytes() - p.vectors_bytes());
    add_rows(w, p, p.param("lanes"), p.param("unroll"));
    w.joins = 1;
    return w;
}

CpuWork coo_work(const Problem& p) {
    CpuWork w = p.of_any(p.nnz * (p.value + 2 * p.index));
    const double lanes = p.param("lanes");
    w.near = p.nnz;
    w.joins = 1;
    if (lanes == 1 && accumulator_type(p.s) == p.s.value) {
        constexpr double window = 1024;  // rows of y that become βy before entries are added
        constexpr double steps = 3;      // entry, sum loaded, sum stored
        // Of rows too long for others to be under way beside them: until the sum is there again.
        constexpr double waited = 6, long_row = 8;
        w.rows = w.turns = std::ceil(p.rows / window);
        w.steps = steps * p.nnz + waited * p.lengths.entries(long_row) + p.rows / p.lane;
        return w;
    }
    // Rows without entries are stored in runs; what fills no vector is taken entry after entry.
    w.rows = p.lengths.rows();
    const auto whole_lanes = static_cast<std::int64_t>(lanes);
    w.turns = std::min(p.rows * p.m.row_turns(whole_lanes, 1), 2 * w.rows);
    const double in_vectors =
        lanes > 1 ? std::max(0.0, p.nnz - 0.5 * (lanes - 1) * p.lengths.rows()) : 0;
    w.steps = in_vectors / lanes * p.registers(lanes) + (p.nnz - in_vectors) + p.nnz / lanes;
    return w;
}

/// What lanes_of_a_row gives: it changes at powers of two, up to twice the longest vector.
Values possible_lanes(const ParamChoice& c, bool or_one) {
    constexpr double longest_mean = 64;
    Values lanes{};
    if (or_one) lanes.push_back(1);
    for (double mean = 1; mean <= longest_mean; mean *= 2)
        lanes.push_back(lanes_of_a_row(c.request(), c.value_type(), mean));
    return lanes;
}

void choose_lanes(ParamChoice& c) {
    c.set(
        "lanes", [&] { return possible_lanes(c, false); },
        [](const Situation& s) { return lanes_of_a_row(s.request, s.f.value_type, s.f.mean_row); });
}

void choose_vector(ParamChoice& c) {
    constexpr std::int64_t unrolled = 4;
    choose_lanes(c);
    if (c.request().num_rhs > 1)
        c.set("unroll", Values{1, unrolled},
              [](const Situation& s) { return unrolls_entries(s) ? unrolled : 1; });
    else
        c.set("prefetch", Values{0, far_ahead}, prefetch_ahead);
}

void choose_ahead(ParamChoice& c) {
    c.set("past_caches", Values{0, 1},
          [](const Situation& s) { return stores_past_caches(s) ? 1 : 0; });
}

/// Of kernels that may also take one entry after another.
void choose_lanes_or_one(ParamChoice& c) {
    c.set("lanes", [&] { return possible_lanes(c, true); }, lanes_or_one);
}

std::vector<std::int64_t> unrolls(const Situation& s) {
    constexpr double unrolled_mean = 64;  // from which on several vectors are taken at a time
    return s.f.mean_row >= unrolled_mean || s.f.max_row >= long_row
               ? std::vector<std::int64_t>{1, 4}
               : std::vector<std::int64_t>{1};
}

std::vector<Params> vector_grid(const Situation& s, const BlockFill&) {
    return ParamSets().with("lanes", row_lanes(s, 2)).with("unroll", unrolls(s)).beside_the_plan();
}

std::vector<Params> balanced_grid(const Situation& s, const BlockFill&) {
    return ParamSets().with("lanes", row_lanes(s, 1)).with("unroll", unrolls(s)).beside_the_plan();
}

std::vector<Params> lanes_grid(const Situation& s, const BlockFill&) {
    return ParamSets().with("lanes", row_lanes(s, 1)).beside_the_plan();
}

void choose_balanced(ParamChoice& c) {
    choose_lanes_or_one(c);
    if (c.request().num_rhs == 1) c.set("prefetch", Values{0, far_ahead}, prefetch_ahead);
}

void choose_csr_k(ParamChoice& c) {
    c.put_all(plan_csr_k(c.kernel(), c.situation()).params);
    c.put_all({{"lanes", lanes_or_one(c.situation())}});
}

}  // namespace
}  // namespace cpu

extern constexpr KernelPlans csr_cpu_plans{
    {.kernel = "csr_rows", .cpu_work = cpu::rows_work},
    {.kernel = "csr_ahead",
     .choose = cpu::choose_ahead,
     .counted_as = "csr_rows",
     .cpu_work = cpu::rows_work},
    {.kernel = "csr_vector",
     .choose = cpu::choose_vector,
     .grid = cpu::vector_grid,
     .cpu_work = cpu::rows_work},
    {.kernel = "csr_balanced",
     .choose = cpu::choose_balanced,
     .grid = cpu::balanced_grid,
     .cpu_work = cpu::balanced_work},
    {.kernel = "coo_segmented",
     .choose = cpu::choose_lanes_or_one,
     .grid = cpu::lanes_grid,
     .cpu_work = cpu::coo_work},
    {.kernel = "csr_k_rows",
     .choose = cpu::choose_csr_k,
     .unlisted = true,
     .grid = cpu::lanes_grid,
     .counted_as = "csr_vector",
     .cpu_work = cpu::rows_work},
};

}  // namespace spmvgen
