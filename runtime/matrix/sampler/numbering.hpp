#pragma once
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "matrix/random.hpp"
#include "matrix/sampler/pattern.hpp"

namespace spmvgen::sampler {

/// A permutation of 0 … n-1 that takes no memory: a Feistel network over the next even power of
/// two, walked until the number is below n.
class Shuffle {
  public:
    Shuffle(std::int64_t n, std::uint64_t key)
        : n_(static_cast<std::uint64_t>(n)),
          half_((std::bit_width(n_ - 1) + 1) / 2),
          mask_((std::uint64_t{1} << half_) - 1),
          key_(generators::mix(key + 1)) {}

    /// Where i goes; another `tweak` is another permutation.
    std::int64_t forward(std::int64_t i, std::int64_t tweak = 0) const {
        auto x = static_cast<std::uint64_t>(i);
        do {
            std::uint64_t left = x >> half_, right = x & mask_;
            for (std::uint64_t k = 0; k < rounds; ++k)
                left = std::exchange(right, left ^ mixed(right, round(k, tweak)));
            x = left << half_ | right;
        } while (x >= n_);
        return static_cast<std::int64_t>(x);
    }
    std::int64_t backward(std::int64_t i, std::int64_t tweak = 0) const {
        auto x = static_cast<std::uint64_t>(i);
        do {
            std::uint64_t left = x >> half_, right = x & mask_;
            for (std::uint64_t k = rounds; k-- > 0;)
                right = std::exchange(left, right ^ mixed(left, round(k, tweak)));
            x = left << half_ | right;
        } while (x >= n_);
        return static_cast<std::int64_t>(x);
    }

  private:
    static constexpr std::uint64_t rounds = 4;
    static std::uint64_t round(std::uint64_t k, std::int64_t tweak) {
        return (rounds * static_cast<std::uint64_t>(tweak) + k) * 0x9e3779b97f4a7c15u;
    }
    std::uint64_t mixed(std::uint64_t x, std::uint64_t round) const {
        const std::uint64_t y = (x + key_ + round) * 0xd6e8feb86659fd93u;
        return ((y ^ y >> 32) * 0xd6e8feb86659fd93u >> 32) & mask_;
    }

    std::uint64_t n_;
    int half_;
    std::uint64_t mask_, key_;
};

/// The rows or columns of a pattern in another order.
class Numbering {
  public:
    /// Of `count` rows or columns. What lies in space, and what is absent, is that of `nodes`;
    /// null: nothing is.
    Numbering(NodeOrder order, std::int64_t count, std::uint64_t seed, const Pattern* nodes);

    bool natural() const { return kind_ == Kind::natural; }
    std::int64_t size() const { return size_; }  ///< absent ones left out
    /// Its new number; -1 where it is absent.
    std::int64_t new_of(std::int64_t old) const;
    std::int64_t old_of(std::int64_t number) const;

  private:
    enum class Kind { natural, windows, parts, shuffled, listed };
    void keep();
    void list(NodeOrder order, std::uint64_t seed, const Pattern& nodes);

    Kind kind_ = Kind::natural;
    std::int64_t size_, width_ = 1;  ///< of a window or part
    std::int64_t parted_ = 0;        ///< those below are in whole windows or parts
    Shuffle shuffle_;
    std::vector<std::int32_t> new_of_, old_of_;
};

}  // namespace spmvgen::sampler
