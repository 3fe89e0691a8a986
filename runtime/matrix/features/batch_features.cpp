#include "matrix/features/batch_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>

#include "matrix/csr_matrix.hpp"

namespace spmvgen {
namespace {

/// Shared memory that every GPU gives a block without being asked.
constexpr std::int64_t most_shared_bytes = 48 * 1024;

bool same_bytes(const void* a, const void* b, std::int64_t count, std::size_t element) {
    return a == b || count == 0 ||
           std::memcmp(a, b, static_cast<std::size_t>(count) * element) == 0;
}

bool same_row_ptr(const CsrView& a, const CsrView& b) {
    if (a.rows == 0) return true;
    if (a.offset_type == b.offset_type)
        return same_bytes(a.row_ptr, b.row_ptr, a.rows + 1, size_of(a.offset_type));
    for (std::int64_t i = 0; i <= a.rows; ++i)
        if (a.row_begin(i) != b.row_begin(i)) return false;
    return true;
}

bool same_columns(const CsrView& a, const CsrView& b) {
    if (a.index_type == b.index_type)
        return same_bytes(a.col_idx, b.col_idx, a.nnz, size_of(a.index_type));
    for (std::int64_t k = 0; k < a.nnz; ++k)
        if (a.col(k) != b.col(k)) return false;
    return true;
}

bool same_pattern(const CsrView& a, const CsrView& b) {
    return a.rows == b.rows && a.cols == b.cols && a.nnz == b.nnz && same_row_ptr(a, b) &&
           same_columns(a, b);
}

BatchKind kind_of(std::span<const CsrView> systems) {
    std::atomic<bool> pattern = true, values = true;
#pragma omp parallel for schedule(dynamic, 16)
    for (std::size_t i = 1; i < systems.size(); ++i) {
        const CsrView &first = systems[0], &other = systems[i];
        if (!pattern) continue;
        if (!same_pattern(first, other))
            pattern = false;
        else if (values &&
                 !same_bytes(first.values, other.values, first.nnz, size_of(first.value_type)))
            values = false;
    }
    return !pattern ? BatchKind::flexible
           : values ? BatchKind::one_matrix
                    : BatchKind::shared_pattern;
}

std::int64_t longest_row_of(const CsrView& matrix) {
    std::int64_t longest = 0;
    for (std::int64_t row = 0; row < matrix.rows; ++row)
        longest = std::max(longest, matrix.row_length(row));
    return longest;
}

/// The figures of `count` systems like this one.
void add(BatchFeatures& f, const CsrView& system, std::int64_t longest, std::int64_t count) {
    f.rows += count * system.rows;
    f.cols += count * system.cols;
    f.nnz += count * system.nnz;
    f.max_rows = std::max(f.max_rows, system.rows);
    f.max_cols = std::max(f.max_cols, system.cols);
    if (system.cols * static_cast<std::int64_t>(size_of(f.value_type)) <= most_shared_bytes)
        f.max_shared_cols = std::max(f.max_shared_cols, system.cols);
    f.max_nnz = std::max(f.max_nnz, system.nnz);
    f.max_row = std::max(f.max_row, longest);
    f.ell_entries += count * system.rows * longest;
}

/// The number of the first broken system, or how many there are. Small systems are not worth a team
/// each: validate() opens none within a parallel region.
std::int64_t first_broken(std::span<const CsrView> systems, std::vector<std::int64_t>& longest) {
    auto broken = static_cast<std::int64_t>(systems.size());
#pragma omp parallel for schedule(dynamic, 16) reduction(min : broken)
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(systems.size()); ++i) {
        const CsrView& system = systems[static_cast<std::size_t>(i)];
        try {
            validate(system);
            longest[static_cast<std::size_t>(i)] = longest_row_of(system);
        } catch (const std::exception&) {
            broken = std::min(broken, i);
        }
    }
    return broken;
}

}  // namespace

BatchFeatures analyse_batch(std::span<const CsrView> systems) {
    BatchFeatures f;
    f.systems = static_cast<std::int64_t>(systems.size());
    if (systems.empty()) return f;
    f.value_type = systems[0].value_type;
    for (std::size_t i = 0; i < systems.size(); ++i)
        if (systems[i].value_type != f.value_type)
            throw Error(ErrorCode::invalid_argument,
                        fmt::format("system {}: its values are {}, those of system 0 are {}: all "
                                    "systems of a batch have one value type",
                                    i, to_string(systems[i].value_type), to_string(f.value_type)));
    std::vector<std::int64_t> longest(systems.size());
    if (const std::int64_t broken = first_broken(systems, longest); broken < f.systems)
        in_system(broken, [&] { validate(systems[static_cast<std::size_t>(broken)]); });
    f.kind = kind_of(systems);
    for (std::size_t i = 0; i < systems.size(); ++i) add(f, systems[i], longest[i], 1);
    return f;
}

BatchFeatures analyse_repeated(const CsrView& matrix, std::int64_t count) {
    if (count < 0)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("a batch of {} systems: use 0 or more", count));
    validate(matrix);
    constexpr std::int64_t most = std::int64_t{1} << 48;  // of numbers in any memory
    if (count > most / std::max({matrix.rows, matrix.cols, matrix.nnz, std::int64_t{1}}))
        throw Error(
            ErrorCode::invalid_argument,
            fmt::format("a batch of {} systems is larger than any memory: use fewer", count));
    BatchFeatures f;
    f.kind = BatchKind::one_matrix;
    f.value_type = matrix.value_type;
    f.systems = count;
    if (count > 0) add(f, matrix, longest_row_of(matrix), count);
    return f;
}

}  // namespace spmvgen
