// bench_overhead: what an apply costs beyond its kernel. Rounds alternate between Handle::apply
// and, with the same matrix and operands, the bare kernel: on a CPU its loaded functions called in
// the same loop (in a parallel region of the benchmark's own, when there are several threads), on a
// GPU Device::launch with arguments that are filled in already.
#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>

#include "devices/bound_arguments.hpp"
#include "devices/gpu/grid.hpp"
#include "formats/stored_matrix.hpp"
#include "handle/gpu_matrix.hpp"
#include "handle/kernel_provider.hpp"
#include "matrix/features.hpp"
#include "matrix/gallery.hpp"
#include "measure/random_vector.hpp"
#include "rounds.hpp"
#include "spmvgen/spmvgen.hpp"
#include "tuner/choose.hpp"

namespace {

using namespace spmvgen;
using namespace spmvgen::bench;

struct Arguments {
    std::string matrix = "stencil5:nx=8,ny=8";
    Options options;
    std::vector<std::string> kernels;
    int rounds = 31;
    double at_most_us = 0;
    std::string json;
};

/// The operands of y = Ax, on the device where there is one.
struct Vectors {
    std::vector<double> x, y;
    std::unique_ptr<DeviceMemory> device_x, device_y;
    const double* x_data() const {
        return device_x ? static_cast<const double*>(device_x->data()) : x.data();
    }
    double* y_data() { return device_y ? static_cast<double*>(device_y->data()) : y.data(); }
};

Vectors make_vectors(const CsrView& a, Device* device) {
    Vectors v;
    v.x.resize(static_cast<std::size_t>(a.cols));
    v.y.resize(static_cast<std::size_t>(a.rows));
    fill_random(ValueType::f64, v.x.data(), a.cols, 1);
    if (device == nullptr) return v;
    v.device_x = device->allocate(v.x.size() * sizeof(double));
    v.device_y = device->allocate(v.y.size() * sizeof(double));
    device->copy_to_device(v.device_x->data(), v.x.data(), v.x.size() * sizeof(double));
    return v;
}

/// y = Ax as a kernel wants it; what it points to stays where it is.
struct Product {
    explicit Product(Vectors& v) : operands{&one, v.x_data(), &zero, v.y_data()} {}
    Product(const Product&) = delete;
    double one = 1, zero = 0;
    Operands operands;
    BoundArguments::Workspaces spaces{};
    BoundArguments::Filled arguments{};
};

[[noreturn]] void only_plain_kernels(const Signature& s) {
    throw Error(ErrorCode::unsupported, s.kernel + ": only kernels of one step without workspace");
}

std::function<void()> bare_on_host(const CsrView& a, const Signature& s, Vectors& v, int threads) {
    const auto kernel = KernelProvider::process().get(s, {}).kernel;
    if (kernel == nullptr || kernel->launch().steps.size() != 1 ||
        !kernel->launch().workspace.empty())
        only_plain_kernels(s);
    const auto stored = std::make_shared<const StoredMatrix>(convert(a, s, true));
    const auto bound = std::make_shared<const BoundArguments>(s, kernel->launch(), *stored);
    const auto product = std::make_shared<Product>(v);
    bound->fill(product->operands, product->spaces, product->arguments);
    const StepFunction function = kernel->function(0);
    return [=, keep = std::pair(kernel, bound)] {
        (void)stored;
        if (threads == 1) return function(product->arguments.data(), 0, 1);
#pragma omp parallel num_threads(threads)
        function(product->arguments.data(), omp_get_thread_num(), omp_get_num_threads());
    };
}

std::function<void()> bare_on_gpu(const CsrView& a, const Signature& s, Vectors& v,
                                  const std::shared_ptr<Device>& device) {
    const auto kernel = KernelProvider::process().get(s, {}, device).kernel;
    const LaunchDescription& launch = kernel->loaded->launch();
    if (launch.steps.size() != 1 || !launch.workspace.empty()) only_plain_kernels(s);
    const auto matrix = std::make_shared<const GpuMatrix>(upload(*device, convert(a, s, true), a));
    const auto bound = std::make_shared<const BoundArguments>(s, launch, matrix->stored);
    const auto product = std::make_shared<Product>(v);
    bound->fill(product->operands, product->spaces, product->arguments);
    const GridLaunch grid = grid_of(launch.steps[0], matrix->stored.scalars, device->facts().units,
                                    architecture(device->facts().target).kind);
    return [=, keep = std::pair(matrix, bound)] {
        device->launch(*kernel->loaded, 0, grid, product->arguments.data(), {});
    };
}

/// The signature that a handle with these options has: as the handle asks the tuner.
Signature signature_of(const CsrView& a, const Options& o, Device* device, int threads) {
    Request request{.format = o.format, .kernel = o.kernel};
    request.target = device != nullptr ? device->facts().target : parse_target(o.target);
    request.threads = threads;
    if (device != nullptr) {
        request.units = device->facts().units;
        request.device = device->facts().name;
    } else {
        request.csr_index = a.index_type;
        request.csr_offset = a.offset_type;
    }
    return choose(analyse_row_lengths(a), request).signature;
}

nlohmann::json run(const std::string& kernel, const CsrView& a, const Arguments& arguments) {
    Options options = arguments.options;
    options.kernel = kernel;
    options.copy = false;
    const auto device = options.device == "host" ? nullptr : open_device(options.device);
    const int threads = options.threads;
    Vectors v = make_vectors(a, device.get());
    const Handle handle(a, options);
    const Signature signature = signature_of(a, options, device.get(), threads);
    if (kernel_name(signature) != handle.info().kernel)
        throw Error(ErrorCode::internal,
                    "the handle runs " + handle.info().kernel + ", not " + kernel_name(signature));
    const auto bare =
        device ? bare_on_gpu(a, signature, v, device) : bare_on_host(a, signature, v, threads);
    const auto apply = [&] { handle.apply(1.0, v.x_data(), 0.0, v.y_data()); };
    const auto finish = [&] {
        if (device) device->synchronize({});
    };
    // GPUs: few enough for the queue never to be full, for then a launch waits for another's end.
    const int calls = device ? 200 : std::min(calls_for(1e-3, apply), calls_for(1e-3, bare));
    std::vector<double> bare_us, apply_us, beyond_us;
    for (int round = 0; round < arguments.rounds; ++round) {
        double b = 0;
        if (round % 2 == 0) b = seconds_of(calls, bare);
        finish();
        const double h = seconds_of(calls, apply);
        finish();
        if (round % 2 == 1) b = seconds_of(calls, bare);
        finish();
        bare_us.push_back(1e6 * b);
        apply_us.push_back(1e6 * h);
        beyond_us.push_back(1e6 * (h - b));
    }
    return {{"kernel", handle.info().kernel},
            {"device", handle.info().device},
            {"threads", threads},
            {"calls", calls},
            {"bare_us", quantile(bare_us, 0.5)},
            {"apply_us", quantile(apply_us, 0.5)},
            {"beyond_us", quantile(beyond_us, 0.5)},
            {"beyond_quartiles_us", {quantile(beyond_us, 0.25), quantile(beyond_us, 0.75)}}};
}

Arguments parse(int argc, char** argv) {
    Arguments a;
    a.options.threads = 1;
    CLI::App app{"What an apply costs beyond its kernel and a launch"};
    app.add_option("matrix", a.matrix, "a gallery specification, f64");
    app.add_option("--device", a.options.device);
    app.add_option("--format", a.options.format);
    app.add_option("--kernel", a.kernels, "kernels; none = what is chosen");
    app.add_option("--threads", a.options.threads)->check(CLI::Range(1, 4096));
    app.add_option("--rounds", a.rounds)->check(CLI::Range(3, 10000));
    app.add_option("--at-most", a.at_most_us, "fail when a lower quartile is above this, in µs");
    app.add_option("--json", a.json, "also write the results to this file");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::exit(app.exit(error) == 0 ? 0 : 2);
    }
    if (a.kernels.empty()) a.kernels.emplace_back("auto");
    return a;
}

