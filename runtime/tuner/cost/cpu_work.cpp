#include "tuner/cost/cpu_work.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "tuner/cost/problem.hpp"

namespace spmvgen {
namespace cpu {
namespace {

constexpr double line = 64;  ///< bytes
/// Bytes of entries, between two uses of what a thread's first and second cache keep of x.
constexpr double first_kept = 16 * 1024, second_kept = 512 * 1024;

constexpr int wide_vector = 64;   ///< bytes: of which there are 32 registers, of others 16
constexpr double long_lanes = 8;  ///< of strips' long rows

/// With what a CPU's vectors are.
class Problem : public CostProblem {
  public:
    Problem(MatrixFigures& figures, const Signature& signature, int team)
        : CostProblem(figures, signature),
          threads(team),
          lane(std::max(1.0, architecture(s.target).vector_bytes /
                                 static_cast<double>(size_of(accumulator_type(s))))) {}

    int threads;
    double lane;  ///< sums that a vector register holds

    std::int64_t whole(const char* name) const { return static_cast<std::int64_t>(param(name)); }
    /// Vectors of `lanes` entries that all rows take.
    double vectors(double lanes) const {
        if (lanes == 1) return nnz;
        const double counted = lengths.entries();
        return counted > 0 ? lengths.rounds(lanes) * nnz / counted : 0;
    }
    /// Registers that so many lanes take.
    double registers(double lanes) const { return std::ceil(lanes / lane); }

