#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// Counting the different ones of some numbers, again and again.
namespace spmvgen {

/// Of at most so many numbers as a warp has lanes: a table that is never cleared.
class DistinctOfWarp {
  public:
    void add(std::int64_t number) {
        std::size_t slot = static_cast<std::size_t>(number) * 0x9e3779b97f4a7c15u >> (64 - bits);
        while (rounds_[slot] == round_ && numbers_[slot] != number) slot = (slot + 1) % slots;
        count_ += rounds_[slot] != round_;
        rounds_[slot] = round_;
        numbers_[slot] = number;
    }
    /// How many there were since the last call.
    std::int64_t take() {
        ++round_;
        return std::exchange(count_, 0);
    }

  private:
    static constexpr std::size_t bits = 7, slots = std::size_t{1} << bits;
    std::array<std::int64_t, slots> numbers_{};
    std::array<std::uint64_t, slots> rounds_{};  // that the numbers are of
    std::uint64_t round_ = 1;
    std::int64_t count_ = 0;
};

/// The same for any number of numbers below a bound.
class DistinctBelow {
  public:
    explicit DistinctBelow(std::size_t bound) : rounds_(bound) {}
    void add(std::uint32_t number) {
        count_ += rounds_[number] != round_;
        rounds_[number] = round_;
    }
    std::int64_t take() {
        ++round_;
        return std::exchange(count_, 0);
    }

  private:
    std::vector<std::uint32_t> rounds_;  // that have the number
    std::uint32_t round_ = 1;
    std::int64_t count_ = 0;
};

/// Numbers below a bound, by the order in which they come first: 0, 1, …
class RenumberedBelow {
  public:
    explicit RenumberedBelow(std::size_t bound) : numbers_(bound) {}
    std::uint32_t operator()(std::int64_t key) {
        std::uint32_t& number = numbers_[static_cast<std::size_t>(key)];
        if (number == 0) number = ++count_;
        return number - 1;
    }
    std::size_t count() const { return count_; }

  private:
    std::vector<std::uint32_t> numbers_;  ///< from 1 on; 0 = has not come yet
    std::uint32_t count_ = 0;
};

/// The same of any numbers, of which fewer than 2^32 are different.
class Renumbered {
  public:
    explicit Renumbered(std::size_t most) {
        while ((std::size_t{1} << bits_) < 2 * most) ++bits_;
        slots_.resize(std::size_t{1} << bits_);
    }
    std::uint32_t operator()(std::int64_t key) {
        std::size_t at = static_cast<std::size_t>(key) * 0x9e3779b97f4a7c15u >> (64 - bits_);
        while (slots_[at].number != 0 && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
        // Without a branch: which keys are new is hard to foresee.
        Slot& slot = slots_[at];
        const bool is_new = slot.number == 0;
        count_ += is_new;
        slot = {key, is_new ? count_ : slot.number};
        return slot.number - 1;
    }
    std::size_t count() const { return count_; }

  private:
    struct Slot {
        std::int64_t key = 0;
        std::uint32_t number = 0;  ///< from 1 on; 0 = the slot is free
    };
    std::size_t bits_ = 4;
    std::vector<Slot> slots_;
    std::uint32_t count_ = 0;
};

}  // namespace spmvgen
