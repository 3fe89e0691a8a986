#include "matrix/gallery/long_rows.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>

namespace spmvgen::generators {

AddedEntries::AddedEntries(const Shape& shape, const RowColumns& row, const LongRows& wanted) {
    const Random random(wanted.seed, Purpose::hub);
    const bool square = shape.rows == shape.cols;
    Columns columns;
    for (std::int64_t k = 1; k <= wanted.count && shape.rows > 0; ++k) {
        const std::int64_t i = random.below(shape.rows, k);
        const std::int64_t length = std::min(wanted.longest / k, shape.cols - shape.cols / 8);
        columns.clear();
        row(i, columns);
        std::unordered_set<std::int64_t> taken(columns.begin(), columns.end());
        // Wide enough that draws seldom meet columns already taken.
        const std::int64_t width = std::min(shape.cols, product({8, length}));
        const std::int64_t first = i % shape.cols - width / 2 + shape.cols;
        for (std::int64_t draw = 1; static_cast<std::int64_t>(taken.size()) < length; ++draw) {
            const std::int64_t j = (first + random.below(width, k, draw)) % shape.cols;
            if (!taken.insert(j).second) continue;
            entries_.emplace_back(i, j);
            if (square) entries_.emplace_back(j, i);
        }
    }
    std::ranges::sort(entries_);
}

void AddedEntries::append(std::int64_t i, Columns& columns) const {
    const auto first = std::lower_bound(entries_.begin(), entries_.end(),
                                        std::pair(i, std::numeric_limits<std::int64_t>::min()));
    for (auto entry = first; entry != entries_.end() && entry->first == i; ++entry)
        columns.push_back(entry->second);
}

}  // namespace spmvgen::generators
