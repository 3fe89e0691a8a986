#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "kernel/refuse.hpp"
#include "spmvgen/error.hpp"
#include "tuner/json_integer.hpp"
#include "tuner/json_text.hpp"
#include "tuner/model.hpp"

namespace spmvgen {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* model_kind = "kernel-model";
constexpr int model_schema = 1;
// So that every product and sum of them is a number.
constexpr double most_coefficient = 1e6, most_logarithm = 10, most_error = 100, most_exponent = 8;

template <typename T>
T model_field(const Json& json, const char* name) {
    try {
        return json.at(name).get<T>();
    } catch (const nlohmann::json::exception&) {
        refuse_input(fmt::format("field '{}' is missing or of another type", name));
    }
}

Json object_field(const Json& json, const char* name) {
    auto object = model_field<Json>(json, name);
    if (!object.is_object())
        refuse_input(fmt::format("field '{}' is missing or of another type", name));
    return object;
}

double number(const Json& json, const std::string& what, double least, double most) {
    if (!json.is_number()) refuse_input(what + " is no number");
    const double value = json.get<double>();
    if (!(value >= least) || !(value <= most))
        refuse_input(fmt::format("{} is not within {} … {}", what, least, most));
    return value;
}

Costs parse_coefficients(const Json& json) {
    Costs coefficients{};
    const Json object = object_field(json, "coefficients");
    for (auto& [name, value] : object.items()) {
        const auto found = std::ranges::find(cost_names, name);
        if (found == cost_names.end()) refuse_input("there is no cost '" + name + "'");
        coefficients[static_cast<std::size_t>(found - cost_names.begin())] =
            number(value, "the coefficient of '" + name + "'", 0, most_coefficient);
    }
    return coefficients;
}

ModelFactor parse_factor(const std::string& name, const std::string& value, const Json& json) {
    ModelFactor factor{name, value, {}};
    const std::string what = "the factor of '" + name + "' = " + value;
    if (!json.is_array() || json.size() != factor.logarithm.size())
        refuse_input(fmt::format("{} is no list of {} numbers", what, factor.logarithm.size()));
    for (std::size_t i = 0; i < factor.logarithm.size(); ++i)
        factor.logarithm[i] = number(json[i], what, -most_logarithm, most_logarithm);
    return factor;
}

std::vector<ModelFactor> parse_factors(const Json& json) {
    std::vector<ModelFactor> factors;
    const Json object = object_field(json, "factors");
    for (auto& [name, values] : object.items()) {
        if (!values.is_object()) refuse_input("the factors of '" + name + "' are no object");
        for (auto& [value, logarithms] : values.items())
            factors.push_back(parse_factor(name, value, logarithms));
    }
    return factors;
}

KernelModel parse_kernel(const Json& json) {
    if (!json.is_object()) refuse_input("an element of 'kernels' is no object");
    KernelModel model;
    model.kernel = model_field<std::string>(json, "kernel");
    model.coefficients = parse_coefficients(json);
    model.factors = parse_factors(json);
    model.error = number(model_field<Json>(json, "error"), "field 'error'", 0, most_error);
    const auto samples = integer_of(model_field<Json>(json, "samples"), 0, INT32_MAX);
    if (!samples) refuse_input("field 'samples' is no number of samples");
    model.samples = static_cast<int>(*samples);
    return model;
}

std::string kernel_text(const KernelModel& model) {
    Json coefficients = Json::object(), factors = Json::object();
    for (std::size_t i = 0; i < cost_names.size(); ++i)
        if (model.coefficients[i] > 0)
            coefficients[std::string(cost_names[i])] = model.coefficients[i];
    for (auto& factor : model.factors) factors[factor.name][factor.value] = factor.logarithm;
    return fmt::format(
        "  {{\"kernel\": {}, \"samples\": {}, \"error\": {},\n   \"coefficients\": {},\n"
        "   \"factors\": {}}}",
        Json(model.kernel).dump(), model.samples, Json(model.error).dump(), coefficients.dump(),
        factors.dump());
}

}  // namespace

std::string to_json(const DeviceModel& model) {
    const Json head{{"kind", model_kind},        {"schema", model_schema}, {"device", model.device},
                    {"arch", model.arch},        {"date", model.date},     {"method", model.method},
                    {"exponent", model.exponent}};
    std::string text = "{\n";
    for (auto& [name, value] : head.items())
        text += fmt::format(" {}: {},\n", Json(name).dump(), value.dump());
    text += " \"kernels\": [";
    for (auto& kernel : model.kernels)
        text += (&kernel == &model.kernels.front() ? "\n" : ",\n") + kernel_text(kernel);
    return text + "\n ]\n}\n";
}

DeviceModel parse_device_model(std::string_view text) {
    const Json json = parse_json_text(text);
    if (!json.is_object() || json.value("kind", Json()) != model_kind)
        refuse_input(fmt::format("it is no {}", model_kind));
    if (json.value("schema", Json()) != model_schema)
        refuse_input(fmt::format(
            "its schema is {}, but this version reads {}",
            json.value("schema", Json()).dump(-1, ' ', true, Json::error_handler_t::replace),
            model_schema));
    DeviceModel model{
        model_field<std::string>(json, "device"),
        model_field<std::string>(json, "arch"),
        model_field<std::string>(json, "date"),
        model_field<std::string>(json, "method"),
        number(model_field<Json>(json, "exponent"), "field 'exponent'", 1, most_exponent),
        {}};
    const auto kernels = model_field<Json>(json, "kernels");
    if (!kernels.is_array() || kernels.empty())
        refuse_input("field 'kernels' is no list, or empty");
    for (auto& kernel : kernels) model.kernels.push_back(parse_kernel(kernel));
    return model;
}

std::vector<DeviceModel> read_device_models(std::span<const TuningFile> files,
                                            std::vector<std::string>& warnings) {
    std::vector<DeviceModel> models;
    for (auto& file : files) try {
            models.push_back(parse_device_model(file.readable_text()));
        } catch (const Error& error) {
            warnings.push_back(
                fmt::format("tuning file {} is left out: {}", file.name, error.what()));
        }
    return models;
}

}  // namespace spmvgen
