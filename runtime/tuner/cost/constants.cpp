#include "tuner/cost/constants.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "kernel/refuse.hpp"
#include "spmvgen/error.hpp"
#include "tuner/files/json_text.hpp"

namespace spmvgen {
namespace {

using Json = nlohmann::ordered_json;

constexpr int costs_schema = 3;
constexpr double most_constant = 1e6, most_costs_exponent = 8,
                 most_error = 10;  // so that every prediction is a number

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

/// `otherwise` where the field is left out.
double number_or(const Json& object, const std::string& name, double otherwise) {
    return object.is_object() && !object.contains(name) ? otherwise
                                                        : number(object, name, 0, most_constant);
}

}  // namespace

std::string to_json(const CostConstants& c, const CostScheme& scheme) {
    Json coefficients, kernels;
    for (std::size_t i = 0; i < c.coefficients.size(); ++i)
        coefficients[std::string(scheme.costs[i])] = c.coefficients[i];
    for (auto& [name, k] : c.kernels)
        kernels[name] = {{"start_us", k.start_us}, {"factor", k.factor}, {"error", k.error}};
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
    const Json json = parse_tuning_json(text, scheme.kind, costs_schema);
    CostConstants c(scheme);
    c.exponent = number(json, "exponent", 1, most_costs_exponent);
    c.margin = number(json, "margin", 0, 1);
    c.own_margin = number(json, "own_margin", 0, 1);
    const Json& coefficients = member(json, "coefficients");
    for (std::size_t i = 0; i < c.coefficients.size(); ++i)
        c.coefficients[i] = number(coefficients, std::string(scheme.costs[i]), 0, most_constant);
    const Json& kernels = member(json, "kernels");
    if (!kernels.is_object()) refuse_input("field 'kernels' is no object");
    for (auto& [name, k] : kernels.items())
        c.kernels[name] = {number_or(k, "start_us", 0), number_or(k, "factor", 1),
                           number(k, "error", 0, most_error)};
    return c;
}

std::optional<Prediction> predict_time(const CostScheme& scheme, const CostConstants& constants,
                                       const Signature& signature, std::span<const double> costs) {
    const auto found = constants.kernels.find(signature.kernel);
    if (found == constants.kernels.end() || costs.empty()) return std::nullopt;
    const CostConstants::Kernel& kernel = found->second;
    const bool is_sum = constants.exponent == 1;
    double serial = kernel.start_us, powers = 0;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        const double us = constants.coefficients[i] * costs[i];
        if (i < scheme.serial)
            serial += us;
        else
            powers += is_sum ? us : std::pow(us, constants.exponent);
    }
    const double together = is_sum ? powers : std::pow(powers, 1 / constants.exponent);
    return Prediction{serial + kernel.factor * together, kernel.error};
}

}  // namespace spmvgen
