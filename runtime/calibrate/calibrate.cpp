#include "calibrate/calibrate.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cstdlib>

#include "calibrate/parts.hpp"
#include "devices/host/host_kernel.hpp"
#include "formats/stored_matrix.hpp"
#include "handle/kernels/compile_kernel.hpp"
#include "handle/kernels/kernel_sources.hpp"
#include "handle/kernels/stopwatch.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/suites/gallery.hpp"
#include "registry.hpp"

namespace spmvgen {
namespace calibration {
namespace {

constexpr int further_kernels = 4, loads = 5, conversions = 5;

Target target_of(const CalibrationPlan& plan) {
    return plan.device != nullptr ? plan.device->facts().target : parse_target("native");
}

bool simulated(const CalibrationPlan& plan) {
    return plan.device != nullptr && plan.device->facts().loads == BinaryKind::simt;
}

/// Plain CSR with so much unrolling: each a kernel of its own.
Signature typical_kernel(const CalibrationPlan& plan, std::size_t number) {
    const bool gpu = plan.device != nullptr;
    Signature s;
    s.kernel = gpu ? "csr_classical" : "csr_vector";
    s.target = target_of(plan);
    const KernelEntry& entry = kernel_entry(s.kernel);
    for (auto& p : entry.params)
        if (p.name == (gpu ? "subwarp" : "unroll"))
            s.params[p.name] = p.allowed[number % p.allowed.size()];
    if (number >= 4) s.alpha = Scale::general;
    return complete(s);
}

KernelBinary made(const CalibrationPlan& plan, const Signature& signature) {
    const std::vector<BinaryKind> kinds =
        plan.device == nullptr ? std::vector{BinaryKind::shared_object}
        : simulated(plan)      ? std::vector{BinaryKind::simt}
                               : loadable_kinds(architecture(signature.target).kind);
    return compile_kernel(load_generator(), signature, kinds);
}

void load(const CalibrationPlan& plan, const KernelBinary& binary) {
    if (plan.device != nullptr)
        plan.device->load(binary);
    else
        LoadedKernel kernel(binary);
}

template <typename F>
double milliseconds(F&& f) {
    const Stopwatch watch;
    f();
    return watch.ms();
}

Figure figure_of(std::vector<double> samples) {
    const Timing timing = summarise(std::move(samples), 1);
    return {timing.median_s, timing.spread};
}

}  // namespace

TimingPlan timing_plan(const CalibrationPlan& plan) {
    TimingPlan timing;
    timing.budget_s = timing.warm_up_s = plan.time_ms / 1e3;
    return timing;
}

DeviceRate rate_of(const Timing& timing, int threads, double bytes, double amount) {
    return {threads, bytes, amount / timing.median_s, timing.spread};
}

std::string amount_text(double bytes) {
    if (bytes < 1e3) return fmt::format("{:.0f} B", bytes);
    if (bytes < 1e6) return fmt::format("{:.0f} kB", bytes / 1e3);
    return bytes < 1e9 ? fmt::format("{:.0f} MB", bytes / 1e6)
                       : fmt::format("{:.1f} GB", bytes / 1e9);
}

void add_kernel_steps(const CalibrationPlan& plan, std::vector<CalibrationStep>& steps) {
    steps.push_back({"the first kernel", [plan](DeviceProfile& profile) {
                         profile.first_kernel_ms.value =
                             milliseconds([&] { load(plan, made(plan, typical_kernel(plan, 0))); });
                     }});
    steps.push_back({"further kernels", [plan](DeviceProfile& profile) {
                         std::vector<double> all, loaded;
                         for (std::size_t k = 1; k <= further_kernels; ++k) {
                             const Signature signature = typical_kernel(plan, k);
                             KernelBinary binary;
                             const double making =
                                 milliseconds([&] { binary = made(plan, signature); });
                             const double loading = milliseconds([&] { load(plan, binary); });
                             all.push_back(making + loading);
                             for (int i = 0; i < loads; ++i)
                                 loaded.push_back(milliseconds([&] { load(plan, binary); }));
                         }
                         profile.kernel_ms = figure_of(all);
                         profile.load_ms = figure_of(loaded);
                     }});
}

CalibrationStep conversion_step(const CalibrationPlan& plan) {
    return {"conversion", [plan](DeviceProfile& profile) {
                const CsrMatrix a = make_gallery_matrix(
                    simulated(plan) ? "stencil27:nx=8,ny=8,nz=8" : "stencil27:nx=64,ny=64,nz=64");
                Signature s;
                s.kernel = plan.device != nullptr ? "sell_slices" : "sell";
                s.target = target_of(plan);
                s = complete(s);
                std::vector<double> samples;
                for (int i = 0; i < conversions; ++i)
                    samples.push_back(milliseconds([&] { convert(a.view(), s, false); }));
                const Figure ms = figure_of(samples);
                const auto bytes =
                    static_cast<double>(a.row_ptr.bytes() + a.col_idx.bytes() + a.values.bytes());
                profile.convert_bytes_per_s = {1e3 * bytes / ms.value, ms.spread};
            }};
}

}  // namespace calibration

std::vector<CalibrationStep> calibration_steps(const CalibrationPlan& plan) {
    return plan.device != nullptr ? calibration::gpu_steps(plan) : calibration::cpu_steps(plan);
}

namespace {

/// To so many figures: more would only make files hard to read.
double rounded(double value, int figures) {
    return std::strtod(fmt::format("{:.{}g}", value, figures).c_str(), nullptr);
}

/// The median of what `value_of` takes from each round, and its spread.
template <typename Of>
Figure median_of(const std::vector<DeviceProfile>& rounds, const Of& value_of) {
    std::vector<double> values, spreads;
    for (auto& round : rounds) {
        values.push_back(value_of(round).value);
        spreads.push_back(value_of(round).spread);
    }
    const Timing timing = summarise(values, 1);
    return {rounded(timing.median_s, 4),
            rounded(std::max(timing.spread, summarise(spreads, 1).median_s), 2)};
}

}  // namespace

DeviceProfile combined(const std::vector<DeviceProfile>& rounds) {
    DeviceProfile profile = rounds.front();
    profile.first_kernel_ms.value = rounded(profile.first_kernel_ms.value, 4);
    for (auto member : {&DeviceProfile::launch_us, &DeviceProfile::kernel_ms,
                        &DeviceProfile::load_ms, &DeviceProfile::convert_bytes_per_s})
        profile.*member = median_of(rounds, [&](const DeviceProfile& p) { return p.*member; });
    for (auto member : {&DeviceProfile::read, &DeviceProfile::copy, &DeviceProfile::gather,
                        &DeviceProfile::atomics})
        for (std::size_t i = 0; i < (profile.*member).size(); ++i) {
            const Figure rate = median_of(rounds, [&](const DeviceProfile& p) {
                const DeviceRate& r = (p.*member)[i];
                return Figure{r.per_s, r.spread};
            });
            (profile.*member)[i].per_s = rate.value;
            (profile.*member)[i].spread = rate.spread;
        }
    for (std::size_t i = 0; i < profile.regions.size(); ++i) {
        const Figure us = median_of(rounds, [&](const DeviceProfile& p) {
            return Figure{p.regions[i].us, p.regions[i].spread};
        });
        profile.regions[i].us = us.value;
        profile.regions[i].spread = us.spread;
    }
    return profile;
}

DeviceProfile empty_profile(const CalibrationPlan& plan) {
    DeviceProfile profile;
    if (plan.device != nullptr) {
        const DeviceFacts& facts = plan.device->facts();
        profile.device = facts.name;
        profile.arch = facts.target.arch;
        profile.units = facts.units;
        profile.rated = facts.rated;
    } else {
        profile.device = profile.arch = parse_target("native").arch;
        profile.units = plan.threads > 0 ? plan.threads : omp_get_max_threads();
    }
    return profile;
}

}  // namespace spmvgen
