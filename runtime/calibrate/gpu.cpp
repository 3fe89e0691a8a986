#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "calibrate/gpu_kernels.hpp"
#include "calibrate/parts.hpp"
#include "handle/kernels/compile_kernel.hpp"
#include "handle/kernels/kernel_sources.hpp"

namespace spmvgen::calibration {
namespace {

constexpr unsigned block = 256;
constexpr unsigned blocks_per_unit = 8;  // 2048 threads: as many as most units hold
constexpr int loads_a_round = 8;
constexpr double free_memory_share = 0.25;  // of the device's free memory

/// How much is measured with.
struct Amounts {
    std::vector<double> read, copy, gather, atomics;
    double bytes_a_launch, loads_a_launch;
};

Amounts amounts_of(bool simulated) {
    if (simulated) return {{4096, 65536}, {65536}, {4096, 65536}, {8, 4096}, 65536, 16384};
    constexpr double k = 1 << 10, m = 1 << 20, g = 1 << 30;
    return {{1e6, 4e6, 16e6, 32e6, 48e6, 64e6, 96e6, 128e6, 256e6, 1e9, 4e9},
            {4e6, 16e6, 32e6, 64e6, 128e6, 1e9},
            {64 * k, 512 * k, 4 * m, 16 * m, 32 * m, 64 * m, 128 * m, 512 * m, 4 * g},
            {8, 64 * k, 8 * m, 64 * m, 512 * m},
            2e9,
            2e8};
}

}  // namespace

KernelSource micro_kernels(const Target& target) {
    const std::array<std::pair<const char*, std::vector<Argument>>, 5> kernels{
        {{"calibrate_nothing", {{"out", "double*"}}},
         {"calibrate_read",
          {{"count", "long"}, {"passes", "int"}, {"x", "const pair*"}, {"out", "double*"}}},
         {"calibrate_copy",
          {{"count", "long"}, {"passes", "int"}, {"x", "const pair*"}, {"y", "pair*"}}},
         {"calibrate_gather",
          {{"mask", "unsigned"}, {"rounds", "int"}, {"x", "const double*"}, {"out", "double*"}}},
         {"calibrate_atomics", {{"mask", "unsigned"}, {"rounds", "int"}, {"y", "double*"}}}}};
    KernelSource source;
    source.signature.kernel = source.name = "calibration";
    source.signature.target = target;
    source.text = calibration_kernels;
    for (auto& [symbol, arguments] : kernels) {
        Step step;
        step.symbol = symbol;
        step.rule = StepRule::grid;
        step.arguments = arguments;
        step.grid = {"count", block, blocks_per_unit, 1};
        step.block = block;
        source.launch.steps.push_back(step);
    }
    return source;
}

namespace {

/// The device with the micro-kernels and two arrays of zeros, made when they are first needed.
class GpuBench {
  public:
    explicit GpuBench(const CalibrationPlan& plan)
        : plan_(plan),
          device_(*plan.device),
          simulated_(device_.facts().loads == BinaryKind::simt),
          amounts_(amounts_of(simulated_)) {
        const double free = std::min(plan.most_bytes,
                                     free_memory_share * static_cast<double>(device_.free_bytes()));
        for (auto* list : {&amounts_.read, &amounts_.copy, &amounts_.gather, &amounts_.atomics})
            std::erase_if(*list, [&](double bytes) { return bytes > free; });
    }

    const Amounts& amounts() const { return amounts_; }

    Figure launch_us() {
        double* out = static_cast<double*>(memory(out_, sizeof(double)));
        const Timing t = time({1, 1}, MicroKernel::nothing, out);
        return {1e6 * t.median_s, t.spread};
    }

    DeviceRate read_rate(double bytes) {
        const long count = static_cast<long>(bytes / 16);
        const int passes = passes_for(bytes);
        const void* x = memory(x_, static_cast<std::size_t>(bytes));
        void* out = memory(out_, sizeof(double));
        return rate_of(time(whole_grid(), MicroKernel::read, count, passes, x, out), 0, bytes,
                       bytes * passes);
    }

    DeviceRate copy_rate(double bytes) {
        const long count = static_cast<long>(bytes / 32);
        const int passes = passes_for(bytes);
        const void* x = memory(x_, static_cast<std::size_t>(bytes / 2));
        void* y = memory(y_, static_cast<std::size_t>(bytes / 2));
        return rate_of(time(whole_grid(), MicroKernel::copy, count, passes, x, y), 0, bytes,
                       bytes * passes);
    }

