#include <nlohmann/json.hpp>

#include "matrix/features.hpp"

namespace spmvgen {

std::string to_json(const Features& f) {
    const nlohmann::ordered_json object{{"rows", f.rows},
                                        {"cols", f.cols},
                                        {"nnz", f.nnz},
                                        {"value_type", to_string(f.value_type)},
                                        {"min_row", f.min_row},
                                        {"max_row", f.max_row},
                                        {"empty_rows", f.empty_rows},
                                        {"mean_row", f.mean_row},
                                        {"variance_row", f.variance_row},
                                        {"row_histogram", f.row_histogram},
                                        {"row_p50", f.row_p50},
                                        {"row_p90", f.row_p90},
                                        {"row_p99", f.row_p99},
                                        {"sell_padding", f.sell_padding},
                                        {"sell_sorted_padding", f.sell_sorted_padding},
                                        {"ell_padding", f.ell_padding},
                                        {"bandwidth", f.bandwidth},
                                        {"mean_distance", f.mean_distance},
                                        {"max_col", f.max_col},
                                        {"empty_cols", f.empty_cols},
                                        {"top_cols_share", f.top_cols_share},
                                        {"sorted", f.sorted},
                                        {"duplicates", f.duplicates},
                                        {"delta_share", f.delta_share},
                                        {"block_fill", f.block_fill},
                                        {"run_sectors", f.run_sectors},
                                        {"warp_sectors", f.warp_sectors},
                                        {"window_sectors", f.window_sectors},
                                        {"pattern_symmetry", f.pattern_symmetry},
                                        {"value_symmetry", f.value_symmetry},
                                        {"diagonal_full", f.diagonal_full},
                                        {"distinct_values", f.distinct_values},
                                        {"all_equal", f.all_equal},
                                        {"exact_f32", f.exact_f32},
                                        {"exact_f16", f.exact_f16},
                                        {"exact_bf16", f.exact_bf16},
                                        {"exact_int8", f.exact_int8},
                                        {"explicit_zeros", f.explicit_zeros},
                                        {"non_finite", f.non_finite}};
    return object.dump();
}

}  // namespace spmvgen
