#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "spmvgen/matrix.hpp"

namespace spmvgen {

/// What row lengths tell of a matrix: all that the rules read, so that a handle need not find out
/// more. Plain data, never NaN, exact; docs/reference/features.md has the definitions, the edge
/// cases and the cost.
struct RowFeatures {
    std::int64_t rows = 0, cols = 0, nnz = 0;
    ValueType value_type = ValueType::f64;

    std::int64_t min_row = 0, max_row = 0, empty_rows = 0;
    double mean_row = 0, variance_row = 0;
    /// Rows by length: [0] = empty, [i] = lengths in [2^(i-1), 2^i).
    std::array<std::int64_t, 40> row_histogram{};
    std::int64_t row_p50 = 0, row_p90 = 0,
                 row_p99 = 0;  ///< percentiles of the row length (upper edge of its class)
    /// Stored entries over nonzeros when slices of 8, 16, 32 rows are padded to their longest row,
    /// unsorted and with rows sorted by length in windows of 256 slices.
    std::array<double, 3> sell_padding{}, sell_sorted_padding{};
    double ell_padding = 0;  ///< the same for plain ELL
    bool operator==(const RowFeatures&) const = default;
};

/// All that is known of a matrix. Exact where a field does not say that it is sampled.
struct Features : RowFeatures {
    // Where the entries are.
    std::int64_t bandwidth = 0;                ///< max |i - j|
    double mean_distance = 0;                  ///< mean |i - j|
    std::int64_t max_col = 0, empty_cols = 0;  ///< longest column, columns without entries
    double top_cols_share = 0;                 ///< share of entries in the 1 % most used columns
    bool sorted = true, duplicates = false;    ///< every row ascending; some column twice in a row
    /// Of the entries with one before them in their row, the share whose distance to it is exactly
    /// +1, fits in 8 bits, fits in 16 bits; 1 when there are none.
    std::array<double, 3> delta_share{};
    /// Distinct blocks r×c touched × r·c / nnz (fill ratio) for 2×2, 3×3, 4×4, 8×8; sampled for
    /// large matrices.
    std::array<double, 4> block_fill{};
    // What x costs: different 32-byte sectors of an x of 8-byte elements that are touched, over the
    // entries that touch them; 1 = each entry its own, 1/32 = a warp shares one. Sampled for large
    // matrices.
    double run_sectors = 0;  ///< of 32 entries that follow one another in the order of CSR
    /// Of a warp that gives 1, 2, 4, 8, 16, 32 lanes to each of its rows and takes so many entries
    /// of every row at a time: [0] = entry k of 32 neighbouring rows, as ELL has them.
    std::array<double, 6> warp_sectors{};
    /// Of all entries of 32, 512, 8192 neighbouring rows: what is left to load when that is kept.
    std::array<double, 3> window_sectors{};
    double pattern_symmetry =
        0;  ///< share of off-diagonal entries (i,j) with (j,i) present, sampled; 1 for diagonal
    double value_symmetry = 0;   ///< of those, share with equal values
    bool diagonal_full = false;  ///< square and every diagonal entry stored

    // Values; all false and 0 when there are no entries.
    std::int64_t distinct_values = 0;  ///< exact up to 256, 257 = more
    bool all_equal = false, exact_f32 = false, exact_f16 = false, exact_bf16 = false,
         exact_int8 = false;
    std::int64_t explicit_zeros = 0, non_finite = 0;
    bool operator==(const Features&) const = default;
};

/// Throws Error(invalid_argument) for a broken matrix (as validate). Reads row_ptr and, to
/// validate, col_idx once; never the values. threads = 0: what OpenMP would use. The result does
/// not depend on the number of threads.
RowFeatures analyse_row_lengths(const CsrView& matrix, int threads = 0);

/// As analyse_row_lengths(), of a matrix whose row_ptr is right (rows_are_right()); nothing else is
/// read, so columns and values may be elsewhere.
RowFeatures features_of_rows(const CsrView& matrix, int threads = 0);

/// The same and all the rest, in several passes.
Features analyse(const CsrView& matrix, int threads = 0);

/// The sheet that `spmvgen analyze` prints: at most 80 columns, with a row-length histogram.
/// `density` adds a plot of where the entries are.
std::string sheet(const Features& features);
std::string density_plot(const CsrView& matrix, int columns = 48, int lines = 24);
/// One JSON object with the fields' names above.
std::string to_json(const Features& features);

}  // namespace spmvgen
