#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace spmvgen {

class DeviceMemory;

/// Memory of a device that was given back, for what soon wants as much again: allocating and
/// freeing wait for the device. For any number of threads.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
  public:
    using Allocate = std::function<std::unique_ptr<DeviceMemory>(std::size_t)>;

    /// Keeps so many bytes that nobody uses, at most: what came back last.
    explicit MemoryPool(std::size_t most_kept) : most_kept_(most_kept) {}
    ~MemoryPool();

    /// Memory of so many bytes: the smallest block that is free, has them and is not far larger,
    /// else a new one. It comes back when the object goes, and may outlive the pool's owner. What
    /// `allocate` throws passes through, after it was tried again with nothing kept.
    std::unique_ptr<DeviceMemory> take(std::size_t bytes, const Allocate& allocate);
    /// The same for what stays, and whether it was in use before: a block is at most an eighth
    /// larger, and comes back only after DeviceMemory::let_reuse(), else it is freed.
    std::pair<std::unique_ptr<DeviceMemory>, bool> take_kept(std::size_t bytes,
                                                             const Allocate& allocate);
    /// Frees what nobody uses: so many bytes.
    std::size_t clear();
    /// Bytes of that.
    std::size_t kept() const;

  private:
    friend class PooledMemory;
    /// The smallest block that is free and has so many bytes, `most` at most; null = there is none.
    std::unique_ptr<DeviceMemory> find(std::size_t bytes, std::size_t most);
    std::unique_ptr<DeviceMemory> make(std::size_t bytes, const Allocate& allocate);
    void give_back(std::unique_ptr<DeviceMemory> block) noexcept;

    const std::size_t most_kept_;
    mutable std::mutex mutex_;  ///< guards the rest
    std::vector<std::unique_ptr<DeviceMemory>> free_;
    std::size_t kept_ = 0;
};

}  // namespace spmvgen
