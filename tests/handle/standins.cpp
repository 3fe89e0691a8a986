// Stand-ins for rooms that are not merged yet; to be dropped with the merge.
#pragma GCC visibility push(default)
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "formats/stored_matrix.hpp"
#include "handle/jit_loader.hpp"
#include "matrix/buffer.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/features.hpp"
#include "spmvgen/error.hpp"
#include "store/store.hpp"

namespace spmvgen {

Buffer::Buffer(std::size_t bytes) : bytes_(bytes) {
    if (bytes != 0) data_.reset(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
    if (bytes != 0 && !data_) throw std::bad_alloc();
}
void Buffer::Free::operator()(void* p) const noexcept {
    std::free(p);
}

void validate(const CsrView& m) {
    for (std::int64_t i = 0; i < m.rows; ++i)
        if (m.row_length(i) < 0)
            throw Error(ErrorCode::invalid_argument, "row_ptr does not ascend");
    for (std::int64_t k = 0; k < m.nnz; ++k)
        if (m.col(k) < 0 || m.col(k) >= m.cols)
            throw Error(ErrorCode::invalid_argument, "column out of range");
}

Features analyse(const CsrView& m, int) {
    validate(m);
    Features f;
    f.rows = m.rows;
    f.cols = m.cols;
    f.nnz = m.nnz;
    f.value_type = m.value_type;
    for (std::int64_t i = 0; i < m.rows; ++i) f.max_row = std::max(f.max_row, m.row_length(i));
    f.mean_row = m.rows > 0 ? static_cast<double>(m.nnz) / static_cast<double>(m.rows) : 0;
    f.sell_padding = f.sell_sorted_padding = {9, 9, 9};
    return f;
}

namespace {
template <typename To, typename From>
const void* copy_as(StoredMatrix& s, const void* from, std::int64_t n) {
    Buffer b = make_buffer<To>(n);
    std::copy_n(static_cast<const From*>(from), n, b.as<To>().data());
    s.owned.push_back(std::move(b));
    return s.owned.back().data();
}
const void* copy_indices(StoredMatrix& s, IndexType to, IndexType from, const void* p,
                         std::int64_t n) {
    return dispatch(to, [&](auto t) {
        return dispatch(from, [&](auto f) { return copy_as<decltype(t), decltype(f)>(s, p, n); });
    });
}
}  // namespace

StoredMatrix convert(const CsrView& m, const Signature& sig, bool borrow) {
    if (sig.kernel != "csr_rows" && sig.kernel != "csr_balanced")
        throw Error(ErrorCode::unsupported, "stand-in");
    StoredMatrix s;
    const bool same = m.index_type == sig.index && m.offset_type == sig.offset;
    if (borrow && same) {
        s.arrays = {{"row_ptr", m.row_ptr}, {"col_idx", m.col_idx}, {"values", m.values}};
    } else {
        s.arrays["row_ptr"] = copy_indices(s, sig.offset, m.offset_type, m.row_ptr, m.rows + 1);
        s.arrays["col_idx"] = copy_indices(s, sig.index, m.index_type, m.col_idx, m.nnz);
        s.arrays["values"] = dispatch(m.value_type, [&](auto v) {
            return copy_as<decltype(v), decltype(v)>(s, m.values, m.nnz);
        });
    }
    s.scalars = {{"num_rows", m.rows}, {"num_cols", m.cols}, {"nnz", m.nnz}};
    s.stored = m.nnz;
    s.bytes = static_cast<std::int64_t>(size_of(sig.offset)) * (m.rows + 1) +
              static_cast<std::int64_t>(size_of(sig.index) + size_of(sig.value)) * m.nnz;
    return s;
}

Store::Store(std::string directory, bool writable)
    : directory_(std::move(directory)), writable_(writable) {}
std::optional<KernelBinary> Store::find(const Signature&) {
    return std::nullopt;
}
bool Store::put(const KernelBinary&) {
    return writable_ && false;
}
std::string Store::path_of(const Signature&) const {
    return "";
}

Generator& load_generator() {
    throw Error(ErrorCode::unsupported, "stand-in has no generator");
}
std::string generator_path() {
    return "";
}

}  // namespace spmvgen
