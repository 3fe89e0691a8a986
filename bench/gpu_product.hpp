#pragma once
#include <functional>
#include <optional>
#include <string>

#include "bench/workbench.hpp"

/// Checking and timing of products on a device.
namespace spmvgen {

struct TimingRule {
    int batches = 5, applies = 20;
};

/// Microseconds of one apply.
struct BatchTimes {
    double median = 0, least = 0, most = 0;
};

/// Enqueues y = Ax on a stream (null = the default one).
using DeviceProduct = std::function<void(void* stream)>;

/// x and y of one matrix on a device; x is uniform in [0.5, 1.5).
class ProductBench {
  public:
    /// `driver` is given for CUDA devices: times are then those of events, else of a host clock.
    ProductBench(const CsrMatrix& matrix, std::shared_ptr<Device> device, const CudaDriver* driver);

    void* x() { return bench_.x(); }
    void* y() { return bench_.y(); }

    /// Fills y with NaN, applies once and checks against the compensated reference. "" = right,
    /// else what is wrong. `worst_ratio`: of error to bound.
    std::string check(const DeviceProduct& product, double& worst_ratio);

    /// After a batch of warm-up: the median over batches.
    BatchTimes time(const DeviceProduct& product, const TimingRule& rule) const;

    /// The same for the products of a batch captured in one graph; nothing without a driver.
    std::optional<BatchTimes> time_graph(const DeviceProduct& product,
                                         const TimingRule& rule) const;

  private:
    BatchTimes time_batches(const std::function<void()>& batch, void* stream,
                            const TimingRule& rule) const;

    const CudaDriver* driver_;
    cli::Place place_;
    cli::Workbench bench_;
};

}  // namespace spmvgen
