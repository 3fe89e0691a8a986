#include "handle/base/x_gathers.hpp"

#include <algorithm>
#include <vector>

namespace spmvgen {
namespace {

constexpr std::int64_t most_windows = 64;
constexpr std::int64_t most_entries = 1 << 14;  ///< of a window

template <typename Integer>
std::vector<std::int64_t> integers(const void* array, std::int64_t first, std::int64_t count,
                                   const CopyHere& copy) {
    std::vector<Integer> here(static_cast<std::size_t>(count));
    if (count > 0)
        copy(here.data(), static_cast<const Integer*>(array) + first,
             here.size() * sizeof(Integer));
    return {here.begin(), here.end()};
}

std::vector<std::int64_t> integers(IndexType type, const void* array, std::int64_t first,
                                   std::int64_t count, const CopyHere& copy) {
    return type == IndexType::i32 ? integers<std::int32_t>(array, first, count, copy)
                                  : integers<std::int64_t>(array, first, count, copy);
}

/// How many different numbers there are among ascending ones, each divided by `divisor`.
std::int64_t distinct(const std::vector<std::int64_t>& ascending, std::int64_t divisor) {
    std::int64_t count = 0, last = -1;
    for (const std::int64_t number : ascending) {
        count += number / divisor != last;
        last = number / divisor;
    }
    return count;
}

/// Adds to columns the `width` - 1 that follow each.
void add_neighbours(std::vector<std::int64_t>& columns, std::int64_t width) {
    const std::size_t count = columns.size();
    columns.reserve(count * static_cast<std::size_t>(width));
    for (std::int64_t j = 1; j < width; ++j)
        for (std::size_t i = 0; i < count; ++i) columns.push_back(columns[i] + j);
}

}  // namespace

XGathers count_x_gathers(const StoredMatrix& stored, const Signature& signature, std::int64_t rows,
                         const XWindow& window, const CopyHere& copy) {
    const bool sliced = stored.arrays.contains("slice_ptr");
    const bool blocked = stored.arrays.contains("block_ptr");
    const auto param = [&](const char* name) { return signature.params.at(name); };
    // Rows of a piece; indices for each number that `begins` counts; columns that an index names.
    const std::int64_t height = sliced    ? param("lanes") * param("unroll")
                                : blocked ? param("block_rows")
                                          : 1;
    const std::int64_t each = sliced ? height : 1;
    const std::int64_t width = blocked ? param("block_cols") : 1;
    const void* const begins = stored.arrays.at(sliced    ? "slice_ptr"
                                                : blocked ? "block_ptr"
                                                          : "row_ptr");
    const void* const col_idx = stored.arrays.at("col_idx");
    const std::int64_t pieces = (rows + height - 1) / height;
    const std::int64_t of_window = std::max<std::int64_t>(1, window.rows / height);
    const std::int64_t windows = (pieces + of_window - 1) / of_window;
    const std::int64_t samples = std::min(windows, most_windows);
    std::int64_t entries = 0, lines = 0, columns = 0;
    for (std::int64_t i = 0; i < samples; ++i) {
        const std::int64_t first = windows * i / samples * of_window;
        const std::int64_t count = std::min(of_window, pieces - first);
        const auto ends = integers(signature.offset, begins, first, count + 1, copy);
        const std::int64_t taken = std::min((ends.back() - ends.front()) * each, most_entries);
        auto touched = integers(signature.index, col_idx, ends.front() * each, taken, copy);
        std::erase(touched, -1);  // padding
        add_neighbours(touched, width);
        std::ranges::sort(touched);
        entries += std::ssize(touched) * (blocked ? height : 1);
        columns += distinct(touched, 1);
        lines +=
            distinct(touched, std::max<std::int64_t>(1, window.line_bytes / window.element_bytes));
    }
    if (entries == 0) return {.line_bytes = window.line_bytes, .few_vectors = window.few_vectors};
    const auto of_entry = [&](std::int64_t number) {
        return static_cast<double>(number) / static_cast<double>(entries);
    };
    return {of_entry(lines), of_entry(columns), window.line_bytes, window.few_vectors};
}

bool columns_pay(const XGathers& x, double entries_a_column, std::size_t element_bytes,
                 int num_rhs) {
    constexpr double of_many = 4;  // times what its bytes cost, a load for each of many vectors
    const auto element = static_cast<double>(element_bytes);
    const double native = entries_a_column * x.lines * x.line_bytes;
    const double packed = entries_a_column * x.columns * element + 2 * element;
    return native * (num_rhs > x.few_vectors ? of_many : 1) <= packed;
}

}  // namespace spmvgen
