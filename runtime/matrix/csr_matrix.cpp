#include "matrix/csr_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <complex>
#include <limits>
#include <type_traits>

#include "matrix/chunks.hpp"
#include "matrix/overflow.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// Fewer elements than this are not worth a team of threads.
constexpr std::int64_t team_worth = 1 << 15;
/// What a thread validates at once.
constexpr std::int64_t elements_a_part = 1 << 16;
constexpr std::int64_t elements_of_team = 1 << 12;  ///< as team_for() takes them

template <typename T>
constexpr bool complex_value = !std::is_arithmetic_v<T>;

template <typename From, typename To>
Buffer convert_array(const From* from, std::int64_t count) {
    Buffer result = make_buffer<To>(count);
    To* to = result.template as<To>().data();
#pragma omp parallel for schedule(static) if (count > team_worth)
    for (std::int64_t i = 0; i < count; ++i) {
        if constexpr (complex_value<To> && !complex_value<From>)
            to[i] = To(static_cast<typename To::value_type>(from[i]));
        else
            to[i] = static_cast<To>(from[i]);
    }
    return result;
}

[[noreturn]] void broken_csr(const std::string& what) {
    throw Error(ErrorCode::invalid_argument, "broken CSR matrix: " + what);
}

// The two loops below look at sign bits, which vectors of any machine can gather; as functions of
// their own they are vectorised.

/// Sign bit set: some of ptr[0] … ptr[count-1] is negative, or above the next.
template <typename Offset>
std::make_unsigned_t<Offset> signs_of_steps(const Offset* ptr, std::int64_t count) {
    using Bits = std::make_unsigned_t<Offset>;
    Bits signs = 0;
#pragma omp simd reduction(| : signs)
    for (std::int64_t i = 0; i < count; ++i)
        signs |=
            static_cast<Bits>(ptr[i]) | (static_cast<Bits>(ptr[i + 1]) - static_cast<Bits>(ptr[i]));
    return signs;
}

/// Sign bit set: some column is negative, or above `last`.
template <typename Index>
std::make_unsigned_t<Index> signs_of_columns(const Index* col, std::int64_t count, Index last) {
    using Bits = std::make_unsigned_t<Index>;
    Bits signs = 0;
#pragma omp simd reduction(| : signs)
    for (std::int64_t k = 0; k < count; ++k)
        signs |= static_cast<Bits>(col[k]) | (static_cast<Bits>(last) - static_cast<Bits>(col[k]));
    return signs;
}

template <typename Bits>
bool is_negative(Bits bits) {
    return bits >> (std::numeric_limits<Bits>::digits - 1) != 0;
}

/// Whether row_ptr ascends from 0 to nnz.
template <typename Offset>
bool rows_are_right(const CsrView& a, int threads) {
    const auto* ptr = a.row_ptr_as<Offset>();
    if (ptr[0] != 0 || static_cast<std::int64_t>(ptr[a.rows]) != a.nnz) return false;
    std::atomic<bool> descends{false};
    const int team = team_for(a.rows, elements_of_team, threads);
    for_parts(a.rows, elements_a_part, team, [&](std::int64_t begin, std::int64_t end, int) {
        if (is_negative(signs_of_steps(ptr + begin, end - begin)))
            descends.store(true, std::memory_order_relaxed);
    });
    return !descends;
}

/// Whether all columns are in 0…cols-1.
template <typename Index>
bool columns_are_right(const CsrView& a, int threads) {
    const auto* col = a.col_idx_as<Index>();
    const auto last =
        static_cast<Index>(std::min<std::int64_t>(a.cols - 1, std::numeric_limits<Index>::max()));
    std::atomic<bool> outside{false};
    const int team = team_for(a.nnz, elements_of_team, threads);
    for_parts(a.nnz, elements_a_part, team, [&](std::int64_t begin, std::int64_t end, int) {
        if (is_negative(signs_of_columns(col + begin, end - begin, last)))
            outside.store(true, std::memory_order_relaxed);
    });
    return !outside;
}

bool is_right(const CsrView& a, int threads) {
    return dispatch(a.offset_type,
                    [&](auto offset) { return rows_are_right<decltype(offset)>(a, threads); }) &&
           dispatch(a.index_type,
                    [&](auto index) { return columns_are_right<decltype(index)>(a, threads); });
}

