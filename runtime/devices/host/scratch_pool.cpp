#include "devices/host/scratch_pool.hpp"

#include <memory>
#include <utility>

namespace spmvgen {

Buffer ScratchPool::take(std::size_t bytes) {
    if (bytes == 0) return {};
    {
        const std::lock_guard lock(mutex_);
        while (!free_.empty()) {
            Buffer block = std::move(free_.back());
            free_.pop_back();
            if (block.bytes() >= bytes) return block;
            --blocks_;
        }
        free_.reserve(++blocks_);
    }
    return Buffer(bytes);
}

void ScratchPool::reserve(std::size_t bytes, int blocks) {
    if (bytes == 0) return;
    std::vector<std::unique_ptr<Loan>> loans;
    for (int i = 0; i < blocks; ++i) loans.push_back(std::make_unique<Loan>(*this, bytes));
}

void ScratchPool::give_back(Buffer block) noexcept {
    if (block.bytes() == 0) return;
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(block));
}

}  // namespace spmvgen
