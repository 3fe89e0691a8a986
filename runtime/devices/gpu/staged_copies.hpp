#pragma once
#include <cstddef>
#include <mutex>

#include "devices/gpu/open_vendor_device.hpp"

namespace spmvgen {

/// Copies of much memory to a device and from it, through a little that is page-locked: threads of
/// OpenMP fill or empty one half of it while the device has the other one. The driver does the same
/// with one thread, which takes several times as long, and longer yet while idle threads of OpenMP
/// keep all cores busy. Any thread may call it; others than one at a time are refused.
class StagedCopies {
  public:
    /// The device must outlive it.
    explicit StagedCopies(const OpenDevice& device) : device_(device) {}
    ~StagedCopies();
    StagedCopies(const StagedCopies&) = delete;
    StagedCopies& operator=(const StagedCopies&) = delete;

    /// As Device::enqueue_to_device(), by a thread in the device's context. False, and nothing is
    /// done, where the driver's way is to be taken: for few bytes, with one thread, as long as the
    /// page-locked memory would not repay itself, and where none is to be had.
    bool enqueue(void* to, const void* from, std::size_t bytes);
    /// The same as Device::copy_to_host().
    bool fetch(void* to, const void* from, std::size_t bytes);

  private:
    /// Holds the lock where such a copy is done here.
    std::unique_lock<std::mutex> begin(std::size_t bytes);
    bool has_memory(std::size_t wanted);
    std::byte* half(bool second) const;
    void wait() const;

    const OpenDevice& device_;
    std::mutex mutex_;  ///< guards the rest
    void* halves_ = nullptr;
    bool fills_second_ = false;  ///< half, next
    bool is_refused_ = false;
    std::size_t asked_bytes_ = 0;  ///< so far, without the memory
};

}  // namespace spmvgen
