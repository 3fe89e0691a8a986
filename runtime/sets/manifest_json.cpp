#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "registry.hpp"
#include "sets/manifest.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

using nlohmann::json;

/// Reads fields; what is wrong with one is an error that names it.
class Reader {
  public:
    Reader(const json& object, std::string where) : object_(object), where_(std::move(where)) {
        if (!object.is_object()) refuse("is not a JSON object");
    }

    [[noreturn]] void refuse(const std::string& what) const {
        throw Error(ErrorCode::invalid_input, where_ + " " + what);
    }

    void allow(std::initializer_list<std::string_view> names) const {
        std::string allowed;
        for (auto& name : names) allowed += (allowed.empty() ? "" : ", ") + std::string(name);
        for (auto& [name, value] : object_.items())
            if (std::ranges::find(names, name) == names.end())
                refuse(fmt::format("has an unknown field '{}': use {}", name, allowed));
    }

    bool has(const char* name) const { return object_.contains(name); }

    const json& at(const char* name) const {
        if (!has(name)) refuse(fmt::format("lacks the field '{}'", name));
        return object_.at(name);
    }

    std::string text(const char* name) const { return text_of(name, at(name)); }

    /// A list, each element made by make(element); `list` stays when the field is absent.
    template <typename T, typename Make>
    void list(const char* name, std::vector<T>& list, Make make) const {
        if (!has(name)) return;
        const json& values = at(name);
        if (!values.is_array() || values.empty())
            refuse(fmt::format("field '{}' is not a list with something in it", name));
        list.clear();
        for (auto& value : values) list.push_back(make(value));
    }

    template <typename T>
    void parsed(const char* name, std::vector<T>& all, T (*parse)(std::string_view)) const {
        list(name, all, [&](const json& value) {
            return in(name, [&] { return parse(text_of(name, value)); });
        });
    }

    std::string text_of(const char* name, const json& value) const {
        if (!value.is_string()) refuse(fmt::format("field '{}' holds no text", name));
        return value.get<std::string>();
    }

    std::int64_t integer_of(const std::string& name, const json& value) const {
        if (!value.is_number_integer()) refuse(fmt::format("field '{}' holds no integer", name));
        return value.get<std::int64_t>();
    }

    /// f(), its Error being one of field `name`.
    template <typename F>
    auto in(const char* name, F f) const {
        try {
            return f();
        } catch (const Error& error) {
            refuse(fmt::format("field '{}': {}", name, error.what()));
        }
    }

  private:
    const json& object_;
    std::string where_;
};

SectionKind section_kind(const Reader& r) {
    constexpr std::array<std::pair<std::string_view, SectionKind>, 4> kinds{
        {{"rules", SectionKind::rules},
         {"batches", SectionKind::batches},
         {"helpers", SectionKind::helpers},
         {"kernels", SectionKind::kernels}}};
    const std::string text = r.text("choose");
    for (auto& [name, kind] : kinds)
        if (text == name) return kind;
    r.refuse(fmt::format(
        "field 'choose': unknown word '{}': use rules, batches, helpers or kernels", text));
}

TargetKind target_kind(std::string_view text) {
    if (text == "cpu") return TargetKind::host;
    if (text == "nvidia") return TargetKind::cuda;
    if (text == "amd") return TargetKind::hip;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("unknown word '{}': use cpu, nvidia, amd", text));
}

std::pair<IndexType, IndexType> index_pair(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == text.npos)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("'{}' is no pair of types: write i32/i64 for columns of i32 and "
                                "row offsets of i64",
                                text));
    return {parse_index_type(text.substr(0, slash)), parse_index_type(text.substr(slash + 1))};
}

std::optional<ValueType> storage_of(std::string_view text) {
    if (text.empty()) return std::nullopt;
    return parse_value_type(text);
}

std::string format_of(std::string_view text) {
    if (text != "auto") parse_format(text);
    return std::string(text);
}

std::string kernel_of(std::string_view text) {
    return std::string(kernel_entry(text).id);
}

std::string any_text(std::string_view text) {
    return std::string(text);
}

