#include "matrix/features/features.hpp"

#include "matrix/features/features_parts.hpp"

namespace spmvgen {

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
