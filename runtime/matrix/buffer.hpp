#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace spmvgen {

/// Owned, uninitialised memory: 64-byte aligned, and from 4 MiB on aligned to 2 MiB with huge pages
/// advised. Move-only; what was moved from is empty. Throws std::bad_alloc.
class Buffer {
  public:
    Buffer() = default;
    explicit Buffer(std::size_t bytes);
    Buffer(Buffer&& other) noexcept
        : data_(std::move(other.data_)), bytes_(std::exchange(other.bytes_, 0)) {}
    Buffer& operator=(Buffer&& other) noexcept {
        data_ = std::move(other.data_);
        bytes_ = std::exchange(other.bytes_, 0);
        return *this;
    }

    std::size_t bytes() const { return bytes_; }
    void* data() { return data_.get(); }
    const void* data() const { return data_.get(); }
    /// The memory as elements of T.
    template <typename T>
    std::span<T> as() {
        return {static_cast<T*>(data()), bytes_ / sizeof(T)};
    }
    template <typename T>
    std::span<const T> as() const {
        return {static_cast<const T*>(data()), bytes_ / sizeof(T)};
    }
    /// Gives memory beyond the first `bytes` back where the system allows it; contents stay.
    void shrink(std::size_t bytes);

  private:
    struct Free {
        Free() noexcept : Free(0) {}
        explicit Free(std::size_t bytes) noexcept : mapped(bytes) {}
        std::size_t mapped;  ///< bytes to unmap; 0 = the memory came from the heap
        void operator()(void* p) const noexcept;
    };
    std::unique_ptr<void, Free> data_;
    std::size_t bytes_ = 0;
};

/// `count` uninitialised elements of T. Throws std::bad_alloc when their bytes overflow.
template <typename T>
Buffer make_buffer(std::int64_t count) {
    if (count < 0 || static_cast<std::size_t>(count) > SIZE_MAX / 2 / sizeof(T))
        throw std::bad_alloc();
    return Buffer(static_cast<std::size_t>(count) * sizeof(T));
}

/// The array, copied. Parallel; throws as make_buffer().
Buffer copy_bytes(const void* from, std::int64_t elements, std::size_t element_bytes);

}  // namespace spmvgen
