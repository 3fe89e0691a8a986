#pragma once
#include <complex>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "devices/device.hpp"
#include "spmvgen/error.hpp"
#include "spmvgen/kernel.hpp"
#include "spmvgen/target.hpp"
#include "spmvgen/types.hpp"
#include "text/verb.hpp"

/// What the verbs' options have in common. Everything here throws UsageError, with the option's
/// name, for what the user spelled wrong.
namespace spmvgen::cli {

/// f(), whose Error(invalid_argument) is about several options together: a UsageError.
template <typename F>
auto as_usage(F&& f) {
    try {
        return f();
    } catch (const Error& error) {
        if (error.code() != ErrorCode::invalid_argument) throw;
        throw UsageError(error.what());
    }
}

/// f(), its Error(invalid_argument) being a wrong value of `option`.
template <typename F>
decltype(auto) resolve(std::string_view option, F&& f) {
    try {
        return f();
    } catch (const Error& error) {
        if (error.code() != ErrorCode::invalid_argument) throw;
        throw UsageError(std::string(option) + ": " + error.what());
    }
}

/// "lanes=8" … as a map.
Params parse_params(const std::vector<std::string>& texts);

/// `text` as a number of `type`: "1.5", or "re,im" for complex types.
std::complex<double> parse_number(std::string_view option, std::string_view text, ValueType type);

/// A type that products are computed in: f16 and bf16, which values are only stored in, are
/// refused.
ValueType parse_computed_type(std::string_view option, const std::string& text);

/// Takes finite numbers from `least` to `most`; says of others that they are no `what`, "time: use
/// milliseconds from 1 to 10".
CLI::Validator number_between(double least, double most, std::string what);
/// Takes whole numbers from `least` to `most`.
CLI::Validator whole_between(std::int64_t least, std::int64_t most);
/// Takes the size of a suite's matrices beside the full ones: above 0, at most 1.
CLI::Validator suite_scale();

/// "200ms", "2s", or a number of milliseconds: as milliseconds.
double parse_milliseconds(std::string_view option, std::string_view text);

/// --arch: GPU architectures are Error(unsupported).
Target parse_arch(const std::string& text);
/// --arch of what runs on this CPU: what it cannot run is Error(unsupported).
Target runnable_arch(const std::string& text);

/// --device: null for "host"; throws Error(unsupported) when there is no such device here.
std::shared_ptr<Device> parse_device(const std::string& text);

/// --compiler.
Compiler parse_compiler(const std::string& text);

/// --format and --kernel, each "auto" or a name: known, and meant for each other.
void check_format_and_kernel(const std::string& format, const std::string& kernel);

/// --param: some kernel of that format, or that kernel, takes these values on `target`; kernels of
/// batches when `batch`.
void check_params(const std::string& format, const std::string& kernel, const Params& params,
                  const Target& target, bool batch = false);

/// Adds --param, repeatable.
void add_param_option(CLI::App& verb, std::vector<std::string>& texts);

}  // namespace spmvgen::cli
