#pragma once
#include <string>
#include <utility>
#include <vector>

#include "registry.hpp"
#include "tuner/records/record.hpp"

/// Records for tests, made by hand.
namespace spmvgen {

/// Of a matrix of `rows` rows with 3 entries each, on the diagonal and beside it.
inline Features sample_features(std::int64_t rows = 1000) {
    Features f;
    f.rows = f.cols = rows;
    f.nnz = 3 * rows;
    f.min_row = f.max_row = 3;
    f.mean_row = 3;
    f.row_histogram[2] = rows;
    f.row_p50 = f.row_p90 = f.row_p99 = 3;
    f.sell_padding = f.sell_sorted_padding = {1, 1, 1};
    f.ell_padding = 1;
    f.bandwidth = 1;
    f.mean_distance = 2.0 / 3;
    f.max_col = 3;
    f.top_cols_share = 0.01;
    f.delta_share = {1, 1, 1};
    f.block_fill = {0.75, 0.5, 0.375, 0.2};
    f.pattern_symmetry = 1;
    f.distinct_values = 257;
    return f;
}

inline const std::string csr_rows_name = "csr_rows_f64_i32_o32_a1_b0_k1";
inline const std::string csr_vector_name =
    "csr_vector_f64_i32_o32_a1_b0_k1_lanes4_prefetch0_unroll1";

/// On a CPU with two threads; the second kernel is the fastest.
inline TuningRecord sample_record(std::string matrix = "gallery:tridiagonal",
                                  std::int64_t rows = 1000) {
    return {.matrix = std::move(matrix),
            .group = "stencil",
            .features = sample_features(rows),
            .question = {.threads = 2},
            .device = {"x86-64-v4", "x86-64-v4", "x86-64"},
            .generator = std::string(generator_digest()),
            .method = "exhaustive",
            .date = "2026-11-21",
            .rule = csr_rows_name,
            .plain = csr_rows_name,
            .kernels = {{csr_vector_name, 1.5, 1.25, 1.75}, {csr_rows_name, 2.5, 2.25, 2.75}}};
}

inline const std::string gpu_kernel_name =
    "csr_classical_f64_i32_o32_a1_b0_k1_block256_subwarp4_unroll4";

/// On a GPU.
inline TuningRecord gpu_record(std::string matrix = "gallery:tridiagonal",
                               std::int64_t rows = 1000) {
    TuningRecord r = sample_record(std::move(matrix), rows);
    r.question.threads = 0;
    r.device = {"NVIDIA H200", "sm_90", "nvidia"};
    r.kernels = {{gpu_kernel_name, 3, 3, 3}};
    r.rule = r.plain = "";
    return r;
}

/// `text` with its first `from` exchanged.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    return at == text.npos ? "'" + from + "' is not there" : text.replace(at, from.size(), to);
}

}  // namespace spmvgen
