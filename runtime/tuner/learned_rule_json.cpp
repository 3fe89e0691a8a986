#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "kernel/refuse.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"
#include "tuner/json_integer.hpp"
#include "tuner/json_text.hpp"
#include "tuner/learned_rule.hpp"

namespace spmvgen {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* learned_rule_kind = "spmvgen learned rule";
constexpr int learned_rule_schema = 1;
constexpr int deepest = 16;  ///< levels of questions
constexpr std::int64_t most_threads = 65536, most_matrices = 1'000'000'000;

std::string shown(const Json& json) {
    return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

const Json& field(const Json& json, const char* name) {
    const auto found = json.is_object() ? json.find(name) : json.end();
    if (found == json.end()) refuse_input(fmt::format("field '{}' is missing", name));
    return *found;
}

std::string text(const Json& json, const char* name) {
    const Json& value = field(json, name);
    if (!value.is_string()) refuse_input(fmt::format("field '{}' is no text", name));
    return value.get<std::string>();
}

double number(const Json& json, const char* name) {
    const Json& value = field(json, name);
    if (!value.is_number() || !std::isfinite(value.get<double>()))
        refuse_input(fmt::format("field '{}' is no number", name));
    return value.get<double>();
}

std::int64_t integer(const Json& json, const char* name, std::int64_t least, std::int64_t most) {
    const auto value = integer_of(field(json, name), least, most);
    if (!value)
        refuse_input(fmt::format("field '{}' is no whole number of {}…{}", name, least, most));
    return *value;
}

/// Of a time over the least one.
double ratio(const Json& json, const char* name) {
    const double value = number(json, name);
    if (!(value >= 1)) refuse_input(fmt::format("field '{}' is less than 1", name));
    return value;
}

const TreeFeature& feature_of(const Json& json) {
    const std::string name = text(json, "feature");
    const auto found = std::ranges::find(tree_features(), name, &TreeFeature::name);
    if (found == tree_features().end())
        refuse_input(fmt::format("there is no feature {}", shown(name)));
    return *found;
}

/// A kernel that trees may lead to.
const KernelEntry& kernel_of(const std::string& id, bool gpu) {
    const auto found = std::ranges::find(kernel_registry(), id, &KernelEntry::id);
    if (found == kernel_registry().end())
        refuse_input(fmt::format("there is no kernel {}", shown(id)));
    if (found->gpu != gpu || !is_plain_product(*found) || found->format == Format::csr_k ||
        found->format == Format::bcsr)
        refuse_input(fmt::format("a tree of such a device cannot lead to kernel {}", id));
    return *found;
}

Params params_of(const Json& json, const KernelEntry& kernel) {
    Params params;
    const Json& values = field(json, "params");
    if (!values.is_object()) refuse_input("field 'params' is no object");
    for (auto& [name, value] : values.items()) {
        const auto found = std::ranges::find(kernel.params, name, &Parameter::name);
        if (found == kernel.params.end())
            refuse_input(fmt::format("kernel {} has no parameter {}", kernel.id, shown(name)));
        const auto wanted = integer_of(value, found->allowed.front(), found->allowed.back());
        if (!wanted || !allows(*found, *wanted))
            refuse_input(fmt::format("parameter {} of kernel {} cannot be {}", name, kernel.id,
                                     shown(value)));
        params[name] = *wanted;
    }
    return params;
}

/// Appends a tree to the nodes.
void add_tree(std::vector<TreeNode>& nodes, const Json& json, bool gpu, int level) {
    if (level > deepest) refuse_input(fmt::format("the tree has more than {} levels", deepest));
    const std::size_t here = nodes.size();
    nodes.emplace_back();
    if (json.is_object() && json.contains("kernel")) {
        TreeNode& leaf = nodes.back();
        leaf.kernel = text(json, "kernel");
        if (leaf.kernel != hand_written) leaf.params = params_of(json, kernel_of(leaf.kernel, gpu));
        leaf.matrices = static_cast<int>(integer(json, "matrices", 0, most_matrices));
        leaf.mean = ratio(json, "mean");
        leaf.worst = ratio(json, "worst");
        return;
    }
    nodes[here].feature = &feature_of(json);
    nodes[here].below = number(json, "below");
    nodes[here].less = nodes.size();
    add_tree(nodes, field(json, "then"), gpu, level + 1);
    nodes[here].not_less = nodes.size();
    add_tree(nodes, field(json, "else"), gpu, level + 1);
}

std::vector<ValueType> values_of(const Json& json) {
    const Json& names = field(json, "values");
    std::vector<ValueType> values;
    if (names.is_array())
        for (auto& name : names) {
            if (!name.is_string()) refuse_input("field 'values' is no list of texts");
            values.push_back(parse_value_type(name.get<std::string>()));
        }
    if (values.empty()) refuse_input("field 'values' is no list, or empty");
    return values;
}

}  // namespace

LearnedRule parse_learned_rule(std::string_view from) try {
    const Json json = parse_json_text(from);
    if (!json.is_object() || json.value("kind", Json()) != learned_rule_kind)
        refuse_input(fmt::format("it is no {}", learned_rule_kind));
    if (json.value("schema", Json()) != learned_rule_schema)
        refuse_input(fmt::format("its schema is {}, but this version reads {}",
                                 shown(json.value("schema", Json())), learned_rule_schema));
    LearnedRule rule;
    const Json& device = field(json, "device");
    rule.device = {text(device, "name"), text(device, "arch"), text(device, "vendor")};
    rule.values = values_of(json);
    const bool gpu = rule.device.vendor == "nvidia" || rule.device.vendor == "amd";
    if (!gpu) {
        const Json& threads = field(json, "threads");
        rule.least_threads = static_cast<int>(integer(threads, "least", 1, most_threads));
        rule.most_threads =
            static_cast<int>(integer(threads, "most", rule.least_threads, most_threads));
    }
    add_tree(rule.nodes, field(json, "tree"), gpu, 0);
    return rule;
} catch (const Error& error) {
    throw Error(ErrorCode::invalid_input, error.what());
}

}  // namespace spmvgen
