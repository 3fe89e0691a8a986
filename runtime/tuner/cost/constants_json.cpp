#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "kernel/refuse.hpp"
#include "spmvgen/error.hpp"
#include "tuner/cost/constants.hpp"
#include "tuner/json_text.hpp"

namespace spmvgen {
namespace {

using Json = nlohmann::ordered_json;

constexpr int costs_schema = 2;
constexpr double most_constant = 1e6,
                 most_costs_exponent = 8;  // so that every prediction is a number
constexpr double most_answer = 1, most_limit = 1e9;
constexpr std::size_t most_trees = 200, most_depth = 8;

const Json& member(const Json& object, const std::string& name) {
    if (!object.is_object() || !object.contains(name))
        refuse_input(fmt::format("field '{}' is missing", name));
    return object.at(name);
}

double number(const Json& object, const std::string& name, double least, double most) {
    const Json& field = member(object, name);
    if (!field.is_number()) refuse_input(fmt::format("field '{}' is no number", name));
    const double value = field.get<double>();
    if (!(value >= least && value <= most))
        refuse_input(
            fmt::format("field '{}' is {}: it must be within {} and {}", name, value, least, most));
    return value;
}

std::string as_written(const Json& json) {
    return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

Json tree_json(const CorrectionTree& tree, std::size_t node,
               std::span<const std::string_view> names) {
    const CorrectionTree::Node& n = tree.nodes[node];
    if (n.figure == CorrectionTree::end) return n.value;
    return Json::array({std::string(names[n.figure]), n.limit, tree_json(tree, n.below, names),
                        tree_json(tree, n.above, names)});
}

double number_of_tree(const Json& field, double most) {
    if (field.is_number() && std::abs(field.get<double>()) <= most) return field.get<double>();
    refuse_input(
        fmt::format("a tree has {} where a number up to {} belongs", as_written(field), most));
}

/// Appends what is below `json` to the tree's nodes.
void add_nodes(CorrectionTree& tree, const Json& json, std::size_t depth,
               std::span<const std::string_view> names) {
    const std::size_t own = tree.nodes.size();
    tree.nodes.emplace_back();
    if (!json.is_array()) {
        tree.nodes[own].value = number_of_tree(json, most_answer);
        return;
    }
    if (json.size() != 4 || !json[0].is_string())
        refuse_input("a question of a tree is not [figure, limit, tree, tree]");
    if (depth == most_depth) refuse_input(fmt::format("a tree is deeper than {}", most_depth));
    const auto name = std::ranges::find(names, json[0].get<std::string>());
    if (name == names.end())
        refuse_input(fmt::format("a tree asks for {}, which is no figure", as_written(json[0])));
    tree.nodes[own].figure = static_cast<std::size_t>(name - names.begin());
    tree.nodes[own].limit = number_of_tree(json[1], most_limit);
    tree.nodes[own].below = tree.nodes.size();
    add_nodes(tree, json[2], depth + 1, names);
    tree.nodes[own].above = tree.nodes.size();
    add_nodes(tree, json[3], depth + 1, names);
}

std::vector<CorrectionTree> trees_of(const Json& kernel, std::span<const std::string_view> names) {
    std::vector<CorrectionTree> trees;
    if (!kernel.contains("trees")) return trees;
    const Json& listed = kernel.at("trees");
    if (!listed.is_array() || listed.size() > most_trees)
        refuse_input(fmt::format("field 'trees' is no array of at most {}", most_trees));
    for (auto& tree : listed) add_nodes(trees.emplace_back(), tree, 0, names);
    return trees;
}

}  // namespace

std::string to_json(const CostConstants& c, const CostScheme& scheme) {
    const auto names = figure_names(scheme);
    Json coefficients, kernels;
    for (std::size_t i = 0; i < c.coefficients.size(); ++i)
        coefficients[std::string(scheme.costs[i])] = c.coefficients[i];
    for (auto& [name, k] : c.kernels) {
        kernels[name] = {{"start_us", k.start_us}, {"factor", k.factor}, {"error", k.error}};
        for (auto& tree : k.trees) kernels[name]["trees"].push_back(tree_json(tree, 0, names));
    }
    return Json{{"kind", std::string(scheme.kind)},
                {"schema", costs_schema},
                {"exponent", c.exponent},
                {"margin", c.margin},
                {"own_margin", c.own_margin},
                {"coefficients", coefficients},
                {"kernels", kernels}}
               .dump(1) +
           "\n";
}

CostConstants parse_cost_constants(std::string_view text, const CostScheme& scheme) {
    const Json json = parse_json_text(text);
    if (!json.is_object() || json.value("kind", Json()) != std::string(scheme.kind))
        refuse_input(fmt::format("it is no {}", scheme.kind));
    if (json.value("schema", Json()) != costs_schema)
        refuse_input(fmt::format("its schema is not {}, which this version reads", costs_schema));
    CostConstants c(scheme);
    const auto names = figure_names(scheme);
    c.exponent = number(json, "exponent", 1, most_costs_exponent);
    c.margin = number(json, "margin", 0, 1);
    c.own_margin = number(json, "own_margin", 0, 1);
    const Json& coefficients = member(json, "coefficients");
    for (std::size_t i = 0; i < c.coefficients.size(); ++i)
        c.coefficients[i] = number(coefficients, std::string(scheme.costs[i]), 0, most_constant);
    const Json& kernels = member(json, "kernels");
    if (!kernels.is_object()) refuse_input("field 'kernels' is no object");
    for (auto& [name, k] : kernels.items())
        c.kernels[name] = {number(k, "start_us", 0, most_constant),
                           number(k, "factor", 0, most_constant),
                           number(k, "error", 0, most_constant), trees_of(k, names)};
    return c;
}

}  // namespace spmvgen
