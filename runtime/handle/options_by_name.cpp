#include "handle/options_by_name.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <concepts>

#include "handle/base/handle_impl.hpp"
#include "handle/kernels/kernel_sources.hpp"
#include "handle/plan/levels.hpp"
#include "handle/plan/request_of_options.hpp"
#include "kernel/refuse.hpp"
#include "matrix/reorder/reordering.hpp"
#include "registry.hpp"
#include "tuner/rules/paper_rules.hpp"

namespace spmvgen {
namespace {

constexpr std::string_view param_prefix = "param.";

void parse_into(std::string& value, std::string_view text) {
    value = text;
}

void parse_into(bool& value, std::string_view text) {
    if (text != "true" && text != "false")
        refuse(fmt::format("'{}' is neither true nor false", text));
    value = text == "true";
}

template <typename Number>
    requires std::integral<Number> || std::floating_point<Number>
void parse_into(Number& value, std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
        refuse(fmt::format("'{}' is not {}", text,
                           std::integral<Number> ? "an integer that fits" : "a number"));
    value = number;
}

/// "" = what the environment says.
void parse_into(CacheMode& value, std::string_view text) {
    const auto mode = text.empty() ? CacheMode::automatic : parse_cache_mode(text);
    if (!mode) refuse(fmt::format("unknown mode '{}': use one of {}", text, cache_mode_names));
    value = *mode;
}

std::string text_of(const std::string& value) {
    return value;
}
std::string text_of(CacheMode value) {
    for (const char* name : {"on", "memory", "readonly", "load", "off"})
        if (parse_cache_mode(name) == value) return name;
    return "";
}
template <typename Number>
    requires std::integral<Number> || std::floating_point<Number>
std::string text_of(Number value) {
    return fmt::format("{}", value);
}

/// One row of the table.
struct NamedOption {
    std::string_view name;
    void (*check)(
        std::string_view text);  ///< throws Error for a text that no device takes; or null
    void (*set)(Options& options, std::string_view text);
    std::string (*get)(const Options& options);
};

template <auto member>
constexpr NamedOption option(std::string_view name,
                             void (*check)(std::string_view text) = nullptr) {
    return {name, check,
            [](Options& options, std::string_view text) { parse_into(options.*member, text); },
            [](const Options& options) { return text_of(options.*member); }};
}

void check_format(std::string_view text) {
    if (text != "auto") parse_format(text);
}
void check_kernel(std::string_view text) {
    if (text != "auto") kernel_entry(text);
}
void check_op(std::string_view text) {
    parse_op(text);
}
void check_type(std::string_view text) {
    if (!text.empty()) parse_value_type(text);
}
void check_encodings_name(std::string_view text) {
    check_encodings(text);
}
void check_reorder(std::string_view text) {
    if (names_order(text)) parse_reorder_option(text);
}
void check_pack_name(std::string_view text) {
    parse_pack_vectors(text);
}
void check_compile_name(std::string_view text) {
    if (text != "now" && text != "behind")
        refuse(fmt::format("unknown time '{}': use now or behind", text));
}
void check_level_name(std::string_view text) {
    if (!is_level(text)) refuse(fmt::format("unknown level '{}': use {}", text, level_names));
}

void check_base(std::string_view text) {
    if (text != "0" && text != "1") refuse(fmt::format("'{}' is no base: use 0 or 1", text));
}

void check_updates_name(std::string_view text) {
    if (text != "seldom" && text != "often")
        refuse(fmt::format("unknown rate '{}': use seldom or often", text));
}

void check_rule_name(std::string_view text) {
    if (!text.empty()) paper_rule(text);
}

constexpr NamedOption table[] = {
    option<&Options::device>("device"),
    option<&Options::format>("format", check_format),
    option<&Options::kernel>("kernel", check_kernel),
    option<&Options::target>("target"),
    option<&Options::deterministic>("deterministic"),
    option<&Options::vectors>("vectors", check_type),
    option<&Options::accumulator>("accumulator", check_type),
    option<&Options::storage>("storage", check_type),
    option<&Options::encodings>("encodings", check_encodings_name),
    option<&Options::epilogue>("epilogue"),
    option<&Options::num_rhs>("num_rhs"),
    option<&Options::op>("op", check_op),
    option<&Options::transpose_by_atomics>("transpose_by_atomics"),
    option<&Options::threads>("threads"),
    option<&Options::all_threads>("all_threads"),
    option<&Options::copy>("copy"),
    option<&Options::device_arrays>("device_arrays"),
    option<&Options::index_base>("index_base", check_base),
    option<&Options::updates>("updates", check_updates_name),
    option<&Options::updatable>("updatable"),
    option<&Options::memory_limit>("memory_limit"),
    option<&Options::reorder>("reorder", check_reorder),
    option<&Options::permuted_vectors>("permuted_vectors"),
    option<&Options::pack_vectors>("pack_vectors", check_pack_name),
    option<&Options::overlap_launches>("overlap_launches"),
    option<&Options::cache>("cache"),
    option<&Options::cache_dir>("cache_dir"),
    option<&Options::kernel_sets>("kernel_sets"),
    option<&Options::strict>("strict"),
    option<&Options::compile>("compile", check_compile_name),
    option<&Options::level>("level", check_level_name),
    option<&Options::rule>("rule", check_rule_name),
    option<&Options::budget_ms>("budget_ms"),
    option<&Options::choose_anew>("choose_anew"),
    option<&Options::expected_applies>("expected_applies"),
};

const NamedOption& find(std::string_view name) {
    const auto* found = std::ranges::find(table, name, &NamedOption::name);
    if (found == std::end(table))
        refuse(
            fmt::format("unknown option '{}': use one of {}, or {}NAME for a parameter of the "
                        "kernel",
                        name, fmt::join(option_names(), ", "), param_prefix));
    return *found;
}

void set_param(Options& options, const std::string& param, std::string_view text) {
    if (text.empty())
        options.params.erase(param);
    else
        parse_into(options.params[param], text);
}

std::string param_text(const Options& options, const std::string& param) {
    const auto found = options.params.find(param);
    return found == options.params.end() ? "" : text_of(found->second);
}

/// NAME of "param.NAME", or "".
std::string param_of(std::string_view name) {
    return name.starts_with(param_prefix) ? std::string(name.substr(param_prefix.size())) : "";
}

}  // namespace

std::vector<std::string_view> option_names() {
    std::vector<std::string_view> names;
    for (auto& row : table) names.push_back(row.name);
    return names;
}

void assign_option(Options& options, std::string_view name, std::string_view text) {
    const std::string param = param_of(name);
    Options changed = options;
    if (!param.empty()) {
        set_param(changed, param, text);
    } else {
        const NamedOption& row = find(name);
        if (row.check != nullptr) row.check(text);
        row.set(changed, text);
    }
    options = std::move(changed);
}

void set_option(Options& options, std::string_view name, std::string_view text) {
    if (param_of(name).empty()) (void)find(name);
    try {
        assign_option(options, name, text);
    } catch (const Error& error) {
        throw Error(error.code(), fmt::format("options.{}: {}", name, error.what()));
    }
}

std::string option_text(const Options& options, std::string_view name) {
    const std::string param = param_of(name);
    return param.empty() ? find(name).get(options) : param_text(options, param);
}

}  // namespace spmvgen
