#include "options/options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "registry.hpp"

namespace spmvgen::cli {
namespace {

/// All of `text` as a number; false when it is none.
template <typename Number>
bool parse_all(std::string_view text, Number& number) {
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

/// Whether `text` is one that no double holds, such as 1e400.
bool is_beyond_doubles(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc::result_out_of_range && end == text.data() + text.size();
}

/// `a=1,b=2` as two texts.
std::vector<std::string> separated(const std::vector<std::string>& texts) {
    std::vector<std::string> all;
    for (auto& text : texts)
        for (std::size_t at = 0; at <= text.size();) {
            const auto comma = std::min(text.find(',', at), text.size());
            all.push_back(text.substr(at, comma - at));
            at = comma + 1;
        }
    return all;
}

/// What is wrong with a kernel's parameters on a target; "" = nothing.
std::string why_not(const KernelEntry& entry, const Params& params, const Target& target) {
    Signature signature;
    signature.kernel = entry.id;
    signature.params = params;
    signature.target = target;
    try {
        complete(signature);
        return "";
    } catch (const Error& error) {
        return error.what();
    }
}

}  // namespace

Params parse_params(const std::vector<std::string>& texts) {
    Params params;
    for (auto& text : separated(texts)) {
        const auto equals = text.find('=');
        std::int64_t value = 0;
        if (equals == 0 || equals == std::string::npos ||
            !parse_all(std::string_view(text).substr(equals + 1), value))
            throw UsageError("--param: '" + text + "' is not NAME=INTEGER, such as lanes=8");
        const std::string name = text.substr(0, equals);
        if (name.size() > ParamName::most)
            throw UsageError("--param: no kernel has a parameter '" + name + "'");
        if (!params.try_emplace(name, value).second)
            throw UsageError("--param: " + name + " is given twice");
    }
    return params;
}

std::complex<double> parse_number(std::string_view option, std::string_view text, ValueType type) {
    const auto comma = text.find(',');
    double re = 0, im = 0;
    const bool is_number =
        parse_all(text.substr(0, comma), re) &&
        (comma == std::string_view::npos || parse_all(text.substr(comma + 1), im));
    const bool has_f32 = type == ValueType::f32 || type == ValueType::c32;
    const auto is_too_large = [&](double part) {
        return has_f32 && std::isfinite(part) && std::abs(part) > std::numeric_limits<float>::max();
    };
    if (is_number && (is_too_large(re) || is_too_large(im)))
        throw UsageError(std::string(option) + ": '" + std::string(text) +
                         "' is too large for the vectors, which are " + to_string(type));
    if (is_beyond_doubles(text.substr(0, comma)) ||
        (comma != std::string_view::npos && is_beyond_doubles(text.substr(comma + 1))))
        throw UsageError(std::string(option) + ": '" + std::string(text) +
                         "' is too large or too small for f64");
    if (!is_number)
        throw UsageError(std::string(option) + ": '" + std::string(text) +
                         "' is not a number, such as 1.5 or, for complex values, 1.5,-2");
    if (comma != std::string_view::npos && !is_complex(type))
        throw UsageError(std::string(option) + ": '" + std::string(text) +
                         "' is complex, but the values are " + to_string(type));
    return {re, im};
}

ValueType parse_computed_type(std::string_view option, const std::string& text) {
    const ValueType type = resolve(option, [&] { return parse_value_type(text); });
    if (is_storage_only(type))
        throw UsageError(std::string(option) + ": " + text +
                         " is a storage type; use f32, f64, c32 or c64");
    return type;
}

Target parse_arch(const std::string& text) {
    return resolve("--arch", [&] { return parse_target(text); });
}

Target runnable_arch(const std::string& text) {
    const Target target = parse_arch(text);
    if (const std::string why = why_not_runnable(target); !why.empty())
        throw Error(ErrorCode::unsupported, "--arch: " + text + " cannot run here: " + why +
                                                "; emit makes kernels for other machines");
    return target;
}

std::shared_ptr<Device> parse_device(const std::string& text) {
    if (text == "host") return nullptr;
    try {
        return open_device(text);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::invalid_argument) throw;
        throw UsageError("--device: " + std::string(error.what()));
    }
}

Compiler parse_compiler(const std::string& text) {
    if (text == "auto") return Compiler::automatic;
    if (text == "nvrtc") return Compiler::nvrtc;
    if (text == "hiprtc") return Compiler::hiprtc;
    if (text == "clang") return Compiler::clang;
    throw UsageError("--compiler: unknown compiler '" + text +
                     "': use one of auto, nvrtc, hiprtc, clang");
}

void check_format_and_kernel(const std::string& format, const std::string& kernel) {
    if (format != "auto") resolve("--format", [&] { return parse_format(format); });
    if (kernel == "auto") return;
    const Format of_kernel = resolve("--kernel", [&] { return kernel_entry(kernel).format; });
    if (format != "auto" && format != to_string(of_kernel))
        throw UsageError("--kernel: " + kernel + " is for format " + to_string(of_kernel) +
                         ", not " + format);
}

void check_params(const std::string& format, const std::string& kernel, const Params& params,
                  const Target& target, bool batch) {
    if (params.empty()) return;
    std::string first_reason;
    const bool gpu = architecture(target).kind != TargetKind::host;
    for (auto& entry : kernel_registry()) {
        if (kernel != "auto" ? kernel != entry.id : entry.gpu != gpu || entry.batch != batch)
            continue;
        if (format != "auto" && format != to_string(entry.format)) continue;
        const std::string reason = why_not(entry, params, target);
        if (reason.empty()) return;
        // A kernel that is not for the target with any parameters is refused for that.
        if (kernel != "auto" && !why_not(entry, {}, target).empty()) return;
        if (first_reason.empty()) first_reason = reason;
    }
    throw UsageError("--param: " +
                     (first_reason.empty() ? "there is no kernel for " + format : first_reason));
}

void add_param_option(CLI::App& verb, std::vector<std::string>& texts) {
    verb.add_option(
            "--param", texts,
            "a parameter of the kernel, or several with commas; repeatable (see: emit --list)")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
}

CLI::Validator number_between(double least, double most, std::string what) {
    const auto why_not = [=](const std::string& text) {
        double number = 0;
        // What is no number is neither above nor below.
        if (parse_all(text, number) && number >= least && number <= most) return std::string();
        return fmt::format("'{}' is no {}", text, what);
    };
    return {why_not, ""};
}

CLI::Validator whole_between(std::int64_t least, std::int64_t most) {
    const auto why_not = [=](const std::string& text) {
        std::int64_t number = 0;
        if (parse_all(text, number) && number >= least && number <= most) return std::string();
        return fmt::format("'{}' is no whole number from {} to {}", text, least, most);
    };
    return {why_not, ""};
}

CLI::Validator suite_scale() {
    return number_between(std::numeric_limits<double>::min(), 1,
                          "scale: use a number above 0, at most 1");
}

double parse_milliseconds(std::string_view option, std::string_view text) {
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, trouble] = std::from_chars(text.data(), end, number);
    const std::string_view unit(rest, end);
    const bool known = unit.empty() || unit == "ms" || unit == "s";
    if (trouble != std::errc() || !known || !(number >= 0) || !std::isfinite(number))
        throw UsageError(fmt::format("{}: '{}' is no time: use 200ms or 2s", option, text));
    return unit == "s" ? 1e3 * number : number;
}

}  // namespace spmvgen::cli
