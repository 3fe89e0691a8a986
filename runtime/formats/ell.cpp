#include <algorithm>

#include "formats/layout.hpp"
#include "formats/strips.hpp"

namespace spmvgen {

StoredMatrix store_ell(const CsrView& matrix, const Signature& signature) {
    const std::int64_t height = signature.params.at("lanes") * signature.params.at("unroll");
    const std::int64_t blocks = (matrix.rows + height - 1) / height;
    const std::int64_t stride = blocks * height;
    std::int64_t width = 0;
#pragma omp parallel for schedule(static) reduction(max : width)
    for (std::int64_t row = 0; row < matrix.rows; ++row)
        width = std::max(width, matrix.row_length(row));
    check_padding(matrix, "ell", static_cast<double>(width) * static_cast<double>(stride));

    StoredMatrix stored;
    stored.format = Format::ell;
    stored.scalars = {{"num_rows", matrix.rows},
                      {"num_cols", matrix.cols},
                      {"nnz", matrix.nnz},
                      {"width", width},
                      {"stride", stride}};
    stored.stored = stride * width;
    std::int64_t read = 0;  // entries of blocks up to their own width
    auto fill = [&]<typename Value, typename Index, typename Offset>(Value, Index, Offset) {
        Offset* full = add_array<Offset>(stored, "block_full", blocks);
        Offset* widest = add_array<Offset>(stored, "block_width", blocks);
        Index* col_idx = add_array<Index>(stored, "col_idx", stored.stored);
        Value* values = add_array<Value>(stored, "values", stored.stored);
#pragma omp parallel for schedule(static) reduction(+ : read)
        for (std::int64_t block = 0; block < blocks; ++block) {
            const std::int64_t first = block * height;
            const auto row_of = [&](std::int64_t l) {
                return first + l < matrix.rows ? first + l : -1;
            };
            const Widths w = widths_of(matrix, height, row_of);
            full[block] = static_cast<Offset>(w.full);
            widest[block] = static_cast<Offset>(w.width);
            read += w.width * height;
            for (std::int64_t l = 0; l < height; ++l)
                fill_row(matrix, row_of(l), stride, width, col_idx + first + l, values + first + l);
        }
    };
    dispatch(signature.value, [&](auto value) {
        dispatch(signature.index, [&](auto index) {
            dispatch(signature.offset, [&](auto offset) { fill(value, index, offset); });
        });
    });
    stored.bytes =
        read * static_cast<std::int64_t>(size_of(signature.value) + size_of(signature.index)) +
        2 * blocks * static_cast<std::int64_t>(size_of(signature.offset));
    return stored;
}

}  // namespace spmvgen
