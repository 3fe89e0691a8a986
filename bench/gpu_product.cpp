#include "gpu_product.hpp"

#include <algorithm>
#include <chrono>
#include <complex>
#include <cstring>
#include <vector>

#include "measure/random_vector.hpp"
#include "verify/reference.hpp"

namespace spmvgen {
namespace {

constexpr std::uint64_t seed = 7;

Buffer vector_of(const CsrMatrix& a, std::int64_t elements) {
    return Buffer(static_cast<std::size_t>(elements) * size_of(a.value_type));
}

BatchTimes summarise_batches(std::vector<double> us) {
    std::ranges::sort(us);
    return {us[us.size() / 2], us.front(), us.back()};
}

}  // namespace

ProductBench::ProductBench(const CsrMatrix& matrix, Device& device, const CudaDriver* driver)
    : matrix_(matrix),
      device_(device),
      driver_(driver),
      host_x_(vector_of(matrix, matrix.cols)),
      host_y_(vector_of(matrix, matrix.rows)),
      x_(device.allocate(std::max<std::size_t>(host_x_.bytes(), 1))),
      y_(device.allocate(std::max<std::size_t>(host_y_.bytes(), 1))) {
    fill_random(matrix.value_type, host_x_.data(), matrix.cols, seed);
    device.copy_to_device(x(), host_x_.data(), host_x_.bytes());
}

std::string ProductBench::check(const DeviceProduct& product, double& worst_ratio) {
    std::memset(host_y_.data(), 0xff, host_y_.bytes());  // NaN
    device_.copy_to_device(y(), host_y_.data(), host_y_.bytes());
    product(nullptr);
    device_.synchronize({});
    device_.copy_to_host(host_y_.data(), y(), host_y_.bytes());
    return dispatch(matrix_.value_type, [&](auto type) {
        const decltype(type) one(1), zero(0);
        const CheckResult result = check_product(
            matrix_.view(), {&one, host_x_.data(), &zero, nullptr, host_y_.data(), 1});
        worst_ratio = result.worst_ratio;
        return result.message;
    });
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
            device_.synchronize({stream});
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
