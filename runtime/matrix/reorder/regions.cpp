#include "matrix/reorder/regions.hpp"

#include <algorithm>
#include <atomic>

#include "matrix/chunks.hpp"
#include "matrix/reorder/graph.hpp"

namespace spmvgen::reordering {
namespace {

constexpr std::int64_t rows_a_part = 64;        ///< of a round's rows that a thread takes at a time
constexpr std::int64_t rows_to_label = 65'536;  ///< the same, of all rows in the end
constexpr std::int64_t ahead = 8;               ///< rows, of which the columns are prefetched
constexpr int most_sowings = 4;                 ///< times that rows out of reach get seeds

/// Rows that were reached by breadth from many seeds at once.
template <typename Offset, typename Index>
class Search {
  public:
    Search(const CsrView& a, std::int64_t rows_a_region, int threads)
        : row_ptr_(a.row_ptr_as<Offset>()),
          col_(a.col_idx_as<Index>()),
          rows_(a.rows),
          region_(rows_a_region),
          threads_(thread_count(threads)),
          search_{make_buffer<std::uint64_t>(a.rows), 0},
          next_(static_cast<std::size_t>(threads_)) {
        for_parts(rows_, rows_to_label, threads_, [&](std::int64_t begin, std::int64_t end, int) {
            std::ranges::fill(search_.marks().subspan(at(begin), at(end - begin)), nobody);
        });
    }

    std::optional<Regions> run(const GoOnSearching& elsewhere, const MatrixHere& here) {
        for (int sowing = 0; sowing < most_sowings && rows_ - reached_rows_ >= region_; ++sowing) {
            sow();
            // The first search is the longest one by far.
            if (elsewhere && (sowing == 0 || col_ == nullptr)) take_over(elsewhere(search_));
            if (!frontier_.empty() && !has_columns(here)) return std::nullopt;
            while (!frontier_.empty()) spread();
        }
        return label();
    }

  private:
    static constexpr std::uint64_t nobody = RegionSearch::nobody;

    std::uint64_t& reached(std::int64_t row) { return search_.marks()[at(row)]; }

    bool has_columns(const MatrixHere& here) {
        if (col_ == nullptr && here)
            if (const CsrView* const matrix = here()) col_ = matrix->col_idx_as<Index>();
        return col_ != nullptr;
    }

    /// A search that went on elsewhere.
    void take_over(bool has_ended) {
        frontier_.clear();
        std::atomic<std::int64_t> count{0};
        for_parts(rows_, rows_to_label, threads_, [&](std::int64_t begin, std::int64_t end, int) {
            count += std::ranges::count_if(search_.marks().subspan(at(begin), at(end - begin)),
                                           [](std::uint64_t mark) { return mark != nobody; });
        });
        reached_rows_ = count;
        for (std::int64_t row = 0; !has_ended && row < rows_; ++row)
            if (reached(row) >> RegionSearch::round_shift == search_.round)
                frontier_.push_back(static_cast<std::int32_t>(row));
    }

    /// Seeds spread evenly over the rows that are not reached.
    void sow() {
        const std::int64_t left = rows_ - reached_rows_;
        const std::int64_t count = (left + region_ - 1) / region_;
        const auto place = [&](std::int64_t seed) { return (2 * seed + 1) * left / (2 * count); };
        const auto plant = [&](std::int64_t row) {
            reached(row) = search_.mark(regions_++);
            frontier_.push_back(static_cast<std::int32_t>(row));
        };
        if (left == rows_) {
            for (std::int64_t seed = 0; seed < count; ++seed) plant(place(seed));
        } else {
            const auto marks = search_.marks();
            std::int64_t seed = 0, passed = 0;  // of those that are not reached
            for (std::int64_t row = 0; seed < count; ++row) {
                if (marks[at(row)] != nobody || passed++ != place(seed)) continue;
                plant(row);
                ++seed;
            }
        }
        reached_rows_ += count;
    }

    void spread() {
        ++search_.round;
        for_parts(std::ssize(frontier_), rows_a_part, threads_,
                  [&](std::int64_t begin, std::int64_t end, int thread) {
                      for (std::int64_t i = begin; i < end; ++i) {
                          if (i + ahead < end)
                              __builtin_prefetch(col_ + row_ptr_[frontier_[at(i + ahead)]]);
                          reach_from(frontier_[at(i)], next_[at(thread)]);
                      }
                  });
        frontier_.clear();
        for (auto& reached : next_) {
            frontier_.insert(frontier_.end(), reached.begin(), reached.end());
            reached.clear();
        }
        reached_rows_ += std::ssize(frontier_);
    }

    void reach_from(std::int32_t row, std::vector<std::int32_t>& next) {
        const auto own = std::atomic_ref(reached(row)).load(relaxed);
        const std::uint64_t mine = search_.mark(static_cast<std::int64_t>(own & 0xffffffffu));
        for (Offset k = row_ptr_[row]; k < row_ptr_[row + 1]; ++k) {
            const auto column = static_cast<std::int64_t>(col_[k]);
            const std::atomic_ref<std::uint64_t> other(reached(column));
            std::uint64_t known = other.load(relaxed);
            while (mine < known)
                if (other.compare_exchange_weak(known, mine, relaxed)) {
                    if (known == nobody) next.push_back(static_cast<std::int32_t>(column));
                    break;
                }
        }
    }

    /// What was never reached: as many rows a region as asked for, in their order.
    Regions label() {
        Regions made{make_buffer<std::int32_t>(rows_)};
        const auto of_row = made.of_row();
        const auto marks = search_.marks();
        for_parts(rows_, rows_to_label, threads_, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t row = begin; row < end; ++row)
                of_row[at(row)] = static_cast<std::int32_t>(marks[at(row)] & 0xffffffffu);
        });
        std::int64_t left = 0;
        for (std::int64_t row = 0; left < rows_ - reached_rows_; ++row)
            if (marks[at(row)] == nobody)
                of_row[at(row)] = static_cast<std::int32_t>(regions_ + left++ / region_);
        made.count = static_cast<std::int32_t>(regions_ + (left + region_ - 1) / region_);
        return made;
    }

    static constexpr auto relaxed = std::memory_order_relaxed;
    const Offset* row_ptr_;
    const Index* col_;
    std::int64_t rows_, region_;
    int threads_;
    std::int64_t regions_ = 0, reached_rows_ = 0;
    RegionSearch search_;
    std::vector<std::int32_t> frontier_;
    std::vector<std::vector<std::int32_t>> next_;  ///< of each thread
};

}  // namespace

std::optional<Regions> regions_of_rows(const CsrView& a, std::int64_t rows_a_region, int threads,
                                       const GoOnSearching& elsewhere, const MatrixHere& here) {
    return dispatch(a.offset_type, [&]<typename Offset>(Offset) {
        return dispatch(a.index_type, [&]<typename Index>(Index) {
            return Search<Offset, Index>(a, rows_a_region, threads).run(elsewhere, here);
        });
    });
}

}  // namespace spmvgen::reordering