    /// Lines of x that are lacking when what `kept` bytes of entries touch is kept; those are left
    /// out that neighbouring rows read one after the other.
    double lines_beyond(double kept) const {
        const double row_bytes = std::max(f.mean_row, 0.1) * (value + index) + offset + vector;
        const Features& order = is_sorted() ? m.sorted_in(whole("sigma")) : f;
        const double lines = nnz * lines_of(window_sectors(order, kept / row_bytes), line);
        return std::max(lines - x_bytes() / line, 0.0);
    }
    /// Steps of one addition to sums in so many registers: beyond what there are, sums are loaded
    /// and stored each time.
    double of_sums(double count) const {
        const double free = architecture(s.target).vector_bytes >= wide_vector ? 28 : 12;
        return count > free ? 3 : 1;
    }
    /// The work of whatever kernel: x, and bytes of A beside those of the vectors.
    CpuWork of_any(double a_bytes) const {
        // A line of y that is written is read, too.
        return {.bytes = a_bytes + vectors_bytes() + vector * rows,
                .middle = lines_beyond(first_kept),
                .far = lines_beyond(second_kept)};
    }
    /// What a unit of work that no thread shares makes the busiest have, of so many units in all.
    double busiest_of(double longest_unit, double units) const {
        return std::max(1.0, longest_unit * threads / std::max(units, 1.0));
    }
};

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
    add_rows(w, p, p.param("lanes"), 1);
    // Rows without entries are stored in runs; what fills no vector is taken entry after entry.
    w.rows = p.lengths.rows();
    w.turns = std::min(w.turns, 2 * w.rows);
    const double lanes = p.param("lanes");
    const double in_vectors =
        lanes > 1 ? std::max(0.0, p.nnz - 0.5 * (lanes - 1) * p.lengths.rows()) : 0;
    w.near = p.nnz;
    w.steps = in_vectors / lanes * p.registers(lanes) + (p.nnz - in_vectors) + p.nnz / lanes;
    w.joins = 1;
    return w;
}

/// Columns of slices: SELL and ELL.
CpuWork slices_work(const Problem& p) {
    const double lanes = p.param("lanes"), height = lanes * p.param("unroll");
    const bool is_ell = p.s.kernel == "ell";
    const auto rows_of_slice = static_cast<std::int64_t>(height);
    const SlicesFigures& slices = p.m.slices(rows_of_slice, is_ell ? 1 : p.whole("sigma"));
    // Long rows are few, so the sample knows little of them; of lower slices only the sample knows.
    const double low = p.m.slices(8, is_ell ? 1 : p.whole("sigma")).padding;
    const double stored =
        p.nnz * std::max(1.0, p.slice_padding(height) *
                                  (height < 8 ? slices.padding / std::max(low, 1.0) : 1.0));
    const double count = std::ceil(p.rows / height);
    CpuWork w = p.of_any(stored * (p.value + p.index) + 2 * count * p.offset +
                         (p.is_sorted() ? p.rows * p.index : 0));
    w.near = stored;
    w.steps = stored / lanes * p.registers(lanes) + (p.is_sorted() ? p.rows : 0);
    w.rows = count;
    w.turns = count * slices.turns;
    w.busiest = is_ell ? p.m.busiest(p.threads, true) : p.busiest_of(p.longest, stored / height);
    return w;
}

CpuWork blocks_work(const Problem& p) {
    const double high = p.param("block_rows"), wide = p.param("block_cols");
    const double longer = std::max(high, wide), shorter = std::min(high, wide);
    const double fill =
        high * wide > 1 ? p.m.fill().at(static_cast<int>(high), static_cast<int>(wide)) : 1;
    const double blocks = p.nnz * fill / (high * wide), rows = std::ceil(p.rows / high);
    CpuWork w = p.of_any(blocks * (high * wide * p.value + p.index) + rows * p.offset);
    w.near = blocks * wide;
    w.steps = blocks * shorter * p.registers(longer) + p.rows;
    w.rows = rows;
    w.turns = rows * p.m.row_turns(std::max<std::int64_t>(1, std::llround(wide / fill)), 1);
    w.busiest = p.m.busiest(p.threads, false);
    return w;
}

CpuWork strips_work(const Problem& p) {
    const double lanes = p.param("lanes"), high = p.param("block_rows"),
                 wide = p.param("block_cols");
    const StripsFigures& strips = p.m.strips(p.s);
    const SlicesFigures& slices =
        p.m.slices(p.whole("lanes") * p.whole("block_rows"), p.whole("sigma"));
    const double limit = p.strips_limit(1);
    // Of block rows only the sample knows how many blocks they have.
    const bool by_sample = high > 1;
    const double long_rows = p.lengths.rows(limit);
    const double long_entries = by_sample ? strips.long_entries : p.lengths.entries(limit);
    const double apart = by_sample ? 1 : 1 - long_entries / std::max(p.nnz, 1.0);
    const double in_strips = std::max(strips.stored - strips.long_entries, 0.0) * apart;
    const double registers = in_strips / lanes * p.registers(lanes);
    const double masked = p.whole("ragged") > 0 ? 1 - slices.full : 0;
    const double affine =
        (p.whole("codes") & 1) != 0 ? strips.affine / std::max(strips.strips, 1.0) : 0;
    const double count = std::ceil(p.rows / (high * lanes));
    const bool singly = p.is_sorted() || high > 1 || p.whole("long_rows") > 0;
    CpuWork w = p.of_any(in_strips * p.value + strips.index_bytes * apart +
                         long_entries * (p.value + p.index));
    w.joins = p.whole("long_rows") > 0 ? 1 : 0;
    w.near = in_strips * (masked + (1 - masked) * (1 - affine) / high) + long_entries;
    w.steps = registers * p.of_sums(high * p.registers(lanes)) + (singly ? p.rows : 0) +
              long_entries / long_lanes * p.registers(long_lanes);
    w.rows = count + long_rows;
    w.turns = count * slices.turns;
    // Long rows are cut evenly.
    w.busiest = p.busiest_of(std::min(p.longest, limit) / wide,
                             (in_strips / (high * wide) + long_entries) / lanes);
    return w;
}

struct KernelWork {
    std::string_view kernel;
    CpuWork (*work)(const Problem&);
};

constexpr KernelWork works[] = {{"csr_rows", rows_work},     {"csr_vector", rows_work},
                                {"csr_k_rows", rows_work},   {"csr_balanced", balanced_work},
                                {"coo_segmented", coo_work}, {"sell", slices_work},
                                {"ell", slices_work},        {"bcsr", blocks_work},
                                {"strips_cpu", strips_work}};

}  // namespace
}  // namespace cpu

std::optional<CpuWork> cpu_work(MatrixFigures& figures, const Signature& signature, int threads) {
    const auto found = std::ranges::find(cpu::works, signature.kernel, &cpu::KernelWork::kernel);
    if (found == std::end(cpu::works) || signature.num_rhs != 1) return std::nullopt;
    return found->work(cpu::Problem(figures, signature, threads));
}

}  // namespace spmvgen
