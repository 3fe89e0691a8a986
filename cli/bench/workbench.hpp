#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "bench/clock.hpp"
#include "bench/cuda_clocks.hpp"
#include "devices/device.hpp"
#include "matrix/csr_matrix.hpp"
#include "measure/timing.hpp"
#include "verify/reference.hpp"

namespace spmvgen::cli {

/// What is timed: both may only enqueue, on Place::stream().
struct Timed {
    std::function<void()> apply;
    std::function<void()> update;  ///< the vector update of Clock::solver
};

/// What a clock says of an apply.
struct ClockedTime {
    Timing apply;
    double update_s = 0;  ///< of Clock::solver: an update alone, which is no part of `apply`
};

/// Where products run and what times them: this CPU with its steady clock, a CUDA device with
/// events, another device with the steady clock and a synchronisation. Empties caches.
class Place {
  public:
    /// `device` is null for this CPU, on which `threads` multiply. `flush_bytes` are walked over to
    /// empty the caches; 0 = twice the last-level cache, of a CPU at most max_flush_bytes.
    Place(std::shared_ptr<Device> device, int threads, std::int64_t flush_bytes = 0);

    /// A larger cache is shared with many: less is enough to be rid of what is ours
    /// (docs/how-to/benchmark-and-report.md).
    static constexpr std::int64_t max_flush_bytes = 256 << 20;

    Device* device() const { return device_.get(); }
    int threads() const { return threads_; }
    /// Where products are enqueued: on CUDA devices a stream of its own, else the default one.
    StreamRef stream() const { return {cuda_ ? cuda_->stream() : nullptr}; }
    /// Of the last-level cache; 0 = not known.
    std::int64_t cache_bytes() const;
    std::int64_t flush_bytes() const { return flush_bytes_; }
    /// What tells the time: "steady clock", "CUDA events".
    const char* timer() const { return cuda_ ? "CUDA events" : "steady clock"; }

    /// Times applies for about that many seconds, warm-up and the emptying of caches included; at
    /// least 5 samples. Clock::graph and Clock::solver are for CUDA devices.
    ClockedTime time(Clock clock, const Timed& what, double seconds);
    /// Microseconds that a cold sample of nothing has: what events add. 0 = no events.
    double empty_sample_us();
    /// Waits for what was enqueued.
    void finish() const;
    /// The vector update of Clock::solver on a CUDA device; sizes in bytes.
    void update(void* x, std::size_t x_bytes, const void* y, std::size_t y_bytes, const void* z) {
        cuda_->update(x, x_bytes, y, y_bytes, z);
    }

  private:
    std::int64_t default_flush_bytes() const;
    void flush_host();
    double cold_seconds(const std::function<void()>& apply);
    Timing cold(const std::function<void()>& apply, double seconds);
    Timing in_turn(const std::function<void()>& apply, const TimingPlan& plan);

    std::shared_ptr<Device> device_;
    int threads_;
    std::unique_ptr<CudaClocks> cuda_;  ///< null elsewhere
    std::int64_t flush_bytes_;
    Buffer host_flush_;  ///< empty until it is used, as the next
    std::unique_ptr<DeviceMemory> device_flush_;
    unsigned char flushes_ = 0;
};

/// x and y of one matrix, and the reference that each product is held against.
class Workbench {
  public:
    /// x is uniform in [0.5, 1.5). x and y have `num_rhs` columns, row-major or, with `by_columns`,
    /// one behind the other. The matrix must outlive it.
    Workbench(const CsrMatrix& matrix, Place& place, int num_rhs = 1, bool by_columns = false);

    void* x() { return x_on_device_ ? x_on_device_->data() : given_x().data(); }
    void* y() { return y_on_device_ ? y_on_device_->data() : y_.data(); }

    /// Fills y with NaN.
    void spoil();
    /// Fills y with NaN, applies once and checks.
    CheckResult check_fresh(const std::function<void()>& apply);
    /// Checks y as the last apply left it.
    CheckResult check_last();
    /// The vector update of Clock::solver, over x and y: reads y, writes x anew.
    std::function<void()> update();

  private:
    /// As products have it.
    Buffer& given_x() { return by_columns_ ? x_by_columns_ : x_; }

    Place& place_;
    const bool by_columns_;
    Buffer x_, y_;         ///< here, x row-major, y as products have it; with a device also there
    Buffer x_by_columns_;  ///< empty where they lie by rows
    std::unique_ptr<DeviceMemory> x_on_device_, y_on_device_;
    std::unique_ptr<DeviceMemory> x_again_;  ///< what update() writes; null until it is asked for
    const CsrMatrix& matrix_;
    const int num_rhs_;
    std::optional<ProductReference> reference_;  ///< of one vector
};

}  // namespace spmvgen::cli
