#include "bench/workbench.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "matrix/memory_limit.hpp"
#include "measure/bandwidth.hpp"
#include "measure/random_vector.hpp"

namespace spmvgen::cli {
namespace {

constexpr std::uint64_t seed = 7;
constexpr double warm_up_share = 0.2;
/// Devices that do not tell their cache: the largest last-level cache of a GPU is 256 MiB.
constexpr std::int64_t unknown_cache_bytes = 256 << 20;
/// The SIMT executor's times mean nothing.
constexpr std::int64_t simt_flush_bytes = 1 << 20;

std::unique_ptr<CudaClocks> clocks_of(const Device* device) {
    if (device == nullptr || !device->facts().text.starts_with("cuda")) return nullptr;
    const std::string& text = device->facts().text;
    int number = 0;
    if (const auto colon = text.find(':'); colon != text.npos)
        std::from_chars(text.data() + colon + 1, text.data() + text.size(), number);
    return std::make_unique<CudaClocks>(number);
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
Buffer operand_of(const CsrMatrix& a, int num_rhs) {
    check_vectors_fit(a.value_type, static_cast<double>(a.cols) * num_rhs,
                      static_cast<double>(a.rows) * num_rhs);
    Buffer x = vector_of(a, a.cols * num_rhs);
    fill_random(a.value_type, x.data(), a.cols * num_rhs, seed);
    return x;
}

/// Of rows × columns elements row by row: the same column by column.
Buffer transposed(const Buffer& from, std::int64_t rows, std::int64_t columns) {
    Buffer to(from.bytes());
    if (rows * columns == 0) return to;
    const std::size_t element = from.bytes() / static_cast<std::size_t>(rows * columns);
    const auto* const source = static_cast<const std::byte*>(from.data());
    auto* const target = static_cast<std::byte*>(to.data());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j)
            std::memcpy(target + static_cast<std::size_t>(j * rows + i) * element,
                        source + static_cast<std::size_t>(i * columns + j) * element, element);
    return to;
}

std::unique_ptr<DeviceMemory> on_device(Device* device, const Buffer& host) {
    if (device == nullptr) return nullptr;
    auto memory = device->allocate(std::max<std::size_t>(host.bytes(), 1));
    device->copy_to_device(memory->data(), host.data(), host.bytes());
    return memory;
}

}  // namespace

Place::Place(std::shared_ptr<Device> device, int threads, std::int64_t flush_bytes)
    : device_(std::move(device)), threads_(threads), cuda_(clocks_of(device_.get())) {
    flush_bytes_ = flush_bytes > 0 ? flush_bytes : default_flush_bytes();
}

std::int64_t Place::default_flush_bytes() const {
    if (device_ && device_->facts().text.starts_with("simt")) return simt_flush_bytes;
    const std::int64_t twice = 2 * (cache_bytes() > 0 ? cache_bytes() : unknown_cache_bytes);
    return device_ ? twice : std::min(twice, max_flush_bytes);
}

std::int64_t Place::cache_bytes() const {
    if (cuda_) return cuda_->cache_bytes();
    return device_ ? 0 : last_level_cache_bytes();
}

void Place::finish() const {
    if (device_) device_->synchronize(stream());
}

void Place::flush_host() {
    ++flushes_;
    const bool fresh = host_flush_.bytes() == 0;
    if (fresh) host_flush_ = Buffer(static_cast<std::size_t>(flush_bytes_));
    const auto words = host_flush_.as<std::uint64_t>();
    const auto count = static_cast<std::int64_t>(words.size());
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::int64_t i = 0; i < count; ++i) {
        std::uint64_t& word = words[static_cast<std::size_t>(i)];
        word = fresh ? 1 : word + flushes_;
    }
}

Timing Place::in_turn(const std::function<void()>& apply, const TimingPlan& plan) {
    if (cuda_) return cuda_->back_to_back(apply, plan);
    if (!device_) return time_apply(apply, plan);
    return time_apply(apply, plan, [&] { finish(); });
}

double Place::cold_seconds(const std::function<void()>& apply) {
    const auto bytes = static_cast<std::size_t>(flush_bytes_);
    if (device_ && !device_flush_) device_flush_ = device_->allocate(bytes);
    if (cuda_) return cuda_->after_fill(apply, device_flush_->data(), bytes);
    if (device_)
        device_->zero(device_flush_->data(), bytes);
    else
        flush_host();
    finish();
    const double start = now_s();
    apply();
    finish();
    return now_s() - start;
}

Timing Place::cold(const std::function<void()>& apply, double seconds) {
    constexpr std::ptrdiff_t least = 5, most = 50;
    const double start = now_s();
    std::vector<double> samples;
    cold_seconds(apply);  // memory of the flush is touched for the first time
    while (std::ssize(samples) < least || (std::ssize(samples) < most && now_s() - start < seconds))
        samples.push_back(cold_seconds(apply));
    return summarise(std::move(samples), 1);
}

ClockedTime Place::time(Clock clock, const Timed& what, double seconds) {
    const TimingPlan plan = plan_for(seconds);
    ClockedTime found;
    switch (clock) {
        case Clock::stream:
            found.apply = in_turn(what.apply, plan);
            break;
        case Clock::graph:
            found.apply = cuda_->in_graph(what.apply, plan);
            break;
        case Clock::solver:
            found.apply = cuda_->with_other(what.apply, what.update, plan, found.update_s);
            break;
        case Clock::cold:
            found.apply = cold(what.apply, seconds);
            break;
    }
    return found;
}

double Place::empty_sample_us() {
    return cuda_ ? 1e6 * cold([] {}, 5e-3).median_s : 0;
}

Workbench::Workbench(const CsrMatrix& matrix, Place& place, int num_rhs, bool by_columns)
    : place_(place),
      by_columns_(by_columns),
      x_(operand_of(matrix, num_rhs)),
      y_(vector_of(matrix, matrix.rows * num_rhs)),
      x_by_columns_(by_columns ? transposed(x_, matrix.cols, num_rhs) : Buffer()),
      x_on_device_(on_device(place.device(), given_x())),
      y_on_device_(on_device(place.device(), y_)),
      matrix_(matrix),
      num_rhs_(num_rhs) {
    if (num_rhs == 1) reference_.emplace(matrix.view(), x_.data());
}

void Workbench::spoil() {
    std::memset(y_.data(), 0xff, y_.bytes());  // NaN
    if (y_on_device_) place_.device()->copy_to_device(y(), y_.data(), y_.bytes());
}

CheckResult Workbench::check_fresh(const std::function<void()>& apply) {
    spoil();
    apply();
    return check_last();
}

CheckResult Workbench::check_last() {
    place_.finish();
    if (y_on_device_) place_.device()->copy_to_host(y_.data(), y(), y_.bytes());
    if (reference_) return reference_->check(y_.data());
    const Buffer by_rows = by_columns_ ? transposed(y_, num_rhs_, matrix_.rows) : Buffer();
    return dispatch(matrix_.value_type, [&](auto tag) {
        const decltype(tag) one(1), zero(0);
        return check_product(matrix_.view(), {.alpha = &one,
                                              .x = x_.data(),
                                              .beta = &zero,
                                              .y_after = by_columns_ ? by_rows.data() : y_.data(),
                                              .num_rhs = num_rhs_});
    });
}

std::function<void()> Workbench::update() {
    if (!x_again_) x_again_ = on_device(place_.device(), given_x());
    return [this] { place_.update(x(), x_.bytes(), y(), y_.bytes(), x_again_->data()); };
}

}  // namespace spmvgen::cli
