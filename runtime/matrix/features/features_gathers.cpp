// Sectors of x that entries taken together touch.
#include <optional>
#include <utility>

#include "matrix/chunks.hpp"
#include "matrix/features/distinct.hpp"
#include "matrix/features/row_strips.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t exact_gathers_up_to = 131072;
constexpr std::int64_t sector_columns = 4;  // 32 bytes of x, 8 bytes an element
constexpr std::int64_t lanes = 32;
constexpr std::array<std::int64_t, 6> subwarps{1, 2, 4, 8, 16, 32};
constexpr std::array<int, 3> window_bits{5, 9, 13};
constexpr std::array<std::int64_t, 3> window_rows{32, 512, 8192};  // 2^bits
constexpr StripLimits warp_limits{.draws = 1024, .entries = most_of_warps};
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

template <typename Offset, typename Index>
class Gathers {
  public:
    Gathers(const CsrView& a, int threads, std::int64_t of_warps)
        : a_(a),
          threads_(threads),
          of_warps_(of_warps),
          row_ptr_(a.row_ptr_as<Offset>()),
          col_(a.col_idx_as<Index>()) {
        if (a.nnz > exact_gathers_up_to) return;
        Renumbered number(static_cast<std::size_t>(a.nnz));
        for (std::int64_t k = 0; k < a.nnz; ++k)
            numbers_.push_back(number(col_[k] / sector_columns));
        numbered_ = number.count();
    }

    /// Of 32 entries that follow one another.
    double runs() const {
        const std::int64_t all = (a_.nnz + lanes - 1) / lanes;
        const bool exact = a_.nnz <= exact_gathers_up_to;
        const generators::Random random(0, generators::Purpose::place);
        std::int64_t sectors = 0, entries = 0;
        DistinctOfWarp distinct;
        for (std::int64_t draw = 0; draw < (exact ? all : run_draws); ++draw) {
            const std::int64_t begin = lanes * (exact ? draw : random.below(all, draw));
            const std::int64_t end = std::min(begin + lanes, a_.nnz);
            for (std::int64_t k = begin; k < end; ++k) distinct.add(sector_of(k));
            sectors += distinct.take();
            entries += end - begin;
        }
        return static_cast<double>(sectors) / static_cast<double>(entries);
    }

    /// Of a warp with each subwarp, from one of them on; 0 for those before.
    std::array<double, subwarps.size()> warps(std::size_t from = 0) const {
        const StripLimits limits{warp_limits.draws, std::min(warp_limits.entries, of_warps_)};
        return over_strips<subwarps.size()>(lanes, limits, [&] {
            return [&, distinct = DistinctOfWarp(),
                    of_steps = DistinctOfSteps(numbered_)](std::int64_t strip) mutable {
                const std::int64_t begin = strip * lanes, end = row_after(strip, lanes);
                if (!numbers_.empty() && longest(begin, end) <= DistinctOfSteps::steps)
                    return of_short_rows(begin, end, from, of_steps);
                return of_rows(begin, end, from, distinct);
            };
        });
    }

    /// Of all entries of neighbouring rows.
    std::array<double, window_rows.size()> windows() const {
        if (!numbers_.empty()) return numbered_windows();
        std::array<double, window_rows.size()> sectors{};
        for (std::size_t w = 0; w < sectors.size(); ++w) sectors[w] = mapped_window(window_rows[w]);
        return sectors;
    }
    /// The same of window_rows[window] rows.
    double window(std::size_t window) const {
        return numbers_.empty() ? mapped_window(window_rows[window]) : numbered_windows()[window];
    }

  private:
    double mapped_window(std::int64_t rows) const {
        const auto sectors = over_strips<1>(rows, window_limits, [this, rows] {
            return [this, rows, distinct = Distinct(),
                    map = SectorMap(fits_ ? a_ : CsrView())](std::int64_t strip) mutable {
                const Index* const begin = col_ + row_ptr_[strip * rows];
                const Index* const end = col_ + row_ptr_[row_after(strip, rows)];
                if (fits_) return std::array{map.count(begin, end)};
                for (const Index* col = begin; col < end; ++col)
                    distinct.add(*col / sector_columns);
                return std::array{distinct.take()};
            };
        });
        return sectors[0];
    }

