#include "handle/plan/planning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "handle/plan/request_of_options.hpp"
#include "measure/timing.hpp"
#include "registry.hpp"
#include "tuner/chooser/break_even.hpp"
#include "tuner/chooser/chooser.hpp"
#include "tuner/records/record.hpp"

namespace spmvgen {
namespace {

/// Whether the options leave it free to run plain CSR; the host's has no epilogue.
bool plain_is_free(const Options& o) {
    return o.kernel == "auto" && o.rule.empty() && o.params.empty() &&
           (o.format == "auto" || o.format == "csr") && (o.epilogue.empty() || o.device != "host");
}

std::string expected(const Options& o) {
    return fmt::format("{} {} expected", o.expected_applies,
                       o.expected_applies == 1 ? "apply" : "applies");
}

bool is_csr(const Signature& s) {
    const Format format = kernel_entry(s.kernel).format;
    return format == Format::csr || format == Format::csr_k;
}

double bytes_of(std::size_t a, std::size_t b) {
    return static_cast<double>(a + b);
}

/// Bytes of A's arrays as plain CSR.
double matrix_bytes(const CsrView& a) {
    return static_cast<double>(a.nnz) * bytes_of(size_of(a.value_type), size_of(a.index_type)) +
           static_cast<double>(a.rows + 1) * bytes_of(size_of(a.offset_type), 0);
}

/// Bytes that an apply of plain CSR moves.
double plain_bytes(const LevelProblem& p) {
    const auto vectors = static_cast<double>((p.matrix.rows + p.matrix.cols) * p.request.num_rhs);
    return matrix_bytes(p.matrix) + vectors * bytes_of(size_of(p.matrix.value_type), 0);
}

/// Microseconds of an apply of plain CSR on this CPU, whatever the handle's device.
double cpu_us(const LevelProblem& p) {
    const Target target = p.device == nullptr ? p.request.target : parse_target("native");
    const int threads = p.device == nullptr ? p.request.threads : host_threads(p.matrix, p.options);
    const DeviceSpeed cpu(target, nullptr, threads);
    return cpu.stream_us(plain_bytes(p)).value_or(1e6 * plain_bytes(p) / assumed_cpu_rate);
}

/// Plain CSR of a GPU: as the caller's arrays are.
Choice plain_on_gpu(const LevelProblem& p) {
    Request request = p.request;
    request.format = "csr";
    request.kernel = plain_kernel(true).id;
    request.csr_index = p.matrix.index_type;
    request.csr_offset = p.matrix.offset_type;
    return p.chooser(request);
}

/// The kernel that stands for plain CSR in predictions.
Signature plain_signature(const LevelProblem& p, const std::optional<Choice>& on_gpu) {
    if (on_gpu) return on_gpu->signature;
    Request request = p.request;
    request.format = "csr";
    request.kernel = plain_kernel(false).id;
    return choose(p.features, request).signature;
}

double stream_us(const LevelProblem& p, const DeviceSpeed& speed) {
    const double assumed = p.device == nullptr ? assumed_cpu_rate : assumed_gpu_rate;
    return speed.stream_us(plain_bytes(p)).value_or(1e6 * plain_bytes(p) / assumed);
}

/// What converting for a kernel costs beyond what plain CSR costs. It runs on this CPU.
double conversion_ms(const LevelProblem& p, const Signature& signature) {
    if (is_csr(signature)) return 0;
    const bool copies = p.device != nullptr || p.options.copy;
    const DeviceSpeed cpu(parse_target("native"), nullptr, 1);
    if (cpu.profile() != nullptr && cpu.profile()->convert_bytes_per_s.value > 0 && !copies)
        return 1e3 * matrix_bytes(p.matrix) / cpu.profile()->convert_bytes_per_s.value;
    return (conversion_applies - (copies ? copy_applies : 0)) * cpu_us(p) / 1e3;
}

/// `compile`: what a kernel takes that is neither loaded nor found.
double kernel_ms(const LevelProblem& p, const DeviceSpeed& speed, const Signature& signature,
                 double compile) {
    using Distance = KernelProvider::Distance;
    const Distance distance = p.provider.distance(signature, p.policy, p.device);
    if (distance == Distance::memory) return 0;
    const DeviceProfile* profile = speed.profile();
    const bool known = profile != nullptr && profile->load_ms.value > 0;
    if (distance == Distance::compiler) return compile;
    return known ? profile->load_ms.value : find_ms;
}

double usual_compile_ms(const DeviceProfile* profile) {
    return profile != nullptr && profile->kernel_ms.value > 0 ? profile->kernel_ms.value
                                                              : compile_ms;
}

double kernel_ms(const LevelProblem& p, const DeviceSpeed& speed, const Signature& signature) {
    return kernel_ms(p, speed, signature,
                     usual_compile_ms(speed.profile()) * compile_effort(complete(signature)));
}

/// The first of a process also loads the compiler.
double first_compile_ms(const DeviceProfile* profile) {
    if (profile == nullptr) return compile_ms;
    return std::max(
        profile->first_kernel_ms.value > 0 ? profile->first_kernel_ms.value : compile_ms,
        profile->kernel_ms.value);
}

}  // namespace

double making_ms(const LevelProblem& p, const DeviceSpeed& speed, const Signature& signature) {
    // Without a compiler a kernel that is not there costs the search for it.
    if (p.policy.mode == CacheMode::load) return kernel_ms(p, speed, signature, find_ms);
    const CompileTimes& times = p.provider.compile_times(p.device);
    const auto first = times.first_ms();
    // The first also loaded the compiler, so another one takes no longer.
    const double unknown =
        first ? std::min(*first, std::max(compile_ms, usual_compile_ms(speed.profile())))
              : first_compile_ms(speed.profile());
    const double usual = times.usual_ms().value_or(unknown);
    return kernel_ms(p, speed, signature, usual * compile_effort(complete(signature)));
}

double storing_ms(const LevelProblem& p, const Signature& signature) {
    // Copying the matrix to the device.
    const double upload_ms =
        p.device == nullptr ? 0 : 1e3 * matrix_bytes(p.matrix) / assumed_cpu_rate;
    const bool copies = p.device == nullptr && p.options.copy;
    if (is_csr(signature)) return upload_ms + (copies ? copy_applies * cpu_us(p) / 1e3 : 0);
    const DeviceSpeed cpu(parse_target("native"), nullptr, 1);
    if (cpu.profile() != nullptr && cpu.profile()->convert_bytes_per_s.value > 0)
        return upload_ms + 1e3 * matrix_bytes(p.matrix) / cpu.profile()->convert_bytes_per_s.value;
    return upload_ms + conversion_applies * cpu_us(p) / 1e3;
}

std::optional<std::string> why_plain_at_once(const Options& o) {
    if (o.expected_applies != 1 || !plain_is_free(o)) return std::nullopt;
    return "plain CSR: 1 apply expected, which no analysis, kernel or conversion repays (each "
           "costs "
           "about an apply or more, and saves at most a quarter of one)";
}

LevelChoice unless_plain_is_cheaper(const LevelProblem& p, const Choice& choice,
                                    const DeviceSpeed& speed) {
    if (p.options.expected_applies == 0 || !plain_is_free(p.options)) return {choice};
    std::optional<Choice> plain;
    if (p.device != nullptr) plain = plain_on_gpu(p);
    if (plain && plain->signature == choice.signature) return {choice};
    PlanningCost cost{.kernel_ms = kernel_ms(p, speed, choice.signature),
                      .convert_ms = conversion_ms(p, choice.signature),
                      .plain_us = stream_us(p, speed)};
    cost.planned_us = (1 - planning_saves) * cost.plain_us;
    const Signature stands_for_plain = plain_signature(p, plain);
    const auto plain_predicted = p.chooser.predict(stands_for_plain, p.request);
    const auto predicted = p.chooser.predict(choice.signature, p.request);
    if (plain_predicted && predicted) {
        cost.plain_us = plain_predicted->us;
        // The host's generic kernel is csr_rows compiled for any CPU and any types.
        cost.planned_us = choice.signature.kernel == stands_for_plain.kernel && !plain
                              ? (1 - planning_saves) * cost.plain_us
                              : predicted->us;
    }
    if (plain)
        cost.kernel_ms = std::max(0.0, cost.kernel_ms - kernel_ms(p, speed, plain->signature));
    const std::string figures =
        fmt::format("{}, {} {}", expected(p.options), choice.signature.kernel, to_string(cost));
    if (static_cast<double>(p.options.expected_applies) >= break_even(cost)) {
        LevelChoice kept{choice};
        kept.choice.reason += "; " + figures;
        return kept;
    }
    LevelChoice changed{plain.value_or(choice), true, !plain.has_value()};
    changed.choice.reason = "plain CSR: " + figures;
    return changed;
}

bool is_over(const Patience& patience, double spent_ms, std::int64_t products) {
    const double of_one_ms = spent_ms / static_cast<double>(products);
    return spent_ms >= patience.fixed_ms + patience.applies * of_one_ms;
}

std::string why_not_repaid(const LevelProblem& p, const DeviceSpeed& speed) {
    const double us = stream_us(p, speed);
    if (measuring_repays(p.options.expected_applies, us, p.options.budget_ms)) return "";
    return fmt::format("not measured: {} of {:.1f} µs cannot repay {:.0f} ms", expected(p.options),
                       us, p.options.budget_ms);
}

std::string to_string(const PlanningCost& cost) {
    const double from = break_even(cost);
    const std::string pays =
        std::isfinite(from) ? fmt::format("pays from {:.1f} applies on", from) : "never pays";
    return fmt::format(
        "{} (kernel {:.1f} ms, conversion {:.1f} ms; an apply takes {:.2f} µs, of plain CSR "
        "{:.2f} µs)",
        pays, cost.kernel_ms, cost.convert_ms, cost.planned_us, cost.plain_us);
}

namespace {

/// The name of its profile in tuning_db: of a GPU its own, of a CPU its architecture.
std::string profile_name(const Target& target, const Device* device) {
    return device == nullptr ? target.arch : device->facts().name;
}

}  // namespace

FoundDeviceProfile nearest_profile(const Target& target, const Device* device) {
    const std::string name = profile_name(target, device);
    if (device != nullptr && record_device(target, name).vendor == simulated_vendor) return {};
    if (device == nullptr) return find_device_profile(name, target);
    return find_device_profile(name, target, device->facts().units, device->facts().rated);
}

const DeviceProfile* profile_to_predict(const Target& target, const Device* device) {
    const auto [profile, match, note] = nearest_profile(target, device);
    if (profile == nullptr || match == ProfileMatch::vendor) return nullptr;
    // Scaled to another GPU than this one.
    if (match == ProfileMatch::architecture && profile->source == scaled_source) return nullptr;
    const bool assumed = std::ranges::find(profile->assumed, "gather") != profile->assumed.end();
    return assumed || profile->gather.empty() ? nullptr : profile;
}

double measured_core_speed(double usual_loads_per_s) {
    const double steps = std::round(2 * std::log2(cached_loads_per_s() / usual_loads_per_s));
    return std::clamp(std::exp2(steps / 2), 0.5, 4.0);
}

const DeviceProfile* profile_of_this_cpu(const Target& target, const Options& options) {
    const DeviceProfile* const profile = profile_to_predict(target, nullptr);
    if (profile == nullptr || options.deterministic) return profile;
    const double first_cache = profile->gather.front().bytes;
    const double times = measured_core_speed(profile->gather_rate(first_cache, 1));
    if (times == 1) return profile;
    static std::mutex mutex;
    static std::map<const DeviceProfile*, DeviceProfile> made;
    const std::scoped_lock lock(mutex);
    const auto found = made.find(profile);
    return found != made.end()
               ? &found->second
               : &made.emplace(profile, with_faster_cores(*profile, times)).first->second;
}

ChoiceMemory* memory_for(const Options& options, KernelProvider& provider) {
    if (options.choose_anew) return nullptr;
    return &provider.choices({effective_mode(options.cache), options.cache_dir});
}

DeviceSpeed::DeviceSpeed(const Target& target, const Device* device, int threads)
    : profile_(nearest_profile(target, device).profile),
      gpu_(device != nullptr),
      threads_(device != nullptr ? 0 : threads) {}

std::optional<double> DeviceSpeed::stream_us(double bytes) const {
    if (profile_ == nullptr) return std::nullopt;
    return predict_us(*profile_, bytes, threads_, gpu_ || threads_ > 1 ? 1 : 0);
}

}  // namespace spmvgen
