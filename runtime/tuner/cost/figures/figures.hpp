#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/plans/strips_plan.hpp"
#include "matrix/features/block_fill.hpp"
#include "matrix/features/features.hpp"
#include "matrix/features/numbered_rows.hpp"
#include "spmvgen/matrix.hpp"
#include "spmvgen/signature.hpp"
#include "tuner/cost/figures/length_histogram.hpp"
#include "tuner/cost/figures/sampled_hubs.hpp"
#include "tuner/cost/figures/sampled_rows.hpp"

namespace spmvgen {

/// What storing a matrix as strips takes, estimated from a sample.
struct StripsFigures {
    double stored = 0;       ///< values with padding and fill, those of long rows included
    double index_bytes = 0;  ///< of all arrays but those of values
    double strips = 0;       ///< of all slices
    double affine = 0;       ///< of these, strips without deltas: lanes read neighbours in x
    double long_entries = 0;
};

/// Rows in slices that are padded to their longest row, estimated from a sample.
struct SlicesFigures {
    double padding = 1;  ///< stored entries over nonzeros
    double full = 1;     ///< share of the stored columns that have an entry of every row
    double turns = 0;    ///< slices of other lengths than the one before, over slices
};

/// Whose work is counted from the figures.
enum class CountedFor { gpu, cpu };

/// What somebody else looks at, too, and keeps; empty = nobody does.
struct SharedFigures {
    std::function<const BlockFill&()> fill;                          ///< of the matrix
    std::function<const StripsPlan&(const Signature&)> strips_plan;  ///< of the sample
    std::function<const SampledHubs&()> hubs;                        ///< of the sample
};

/// Figures of a matrix from which a kernel's work is counted: row lengths exactly, where the
/// entries are from a sample of the rows. Each is computed once, when it is needed. The matrix must
/// outlive it. For one thread at a time.
class MatrixFigures {
  public:
    MatrixFigures(const MatrixFigures&) = delete;
    MatrixFigures& operator=(const MatrixFigures&) = delete;
    /// From the sample that a choice looks at.
    MatrixFigures(const CsrView& matrix, const RowFeatures& rows, int threads = 0,
                  CountedFor whose = CountedFor::gpu);
    /// From one that others look at, too; it must outlive this.
    MatrixFigures(const CsrView& matrix, const RowFeatures& rows, const SampledRows& sample,
                  int threads, CountedFor whose);
    /// Whether what columns decide is taken for the best that it can be: strips without deltas,
    /// full blocks, all entries in hubs, and of x each sector once for all rows that lie near each
    /// other. Of columns only window_sectors() of rows as they come are counted then.
    void be_optimistic(bool value) { optimistic_ = value; }
    bool is_optimistic() const { return optimistic_; }
    /// Must outlive this.
    void share(SharedFigures shared) { shared_ = std::move(shared); }

