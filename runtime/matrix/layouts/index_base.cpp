#include "matrix/layouts/index_base.hpp"

#include <limits>

#include "matrix/chunks.hpp"
#include "matrix/layouts/block_matrix.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t numbers_a_part = 1 << 16;  ///< that a thread writes at a time

/// The numbers, each less one; none where there are none. The least number, which has none below
/// it, becomes another one that is out of range.
Buffer less_one(const void* numbers, std::int64_t count, IndexType type, int threads) {
    return dispatch(type, [&]<typename Number>(Number) {
        Buffer result = make_buffer<Number>(numbers != nullptr ? count : 0);
        const auto* const from = static_cast<const Number*>(numbers);
        const std::span<Number> to = result.as<Number>();
        for_parts(std::ssize(to), numbers_a_part, threads,
                  [&](std::int64_t begin, std::int64_t end, int) {
                      for (std::int64_t i = begin; i < end; ++i)
                          to[static_cast<std::size_t>(i)] =
                              from[i] > std::numeric_limits<Number>::min() ? from[i] - 1 : -1;
                  });
        return result;
    });
}

/// The matrix, of whose rows and entries `rows` tells, with arrays of its own. Its columns are read
/// when it is known that there are as many as it says.
template <typename View>
FromZero<View> with_arrays(const View& matrix, CsrView rows, int threads) {
    FromZero<View> result{matrix, {}, {}};
    validate_shape(rows);
    if (rows.rows > 0) {
        result.pointers = less_one(rows.row_ptr, rows.rows + 1, rows.offset_type, threads);
        result.view.row_ptr = rows.row_ptr = result.pointers.data();
        validate_end(rows);
    }
    result.indices = less_one(rows.col_idx, rows.nnz, rows.index_type, threads);
    if (result.indices.bytes() > 0) result.view.col_idx = result.indices.data();
    return result;
}

}  // namespace

FromZero<CsrView> from_zero(const CsrView& a, int threads) {
    return with_arrays(a, a, threads);
}

FromZero<BsrView> from_zero(const BsrView& a, int threads) {
    return with_arrays(a, blocks_of(a), threads);
}

FromZero<CooView> from_zero(const CooView& a, int threads) {
    FromZero<CooView> result{a, less_one(a.row_idx, a.nnz, a.index_type, threads),
                             less_one(a.col_idx, a.nnz, a.index_type, threads)};
    result.view.row_idx = result.pointers.data();
    result.view.col_idx = result.indices.data();
    return result;
}

}  // namespace spmvgen
