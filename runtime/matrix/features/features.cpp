#include "matrix/features/features.hpp"

#include "matrix/csr_matrix.hpp"
#include "matrix/features/features_parts.hpp"

namespace spmvgen {

RowFeatures analyse_row_lengths(const CsrView& matrix, int threads) {
    validate(matrix, threads);
    return features_of_rows(matrix, threads);
}

RowFeatures features_of_rows(const CsrView& matrix, int threads) {
    RowFeatures features;
    features.rows = matrix.rows;
    features.cols = matrix.cols;
    features.nnz = matrix.nnz;
    features.value_type = matrix.value_type;
    analyse_rows(matrix, threads, features);
    return features;
}

Features analyse(const CsrView& matrix, int threads) {
    Features features;
    static_cast<RowFeatures&>(features) = analyse_row_lengths(matrix, threads);
    analyse_places(matrix, threads, features);
    analyse_columns(matrix, threads, features);
    analyse_values(matrix, threads, features);
    analyse_blocks(matrix, threads, features);
    analyse_gathers(matrix, threads, features);
    analyse_symmetry(matrix, threads, features);
    return features;
}

}  // namespace spmvgen
