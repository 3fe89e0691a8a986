// Sectors of x that entries taken together touch.
#include <optional>
#include <utility>

#include "matrix/chunks.hpp"
#include "matrix/features/distinct.hpp"
#include "matrix/features/features_parts.hpp"
#include "matrix/features/numbered_rows.hpp"
#include "matrix/features/row_strips.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t exact_gathers_up_to = 131072;
constexpr std::size_t subwarps = 6;            // 1, 2 … 32 lanes a row
constexpr std::int64_t most_of_warps = 65536;  // entries
constexpr StripLimits window_limits{.draws = 64, .entries = 262144};
constexpr std::int64_t run_draws = 4096;

/// Counts the different ones of some numbers. Keeps its memory from one count to the next.
class Distinct {
  public:
    void add(std::int64_t number) { numbers_.push_back(number); }
    /// How many there were since the last call.
    std::int64_t take() {
        if (!std::ranges::is_sorted(numbers_)) std::ranges::sort(numbers_);
        std::int64_t count = 0, before = -1;
        for (const std::int64_t number : numbers_) {
            count += number != before;
            before = number;
        }
        numbers_.clear();
        return count;
    }

  private:
    std::vector<std::int64_t> numbers_;
};

/// Sectors of x, one bit each, where that is little memory next to the matrix.
class SectorMap {
  public:
    static bool fits(const CsrView& a) { return a.cols / 32 <= a.nnz; }
    explicit SectorMap(const CsrView& a)
        : words_(static_cast<std::size_t>(a.cols / sector_columns / 64 + 1)) {}

    /// The different sectors of the columns.
    template <typename Index>
    std::int64_t count(const Index* begin, const Index* end) {
        std::int64_t count = 0;
        for (const Index* col = begin; col < end; ++col) {
            std::uint64_t& word = word_of(*col);
            const std::uint64_t bit = std::uint64_t{1} << (*col / sector_columns % 64);
            count += (word & bit) == 0;
            word |= bit;
        }
        for (const Index* col = begin; col < end; ++col) word_of(*col) = 0;
        return count;
    }

  private:
    std::uint64_t& word_of(std::int64_t col) {
        return words_[static_cast<std::size_t>(col / sector_columns / 64)];
    }
    std::vector<std::uint64_t> words_;
};

/// Of a matrix with many entries: from samples.
template <typename Offset, typename Index>
class SampledGathers {
  public:
    SampledGathers(const CsrView& a, int threads)
        : a_(a), threads_(threads), row_ptr_(a.row_ptr_as<Offset>()), col_(a.col_idx_as<Index>()) {}

    /// Of 32 entries that follow one another.
    double run() const {
        const std::int64_t all = (a_.nnz + gather_lanes - 1) / gather_lanes;
        const generators::Random random(0, generators::Purpose::place);
        std::int64_t sectors = 0, entries = 0;
        DistinctOfWarp distinct;
        for (std::int64_t draw = 0; draw < run_draws; ++draw) {
            const std::int64_t begin = gather_lanes * random.below(all, draw);
            const std::int64_t end = std::min(begin + gather_lanes, a_.nnz);
            for (std::int64_t k = begin; k < end; ++k) distinct.add(col_[k] / sector_columns);
            sectors += distinct.take();
            entries += end - begin;
        }
        return static_cast<double>(sectors) / static_cast<double>(entries);
    }

