#pragma once
#include <array>
#include <cstddef>
#include <initializer_list>

namespace spmvgen {

/// A list of at most `most` elements that a constant may hold: a longer one is no constant, and
/// does not compile.
template <typename T, std::size_t most>
class ShortList {
  public:
    constexpr ShortList() = default;
    constexpr ShortList(std::initializer_list<T> elements) {
        for (auto& element : elements) push_back(element);
    }
    /// Throws std::out_of_range when it is full.
    constexpr void push_back(const T& element) { elements_.at(size_++) = element; }

    constexpr std::size_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr T* begin() { return elements_.data(); }
    constexpr T* end() { return elements_.data() + size_; }
    constexpr const T* begin() const { return elements_.data(); }
    constexpr const T* end() const { return elements_.data() + size_; }
    constexpr T& front() { return elements_.front(); }
    constexpr const T& front() const { return elements_.front(); }
    constexpr const T& back() const { return elements_[size_ - 1]; }
    constexpr const T& operator[](std::size_t i) const { return elements_[i]; }

  private:
    std::array<T, most> elements_{};
    std::size_t size_ = 0;
};

}  // namespace spmvgen
