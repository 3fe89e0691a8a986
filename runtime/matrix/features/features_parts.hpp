#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "matrix/features/features.hpp"

namespace spmvgen {

// The parts of analyse() beside features_of_rows(): each fills its fields of Features. What is
// summed over threads is whole numbers, or is summed in an order that does not depend on the
// threads, so that the result does not either.

/// Places of the entries: distances, order, duplicates, diagonal.
void analyse_places(const CsrView& matrix, int threads, Features& features);
/// Entries a column.
void analyse_columns(const CsrView& matrix, int threads, Features& features);
void analyse_values(const CsrView& matrix, int threads, Features& features);
/// Sampled: fill ratios of blocks.
void analyse_blocks(const CsrView& matrix, int threads, Features& features);
/// Sampled: sectors of x.
void analyse_gathers(const CsrView& matrix, int threads, Features& features);
/// Sampled: Features::window_sectors[window] alone, of a matrix with entries.
double sectors_of_window(const CsrView& matrix, std::size_t window, int threads);
/// Sampled: symmetry. Needs features.sorted.
void analyse_symmetry(const CsrView& matrix, int threads, Features& features);

/// Entries that a thread takes at once.
constexpr std::int64_t entries_a_part = 32768;

/// The row that holds entry k.
template <typename Offset>
std::int64_t row_of_entry(const Offset* row_ptr, std::int64_t rows, std::int64_t k) {
    return std::upper_bound(row_ptr, row_ptr + rows + 1, static_cast<Offset>(k)) - row_ptr - 1;
}

/// How often each number occurs, for numbers that are mostly small.
class Tally {
  public:
    void add(std::int64_t number, std::int64_t times = 1) {
        if (number < small) {
            times_[static_cast<std::size_t>(number)] += times;
            top_ = std::max(top_, number);
        } else {
            large_.insert(large_.end(), static_cast<std::size_t>(times), number);
        }
    }
    /// Adds number_of(0) … number_of(count-1), none above `largest`.
    template <typename NumberOf>
    void add_neighbours(std::int64_t count, std::int64_t largest, NumberOf&& number_of) {
        if (largest >= small) {
            for (std::int64_t i = 0; i < count; ++i) add(number_of(i));
            return;
        }
        for (std::int64_t i = 0; i < count; ++i) ++times_[static_cast<std::size_t>(number_of(i))];
        top_ = std::max(top_, largest);
    }
    void add(const Tally& other) {
        for (std::int64_t n = 0; n <= other.top_; ++n)
            times_[static_cast<std::size_t>(n)] += other.times_[static_cast<std::size_t>(n)];
        top_ = std::max(top_, other.top_);
        large_.insert(large_.end(), other.large_.begin(), other.large_.end());
    }
    void clear() {
        std::fill_n(times_.begin(), top_ + 1, 0);
        top_ = 0;
        large_.clear();
    }
    /// Calls visit(number, times) from the largest number down.
    template <typename Visit>
    void descend(Visit&& visit) {
        std::sort(large_.begin(), large_.end(), std::greater<>());
        for (const std::int64_t number : large_) visit(number, std::int64_t{1});
        for (std::int64_t n = top_; n >= 0; --n)
            if (const std::int64_t times = times_[static_cast<std::size_t>(n)]; times > 0)
                visit(n, times);
    }

  private:
    static constexpr std::int64_t small = 1024;
    std::array<std::int64_t, small> times_{};
    std::int64_t top_ = 0;
    std::vector<std::int64_t> large_;
};

}  // namespace spmvgen
