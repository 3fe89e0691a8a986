#include "gpu_product.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

namespace spmvgen {
namespace {

BatchTimes summarise_batches(std::vector<double> us) {
    std::ranges::sort(us);
    return {us[us.size() / 2], us.front(), us.back()};
}

}  // namespace

ProductBench::ProductBench(const CsrMatrix& matrix, std::shared_ptr<Device> device,
                           const CudaDriver* driver)
    : driver_(driver), place_(std::move(device), 1), bench_(matrix, place_) {}

std::string ProductBench::check(const DeviceProduct& product, double& worst_ratio) {
    const CheckResult result = bench_.check_fresh([&] { product(nullptr); });
    worst_ratio = result.worst_ratio;
    return result.message;
}

BatchTimes ProductBench::time_batches(const std::function<void()>& batch, void* stream,
                                      const TimingRule& rule) const {
    batch();
    std::vector<double> us;
    for (int i = 0; i < rule.batches; ++i) {
        if (driver_ != nullptr) {
            const auto begin = driver_->make_event(), end = driver_->make_event();
            driver_->synchronize(stream);
            driver_->record(begin, stream);
            batch();
            driver_->record(end, stream);
            us.push_back(1e3 * driver_->milliseconds(begin, end) / rule.applies);
        } else {
            const auto begin = std::chrono::steady_clock::now();
            batch();
            place_.finish();
            const std::chrono::duration<double, std::micro> time =
                std::chrono::steady_clock::now() - begin;
            us.push_back(time.count() / rule.applies);
        }
    }
    return summarise_batches(us);
}

BatchTimes ProductBench::time(const DeviceProduct& product, const TimingRule& rule) const {
    const auto batch = [&] {
        for (int i = 0; i < rule.applies; ++i) product(nullptr);
    };
    return time_batches(batch, nullptr, rule);
}

std::optional<BatchTimes> ProductBench::time_graph(const DeviceProduct& product,
                                                   const TimingRule& rule) const {
    if (driver_ == nullptr) return std::nullopt;
    const auto stream = driver_->make_stream();
    product(stream.get());
    driver_->synchronize(stream.get());
    driver_->begin_capture(stream.get());
    for (int i = 0; i < rule.applies; ++i) product(stream.get());
    const auto graph = driver_->end_capture(stream.get());
    return time_batches([&] { driver_->launch(graph, stream.get()); }, stream.get(), rule);
}

}  // namespace spmvgen
