#include "tuner/gathers.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "matrix/chunks.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t small_block = 256, large_block = 1024;
constexpr std::int64_t samples = 32;  ///< large blocks that are looked at
constexpr std::int64_t sector = 32;   ///< bytes

std::int64_t distinct(std::vector<std::int64_t>& numbers) {
    std::ranges::sort(numbers);
    const auto rest = std::ranges::unique(numbers);
    return std::ssize(numbers) - std::ssize(rest);
}

struct Sectors {
    std::int64_t of_small = 0, of_large = 0, entries = 0;
};

/// Of the large block that begins at row `begin`.
template <typename Column>
Sectors sectors_of(const CsrView& a, std::int64_t begin, std::int64_t elements) {
    Sectors sum;
    std::vector<std::int64_t> all, own;
    const Column* columns = a.col_idx_as<Column>();
    for (std::int64_t block = begin; block < begin + large_block; block += small_block) {
        own.clear();
        for (std::int64_t k = a.row_begin(block); k < a.row_begin(block + small_block); ++k)
            own.push_back(static_cast<std::int64_t>(columns[k]) / elements);
        sum.entries += std::ssize(own);
        all.insert(all.end(), own.begin(), own.end());
        sum.of_small += distinct(own);
    }
    sum.of_large = distinct(all);
    return sum;
}

}  // namespace

double saved_by_large_blocks(const CsrView& a, ValueType vectors, int threads) {
    const std::int64_t blocks = a.rows / large_block;
    if (blocks < samples) return 0;
    const auto value = static_cast<std::int64_t>(size_of(vectors));
    const std::int64_t elements = std::max<std::int64_t>(1, sector / value);
    std::array<Sectors, samples> found;
    dispatch(a.index_type, [&]<typename Column>(Column) {
        for_parts(samples, 1, threads, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i)
                found[static_cast<std::size_t>(i)] =
                    sectors_of<Column>(a, blocks * i / samples * large_block, elements);
        });
    });
    Sectors sum;
    for (const Sectors& of_block : found) {
        sum.of_small += of_block.of_small;
        sum.of_large += of_block.of_large;
        sum.entries += of_block.entries;
    }
    const std::int64_t entry = value + static_cast<std::int64_t>(size_of(IndexType::i32));
    // Beside entries and x each row has an offset and an element of y.
    const std::int64_t bytes =
        sum.entries * entry + samples * large_block * entry + sector * sum.of_small;
    return static_cast<double>(sector * (sum.of_small - sum.of_large)) / static_cast<double>(bytes);
}

}  // namespace spmvgen
