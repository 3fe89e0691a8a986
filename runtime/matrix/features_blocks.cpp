// Fill ratios of dense blocks.
#include <map>

#include "matrix/chunks.hpp"
#include "matrix/features_parts.hpp"
#include "matrix/gallery/random.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t strip = 24;  // rows: a multiple of every block's height
constexpr std::int64_t exact_up_to = 131072, sample_entries = 131072, most_samples = 1024;

/// A set of whole numbers ≥ 0 for up to `capacity` insertions: open addressing.
class IndexSet {
  public:
    void reset(std::int64_t capacity) {
        std::size_t slots = 16;
        while (slots < 2 * static_cast<std::size_t>(capacity)) slots *= 2;
        slots_.assign(slots, -1);
        size_ = 0;
    }
    void insert(std::int64_t number) {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = (static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15u >> 32) & mask;
        while (slots_[slot] >= 0) {
            if (slots_[slot] == number) return;
            slot = (slot + 1) & mask;
        }
        slots_[slot] = number;
        ++size_;
    }
    std::int64_t size() const { return size_; }

  private:
    std::vector<std::int64_t> slots_;
    std::int64_t size_ = 0;
};

template <typename Offset, typename Index>
class BlockCounter {
  public:
    explicit BlockCounter(const CsrView& a)
        : rows_(a.rows), row_ptr_(a.row_ptr_as<Offset>()), col_(a.col_idx_as<Index>()) {}

    /// Elements of the blocks that strip s touches, for each block size.
    std::array<std::int64_t, 4> elements(std::int64_t s, IndexSet& set) const {
        return {4 * blocks<2>(s, set), 9 * blocks<3>(s, set), 16 * blocks<4>(s, set),
                64 * blocks<8>(s, set)};
    }
    std::int64_t entries(std::int64_t s) const {
        return row_ptr_[std::min(s * strip + strip, rows_)] - row_ptr_[s * strip];
    }

  private:
    template <int size>
    std::int64_t blocks(std::int64_t s, IndexSet& set) const {
        const std::int64_t end = std::min(s * strip + strip, rows_);
        std::int64_t count = 0;
        for (std::int64_t first = s * strip; first < end; first += size) {
            const std::int64_t last = std::min(first + size, end);
            set.reset(row_ptr_[last] - row_ptr_[first]);
            for (std::int64_t i = first; i < last; ++i) take_row<size>(i, set);
            count += set.size();
        }
        return count;
    }
    template <int size>
    void take_row(std::int64_t i, IndexSet& set) const {
        Index before = -1;
        for (Offset k = row_ptr_[i]; k < row_ptr_[i + 1]; ++k) {
            const Index block = col_[k] / size;
            if (block != before) set.insert(block);
            before = block;
        }
    }

    std::int64_t rows_;
    const Offset* row_ptr_;
    const Index* col_;
};

struct Strip {
    std::int64_t number, times;
};

/// All strips; or, for large matrices, those of entries drawn at random. Then a strip's chance
/// grows with its entries, and the mean of the strips' fill ratios estimates the matrix' without
/// bias, rows of very different length included.
template <typename Offset, typename Index>
std::vector<Strip> choose_strips(const CsrView& a, const BlockCounter<Offset, Index>& counter) {
    std::vector<Strip> strips;
    if (a.nnz <= exact_up_to) {
        for (std::int64_t s = 0; s * strip < a.rows; ++s) strips.push_back({s, 1});
        return strips;
    }
    const generators::Random random(0, generators::Purpose::place);
    std::map<std::int64_t, std::int64_t> times;
    std::int64_t entries = 0;
    for (std::int64_t draw = 0; draw < most_samples && entries < sample_entries; ++draw) {
        const std::int64_t k = random.below(a.nnz, draw);
        const std::int64_t s = row_of_entry(a.row_ptr_as<Offset>(), a.rows, k) / strip;
        if (times[s]++ == 0) entries += counter.entries(s);
    }
    for (const auto& [s, count] : times) strips.push_back({s, count});
    return strips;
}

template <typename Offset, typename Index>
void fill_ratios(const CsrView& a, int threads, Features& f) {
    const BlockCounter<Offset, Index> counter(a);
    const std::vector<Strip> strips = choose_strips(a, counter);
    std::vector<std::array<std::int64_t, 4>> elements(strips.size());
    for_parts(static_cast<std::int64_t>(strips.size()), 16, threads,
              [&](std::int64_t begin, std::int64_t end, int) {
                  IndexSet set;
                  for (auto s = static_cast<std::size_t>(begin); s < static_cast<std::size_t>(end);
                       ++s)
                      elements[s] = counter.elements(strips[s].number, set);
              });
    double weights = 0;
    for (std::size_t s = 0; s < strips.size(); ++s) {
        const auto entries = static_cast<double>(counter.entries(strips[s].number));
        const bool all = a.nnz <= exact_up_to;
        const double weight = all ? 1 : static_cast<double>(strips[s].times) / entries;
        weights += weight * entries;
        for (std::size_t b = 0; b < 4; ++b)
            f.block_fill[b] += weight * static_cast<double>(elements[s][b]);
    }
    for (double& fill : f.block_fill) fill /= weights;
}

}  // namespace

void analyse_blocks(const CsrView& a, int threads, Features& f) {
    if (a.nnz == 0) {
        f.block_fill.fill(1);
        return;
    }
    dispatch(a.offset_type, [&]<typename Offset>(Offset) {
        dispatch(a.index_type,
                 [&]<typename Index>(Index) { fill_ratios<Offset, Index>(a, threads, f); });
    });
}

}  // namespace spmvgen
