#include "bench/workbench.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>

#include "matrix/vectors_fit.hpp"
#include "measure/bandwidth.hpp"
#include "measure/random_vector.hpp"

namespace spmvgen::cli {
namespace {

constexpr std::uint64_t seed = 7;
constexpr double warm_up_share = 0.2;
/// Of a GPU: right after a compilation, with 1 ms of warm-up, products of 3 µs took up to 1.5 times
/// as long as in the middle of a run.
constexpr double least_gpu_warm_up_s = 0.02;
/// Devices that do not tell their cache: the largest last-level cache of a GPU is 256 MiB.
constexpr std::int64_t unknown_cache_bytes = 256 << 20;
/// The SIMT executor's times mean nothing.
constexpr std::int64_t simt_flush_bytes = 1 << 20;

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

std::unique_ptr<CudaDriver> driver_of(const Device* device) {
    if (device == nullptr || !device->facts().text.starts_with("cuda")) return nullptr;
    const std::string& text = device->facts().text;
    int number = 0;
    if (const auto colon = text.find(':'); colon != text.npos)
        std::from_chars(text.data() + colon + 1, text.data() + text.size(), number);
    return std::make_unique<CudaDriver>(number);
}

TimingPlan plan_for(double seconds) {
    TimingPlan plan;
    plan.warm_up_s = warm_up_share * seconds;
    plan.budget_s = seconds - plan.warm_up_s;
    plan.sample_s = std::min(1e-3, plan.budget_s / 20);
    return plan;
}

Buffer vector_of(const CsrMatrix& a, std::int64_t elements) {
    return Buffer(static_cast<std::size_t>(elements) * size_of(a.value_type));
}

/// x, filled.
Buffer operand_of(const CsrMatrix& a) {
    check_vectors_fit(a.value_type, static_cast<double>(a.cols), static_cast<double>(a.rows));
    Buffer x = vector_of(a, a.cols);
    fill_random(a.value_type, x.data(), a.cols, seed);
    return x;
}

std::unique_ptr<DeviceMemory> on_device(Device* device, const Buffer& host) {
    if (device == nullptr) return nullptr;
    auto memory = device->allocate(std::max<std::size_t>(host.bytes(), 1));
    device->copy_to_device(memory->data(), host.data(), host.bytes());
    return memory;
}

}  // namespace

Place::Place(std::shared_ptr<Device> device, int threads, std::int64_t flush_bytes)
    : device_(std::move(device)), threads_(threads), driver_(driver_of(device_.get())) {
    if (driver_) {
        begin_ = driver_->make_event();
        end_ = driver_->make_event();
    }
    flush_bytes_ = flush_bytes > 0 ? flush_bytes : default_flush_bytes();
}

std::int64_t Place::default_flush_bytes() const {
    if (device_ && device_->facts().text.starts_with("simt")) return simt_flush_bytes;
    const std::int64_t twice = 2 * (cache_bytes() > 0 ? cache_bytes() : unknown_cache_bytes);
    return device_ ? twice : std::min(twice, max_flush_bytes);
}

std::int64_t Place::cache_bytes() const {
    if (driver_) return driver_->cache_bytes();
    return device_ ? 0 : last_level_cache_bytes();
}

void Place::finish() const {
    if (device_) device_->synchronize({});
}

void Place::flush() {
    ++flushes_;
    const auto bytes = static_cast<std::size_t>(flush_bytes_);
    if (!device_) {
        const bool fresh = host_flush_.bytes() == 0;
        if (fresh) host_flush_ = Buffer(bytes);
        const auto words = host_flush_.as<std::uint64_t>();
        const auto count = static_cast<std::int64_t>(words.size());
#pragma omp parallel for schedule(static) num_threads(threads_)
        for (std::int64_t i = 0; i < count; ++i) {
            std::uint64_t& word = words[static_cast<std::size_t>(i)];
            word = fresh ? 1 : word + flushes_;
        }
        return;
    }
    if (!device_flush_) device_flush_ = device_->allocate(bytes);
    if (driver_)
        driver_->fill(device_flush_->data(), flushes_, bytes);
    else
        device_->zero(device_flush_->data(), bytes);
}

double Place::batch_seconds(const std::function<void()>& apply, std::int64_t calls) const {
    driver_->synchronize(nullptr);
    driver_->record(begin_, nullptr);
    for (std::int64_t i = 0; i < calls; ++i) apply();
    driver_->record(end_, nullptr);
    return 1e-3 * driver_->milliseconds(begin_, end_) / static_cast<double>(calls);
}

Timing Place::hot_by_events(const std::function<void()>& apply, const TimingPlan& plan) const {
    const double start = now();
    double shortest = batch_seconds(apply, 1);
    const double warm_up_s = std::max(plan.warm_up_s, least_gpu_warm_up_s);
    while (now() - start < warm_up_s) shortest = std::min(shortest, batch_seconds(apply, 4));
    constexpr std::int64_t most_calls = 1000;
    const auto calls =
        shortest > 0
            ? std::clamp<std::int64_t>(
                  static_cast<std::int64_t>(std::ceil(plan.sample_s / shortest)), 1, most_calls)
            : most_calls;
    std::vector<double> samples;
    const double begin = now();
    while (std::ssize(samples) < plan.min_samples ||
           (std::ssize(samples) < plan.max_samples && now() - begin < plan.budget_s))
        samples.push_back(batch_seconds(apply, calls));
    return summarise(std::move(samples), calls);
}

Timing Place::hot(const std::function<void()>& apply, double seconds) {
    const TimingPlan plan = plan_for(seconds);
    if (driver_) return hot_by_events(apply, plan);
    if (!device_) return time_apply(apply, plan);
    return time_apply(apply, plan, [&] { finish(); });
}

double Place::cold_seconds(const std::function<void()>& apply) {
    flush();
    if (driver_) {
        driver_->record(begin_, nullptr);
        apply();
        driver_->record(end_, nullptr);
        return 1e-3 * driver_->milliseconds(begin_, end_);
    }
    finish();
    const double start = now();
    apply();
    finish();
    return now() - start;
}

Timing Place::cold(const std::function<void()>& apply, double seconds) {
    constexpr std::ptrdiff_t least = 5, most = 50;
    const double start = now();
    std::vector<double> samples;
    cold_seconds(apply);  // memory of the flush is touched for the first time
    while (std::ssize(samples) < least || (std::ssize(samples) < most && now() - start < seconds))
        samples.push_back(cold_seconds(apply));
    return summarise(std::move(samples), 1);
}

double Place::empty_sample_us() {
    return driver_ ? 1e6 * cold([] {}, 5e-3).median_s : 0;
}

Workbench::Workbench(const CsrMatrix& matrix, const Place& place)
    : place_(place),
      x_(operand_of(matrix)),
      y_(vector_of(matrix, matrix.rows)),
      x_on_device_(on_device(place.device(), x_)),
      y_on_device_(on_device(place.device(), y_)),
      reference_(matrix.view(), x_.data()) {}

CheckResult Workbench::check_fresh(const std::function<void()>& apply) {
    std::memset(y_.data(), 0xff, y_.bytes());  // NaN
    if (y_on_device_) place_.device()->copy_to_device(y(), y_.data(), y_.bytes());
    apply();
    place_.finish();
    return check_last();
}

CheckResult Workbench::check_last() {
    if (y_on_device_) place_.device()->copy_to_host(y_.data(), y(), y_.bytes());
    return reference_.check(y_.data());
}

}  // namespace spmvgen::cli