void read_params(const Reader& r, ManifestSection& section) {
    if (!r.has("params")) return;
    const json& params = r.at("params");
    if (params == "presets") return;
    if (params == "all") {
        section.params = ParamsOf::all;
        return;
    }
    if (!params.is_object())
        r.refuse(
            "field 'params': use \"presets\", \"all\", or an object with a list for each "
            "parameter");
    section.params = ParamsOf::listed;
    const auto has = [](const KernelEntry& entry, const std::string& name) {
        return std::ranges::find(entry.params, name, &Parameter::name) != entry.params.end();
    };
    const Reader lists(params, "params");
    for (auto& [name, values] : params.items()) {
        if (std::ranges::none_of(kernel_registry(), [&](auto& entry) {
                return is_of(section, entry) && has(entry, name);
            }))
            r.refuse(
                fmt::format("field 'params': no kernel of the section has a parameter '{}'", name));
        if (!values.is_array() || values.empty())
            r.refuse(fmt::format("field 'params': {} is not a list with something in it", name));
        for (auto& value : values)
            section.param_lists[name].push_back(r.integer_of("params." + name, value));
    }
}

/// The fields that decide which kernels, and which of them a kind of section has.
void check_fields(const Reader& r, const ManifestSection& s) {
    const bool named = s.choose == SectionKind::kernels;
    for (const char* name : {"kernels", "params"})
        if (r.has(name) && !named)
            r.refuse(fmt::format("field '{}' is for \"choose\": \"kernels\" only", name));
    if (named && r.has("kernels") == r.has("formats"))
        r.refuse("names either 'kernels' or 'formats'");
    if (s.choose == SectionKind::helpers)
        for (const char* name : {"formats", "storage", "indices", "ops", "deterministic"})
            if (r.has(name)) r.refuse(fmt::format("field '{}' means nothing for helpers", name));
    if (r.has("alpha") != r.has("beta")) r.refuse("has one of 'alpha' and 'beta': give both");
}

ManifestSection read_section(const json& object, const std::string& where) {
    const Reader r(object, where);
    r.allow({"choose", "on", "formats", "kernels", "params", "values", "storage", "indices",
             "alpha", "beta", "rhs", "ops", "epilogues", "deterministic"});
    ManifestSection s;
    s.choose = section_kind(r);
    check_fields(r, s);
    r.parsed("on", s.on, target_kind);
    r.parsed("formats", s.formats, format_of);
    r.parsed("kernels", s.kernels, kernel_of);
    read_params(r, s);
    r.parsed("values", s.values, parse_value_type);
    r.parsed("storage", s.storage, storage_of);
    if (r.has("indices") && r.at("indices") != "all") r.parsed("indices", s.indices, index_pair);
    r.parsed("alpha", s.alpha, parse_scale);
    r.parsed("beta", s.beta, parse_scale);
    r.list("rhs", s.rhs, [&](const json& value) {
        const std::int64_t k = r.integer_of("rhs", value);
        if (k < 1 || k > 64) r.refuse(fmt::format("field 'rhs': {} is outside 1…64", k));
        return static_cast<int>(k);
    });
    r.parsed("ops", s.ops, parse_op);
    r.parsed("epilogues", s.epilogues, any_text);
    r.list("deterministic", s.deterministic, [&](const json& value) {
        if (!value.is_boolean()) r.refuse("field 'deterministic' holds neither true nor false");
        return value.get<bool>();
    });
    return s;
}

}  // namespace

Manifest parse_manifest(std::string_view text, const std::string& where) {
    const json object = json::parse(text, nullptr, false);
    if (object.is_discarded())
        throw Error(ErrorCode::invalid_input, where + ": is not a JSON text");
    const Reader r(object, where + ":");
    r.allow({"manifest", "name", "sections"});
    if (const auto number = r.integer_of("manifest", r.at("manifest")); number != 1)
        r.refuse(fmt::format("is a manifest of version {}, this spmvgen reads 1", number));
    Manifest manifest{r.text("name"), {}};
    const json& sections = r.at("sections");
    if (!sections.is_array() || sections.empty()) r.refuse("has no list of sections");
    for (std::size_t i = 0; i < sections.size(); ++i)
        manifest.sections.push_back(
            read_section(sections[i], fmt::format("{}: section {}", where, i + 1)));
    return manifest;
}

}  // namespace spmvgen
