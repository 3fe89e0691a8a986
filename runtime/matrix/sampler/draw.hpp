#pragma once
#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "matrix/random.hpp"
#include "matrix/sampler/fixed.hpp"

namespace spmvgen::sampler {

/// Numbers for the parameters of one draw, one after another.
class Draw {
  public:
    explicit Draw(std::uint64_t seed) : random_(seed, generators::Purpose::hub) {}

    /// lowest … highest, each as likely.
    std::int64_t between(std::int64_t lowest, std::int64_t highest) {
        return lowest + random_.below(std::max<std::int64_t>(highest - lowest, 0) + 1, ++count_);
    }
    /// lowest … highest, each octave as likely; lowest ≥ 1.
    std::int64_t octaves(std::int64_t lowest, std::int64_t highest) {
        highest = std::max(lowest, highest);
        const Fixed low = log2_of(static_cast<std::uint64_t>(lowest));
        const Fixed high = log2_of(static_cast<std::uint64_t>(highest) + 1);
        return std::clamp(exp2_of(low + random_.below(high - low + 1, ++count_)), lowest, highest);
    }
    /// With a chance of `percent`.
    bool chance(int percent) { return random_.below(100, ++count_) < percent; }
    /// One of them, each as likely.
    template <typename T>
    T pick(std::initializer_list<T> choices) {
        return choices.begin()[random_.below(static_cast<std::int64_t>(choices.size()), ++count_)];
    }

  private:
    generators::Random random_;
    std::int64_t count_ = 0;
};

}  // namespace spmvgen::sampler
