#pragma once
#include <algorithm>
#include <cmath>
#include <string_view>

#include "tuner/cost/work/cpu_work.hpp"
#include "tuner/cost/work/problem.hpp"

/// What the counts of work of a CPU's kernels have in common.
namespace spmvgen::cpu {

inline constexpr double line = 64;  ///< bytes
/// Bytes of entries, between two uses of what a thread's first and second cache keep of x.
inline constexpr double first_kept = 16 * 1024, second_kept = 512 * 1024;
/// Bytes of x that a thread's first and second cache hold beside what passes through them.
inline constexpr double first_cache = 32 * 1024, second_cache = 512 * 1024;

/// Of a slice beside a row: it reads where it lies and how long its shortest row is, and stores a
/// register of sums or several.
inline constexpr double ends_of_slice = 2;

inline constexpr int wide_vector = 64;  ///< bytes: of which there are 32 registers, of others 16

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

    std::int64_t whole(std::string_view name) const {
        return static_cast<std::int64_t>(param(name));
    }
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
        const double lines = nnz * lines_of(window_sectors(kept / row_bytes), line);
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
                .middle = x_bytes() > first_cache ? lines_beyond(first_kept) : 0,
                .far = x_bytes() > second_cache ? lines_beyond(second_kept) : 0};
    }
    /// What a unit of work that no thread shares makes the busiest have, of so many units in all.
    double busiest_of(double longest_unit, double units) const {
        return std::max(1.0, longest_unit * threads / std::max(units, 1.0));
    }
};

}  // namespace spmvgen::cpu
