#pragma once
#include "matrix/features/features.hpp"

/// The fields of Features by name, once for all that goes through them.
namespace spmvgen {

/// Whether texts may lack a field.
enum class Presence { always, added_later };

/// Calls visit(name, field, presence) for each field, in the order of the text. `F`: Features or
/// const Features.
template <typename F, typename Visit>
void for_each_field(F& f, Visit&& visit) {
    constexpr auto always = Presence::always;
    visit("rows", f.rows, always);
    visit("cols", f.cols, always);
    visit("nnz", f.nnz, always);
    visit("value_type", f.value_type, always);
    visit("min_row", f.min_row, always);
    visit("max_row", f.max_row, always);
    visit("empty_rows", f.empty_rows, always);
    visit("mean_row", f.mean_row, always);
    visit("variance_row", f.variance_row, always);
    visit("row_histogram", f.row_histogram, always);
    visit("row_p50", f.row_p50, always);
    visit("row_p90", f.row_p90, always);
    visit("row_p99", f.row_p99, always);
    visit("sell_padding", f.sell_padding, always);
    visit("sell_sorted_padding", f.sell_sorted_padding, always);
    visit("ell_padding", f.ell_padding, always);
    visit("bandwidth", f.bandwidth, always);
    visit("mean_distance", f.mean_distance, always);
    visit("max_col", f.max_col, always);
    visit("empty_cols", f.empty_cols, always);
    visit("top_cols_share", f.top_cols_share, always);
    visit("sorted", f.sorted, always);
    visit("duplicates", f.duplicates, always);
    visit("delta_share", f.delta_share, always);
    visit("block_fill", f.block_fill, always);
    visit("run_sectors", f.run_sectors, always);
    visit("warp_sectors", f.warp_sectors, always);
    visit("window_sectors", f.window_sectors, always);
    visit("pattern_symmetry", f.pattern_symmetry, always);
    visit("value_symmetry", f.value_symmetry, always);
    visit("diagonal_full", f.diagonal_full, always);
    visit("distinct_values", f.distinct_values, always);
    visit("all_equal", f.all_equal, always);
    visit("exact_f32", f.exact_f32, always);
    visit("exact_f16", f.exact_f16, always);
    visit("exact_bf16", f.exact_bf16, always);
    visit("exact_int8", f.exact_int8, always);
    visit("explicit_zeros", f.explicit_zeros, always);
    visit("non_finite", f.non_finite, always);
}

}  // namespace spmvgen