/// The first row that is wrong, or rows.
template <typename Offset, typename Index>
std::int64_t first_wrong_row(const CsrView& a) {
    const auto* ptr = a.row_ptr_as<Offset>();
    const auto* col = a.col_idx_as<Index>();
    std::int64_t first = a.rows;
#pragma omp parallel for schedule(dynamic, 4096) \
    reduction(min : first) if (a.nnz + a.rows > team_worth)
    for (std::int64_t i = 0; i < a.rows; ++i) {
        const std::int64_t begin = ptr[i], end = ptr[i + 1];
        bool wrong = begin > end || begin < 0 || end > a.nnz;
        for (std::int64_t k = begin; !wrong && k < end; ++k)
            wrong = col[k] < 0 || static_cast<std::int64_t>(col[k]) >= a.cols;
        if (wrong) first = std::min(first, i);
    }
    return first;
}

[[noreturn]] void explain_row(const CsrView& a, std::int64_t i) {
    const std::int64_t begin = a.row_begin(i), end = a.row_begin(i + 1);
    if (begin > end)
        broken_csr(fmt::format("row_ptr descends at row {}: {} after {}", i, end, begin));
    if (end > a.nnz)
        broken_csr(fmt::format("row_ptr[{}] = {} is beyond the {} entries", i + 1, end, a.nnz));
    for (std::int64_t k = begin; k < end; ++k)
        if (a.col(k) < 0 || a.col(k) >= a.cols)
            broken_csr(fmt::format("entry {} (row {}) has column {}, outside 0…{}", k, i, a.col(k),
                                   a.cols - 1));
    broken_csr(fmt::format("row {}", i));
}

}  // namespace

CsrMatrix convert_values(const CsrView& a, ValueType type) {
    if (is_complex(a.value_type) && !is_complex(type))
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("complex values ({}) cannot become real ({}): use c32 or c64",
                                to_string(a.value_type), to_string(type)));
    if (const std::int64_t place = first_overflow(a, type); place < a.nnz)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("{} is too large for {}: use a wider type", entry_text(a, place),
                                to_string(type)));
    CsrMatrix result{a.rows, a.cols, a.nnz, a.offset_type, a.index_type, type, {}, {}, {}};
    if (a.row_ptr != nullptr)
        result.row_ptr = copy_bytes(a.row_ptr, a.rows + 1, size_of(a.offset_type));
    result.col_idx = copy_bytes(a.col_idx, a.nnz, size_of(a.index_type));
    result.values = dispatch(a.value_type, [&](auto from) {
        return dispatch(type, [&](auto to) -> Buffer {
            using From = decltype(from);
            using To = decltype(to);
            if constexpr (complex_value<From> && !complex_value<To>)
                return {};
            else
                return convert_array<From, To>(a.values_as<From>(), a.nnz);
        });
    });
    return result;
}

void validate_shape(const CsrView& a) {
    if (a.rows < 0 || a.cols < 0 || a.nnz < 0)
        broken_csr(
            fmt::format("negative size ({} rows, {} columns, {} entries)", a.rows, a.cols, a.nnz));
    if (a.row_ptr == nullptr && a.rows > 0) broken_csr("row_ptr is null");
    if (a.col_idx == nullptr && a.nnz > 0) broken_csr("col_idx is null");
    if (a.values == nullptr && a.nnz > 0) broken_csr("values is null");
    if (a.rows == 0 && a.nnz > 0) broken_csr(fmt::format("{} entries but no rows", a.nnz));
}

void validate_end(const CsrView& a) {
    if (a.rows > 0 && a.row_begin(a.rows) != a.nnz)
        broken_csr(fmt::format("row_ptr ends at {}, but there are {} entries", a.row_begin(a.rows),
                               a.nnz));
}

bool rows_are_right(const CsrView& a, int threads) {
    return a.rows == 0 || dispatch(a.offset_type, [&](auto offset) {
               return rows_are_right<decltype(offset)>(a, threads);
           });
}

void validate(const CsrView& a, int threads) {
    validate_shape(a);
    if (a.rows == 0 || is_right(a, threads)) return;
    if (a.row_begin(0) != 0)
        broken_csr(fmt::format("row_ptr starts at {}, not at 0", a.row_begin(0)));
    validate_end(a);
    const std::int64_t wrong = dispatch(a.offset_type, [&](auto offset) {
        return dispatch(a.index_type, [&](auto index) {
            return first_wrong_row<decltype(offset), decltype(index)>(a);
        });
    });
    explain_row(a, wrong);
}

}  // namespace spmvgen
