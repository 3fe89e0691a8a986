#pragma once
#include <functional>
#include <memory>

#include "devices/device.hpp"
#include "matrix/csr_matrix.hpp"
#include "measure/timing.hpp"
#include "peers/cuda_driver.hpp"
#include "verify/reference.hpp"

namespace spmvgen::cli {

/// Where products run and what times them: this CPU with its steady clock, a CUDA device with
/// events, another device with the clock and a synchronisation. Empties caches.
class Place {
  public:
    /// `device` is null for this CPU, on which `threads` multiply. `flush_bytes` are walked over to
    /// empty the caches; 0 = twice the last-level cache, of a CPU at most max_flush_bytes.
    Place(std::shared_ptr<Device> device, int threads, std::int64_t flush_bytes = 0);

    /// A larger cache is shared with many: less is enough to be rid of what is ours
    /// (docs/bench.md).
    static constexpr std::int64_t max_flush_bytes = 256 << 20;

    Device* device() const { return device_.get(); }
    int threads() const { return threads_; }
    /// Of the last-level cache; 0 = not known.
    std::int64_t cache_bytes() const;
    std::int64_t flush_bytes() const { return flush_bytes_; }
    /// What times: "steady clock", "CUDA events".
    const char* clock() const { return driver_ ? "CUDA events" : "steady clock"; }

    /// Times `apply` (which may only enqueue) in batches for about that many seconds, warm-up
    /// included.
    Timing hot(const std::function<void()>& apply, double seconds);
    /// Times single applies, the caches emptied before each, for about that many seconds, the
    /// emptying included; at least 5 samples.
    Timing cold(const std::function<void()>& apply, double seconds);
    /// Microseconds that a cold sample of nothing has: what events add. 0 = no events.
    double empty_sample_us();
    /// Waits for what was enqueued.
    void finish() const;

  private:
    std::int64_t default_flush_bytes() const;
    void flush();
    double batch_seconds(const std::function<void()>& apply, std::int64_t calls) const;
    double cold_seconds(const std::function<void()>& apply);
    Timing hot_by_events(const std::function<void()>& apply, const TimingPlan& plan) const;

    std::shared_ptr<Device> device_;
    int threads_;
    std::unique_ptr<CudaDriver> driver_;
    CudaDriver::Owned begin_, end_;
    std::int64_t flush_bytes_;
    Buffer host_flush_;  ///< empty until it is used, as the next
    std::unique_ptr<DeviceMemory> device_flush_;
    unsigned char flushes_ = 0;
};

/// x and y of one matrix, and the reference that each product is held against.
class Workbench {
  public:
    /// x is uniform in [0.5, 1.5). The matrix must outlive it.
    Workbench(const CsrMatrix& matrix, const Place& place);

    void* x() { return x_on_device_ ? x_on_device_->data() : x_.data(); }
    void* y() { return y_on_device_ ? y_on_device_->data() : y_.data(); }

    /// Fills y with NaN, applies once and checks.
    CheckResult check_fresh(const std::function<void()>& apply);
    /// Checks y as the last apply left it.
    CheckResult check_last();

  private:
    const Place& place_;
    Buffer x_, y_;  ///< here; with a device also there
    std::unique_ptr<DeviceMemory> x_on_device_, y_on_device_;
    ProductReference reference_;
};

}  // namespace spmvgen::cli
