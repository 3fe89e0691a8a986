#include "handle/levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "handle/handle_impl.hpp"
#include "handle/stopwatch.hpp"
#include "handle/trials.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"
#include "tuner/block_choice.hpp"
#include "tuner/break_even.hpp"
#include "tuner/device_profile.hpp"

namespace spmvgen {
namespace {

[[noreturn]] void refuse(const std::string& message) {
    throw Error(ErrorCode::invalid_argument, message);
}

/// Whether the options leave it free to run plain CSR; the host's has no epilogue.
bool plain_is_free(const Options& o) {
    return o.kernel == "auto" && o.params.empty() && (o.format == "auto" || o.format == "csr") &&
           (o.epilogue.empty() || o.device != "host");
}

std::string expected(const Options& o) {
    return fmt::format("{} {} expected", o.expected_applies,
                       o.expected_applies == 1 ? "apply" : "applies");
}

bool is_csr(const Signature& s) {
    const Format format = kernel_entry(s.kernel).format;
    return format == Format::csr || format == Format::csr_k;
}

/// Bytes that an apply of plain CSR moves.
double plain_bytes(const LevelProblem& p) {
    const auto size = [](auto type) { return static_cast<double>(size_of(type)); };
    const CsrView& a = p.matrix;
    const double vectors = static_cast<double>((a.rows + a.cols) * p.request.num_rhs);
    return static_cast<double>(a.nnz) * (size(a.value_type) + size(a.index_type)) +
           static_cast<double>(a.rows + 1) * size(a.offset_type) + vectors * size(a.value_type);
}

/// Microseconds of an apply of plain CSR on this CPU.
double cpu_us(const LevelProblem& p) {
    const Target target = p.device == nullptr ? p.request.target : parse_target("native");
    if (const DeviceProfile* profile = find_device_profile(profile_name(target, nullptr)))
        return predict_us(*profile, plain_bytes(p), host_threads(p.matrix, p.options), 1);
    return 1e6 * plain_bytes(p) / assumed_cpu_rate;
}

/// The same on the handle's device.
double plain_us(const LevelProblem& p) {
    if (p.device == nullptr) return cpu_us(p);
    if (const DeviceProfile* profile = find_device_profile(p.device->facts().name))
        return predict_us(*profile, plain_bytes(p), 0, 1);
    return 1e6 * plain_bytes(p) / assumed_gpu_rate;
}

/// What converting for `rule` costs beyond what plain CSR costs.
double conversion_ms(const LevelProblem& p, const Signature& rule) {
    if (is_csr(rule)) return 0;
    const bool copies = p.device != nullptr || p.options.copy;
    return (conversion_applies - (copies ? copy_applies : 0)) * cpu_us(p) / 1e3;
}

double cost_ms(const LevelProblem& p, const Signature& signature) {
    using Distance = KernelProvider::Distance;
    const Distance distance = p.provider.distance(signature, p.policy, p.device);
    return distance == Distance::memory ? 0 : distance == Distance::found ? find_ms : compile_ms;
}

/// Plain CSR of a GPU: as the caller's arrays are.
Choice plain_on_gpu(const LevelProblem& p) {
    Request request = p.request;
    request.format = "csr";
    request.kernel = "csr_classical";
    request.csr_index = p.matrix.index_type;
    request.csr_offset = p.matrix.offset_type;
    return choose_for(p.matrix, p.features, request, p.options.threads);
}

LevelChoice weigh(const LevelProblem& p, const Choice& rule) {
    if (p.options.expected_applies == 0) return {rule};
    if (!plain_is_free(p.options)) return {rule};
    std::optional<Choice> plain;
    if (p.device != nullptr) plain = plain_on_gpu(p);
    if (plain && plain->signature == rule.signature) return {rule};
    PlanningCost cost{.kernel_ms = cost_ms(p, rule.signature),
                      .convert_ms = conversion_ms(p, rule.signature),
                      .plain_us = plain_us(p),
                      .saved_share = planning_saves};
    if (plain) cost.kernel_ms = std::max(0.0, cost.kernel_ms - cost_ms(p, plain->signature));
    const std::string figures =
        fmt::format("{}, {} {}", expected(p.options), rule.signature.kernel, to_string(cost));
    if (static_cast<double>(p.options.expected_applies) >= break_even(cost)) {
        LevelChoice kept{rule};
        kept.choice.reason += "; " + figures;
        return kept;
    }
    LevelChoice changed{plain.value_or(rule), true, !plain.has_value()};
    changed.choice.reason = "plain CSR: " + figures;
    return changed;
}

/// Why level measure does not measure; "" = it does.
std::string why_not_measured(const LevelProblem& p, const LevelChoice& weighed) {
    if (weighed.plain) return "not measured, for planning does not pay";
    if (p.request.op != Op::none) return "not measured: the transposing kernel has no others";
    if (p.options.level == "exhaustive") return "";  // whoever asks for it wants to know
    const double us = plain_us(p);
    if (!measuring_repays(p.options.expected_applies, us, p.options.budget_ms))
        return fmt::format("not measured: {} of {:.1f} µs cannot repay {:.0f} ms",
                           expected(p.options), us, p.options.budget_ms);
    return "";
}

void measure_into(LevelChoice& result, const LevelProblem& p, Trials& trials) {
    const Stopwatch watch;
    // A product that is not stored as it is cannot be held against another's.
    Request request = p.request;
    request.epilogue.clear();
    Choice rule = result.choice;
    rule.signature.epilogue.clear();
    Chooser chooser(p.matrix, p.features, p.options.threads);
    const MeasureProblem problem{
        .features = p.features,
        .request = request,
        .choose = [&](const Request& r) { return chooser(r); },
        .budget_ms = p.options.budget_ms,
        .now_ms = [&] { return watch.ms(); },
        .go_on = p.options.on_measured,
        .make_ready = [&](std::span<const Choice> choices) { trials.make_ready(choices); }};
    const TimeSignature time = [&](const Signature& signature, double seconds) {
        return trials.time(signature, seconds);
    };
    const bool all = p.options.level == "exhaustive";
    Measured measured = all ? measure_all(problem, rule, time) : measure(problem, rule, time);
    result.choice = std::move(measured.choice);
    result.choice.signature.epilogue = p.request.epilogue;
    if (p.options.device.starts_with("simt"))
        result.choice.reason += "; times of the SIMT executor say nothing about a GPU";
    result.measured_us = measured.us;
    result.measured = std::move(measured.kernels);
    for (auto& warning : measured.warnings)
        result.warning += (result.warning.empty() ? "" : "; ") + warning;
    result.measure_ms = watch.ms();
}

/// Whether a level times kernels.
bool measures(std::string_view level) {
    return level == "measure" || level == "exhaustive";
}

}  // namespace

bool is_level(std::string_view name) {
    return name == "rule" || measures(name);
}

void check_level(const Options& o) {
    if (!is_level(o.level))
        refuse(fmt::format("options.level is '{}': use {}", o.level, level_names));
    if (!(o.budget_ms >= 0) || !std::isfinite(o.budget_ms))
        refuse(fmt::format("options.budget_ms is {}: use milliseconds, 0 or more", o.budget_ms));
    if (o.expected_applies < 0)
        refuse(fmt::format("options.expected_applies is {}: use 0 (many) or their number",
                           o.expected_applies));
}

std::optional<std::string> why_plain_at_once(const Options& o) {
    if (o.expected_applies != 1 || !plain_is_free(o)) return std::nullopt;
    return "plain CSR: 1 apply expected, which no analysis, kernel or conversion repays (each "
           "costs "
           "about an apply or more, and saves at most a quarter of one)";
}

LevelChoice apply_level(const LevelProblem& problem, const Choice& rule, Trials& trials) {
    LevelChoice result = weigh(problem, rule);
    if (!measures(problem.options.level)) return result;
    if (const std::string why = why_not_measured(problem, result); !why.empty())
        result.choice.reason += "; " + why;
    else
        measure_into(result, problem, trials);
    return result;
}

std::string profile_name(const Target& target, const Device* device) {
    return device == nullptr ? target.arch : device->facts().name;
}

}  // namespace spmvgen