    const RowFeatures& features() const { return features_; }
    const LengthHistogram& lengths() const { return histogram_; }
    /// Accesses of an epilogue to its vectors, for each row (EpilogueProgram::count_accesses()).
    /// All kernels of a choice have the same one: it is read once.
    int accesses(const std::string& epilogue);
    /// Features::run_sectors.
    double run_sectors();
    /// Features::warp_sectors[bits] of rows as they come, or, where `sigma` is above 1, sorted by
    /// length: for a GPU in windows of some thousand rows of the sample, for a CPU in windows of
    /// `sigma` rows, from fewer and larger windows of the matrix.
    double warp_sectors(std::size_t bits, std::int64_t sigma = 1);
    /// The same of all entries of 1, 32, 512 or 8192 neighbouring rows, by `level` 0 to 3:
    /// Features::warp_sectors of a warp a row, and Features::window_sectors.
    double window_sectors(std::size_t level, std::int64_t sigma = 1);
    /// Different columns an entry, of all entries of `height` neighbouring rows: rows of x that
    /// somebody asks for who takes these rows together.
    double columns_of_rows(std::int64_t height);
    const BlockFill& fill();
    const StripsFigures& strips(const Signature& signature);
    /// Sectors of x an entry that a warp asks for when each lane has `items` neighbouring entries
    /// and takes one at a time.
    double tile_sectors(std::int64_t items);
    /// Share of the sectors that 32 entries in their order ask for, which follow another one of
    /// these in a line of 128 bytes. Like spread() alike for all kernels, so never optimistic.
    double sectors_beside();
    /// Share of the columns over which those of a few neighbouring rows are spread: 1 where they
    /// are anywhere, near 0 for a narrow band.
    double spread();
    /// Slices of `height` rows, sorted by length in windows of `sigma` rows of the sample.
    const SlicesFigures& slices(std::int64_t height, std::int64_t sigma);
    /// Rows over all rows whose loops end elsewhere than those of the row before, when `unroll`
    /// vectors of `lanes` entries are taken at a time, then vectors, then what is left.
    double row_turns(std::int64_t lanes, std::int64_t unroll);
    /// Rows and entries of the thread that has the most of both together, over an even share, when
    /// rows are not cut; with `by_rows` each thread has as many rows. 1 for one thread.
    double busiest(int threads, bool by_rows) const;
    /// Rows and entries of those `height` rows that have the most of both together, over their
    /// mean, when every `height` rows are taken together; `sigma` as for slices().
    double busiest_rows(std::int64_t height, std::int64_t sigma);
    /// Share of the entries that the `count` most used columns have.
    double hub_share(std::int64_t count);
    /// Share of the entries that have none beside them in the row above, on their diagonal. 0 when
    /// optimistic.
    double diagonal_heads() { return optimistic_ ? 0 : heads(1, 1); }
    /// Looks at far more of the matrix for diagonal_heads(); whether these are more than the sample
    /// says. The matrix must have its columns.
    bool has_more_heads();

  private:
    /// Of rows in that order.
    RowGathers& gathers(std::int64_t sigma);
    StripsFigures best_strips(const StripsShape& shape);
    /// heads_of_diagonals() of the sample, whose rows lie in windows of neighbours.
    double heads(std::int64_t down, std::int64_t right);
    /// Share of a CPU's strips that may lack deltas at most.
    double most_affine(const StripsShape& shape);
    /// Sectors of x an entry that at least are asked for by somebody who takes `rows` neighbouring
    /// rows, in whatever order.
    double least_sectors(double rows);
    /// Lengths of the sample's rows, sorted in windows of `sigma` rows.
    const std::vector<std::int32_t>& lengths_in(std::int64_t sigma);

    CsrView matrix_;
    int threads_;
    CountedFor whose_;
    SharedFigures shared_;
    std::unique_ptr<SampledRows> own_;
    const SampledRows& sample_;
    RowFeatures features_;
    LengthHistogram histogram_;
    bool optimistic_ = false;
    StripsFigures best_strips_;
    double least_index_bytes_ = 0;  ///< a stored entry, of all shapes of strips that were looked at
    std::map<std::int64_t, RowGathers> gathers_;  ///< by the rows that are sorted together
    std::optional<BlockFill> fill_;
    std::deque<std::pair<StripsShape, StripsFigures>> strips_;
    std::map<std::int64_t, double> tile_sectors_, columns_of_rows_;
    std::optional<NumberedRows> columns_;
    std::optional<double> sectors_beside_, spread_;
    std::optional<std::pair<std::string, int>> accesses_;  ///< of the last epilogue
    std::optional<SampledHubs> hubs_;
    std::map<std::int64_t, std::vector<std::int32_t>> lengths_in_;  ///< by σ
    std::map<std::pair<std::int64_t, std::int64_t>, SlicesFigures> slices_;
    std::map<std::pair<std::int64_t, std::int64_t>, double> row_turns_;
    std::map<std::pair<std::int64_t, std::int64_t>, double> heads_;
    std::optional<bool> rises_;  ///< whether columns of rows do
};

/// Share of the entries that have none `down` rows above and `right` columns to the left: on their
/// diagonal, for one of each. Of rows with rising columns; of about `entries` of theirs, 0 = some
/// thousand.
double heads_of_diagonals(const CsrView& a, std::int64_t down, std::int64_t right,
                          std::int64_t entries = 0);

/// Whether the columns of these rows rise.
bool has_rising_rows(const CsrView& a);

/// Whether enough of these entries have others beside or above them for blocks to pay.
bool has_neighbours(const CsrView& a);
/// Of a matrix none of whose entries share a block.
BlockFill fill_of_single_entries();

}  // namespace spmvgen
