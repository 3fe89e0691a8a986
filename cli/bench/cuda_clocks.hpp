#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

#include "measure/timing.hpp"
#include "peers/cuda_driver.hpp"

namespace spmvgen::cli {

/// The clocks of a CUDA device: events on a stream of its own, which waits for no other. What is
/// timed enqueues there. For one thread; what it throws, and what work throws, passes through.
class CudaClocks {
  public:
    using Work = std::function<void()>;

    /// Applies of a graph.
    static constexpr int graph_applies = 100;

    /// Throws Error(unsupported) when there is no driver or no such device.
    explicit CudaClocks(int device);

    void* stream() const { return stream_.get(); }
    /// Of the last-level cache.
    std::int64_t cache_bytes() const { return driver_.cache_bytes(); }

    /// Work, again and again.
    Timing back_to_back(const Work& work, const TimingPlan& plan) const;
    /// The same as a CUDA graph. Throws Error(io) when work cannot be captured.
    Timing in_graph(const Work& work, const TimingPlan& plan) const;
    /// Work with another kernel behind it: batches of pairs, less the same number of the other
    /// alone, right after. The seconds of one of those are `alone_s`. Throws Error(io) when that
    /// leaves no time.
    Timing with_other(const Work& work, const Work& other, const TimingPlan& plan,
                      double& alone_s) const;
    /// Work once, after memory was set to other bytes than last time.
    double after_fill(const Work& work, void* memory, std::size_t bytes);

    /// x = z ⊕ (y & 0): moves what a solver's p = r + βp does and leaves x as z is, whatever y
    /// holds. Of x and y their sizes in bytes, multiples of 4.
    void update(void* x, std::size_t x_bytes, const void* y, std::size_t y_bytes, const void* z);

  private:
    /// Seconds of one call of a batch: all of it, and what counts.
    struct Batch {
        double whole_s, counted_s;
    };
    /// Batches for as long as the plan says; `batch` times so many calls of `applies` applies.
    Timing sampled(const TimingPlan& plan, int applies,
                   const std::function<Batch(std::int64_t)>& batch) const;
    double batch_seconds(const Work& work, std::int64_t calls) const;
    CudaDriver::Owned captured(const Work& work) const;

    CudaDriver driver_;
    CudaDriver::Owned stream_, begin_, end_;
    CudaDriver::Owned update_module_;  ///< null until it is used
    void* update_ = nullptr;
    unsigned char fills_ = 0;
};

}  // namespace spmvgen::cli
