#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "formats/strips_plan.hpp"
#include "matrix/block_fill.hpp"
#include "matrix/features.hpp"
#include "spmvgen/signature.hpp"
#include "tuner/cost/sampled_rows.hpp"

namespace spmvgen {

/// What storing a matrix as strips takes, estimated from a sample.
struct StripsFigures {
    double stored = 0;       ///< values with padding and fill, those of long rows included
    double index_bytes = 0;  ///< of all arrays but those of values
    double strips = 0;       ///< of all slices
    double long_entries = 0;
};

/// Figures of a matrix from which a kernel's work is counted: row lengths exactly, where the
/// entries are from a sample of the rows. Each is computed once, when it is needed. The matrix must
/// outlive it. For one thread at a time.
class MatrixFigures {
  public:
    MatrixFigures(const MatrixFigures&) = delete;
    MatrixFigures& operator=(const MatrixFigures&) = delete;
    MatrixFigures(const CsrView& matrix, const RowFeatures& rows, int threads = 0);

    /// Row lengths, and of Features: run_sectors, warp_sectors, window_sectors, empty_cols = 0.
    const Features& features() const { return features_; }
    /// The same with rows sorted by length in windows of some thousand rows: sectors only.
    const Features& sorted();
    const BlockFill& fill();
    const StripsFigures& strips(const Signature& signature);
    /// Sectors of x an entry that a warp asks for when each lane has `items` neighbouring entries
    /// and takes one at a time.
    double tile_sectors(std::int64_t items);
    /// Share of the entries that the `count` most used columns have.
    double hub_share(std::int64_t count);
    /// The rows that were looked at. Lives as long as this.
    CsrView sample() const { return sample_.view(); }

  private:
    CsrView matrix_;
    int threads_;
    SampledRows sample_;
    Features features_;
    std::optional<Features> sorted_;
    std::optional<BlockFill> fill_;
    std::map<std::string, StripsFigures> strips_;
    std::map<std::int64_t, double> tile_sectors_, hub_shares_;
};

}  // namespace spmvgen
