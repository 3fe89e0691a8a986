#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kernel/refuse.hpp"
#include "spmvgen/error.hpp"
#include "tuner/cost/gpu_time.hpp"
#include "tuner/json_text.hpp"

namespace spmvgen {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* costs_kind = "gpu-costs";
constexpr int costs_schema = 1;
constexpr double most_constant = 1e6,
                 most_costs_exponent = 8;  // so that every prediction is a number

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

}  // namespace

std::string to_json(const GpuConstants& c) {
    Json coefficients, kernels;
    for (std::size_t i = 0; i < c.coefficients.size(); ++i)
        coefficients[std::string(gpu_cost_names[i])] = c.coefficients[i];
    for (auto& [name, k] : c.kernels)
        kernels[name] = {{"start_us", k.start_us}, {"factor", k.factor}, {"error", k.error}};
    return Json{{"kind", costs_kind}, {"schema", costs_schema},     {"exponent", c.exponent},
                {"margin", c.margin}, {"own_margin", c.own_margin}, {"coefficients", coefficients},
                {"kernels", kernels}}
               .dump(1) +
           "\n";
}

GpuConstants parse_gpu_constants(std::string_view text) {
    const Json json = parse_json_text(text);
    if (!json.is_object() || json.value("kind", Json()) != costs_kind)
        refuse_input(fmt::format("it is no {}", costs_kind));
    if (json.value("schema", Json()) != costs_schema)
        refuse_input(fmt::format("its schema is not {}, which this version reads", costs_schema));
    GpuConstants c;
    c.exponent = number(json, "exponent", 1, most_costs_exponent);
    c.margin = number(json, "margin", 0, 1);
    c.own_margin = number(json, "own_margin", 0, 1);
    const Json& coefficients = member(json, "coefficients");
    for (std::size_t i = 0; i < c.coefficients.size(); ++i)
        c.coefficients[i] = number(coefficients, std::string(gpu_cost_names[i]), 0, most_constant);
    const Json& kernels = member(json, "kernels");
    if (!kernels.is_object()) refuse_input("field 'kernels' is no object");
    for (auto& [name, k] : kernels.items())
        c.kernels[name] = {number(k, "start_us", 0, most_constant),
                           number(k, "factor", 0, most_constant),
                           number(k, "error", 0, most_constant)};
    return c;
}

}  // namespace spmvgen
