// Stand-in until the reader's room is merged: drop this file then.
#include <cstdlib>
#include <new>

#include "matrix/csr_matrix.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {

void Buffer::Free::operator()(void* p) const noexcept {
    std::free(p);
}

Buffer::Buffer(std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    data_.reset(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
    if (!data_) throw std::bad_alloc();
}

void Buffer::shrink(std::size_t bytes) {
    bytes_ = bytes;
}

void validate(const CsrView& a) {
    const auto fail = [](const char* what) { throw Error(ErrorCode::invalid_argument, what); };
    if (a.rows < 0 || a.cols < 0 || a.nnz < 0) fail("negative size");
    if (a.rows == 0) return a.nnz > 0 ? fail("entries without rows") : void();
    if (a.row_ptr == nullptr) fail("row_ptr is missing");
    if (a.nnz > 0 && (a.col_idx == nullptr || a.values == nullptr)) fail("an array is missing");
    if (a.row_begin(0) != 0 || a.row_begin(a.rows) != a.nnz) fail("row_ptr does not span nnz");
    for (std::int64_t i = 0; i < a.rows; ++i)
        if (a.row_length(i) < 0) fail("row_ptr does not ascend");
    for (std::int64_t k = 0; k < a.nnz; ++k)
        if (a.col(k) < 0 || a.col(k) >= a.cols) fail("a column is outside the matrix");
}

}  // namespace spmvgen
