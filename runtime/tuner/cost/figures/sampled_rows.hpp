#pragma once
#include <cstdint>
#include <vector>

#include "matrix/csr_matrix.hpp"
#include "matrix/entry_source.hpp"
#include "spmvgen/matrix.hpp"

namespace spmvgen {

/// The period of all that a choice looks at: blocks of 1 … 8 rows are those of the matrix.
inline constexpr std::int64_t block_sample_period = 840;

/// Entries that a choice looks at before it is made: one of so many, for looking is to take no more
/// than some products, within these limits.
struct SampleSize {
    std::int64_t share, least, most;
    std::int64_t slack = 2;  ///< times as many where windows have long rows; more of these are cut
    std::int64_t entries(const CsrView& matrix) const;
};
/// Of a CPU, and of a GPU, whose products take less time.
inline constexpr SampleSize host_sample{12, 3'000, 40'000}, gpu_sample{128, 4'000, 16'000, 3};

/// Some of a matrix' rows, with all columns: what stands for it where a figure need not be exact.
class SampledRows {
  public:
    /// Windows of neighbouring rows, evenly spread, of about `entries` entries together. Of rows
    /// that are far longer than that allows there are pieces, so that all have twice as many at
    /// most, unless 32 of each row are more. A matrix of fewer entries and not many more rows is
    /// taken whole, and not copied: it must outlive this.
    /// A window begins where its row's number is its place in the sample, but for multiples of
    /// `period`: blocks of rows that divide it are those of the matrix.
    /// `source`, here and below, has the columns where the matrix has none; null = it has them.
    SampledRows(const CsrView& matrix, std::int64_t entries, std::int64_t windows = 16,
                std::int64_t period = 1, EntrySource* source = nullptr);
    /// These rows, in this order.
    SampledRows(const CsrView& matrix, const std::vector<std::int64_t>& rows,
                EntrySource* source = nullptr);
    /// What a choice looks at: about so many entries, never more than SampleSize::slack times as
    /// many. There are fewer windows where rows are long.
    static SampledRows of_choice(const CsrView& matrix, const SampleSize& size,
                                 EntrySource* source = nullptr);

    CsrView view() const { return whole_ ? matrix_ : sample_.view(); }
    bool is_whole() const { return whole_; }
    /// Of what is not in the sample; null where that is on this host.
    EntrySource* source() const { return source_; }
    /// About so many entries were asked for.
    std::int64_t wanted() const { return wanted_; }
    /// Entries of the matrix over those of the sample.
    double scale() const;
    /// The sample's rows sorted by length, longest first, in windows of `sigma` rows of the sample.
    std::vector<std::int64_t> sorted_rows(std::int64_t sigma) const;

  private:
    SampledRows(const CsrView& matrix, EntrySource* source) : matrix_(matrix), source_(source) {}
    /// Takes the matrix as it is.
    void take_whole();

    CsrView matrix_;
    EntrySource* source_ = nullptr;
    std::int64_t wanted_ = 0;
    bool whole_ = false;
    CsrMatrix sample_;
};

}  // namespace spmvgen
