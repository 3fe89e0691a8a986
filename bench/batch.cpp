// One launch for many small systems against a loop of single applies, for the batches of Anzt,
// Collins, Dongarra, Flegar & Quintana-Ortí, ScalA 2017: BATCH/FORMAT and BATCH/loop. Every result
// is checked before it is timed. GPUs are timed with events, CPUs with a clock.
//   bench_batch [--device=D] [--count=1000] [--threads=N] [--loop-format=F] …
#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <random>

#include "arguments.hpp"
#include "devices/device.hpp"
#include "matrix/csr_matrix.hpp"
#include "measure/random_vector.hpp"
#include "peers/cuda_driver.hpp"
#include "spmvgen/batch.hpp"
#include "spmvgen/error.hpp"
#include "verify/reference.hpp"

namespace {

using namespace spmvgen;
using namespace spmvgen::bench;

struct Arguments {
    std::int64_t count = 1000;
    std::string loop_format = "auto";
    Options options;
    std::shared_ptr<Device> device;  ///< null = this CPU
    std::optional<CudaDriver> driver;
};

/// Sizes of a batch's systems.
struct Sizes {
    std::int64_t least_rows, most_rows, least_nnz, most_nnz;
    bool even_rows;  ///< every row of one length, else entries fall into rows by chance
};

Sizes sizes_of(const std::string& batch) {
    if (batch == "homogeneous" || batch == "one_matrix") return {500, 500, 8000, 8000, true};
    if (batch == "similar") return {900, 1000, 3000, 40000, false};
    if (batch == "tiny") return {10, 100, 30, 1000, false};
    if (batch == "any") return {10, 1000, 100, 40000, false};
    throw Error(ErrorCode::invalid_argument,
                "unknown batch '" + batch + "': use homogeneous, similar, any, tiny or one_matrix");
}

CsrMatrix random_matrix(const Sizes& sizes, std::mt19937_64& random) {
    const auto between = [&](std::int64_t a, std::int64_t b) {
        return std::uniform_int_distribution<std::int64_t>(a, b)(random);
    };
    const std::int64_t n = between(sizes.least_rows, sizes.most_rows);
    const std::int64_t nnz =
        between(sizes.least_nnz, std::max(sizes.least_nnz, std::min(sizes.most_nnz, n * n / 2)));
    std::vector<std::int32_t> length(static_cast<std::size_t>(n));
    for (std::int64_t k = 0; k < nnz; ++k)
        ++length[static_cast<std::size_t>(sizes.even_rows ? k % n : between(0, n - 1))];
    CsrMatrix m;
    m.rows = m.cols = n;
    m.nnz = nnz;
    m.row_ptr = make_buffer<std::int32_t>(n + 1);
    m.col_idx = make_buffer<std::int32_t>(nnz);
    m.values = make_buffer<double>(nnz);
    const auto row_ptr = m.row_ptr.as<std::int32_t>(), col = m.col_idx.as<std::int32_t>();
    row_ptr[0] = 0;
    for (std::size_t row = 0; row < length.size(); ++row) {
        const auto first = static_cast<std::size_t>(row_ptr[row]);
        row_ptr[row + 1] = row_ptr[row] + length[row];
        const auto own = col.subspan(first, static_cast<std::size_t>(length[row]));
        for (auto& c : own) c = static_cast<std::int32_t>(between(0, n - 1));
        std::ranges::sort(own);
    }
    fill_random(ValueType::f64, m.values.data(), nnz, random());
    return m;
}

struct Batch {
    std::vector<CsrMatrix> matrices;
    std::vector<CsrView> views;
    std::int64_t rows = 0, cols = 0, nnz = 0;
};

Batch make_batch(const std::string& name, const Arguments& arguments) {
    std::mt19937_64 random(7);
    const Sizes sizes = sizes_of(name);
    Batch batch;
    for (std::int64_t i = 0; i < arguments.count; ++i) {
        if (i == 0 || (name != "homogeneous" && name != "one_matrix")) {
            batch.matrices.push_back(random_matrix(sizes, random));
        } else if (name == "homogeneous") {  // the first one's pattern with other values
            CsrMatrix other = convert_values(batch.matrices[0].view(), ValueType::f64);
            other.col_idx = {};
            other.row_ptr = {};
            fill_random(ValueType::f64, other.values.data(), other.nnz, random());
            batch.matrices.push_back(std::move(other));
        }
        CsrView view = batch.matrices.back().view();
        view.row_ptr = view.row_ptr ? view.row_ptr : batch.matrices[0].row_ptr.data();
        view.col_idx = view.col_idx ? view.col_idx : batch.matrices[0].col_idx.data();
        batch.views.push_back(view);
        batch.rows += view.rows;
        batch.cols += view.cols;
        batch.nnz += view.nnz;
    }
    return batch;
}

/// x and y of a batch where the device has them.
class Place {
  public:
    Place(const Batch& batch, std::shared_ptr<Device> device, const CudaDriver* driver)
        : batch_(batch), device_(std::move(device)), driver_(driver) {
        host_x_ = make_buffer<double>(batch.cols);
        host_y_ = make_buffer<double>(batch.rows);
        fill_random(ValueType::f64, host_x_.data(), batch.cols, 3);
        if (device_ == nullptr) return;
        x_ = device_->allocate(host_x_.bytes());
        y_ = device_->allocate(host_y_.bytes());
        device_->copy_to_device(x_->data(), host_x_.data(), host_x_.bytes());
    }

