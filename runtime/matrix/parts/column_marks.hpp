#pragma once
#include <atomic>
#include <bit>
#include <cstdint>
#include <vector>

namespace spmvgen {

/// A set of columns that numbers its members in ascending order: 1.5 bits a column.
class ColumnMarks {
  public:
    explicit ColumnMarks(std::int64_t columns)
        : words_(static_cast<std::size_t>((columns + 63) / 64)) {}

    /// For any number of threads at a time, before number() is called.
    void add(std::int64_t column) {
        std::uint64_t& word = words_[static_cast<std::size_t>(column / 64)];
        const std::uint64_t bit = std::uint64_t{1} << (column % 64);
        const std::atomic_ref<std::uint64_t> shared(word);
        if ((shared.load(std::memory_order_relaxed) & bit) == 0)
            shared.fetch_or(bit, std::memory_order_relaxed);
    }
    /// The members, ascending; from then on number_of() may be asked.
    std::vector<std::int64_t> number() {
        before_.reserve(words_.size());
        std::vector<std::int64_t> members;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            before_.push_back(static_cast<std::int64_t>(members.size()));
            for (std::uint64_t left = words_[i]; left != 0; left &= left - 1)
                members.push_back(static_cast<std::int64_t>(i) * 64 + std::countr_zero(left));
        }
        return members;
    }
    /// Members before a member.
    std::int64_t number_of(std::int64_t column) const {
        const auto i = static_cast<std::size_t>(column / 64);
        const std::uint64_t below = (std::uint64_t{1} << (column % 64)) - 1;
        return before_[i] + std::popcount(words_[i] & below);
    }

  private:
    std::vector<std::uint64_t> words_;
    std::vector<std::int64_t> before_;  ///< members in words ahead
};

}  // namespace spmvgen
