// bench_batch: one launch for many small systems against a loop of single applies, for the batches
// of Anzt, Collins, Dongarra, Flegar & Quintana-Ortí, ScalA 2017. Every result is checked before it
// is timed; rounds alternate between the batches' formats and the loop, and a ratio is the median
// over rounds of loop time / batch time. GPUs are timed with events, CPUs with a clock.
#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>

#include "devices/device.hpp"
#include "matrix/csr_matrix.hpp"
#include "measure/random_vector.hpp"
#include "measure/timing.hpp"
#include "peers/cuda_driver.hpp"
#include "spmvgen/batch.hpp"
#include "spmvgen/error.hpp"
#include "verify/reference.hpp"

namespace {

using namespace spmvgen;
using nlohmann::json;

struct Arguments {
    std::int64_t count = 10000;
    std::vector<std::string> batches{"homogeneous", "similar", "any", "tiny", "one_matrix"};
    std::vector<std::string> formats{"csr", "coo", "ell"};
    std::string loop_format = "auto";
    Options options;
    int rounds = 9;
    std::string json;
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
            if (!result.passed) return fmt::format("system {}: {}", i, result.message);
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
    json row;
    std::function<void()> product;
    std::vector<double> us;
};

/// A batch handle, checked; a wrong result is thrown.
Way batch_way(const Batch& batch, Place& place, const Arguments& arguments,
              const std::string& format, BatchLayout layout) {
    Options options = arguments.options;
    options.format = format;
    const auto handle = std::make_shared<BatchHandle>(batch.views, options, layout);
    const bool interleaved = layout == BatchLayout::interleaved;
    Way way;
    way.product = [handle, &place] { handle->apply(1.0, place.x(), 0.0, place.y()); };
    const std::string wrong = place.check(way.product, [&](std::int64_t i) -> Place::Where {
        return {handle->x_offset(i), handle->y_offset(i), handle->x_stride(i)};
    });
    if (!wrong.empty()) throw Error(ErrorCode::internal, format + ": " + wrong);
    const Info& info = handle->info();
    way.row = {{"way", interleaved ? "interleaved, " + format : "batch, " + format},
               {"kernel", info.kernel},
               {"reason", info.reason},
               {"kind", to_string(handle->kind())},
               {"bytes", info.bytes},
               {"stored", info.stored},
               {"prepare_ms", info.prepare_ms}};
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
    way.row = {{"way", "loop"}, {"kernel", all->front().handle.info().kernel}};
    return way;
}

int calls_for(const Place& place, const Way& way) {
    constexpr double least_us = 20'000;
    return std::max(1, static_cast<int>(least_us / place.time(way.product, 1)));
}

void time_ways(std::vector<Way>& ways, const Place& place, int rounds) {
    std::vector<int> calls;
    for (auto& way : ways) calls.push_back(calls_for(place, way));
    for (int round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < ways.size(); ++i)
            ways[i].us.push_back(place.time(ways[i].product, calls[i]));
}

/// Adds figures to each way's row; the loop is the last one.
void summarise_ways(std::vector<Way>& ways, const Batch& batch) {
    const std::vector<double>& loop = ways.back().us;
    for (auto& way : ways) {
        std::vector<double> ratios;
        for (std::size_t i = 0; i < loop.size(); ++i) ratios.push_back(loop[i] / way.us[i]);
        const Timing t = summarise(way.us, 1), ratio = summarise(ratios, 1);
        way.row["us"] = t.median_s;
        way.row["us_min"] = t.min_s;
        way.row["us_max"] = t.max_s;
        way.row["gflops"] = 2e-3 * static_cast<double>(batch.nnz) / t.median_s;
        way.row["loop_over_this"] = ratio.median_s;
        way.row["loop_over_this_min"] = ratio.min_s;
        way.row["loop_over_this_max"] = ratio.max_s;
        if (way.row.contains("bytes"))
            way.row["gb_s"] = 1e-3 * way.row["bytes"].get<double>() / t.median_s;
    }
}

void run(const std::string& name, const Arguments& arguments, std::shared_ptr<Device> device,
         const CudaDriver* driver, std::ostream* file) {
    const Batch batch = make_batch(name, arguments);
    Place place(batch, device, driver);
    std::vector<Way> ways;
    for (auto& format : arguments.formats)
        ways.push_back(batch_way(batch, place, arguments, format, BatchLayout::concatenated));
    if (name == "one_matrix")
        ways.push_back(batch_way(batch, place, arguments, "auto", BatchLayout::interleaved));
    ways.push_back(loop_way(batch, place, arguments));
    time_ways(ways, place, arguments.rounds);
    summarise_ways(ways, batch);
    for (auto& way : ways) {
        json row{{"batch", name},
                 {"systems", batch.views.size()},
                 {"rows", batch.rows},
                 {"nnz", batch.nnz},
                 {"device", device ? device->facts().name : "host"},
                 {"threads", arguments.options.threads > 0 ? arguments.options.threads
                                                           : omp_get_max_threads()},
                 {"checked", true}};
        row.update(way.row);
        fmt::print("{:<12} {:<18} {:>10.1f} us {:>8.2f} GFLOP/s {:>8.1f} GB/s {:>7.2f} x  {}\n",
                   name, row["way"].get<std::string>(), row["us"].get<double>(),
                   row["gflops"].get<double>(), row.value("gb_s", 0.0),
                   row["loop_over_this"].get<double>(), row["kernel"].get<std::string>());
        if (file != nullptr) *file << row.dump() << std::endl;
    }
    std::cout.flush();
}

}  // namespace

int main(int argc, char** argv) try {
    Arguments arguments;
    arguments.options.cache = CacheMode::on;
    CLI::App app("one launch for many small systems against a loop of single applies");
    app.add_option("--device", arguments.options.device, "host, cuda:0, simt:gfx906 …");
    app.add_option("--count", arguments.count, "systems (default 10000)")
        ->check(CLI::Range(1, 1000000));
    app.add_option("--batches", arguments.batches, "homogeneous, similar, any, tiny, one_matrix")
        ->delimiter(',');
    app.add_option("--formats", arguments.formats, "csr, coo, ell")->delimiter(',');
    app.add_option("--loop-format", arguments.loop_format, "format of the single handles");
    app.add_option("--threads", arguments.options.threads, "of a CPU; 0 = all");
    app.add_option("--rounds", arguments.rounds, "rounds (default 9)")->check(CLI::Range(1, 1000));
    app.add_option("--json", arguments.json, "keep the rows here, one JSON object a line");
    CLI11_PARSE(app, argc, argv);
    std::shared_ptr<Device> device;
    std::optional<CudaDriver> driver;
    if (arguments.options.device != "host") device = open_device(arguments.options.device);
    if (arguments.options.device.starts_with("cuda")) {
        const auto colon = arguments.options.device.find(':');
        driver.emplace(
            colon == std::string::npos ? 0 : std::stoi(arguments.options.device.substr(colon + 1)));
    }
    std::ofstream file;
    if (!arguments.json.empty()) file.open(arguments.json);
    for (auto& name : arguments.batches)
        run(name, arguments, device, driver ? &*driver : nullptr, file.is_open() ? &file : nullptr);
} catch (const std::exception& error) {
    std::cerr << "bench_batch: " << error.what() << "\n";
    return 1;
}