int run(const Arguments& arguments) {
    const CsrMatrix matrix = make_gallery_matrix(arguments.matrix);
    nlohmann::json results = nlohmann::json::array();
    bool good = true;
    fmt::print("{:<8} {:>9} {:>9} {:>9} {:<14} {}\n", "threads", "bare µs", "apply µs", "beyond",
               "[quartiles]", "kernel");
    for (auto& kernel : arguments.kernels) {
        const nlohmann::json r = run(kernel, matrix.view(), arguments);
        const double low = r["beyond_quartiles_us"][0].get<double>();
        fmt::print("{:<8} {:>9.3f} {:>9.3f} {:>9.3f} [{:.3f} {:.3f}] {}\n", r["threads"].get<int>(),
                   r["bare_us"].get<double>(), r["apply_us"].get<double>(),
                   r["beyond_us"].get<double>(), low, r["beyond_quartiles_us"][1].get<double>(),
                   r["kernel"].get<std::string>());
        good = good && (arguments.at_most_us == 0 || low <= arguments.at_most_us);
        results.push_back(r);
    }
    if (!arguments.json.empty())
        std::ofstream(arguments.json) << nlohmann::json{{"spmvgen", version()},
                                                        {"compiler", __VERSION__},
                                                        {"matrix", arguments.matrix},
                                                        {"rounds", arguments.rounds},
                                                        {"results", results}}
                                             .dump(2)
                                      << '\n';
    return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(parse(argc, argv));
    } catch (const std::exception& error) {
        std::cerr << "bench_overhead: " << error.what() << '\n';
        return 1;
    }
}
