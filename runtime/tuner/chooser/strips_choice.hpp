#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/plans/strips_plan.hpp"
#include "matrix/features/block_fill.hpp"
#include "matrix/features/features.hpp"
#include "tuner/chooser/strips_shape.hpp"
#include "tuner/cost/figures/sampled_rows.hpp"
#include "tuner/rules/choose.hpp"

namespace spmvgen {

/// The parameter `codes` of columns that are stored as they are, where nothing else of an entry is.
inline constexpr std::int64_t whole_columns = 8;

/// Whether row lengths leave it open that strips are the fastest format: enough entries for bytes
/// to count (fewer on the host), and rows that are even when sorted, or of which a few are far
/// longer than the rest.
bool may_be_strips(const RowFeatures& features, bool host);

/// The block that takes the fewest bytes a nonzero by a sample of the fill, of a matrix of so many
/// rows: 1×1 unless another one gains.
std::array<std::int64_t, 2> likely_block(const BlockFill& fill, std::int64_t rows,
                                         const Signature& signature);

/// What one matrix suggests for signatures of format strips. Shapes are compared by a sample of the
/// rows, each at most once; settle() looks at all of the matrix, for the one that is chosen. Of the
/// matrix itself only row offsets are read before. It, its features and the sample must outlive it.
/// For one thread at a time.
class StripsChooser {
  public:
    StripsChooser(const CsrView& matrix, const RowFeatures& features, const SampledRows& sample,
                  int threads)
        : matrix_(matrix), features_(features), sample_(sample), threads_(threads) {}

    /// Sets the parameters of the matrix that are not in `given`, as far as the sample tells: the
    /// block that takes the fewest bytes (`fill` is a sample of what is free), long rows, whether
    /// slices are ragged or filled, and the codes: those that occur, short of one that hardly
    /// saves.
    void fit(Signature& signature, const Params& given, const std::function<BlockFill()>& fill);

    /// Sets those that say what occurs in all of the matrix, for a signature that fit() made:
    /// codes, long rows, ragged and filled slices. `matrix` has its columns. Returns a line for
    /// people.
    std::string settle(Signature& signature, const Params& given, const CsrView& matrix);

    /// Whether the matrix would take more memory so than it may (strips_memory()), by the lengths
    /// of all rows: a sample misses some of those that others in their slice are padded to. They
    /// are only looked at where the sample comes near that, and not for blocks.
    bool is_too_large(const Signature& signature);

    /// What storing the matrix so takes; of what was settled, exactly.
    StripsOutlook outlook(const Signature& signature);

    /// How the sample's rows would lie. Lives as long as this.
    const StripsPlan& sample_plan(const Signature& signature);

    /// The layout of the matrix that settle() found last, for this signature's conversion; null
    /// where that would be another one. The caller's: it is given once.
    std::unique_ptr<StripsLayout> take_layout(const Signature& signature);

  private:
    /// Whether row lengths alone tell that no row of this shape is stored apart.
    bool nothing_is_long(const StripsShape& shape) const;
    /// How the matrix would lie, by the sample; what was settled is as it is.
    const StripsPlan& plan(const Signature& signature);
    /// What a plan of the sample lets expect of all of the matrix.
    StripsPlan estimated(const StripsPlan& found, const StripsShape& shape) const;
    /// Sets what a plan with all codes says of the matrix.
    void set_found(Signature& signature, const Params& given, const StripsPlan& plan);
    /// Sets these blocks, and lanes that go with them, where that takes fewer bytes.
    void choose_blocks(Signature& signature, const Params& given, std::int64_t high,
                       std::int64_t wide);
    /// Those of the signature's size, counted once.
    RowBlocks& blocks_of_sample(const Signature& signature);
    /// Sets `fill` for 1×1 blocks: whether holes save bytes, of rows as they come or, with
    /// `period`, taking turns.
    void choose_holes(Signature& signature, const Params& given);
    /// Whether the sample has whole diagonals alone, so that holes may be where they end elsewhere:
    /// then all of the matrix is laid out with them.
    bool may_end_elsewhere(const Signature& signature);
    /// Whether all values are one, and columns as they are, of rows as they come, are faster than
    /// compressed ones; what the signature says of codes and σ does not matter.
    bool whole_columns_pay(const Signature& signature);
    /// Sets `codes`, `sigma` and `unroll` where that is so and they are open. Whether it did.
    bool choose_whole_columns(Signature& signature, const Params& given);
    double bytes(const Signature& signature);
    /// On a CPU with what it takes to load the elements of x that no neighbour is loaded with.
    double bytes_with_loads(const Signature& signature);

    /// Of a signature what a plan depends on.
    struct PlanKey {
        StripsShape shape;
        IndexType index, offset;
        bool operator==(const PlanKey&) const = default;
    };
    struct Plans {
        PlanKey key;
        StripsPlan of_sample, of_matrix;
    };
    Plans& plans(const Signature& signature);
    /// The sample, or a smaller one where it takes long to look at.
    const SampledRows& rows_for(const StripsShape& shape);
    /// One of so many slices of the sample is looked at.
    std::int64_t step(const StripsShape& shape) const;

    const CsrView matrix_;
    const RowFeatures& features_;
    const SampledRows& sample_;
    std::optional<SampledRows> fewer_;
    const int threads_;
    std::deque<Plans> plans_;
    std::map<std::pair<std::int64_t, std::int64_t>, RowBlocks> row_blocks_;  ///< by rows, columns
    std::optional<int> period_;  ///< of the rows (tuner/chooser/row_period.hpp)
    /// Of a CPU's slices of rows as they come, the least lanes with which none has diagonals with
    /// holes: with more there are none either.
    std::int64_t lanes_without_holes_ = std::numeric_limits<std::int64_t>::max();
    std::unique_ptr<StripsLayout> layout_;  ///< of all of the matrix, with all codes
};

}  // namespace spmvgen