    const double* x() const {
        return static_cast<const double*>(device_ ? x_->data() : host_x_.data());
    }
    double* y() { return static_cast<double*>(device_ ? y_->data() : host_y_.data()); }

    /// Applies once to y full of NaN; "" = every system is right. places(i) are the first elements
    /// of x_i and y_i and their stride.
    struct Where {
        std::int64_t x, y, stride;
    };
    std::string check(const std::function<void()>& product,
                      const std::function<Where(std::int64_t)>& places) {
        std::ranges::fill(host_y_.as<double>(), std::numeric_limits<double>::quiet_NaN());
        if (device_) device_->copy_to_device(y_->data(), host_y_.data(), host_y_.bytes());
        product();
        if (device_) device_->synchronize({});
        if (device_) device_->copy_to_host(host_y_.data(), y_->data(), host_y_.bytes());
        const double one = 1, zero = 0;
        for (std::size_t i = 0; i < batch_.views.size(); ++i) {
            const CsrView& a = batch_.views[i];
            const Where at = places(static_cast<std::int64_t>(i));
            const auto x = part(host_x_, at.x, a.cols, at.stride);
            const auto y = part(host_y_, at.y, a.rows, at.stride);
            const CheckResult result = check_product(a, {&one, x.data(), &zero, nullptr, y.data()});
            if (!result.passed) return "system " + std::to_string(i) + ": " + result.message;
        }
        return "";
    }

    /// Microseconds of one call of `work`, which is called `calls` times.
    double time(const std::function<void()>& work, int calls) const {
        if (driver_ != nullptr) {
            const auto begin = driver_->make_event(), end = driver_->make_event();
            driver_->synchronize(nullptr);
            driver_->record(begin, nullptr);
            for (int i = 0; i < calls; ++i) work();
            driver_->record(end, nullptr);
            return 1e3 * driver_->milliseconds(begin, end) / calls;
        }
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < calls; ++i) work();
        if (device_) device_->synchronize({});
        return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
                   .count() /
               calls;
    }

  private:
    static std::vector<double> part(const Buffer& all, std::int64_t first, std::int64_t count,
                                    std::int64_t stride) {
        std::vector<double> own;
        for (std::int64_t j = 0; j < count; ++j)
            own.push_back(all.as<double>()[static_cast<std::size_t>(first + j * stride)]);
        return own;
    }

    const Batch& batch_;
    std::shared_ptr<Device> device_;
    const CudaDriver* driver_;
    Buffer host_x_, host_y_;
    std::unique_ptr<DeviceMemory> x_, y_;
};

/// One way to compute the whole batch.
struct Way {
    std::function<void()> product;
    std::string kernel;
    std::int64_t bytes = 0;  ///< 0 = not known
};

/// A batch handle, checked; a wrong result is thrown.
Way batch_way(const Batch& batch, Place& place, const Arguments& arguments,
              const std::string& format, BatchLayout layout) {
    Options options = arguments.options;
    options.format = format;
    const auto handle = std::make_shared<BatchHandle>(batch.views, options, layout);
    Way way;
    way.product = [handle, &place] { handle->apply(1.0, place.x(), 0.0, place.y()); };
    const std::string wrong = place.check(way.product, [&](std::int64_t i) -> Place::Where {
        return {handle->x_offset(i), handle->y_offset(i), handle->x_stride(i)};
    });
    if (!wrong.empty()) throw Error(ErrorCode::internal, format + ": " + wrong);
    way.kernel = handle->info().kernel;
    way.bytes = handle->info().bytes;
    return way;
}