    /// Of all entries of neighbouring rows.
    double window(std::size_t window) const {
        const std::int64_t rows = window_rows[window];
        const std::vector<RowStrip> strips = draw_strips<Offset>(a_, window_limits, rows);
        std::vector<std::int64_t> counts(strips.size());
        std::vector<std::optional<WindowCounter>> of_thread(
            static_cast<std::size_t>(thread_count(threads_)));
        for_parts(std::ssize(strips), std::max<std::int64_t>(512 / rows, 1), threads_,
                  [&](std::int64_t begin, std::int64_t end, int thread) {
                      auto& counter = of_thread[static_cast<std::size_t>(thread)];
                      if (!counter) counter.emplace(a_);
                      for (std::int64_t s = begin; s < end; ++s) {
                          const std::int64_t first =
                              strips[static_cast<std::size_t>(s)].number * rows;
                          const std::int64_t last = std::min(first + rows, a_.rows);
                          counts[static_cast<std::size_t>(s)] =
                              counter->count(col_ + row_ptr_[first], col_ + row_ptr_[last]);
                      }
                  });
        double sectors = 0, weights = 0;
        for (std::size_t s = 0; s < strips.size(); ++s) {
            const auto entries = static_cast<double>(strip_entries(a_, strips[s].number, rows));
            const double weight = static_cast<double>(strips[s].times) / entries;
            weights += weight * entries;
            sectors += weight * static_cast<double>(counts[s]);
        }
        return sectors / weights;
    }

  private:
    /// The different sectors of columns.
    class WindowCounter {
      public:
        explicit WindowCounter(const CsrView& a)
            : fits_(SectorMap::fits(a)), map_(fits_ ? a : CsrView()) {}
        std::int64_t count(const Index* begin, const Index* end) {
            if (fits_) return map_.count(begin, end);
            for (const Index* col = begin; col < end; ++col) distinct_.add(*col / sector_columns);
            return distinct_.take();
        }

      private:
        bool fits_;
        SectorMap map_;
        Distinct distinct_;
    };

    const CsrView& a_;
    int threads_;
    const Offset* row_ptr_;
    const Index* col_;
};

/// Calls visit() with a SampledGathers of the matrix.
template <typename Visit>
void visit_sampled(const CsrView& a, int threads, const Visit& visit) {
    dispatch(a.offset_type, [&]<typename Offset>(Offset) {
        dispatch(a.index_type,
                 [&]<typename Index>(Index) { visit(SampledGathers<Offset, Index>(a, threads)); });
    });
}

/// Of each number of lanes a row, from strips that are drawn.
std::array<double, subwarps> sampled_warps(const CsrView& a) {
    WarpStrips strips = draw_warp_strips(a, most_of_warps);
    const NumberedRows rows = number_sectors(a, strips.strips, gather_lanes);
    for (std::size_t i = 0; i < strips.strips.size(); ++i)
        strips.strips[i].number = static_cast<std::int64_t>(i);
    WarpGathers gathers(rows.different);
    std::array<double, subwarps> sectors{};
    for (std::size_t bits = 0; bits < subwarps; ++bits)
        sectors[bits] = warp_sectors(rows, strips, static_cast<int>(bits), gathers);
    return sectors;
}

}  // namespace

void analyse_gathers(const CsrView& a, int threads, Features& f) {
    f.run_sectors = 1;
    f.warp_sectors.fill(1);
    f.window_sectors.fill(1);
    if (a.nnz == 0) return;
    if (a.nnz <= exact_gathers_up_to) {
        RowGathers exact(number_sectors(a), most_of_warps);
        f.run_sectors = exact.run();
        for (std::size_t bits = 0; bits < subwarps; ++bits) f.warp_sectors[bits] = exact.warp(bits);
        f.window_sectors = exact.windows();
        return;
    }
    f.warp_sectors = sampled_warps(a);
    visit_sampled(a, threads, [&](const auto& gathers) {
        f.run_sectors = gathers.run();
        for (std::size_t w = 0; w < window_rows.size(); ++w)
            f.window_sectors[w] = gathers.window(w);
    });
}

double sectors_of_window(const CsrView& a, std::size_t window, int threads) {
    if (a.nnz == 0) return 1;
    if (a.nnz <= exact_gathers_up_to)
        return RowGathers(number_sectors(a), most_of_warps).windows()[window];
    double sectors = 1;
    visit_sampled(a, threads, [&](const auto& gathers) { sectors = gathers.window(window); });
    return sectors;
}

}  // namespace spmvgen
