#pragma once
#include <mutex>
#include <vector>

#include "matrix/buffer.hpp"

namespace spmvgen {

/// Scratch memory for applies that run at the same time: as many blocks as there were ever applies
/// at once, each taken by one of them. Safe for any number of threads.
class ScratchPool {
  public:
    /// A block on loan; goes back at the end of its scope.
    class Loan {
      public:
        Loan(ScratchPool& pool, std::size_t bytes) : pool_(pool), block_(pool.take(bytes)) {}
        Loan(const Loan&) = delete;
        Loan& operator=(const Loan&) = delete;
        ~Loan() { pool_.give_back(std::move(block_)); }
        /// At least the bytes asked for, 64-byte aligned; null when none were asked for.
        std::byte* data() { return static_cast<std::byte*>(block_.data()); }

      private:
        ScratchPool& pool_;
        Buffer block_;
    };

    /// Makes `blocks` of that size ready, so that as many applies at once allocate nothing.
    void reserve(std::size_t bytes, int blocks);

  private:
    Buffer take(std::size_t bytes);
    void give_back(Buffer block) noexcept;

    std::mutex mutex_;
    std::vector<Buffer> free_;
    std::size_t blocks_ = 0;  ///< free or on loan; free_ has room for all of them
};

}  // namespace spmvgen