    /// Of all windows at once: an entry is the first of its sector in a window when the last row
    /// that had the sector is in another one.
    std::array<double, window_rows.size()> numbered_windows() const {
        std::vector<std::int64_t> last(numbered_, -1);  // row that had it
        std::array<std::int64_t, window_rows.size()> sectors{};
        for (std::int64_t row = 0; row < a_.rows; ++row)
            for (Offset k = row_ptr_[row]; k < row_ptr_[row + 1]; ++k) {
                std::int64_t& before = last[numbers_[static_cast<std::size_t>(k)]];
                for (std::size_t w = 0; w < sectors.size(); ++w)
                    sectors[w] += before >> window_bits[w] != row >> window_bits[w];
                before = row;
            }
        std::array<double, window_rows.size()> of_entry{};
        for (std::size_t w = 0; w < sectors.size(); ++w)
            of_entry[w] = static_cast<double>(sectors[w]) / static_cast<double>(a_.nnz);
        return of_entry;
    }

    /// Or what stands for it.
    std::int64_t sector_of(std::int64_t k) const {
        return numbers_.empty() ? col_[k] / sector_columns : numbers_[static_cast<std::size_t>(k)];
    }

    std::int64_t row_after(std::int64_t strip, std::int64_t height) const {
        return std::min((strip + 1) * height, a_.rows);
    }

    std::int64_t longest(std::int64_t begin, std::int64_t end) const {
        Offset most = 0;
        for (std::int64_t row = begin; row < end; ++row)
            most = std::max(most, static_cast<Offset>(row_ptr_[row + 1] - row_ptr_[row]));
        return most;
    }

    using OfSubwarps = std::array<std::int64_t, subwarps.size()>;

    /// Of up to 32 rows for each subwarp, from one of them on.
    OfSubwarps of_rows(std::int64_t begin, std::int64_t end, std::size_t from,
                       DistinctOfWarp& distinct) const {
        OfSubwarps sectors{};
        for (std::size_t s = from; s < subwarps.size(); ++s) {
            const std::int64_t height = lanes / subwarps[s];
            for (std::int64_t row = begin; row < end; row += height)
                sectors[s] += of_warp(row, std::min(row + height, end), subwarps[s], distinct);
        }
        return sectors;
    }

    /// The same of rows whose loads of one entry at a time are no more than DistinctOfSteps tells
    /// apart: entry by entry.
    OfSubwarps of_short_rows(std::int64_t begin, std::int64_t end, std::size_t from,
                             DistinctOfSteps& distinct) const {
        struct Place {
            std::uint8_t row, entry;
        };
        std::array<Place, lanes * DistinctOfSteps::steps> places;
        std::size_t count = 0;
        for (std::int64_t row = begin; row < end; ++row)
            for (Offset k = 0; k < row_ptr_[row + 1] - row_ptr_[row]; ++k)
                places[count++] = {static_cast<std::uint8_t>(row - begin),
                                   static_cast<std::uint8_t>(k)};
        const std::uint32_t* const numbers = numbers_.data() + row_ptr_[begin];
        OfSubwarps sectors{};
        for (std::size_t s = from; s < subwarps.size(); ++s) {
            const std::size_t bits_of_rows = subwarps.size() - 1 - s;  // of a warp
            for (std::size_t i = 0; i < count; ++i)
                distinct.add(numbers[i], places[i].row >> bits_of_rows, places[i].entry >> s);
            distinct.next(lanes);
            sectors[s] = distinct.take();
        }
        return sectors;
    }

    /// A warp's loads of x: `subwarp` lanes for each of the rows, each load taking the next
    /// `subwarp` entries of every row that has any left.
    std::int64_t of_warp(std::int64_t first, std::int64_t last, std::int64_t subwarp,
                         DistinctOfWarp& distinct) const {
        std::array<std::int64_t, lanes> rows{};
        std::size_t left = 0;
        for (std::int64_t row = first; row < last; ++row) rows[left++] = row;
        std::int64_t sectors = 0;
        for (std::int64_t taken = 0; left > 0; taken += subwarp) {
            std::size_t kept = 0;
            for (std::size_t i = 0; i < left; ++i) {
                const std::int64_t begin = row_ptr_[rows[i]] + taken;
                const std::int64_t end = row_ptr_[rows[i] + 1];
                for (std::int64_t k = begin; k < std::min(begin + subwarp, end); ++k)
                    distinct.add(sector_of(k));
                if (begin + subwarp < end) rows[kept++] = rows[i];
            }
            left = kept;
            sectors += distinct.take();
        }
        return sectors;
    }

