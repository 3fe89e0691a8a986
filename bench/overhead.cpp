// What an apply costs beyond its kernel. In each iteration Handle::apply and, with the same matrix
// and operands, the bare kernel are called so many times: on a CPU its loaded functions in the same
// loop (in a parallel region of the benchmark's own, when there are several threads), on a GPU
// Device::launch with arguments that are filled in already. The time is apply's; "bare_us" and
// "beyond_us" are medians, the latter of the differences.
//   bench_overhead [--device=D] [--kernel=K,…] [--format=F] [--threads=N] [GALLERY_SPEC] …
#include <omp.h>

#include <functional>
#include <memory>

#include "arguments.hpp"
#include "devices/bound_arguments.hpp"
#include "devices/gpu/grid.hpp"
#include "formats/stored_matrix.hpp"
#include "handle/conversion/gpu_matrix.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "matrix/features/features.hpp"
#include "matrix/suites/gallery.hpp"
#include "measure/random_vector.hpp"
#include "rounds.hpp"
#include "spmvgen/spmvgen.hpp"
#include "tuner/rules/choose.hpp"

namespace {

using namespace spmvgen;
using namespace spmvgen::bench;

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

/// Calls of an iteration. GPUs: few enough for the queue never to be full, for then a launch waits
/// for another's end.
constexpr int calls_on_gpu = 200;

void overhead(benchmark::State& state, const CsrView& a, Options options) {
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
    const int calls =
        device ? calls_on_gpu : std::min(calls_for(1e-3, apply), calls_for(1e-3, bare));
    std::vector<double> bare_us, beyond_us;
    for (auto _ : state) {
        const bool bare_first = bare_us.size() % 2 == 0;
        double b = bare_first ? seconds_of(calls, bare) : 0;
        finish();
        const double h = seconds_of(calls, apply);
        finish();
        if (!bare_first) b = seconds_of(calls, bare);
        finish();
        state.SetIterationTime(h);
        bare_us.push_back(1e6 * b);
        beyond_us.push_back(1e6 * (h - b));
    }
    state.counters["calls"] = calls;
    state.counters["bare_us"] = quantile(bare_us, 0.5);
    state.counters["beyond_us"] = quantile(beyond_us, 0.5);
    state.counters["beyond_low_us"] = quantile(beyond_us, 0.25);
    state.counters["beyond_high_us"] = quantile(beyond_us, 0.75);
    state.SetLabel(handle.info().kernel + " on " + handle.info().device);
}

std::vector<std::string> parts(const std::string& list) {
    std::vector<std::string> all(1);
    for (const char c : list)
        if (c == ',')
            all.emplace_back();
        else
            all.back() += c;
    return all;
}

}  // namespace

int main(int argc, char** argv) try {
    Options options;
    options.threads = take_number(argc, argv, "--threads=", 1);
    options.device = take_option(argc, argv, "--device=", options.device);
    options.format = take_option(argc, argv, "--format=", options.format);
    const auto kernels = parts(take_option(argc, argv, "--kernel=", "auto"));
    const auto words = take_words(argc, argv);
    const auto matrix = std::make_shared<const CsrMatrix>(
        make_gallery_matrix(words.empty() ? "stencil5:nx=8,ny=8" : words[0]));
    for (auto& kernel : kernels) {
        options.kernel = kernel;
        constexpr int rounds = 31;
        add("apply/" + kernel,
            [=](benchmark::State& state) { overhead(state, matrix->view(), options); })
            ->UseManualTime()
            ->Iterations(rounds)
            ->Unit(benchmark::kMicrosecond);
    }
    return run_benchmarks(argc, argv);
} catch (const std::exception& error) {
    std::fprintf(stderr, "bench_overhead: %s\n", error.what());
    return 1;
}