    DeviceRate gather_rate(double bytes) {
        const unsigned mask = static_cast<unsigned>(bytes / 8) - 1;
        const int rounds = rounds_for(loads_a_round);
        const void* x = memory(x_, static_cast<std::size_t>(bytes));
        void* out = memory(out_, sizeof(double));
        return rate_of(time(whole_grid(), MicroKernel::gather, mask, rounds, x, out), 0, bytes,
                       threads() * rounds * loads_a_round);
    }

    DeviceRate atomic_rate(double bytes) {
        const unsigned mask = static_cast<unsigned>(bytes / 8) - 1;
        // Those to one place come one after the other.
        const int rounds = bytes > 8 ? rounds_for(8) : 1;
        void* y = memory(y_, static_cast<std::size_t>(bytes));
        return rate_of(time(whole_grid(), MicroKernel::atomics, mask, rounds, y), 0, bytes,
                       threads() * rounds);
    }

  private:
    std::array<unsigned, 2> whole_grid() const {
        return {static_cast<unsigned>(std::max(device_.facts().units, 1)) * blocks_per_unit, 1};
    }
    double threads() const { return static_cast<double>(whole_grid()[0]) * block; }
    int passes_for(double bytes) const {
        return std::max(1, static_cast<int>(amounts_.bytes_a_launch / bytes));
    }
    int rounds_for(int loads) const {
        return std::max(1, static_cast<int>(amounts_.loads_a_launch / threads() / loads));
    }

    /// At least so many bytes of zeros, as those of an array that is made anew when it grows.
    void* memory(std::unique_ptr<DeviceMemory>& array, std::size_t bytes) {
        if (array == nullptr || array->bytes() < bytes) {
            array.reset();
            array = device_.allocate(bytes);
            device_.zero(array->data(), bytes);
        }
        return array->data();
    }

    const DeviceKernel& kernels() {
        if (kernels_ != nullptr) return *kernels_;
        const KernelSource source = micro_kernels(device_.facts().target);
        const std::vector<BinaryKind> kinds =
            simulated_ ? std::vector{BinaryKind::simt}
                       : loadable_kinds(architecture(device_.facts().target).kind);
        kernels_ = device_.load(compile_source(load_generator(), source, kinds));
        return *kernels_;
    }

    template <typename... Arguments>
    Timing time(std::array<unsigned, 2> grid, MicroKernel kernel, Arguments... arguments) {
        const DeviceKernel& loaded = kernels();
        void* pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))...};
        return time_apply(
            [&] {
                device_.launch(loaded, static_cast<std::size_t>(kernel), {grid, block, 0}, pointers,
                               {});
            },
            timing_plan(plan_), [&] { device_.synchronize({}); });
    }

    CalibrationPlan plan_;
    Device& device_;
    bool simulated_;
    Amounts amounts_;
    std::unique_ptr<DeviceKernel> kernels_;
    std::unique_ptr<DeviceMemory> x_, y_, out_;
};

}  // namespace

std::vector<CalibrationStep> gpu_steps(const CalibrationPlan& plan) {
    std::vector<CalibrationStep> steps;
    add_kernel_steps(plan, steps);
    const auto bench = std::make_shared<GpuBench>(plan);
    steps.push_back({"launches", [bench](DeviceProfile& p) { p.launch_us = bench->launch_us(); }});
    const auto add = [&](const char* what, const std::vector<double>& amounts,
                         DeviceRate (GpuBench::*measure)(double),
                         std::vector<DeviceRate> DeviceProfile::* list) {
        for (const double bytes : amounts)
            steps.push_back({fmt::format("{}, {}", what, amount_text(bytes)),
                             [bench, bytes, measure, list](DeviceProfile& p) {
                                 (p.*list).push_back(((*bench).*measure)(bytes));
                             }});
    };
    add("reading", bench->amounts().read, &GpuBench::read_rate, &DeviceProfile::read);
    add("copying", bench->amounts().copy, &GpuBench::copy_rate, &DeviceProfile::copy);
    add("gathers", bench->amounts().gather, &GpuBench::gather_rate, &DeviceProfile::gather);
    add("atomics", bench->amounts().atomics, &GpuBench::atomic_rate, &DeviceProfile::atomics);
    steps.push_back(conversion_step(plan));
    return steps;
}

}  // namespace spmvgen::calibration