    /// What count(strip) gives for each entry of A: the mean over strips of `height` rows, all or
    /// those that are drawn. make_counter() is called once for each thread.
    template <std::size_t numbers, typename MakeCounter>
    std::array<double, numbers> over_strips(std::int64_t height, const StripLimits& limits,
                                            const MakeCounter& make_counter) const {
        const bool all = a_.nnz <= exact_gathers_up_to && a_.nnz <= 2 * limits.entries;
        const std::vector<RowStrip> strips =
            all ? all_strips(a_, height) : draw_strips<Offset>(a_, limits, height);
        std::vector<std::array<std::int64_t, numbers>> counts(strips.size());
        std::vector<std::optional<decltype(make_counter())>> of_thread(
            static_cast<std::size_t>(thread_count(threads_)));
        for_parts(static_cast<std::int64_t>(strips.size()), std::max<std::int64_t>(512 / height, 1),
                  threads_, [&](std::int64_t begin, std::int64_t end, int thread) {
                      auto& count = of_thread[static_cast<std::size_t>(thread)];
                      if (!count) count.emplace(make_counter());
                      for (std::int64_t s = begin; s < end; ++s)
                          counts[static_cast<std::size_t>(s)] =
                              (*count)(strips[static_cast<std::size_t>(s)].number);
                  });
        double weights = 0;
        std::array<double, numbers> sums{};
        for (std::size_t s = 0; s < strips.size(); ++s) {
            const auto entries = static_cast<double>(strip_entries(a_, strips[s].number, height));
            const double weight = all ? 1 : static_cast<double>(strips[s].times) / entries;
            weights += weight * entries;
            for (std::size_t n = 0; n < numbers; ++n)
                sums[n] += weight * static_cast<double>(counts[s][n]);
        }
        for (double& sum : sums) sum /= weights;
        return sums;
    }

    const CsrView& a_;
    int threads_;
    std::int64_t of_warps_;
    bool fits_ = SectorMap::fits(a_);
    std::vector<std::uint32_t> numbers_;  ///< of the entries' sectors, where there are few entries
    std::size_t numbered_ = 0;            ///< different ones
    const Offset* row_ptr_;
    const Index* col_;
};

template <typename Visit>
void visit_gathers(const CsrView& a, int threads, std::int64_t of_warps, Features& f,
                   Visit&& visit) {
    f.run_sectors = 1;
    f.warp_sectors.fill(1);
    f.window_sectors.fill(1);
    if (a.nnz == 0) return;
    dispatch(a.offset_type, [&]<typename Offset>(Offset) {
        dispatch(a.index_type, [&]<typename Index>(Index) {
            visit(Gathers<Offset, Index>(a, threads, of_warps));
        });
    });
}

}  // namespace

void analyse_gathers(const CsrView& a, int threads, Features& f, std::int64_t of_warps) {
    visit_gathers(a, threads, of_warps, f, [&](const auto& gathers) {
        f.run_sectors = gathers.runs();
        f.warp_sectors = gathers.warps();
        f.window_sectors = gathers.windows();
    });
}

void analyse_gathers_of_rows(const CsrView& a, int threads, Features& f, std::int64_t of_warps) {
    visit_gathers(a, threads, of_warps, f, [&](const auto& gathers) {
        f.warp_sectors.back() = gathers.warps(subwarps.size() - 1).back();
        f.window_sectors = gathers.windows();
    });
}

double sectors_of_window(const CsrView& a, std::size_t window, int threads) {
    Features found;
    double sectors = 1;
    visit_gathers(a, threads, most_of_warps, found,
                  [&](const auto& gathers) { sectors = gathers.window(window); });
    return sectors;
}

}  // namespace spmvgen