/// A handle for each system, one apply after another.
Way loop_way(const Batch& batch, Place& place, const Arguments& arguments) {
    Options options = arguments.options;
    options.format = arguments.loop_format;
    struct Single {
        Handle handle;
        std::int64_t x, y;
    };
    const auto all = std::make_shared<std::vector<Single>>();
    std::int64_t x = 0, y = 0;
    for (auto& view : batch.views) {
        all->push_back({Handle(view, options), x, y});
        x += view.cols;
        y += view.rows;
    }
    Way way;
    way.product = [all, &place] {
        for (auto& one : *all) one.handle.apply(1.0, place.x() + one.x, 0.0, place.y() + one.y);
    };
    const std::string wrong = place.check(way.product, [&](std::int64_t i) -> Place::Where {
        const Single& one = (*all)[static_cast<std::size_t>(i)];
        return {one.x, one.y, 1};
    });
    if (!wrong.empty()) throw Error(ErrorCode::internal, "loop: " + wrong);
    way.kernel = all->front().handle.info().kernel;
    return way;
}

/// A batch with its vectors. The last one is kept, for its next benchmark.
struct Problem {
    std::string name;
    Batch batch;
    std::unique_ptr<Place> place;
};

Problem& problem_of(const std::string& name, const Arguments& arguments) {
    static Problem last;
    if (last.name == name) return last;
    last.place.reset();
    last.batch = {};
    last.batch = make_batch(name, arguments);
    last.place = std::make_unique<Place>(last.batch, arguments.device,
                                         arguments.driver ? &*arguments.driver : nullptr);
    last.name = name;
    return last;
}

Way way_of(const std::string& name, Problem& problem, const Arguments& arguments) {
    if (name == "loop") return loop_way(problem.batch, *problem.place, arguments);
    if (name == "interleaved")
        return batch_way(problem.batch, *problem.place, arguments, "auto",
                         BatchLayout::interleaved);
    return batch_way(problem.batch, *problem.place, arguments, name, BatchLayout::concatenated);
}

void multiply(benchmark::State& state, const std::string& batch, const std::string& name,
              const Arguments& arguments) {
    constexpr double least_us = 20'000;
    Problem& problem = problem_of(batch, arguments);
    const Place& place = *problem.place;
    const Way way = way_of(name, problem, arguments);
    const int calls = std::max(1, static_cast<int>(least_us / place.time(way.product, 1)));
    for (auto _ : state) state.SetIterationTime(1e-6 * place.time(way.product, calls));
    const auto rate = [](double each) {
        return benchmark::Counter(each, benchmark::Counter::kIsIterationInvariantRate);
    };
    state.counters["systems"] = static_cast<double>(problem.batch.views.size());
    state.counters["nnz"] = static_cast<double>(problem.batch.nnz);
    state.counters["flop/s"] = rate(2 * static_cast<double>(problem.batch.nnz));
    if (way.bytes > 0) state.counters["byte/s"] = rate(static_cast<double>(way.bytes));
    state.SetLabel(way.kernel);
}

}  // namespace

int main(int argc, char** argv) try {
    Arguments arguments;
    arguments.options.cache = CacheMode::on;
    arguments.options.device = take_option(argc, argv, "--device=", "host");
    arguments.options.threads = take_number(argc, argv, "--threads=", 0);
    arguments.count = take_number(argc, argv, "--count=", 1000);
    arguments.loop_format = take_option(argc, argv, "--loop-format=", "auto");
    const std::string& device = arguments.options.device;
    if (device != "host") arguments.device = open_device(device);
    if (device.starts_with("cuda")) {
        const auto colon = device.find(':');
        arguments.driver.emplace(colon == std::string::npos ? 0
                                                            : std::stoi(device.substr(colon + 1)));
    }
    for (const std::string batch : {"homogeneous", "similar", "any", "tiny", "one_matrix"})
        for (const std::string way : {"csr", "coo", "ell", "interleaved", "loop"}) {
            if (way == "interleaved" && batch != "one_matrix") continue;
            constexpr int rounds = 9;
            add(batch + "/" + way,
                [&arguments, batch, way](auto& state) { multiply(state, batch, way, arguments); })
                ->UseManualTime()
                ->Iterations(rounds)
                ->Unit(benchmark::kMicrosecond);
        }
    return run_benchmarks(argc, argv);
} catch (const std::exception& error) {
    std::fprintf(stderr, "bench_batch: %s\n", error.what());
    return 1;
}
