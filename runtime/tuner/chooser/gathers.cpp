#include "tuner/chooser/gathers.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "matrix/chunks.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t small_block = 256, large_block = 1024;
constexpr std::int64_t most_samples = 32;  ///< large blocks that are looked at,
constexpr std::int64_t least_samples = 4;
constexpr std::int64_t blocks_a_part = 4;
constexpr std::int64_t sampled_entries = 150'000;  ///< and about so many entries
/// Entries of a large block, of which no L1 cache keeps x for the block's other rows.
constexpr std::int64_t most_of_block = 100'000;
constexpr std::int64_t sector = 32;  ///< bytes

/// Numbers below a bound, a bit each.
class Marks {
  public:
    explicit Marks(std::int64_t bound) : words_(static_cast<std::size_t>(bound / 64 + 1)) {}
    /// Whether it was not marked yet.
    bool mark(std::int64_t number) {
        std::uint64_t& word = words_[static_cast<std::size_t>(number / 64)];
        const std::uint64_t bit = std::uint64_t{1} << (number % 64);
        const bool is_new = (word & bit) == 0;
        word |= bit;
        return is_new;
    }
    /// Takes the mark of this number away, and maybe those of others, which must go, too.
    void clear(std::int64_t number) { words_[static_cast<std::size_t>(number / 64)] = 0; }

  private:
    std::vector<std::uint64_t> words_;
};

struct Sectors {
    std::int64_t of_small = 0, of_large = 0, entries = 0;
};

/// Of the large block that begins at row `begin`, with its columns. No mark is left in `own` and
/// `all`. A sector has 2^shift elements.
template <typename Column>
Sectors sectors_of(const CsrView& a, std::int64_t begin, const Column* columns, int shift,
                   Marks& own, Marks& all) {
    Sectors sum;
    const std::int64_t before = a.row_begin(begin);
    const auto sector_at = [&](std::int64_t k) {
        return static_cast<std::int64_t>(columns[k - before]) >> shift;
    };
    for (std::int64_t block = begin; block < begin + large_block; block += small_block) {
        const std::int64_t first = a.row_begin(block), last = a.row_begin(block + small_block);
        for (std::int64_t k = first; k < last; ++k) {
            if (!own.mark(sector_at(k))) continue;
            ++sum.of_small;
            sum.of_large += all.mark(sector_at(k)) ? 1 : 0;
        }
        for (std::int64_t k = first; k < last; ++k) own.clear(sector_at(k));
        sum.entries += last - first;
    }
    for (std::int64_t k = a.row_begin(begin); k < a.row_begin(begin + large_block); ++k)
        all.clear(sector_at(k));
    return sum;
}

/// Some of the large blocks, whose columns may have to be fetched.
class SampledBlocks {
  public:
    SampledBlocks(const CsrView& a, std::int64_t samples, EntrySource* source)
        : a_(a), samples_(samples), is_fetched_(source != nullptr) {
        if (!is_fetched_) return;
        std::vector<EntryRange> ranges;
        std::int64_t entries = 0;
        for (std::int64_t i = 0; i < samples; ++i) {
            const EntryRange range{a.row_begin(begin(i)), a.row_begin(begin(i) + large_block)};
            places_.push_back(entries);
            entries += range.end - range.begin;
            append(ranges, range);
        }
        columns_ = source->columns(ranges);
    }
    /// Its first row.
    std::int64_t begin(std::int64_t i) const {
        return a_.rows / large_block * i / samples_ * large_block;
    }
    /// Of its first entry.
    template <typename Column>
    const Column* columns(std::int64_t i) const {
        if (!is_fetched_) return a_.col_idx_as<Column>() + a_.row_begin(begin(i));
        return static_cast<const Column*>(columns_.data()) + places_[static_cast<std::size_t>(i)];
    }

  private:
    const CsrView& a_;
    const std::int64_t samples_;
    const bool is_fetched_;
    std::vector<std::int64_t> places_;  ///< of fetched columns, where those of a block begin
    Buffer columns_;
};

}  // namespace

double saved_by_large_blocks(const CsrView& a, ValueType vectors, int threads,
                             EntrySource* source) {
    const std::int64_t blocks = a.rows / large_block;
    if (blocks < most_samples) return 0;
    const std::int64_t of_block = std::max<std::int64_t>(a.nnz / blocks, 1);
    if (of_block > most_of_block) return 0;
    const auto samples =
        std::clamp<std::int64_t>(sampled_entries / of_block, least_samples, most_samples);
    const auto value = static_cast<std::int64_t>(size_of(vectors));
    const auto elements = static_cast<std::uint64_t>(std::max<std::int64_t>(1, sector / value));
    const int shift = std::countr_zero(elements);  // a power of two
    const SampledBlocks sampled(a, samples, source);
    std::vector<Sectors> found(static_cast<std::size_t>(samples));
    dispatch(a.index_type, [&]<typename Column>(Column) {
        for_parts(samples, blocks_a_part, threads, [&](std::int64_t begin, std::int64_t end, int) {
            Marks own(a.cols >> shift), all(a.cols >> shift);
            for (std::int64_t i = begin; i < end; ++i)
                found[static_cast<std::size_t>(i)] = sectors_of<Column>(
                    a, sampled.begin(i), sampled.columns<Column>(i), shift, own, all);
        });
    });
    Sectors sum;
    for (const Sectors& block : found) {
        sum.of_small += block.of_small;
        sum.of_large += block.of_large;
        sum.entries += block.entries;
    }
    const std::int64_t entry = value + static_cast<std::int64_t>(size_of(IndexType::i32));
    // Beside entries and x each row has an offset and an element of y.
    const std::int64_t bytes =
        sum.entries * entry + samples * large_block * entry + sector * sum.of_small;
    return static_cast<double>(sector * (sum.of_small - sum.of_large)) / static_cast<double>(bytes);
}

}  // namespace spmvgen
