#include "devices/gpu/memory_pool.hpp"

#include <new>
#include <utility>

#include "devices/device.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// Bytes that a block may have beyond twice those that are wanted.
constexpr std::size_t slack = 1 << 20;
/// A block of what stays may be larger by one over this.
constexpr std::size_t kept_slack = 8;
/// Blocks are made in multiples of so many bytes.
constexpr std::size_t granularity = 4096;

}  // namespace

/// A block of the pool's, as long as somebody has it.
class PooledMemory final : public DeviceMemory {
  public:
    PooledMemory(std::shared_ptr<MemoryPool> pool, std::unique_ptr<DeviceMemory> block,
                 std::size_t bytes, bool comes_back)
        : pool_(std::move(pool)),
          block_(std::move(block)),
          bytes_(bytes),
          comes_back_(comes_back) {}
    ~PooledMemory() override {
        if (comes_back_) pool_->give_back(std::move(block_));
    }
    void* data() const override { return block_->data(); }
    std::size_t bytes() const override { return bytes_; }
    void let_reuse() noexcept override { comes_back_ = true; }

  private:
    std::shared_ptr<MemoryPool> pool_;
    std::unique_ptr<DeviceMemory> block_;
    std::size_t bytes_;
    bool comes_back_;
};

MemoryPool::~MemoryPool() = default;

std::unique_ptr<DeviceMemory> MemoryPool::find(std::size_t bytes, std::size_t most) {
    const std::lock_guard lock(mutex_);
    auto best = free_.end();
    for (auto it = free_.begin(); it != free_.end(); ++it) {
        const std::size_t has = (*it)->bytes();
        const bool suits = has >= bytes && has <= most;
        if (suits && (best == free_.end() || has < (*best)->bytes())) best = it;
    }
    if (best == free_.end()) return nullptr;
    std::unique_ptr<DeviceMemory> block = std::move(*best);
    free_.erase(best);
    kept_ -= block->bytes();
    return block;
}

std::unique_ptr<DeviceMemory> MemoryPool::make(std::size_t bytes, const Allocate& allocate) {
    const std::size_t rounded = (bytes + granularity - 1) / granularity * granularity;
    try {
        return allocate(rounded);
    } catch (const Error&) {
        if (clear() == 0) throw;
        return allocate(rounded);
    }
}

std::unique_ptr<DeviceMemory> MemoryPool::take(std::size_t bytes, const Allocate& allocate) {
    auto block = find(bytes, 2 * bytes + slack);
    if (block == nullptr) block = make(bytes, allocate);
    return std::make_unique<PooledMemory>(shared_from_this(), std::move(block), bytes, true);
}

std::pair<std::unique_ptr<DeviceMemory>, bool> MemoryPool::take_kept(std::size_t bytes,
                                                                     const Allocate& allocate) {
    auto block = find(bytes, bytes + bytes / kept_slack);
    const bool was_used = block != nullptr;
    if (!was_used) block = make(bytes, allocate);
    return {std::make_unique<PooledMemory>(shared_from_this(), std::move(block), bytes, false),
            was_used};
}

std::size_t MemoryPool::clear() {
    std::vector<std::unique_ptr<DeviceMemory>> freed;  // without the lock
    const std::lock_guard lock(mutex_);
    freed.swap(free_);
    return std::exchange(kept_, 0);
}

std::size_t MemoryPool::kept() const {
    const std::lock_guard lock(mutex_);
    return kept_;
}

void MemoryPool::give_back(std::unique_ptr<DeviceMemory> block) noexcept {
    try {
        std::vector<std::unique_ptr<DeviceMemory>> freed;  // without the lock
        const std::lock_guard lock(mutex_);
        const std::size_t bytes = block->bytes();
        if (bytes > most_kept_) return;
        while (kept_ + bytes > most_kept_) {
            const std::size_t oldest = free_.front()->bytes();
            freed.push_back(std::move(free_.front()));
            free_.erase(free_.begin());
            kept_ -= oldest;
        }
        free_.push_back(std::move(block));
        kept_ += bytes;
    } catch (const std::bad_alloc&) {  // then it is freed
    }
}

}  // namespace spmvgen
