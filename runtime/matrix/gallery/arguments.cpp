#include "matrix/gallery/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "spmvgen/error.hpp"

namespace spmvgen::generators {

Arguments::Arguments(const Generator& generator, std::string_view text) : generator_(&generator) {
    for (const Parameter& p : generator.parameters) values_.push_back(p.preset);
    read(text);
}

void Arguments::read(std::string_view text) {
    std::vector<bool> given(values_.size());
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        assign(text.substr(0, comma), given);
        if (comma == std::string_view::npos) break;
        text.remove_prefix(comma + 1);
        if (text.empty()) fail("a parameter is missing after the last comma");
    }
}

void Arguments::scale(double factor) {
    int sides = 0;
    for (std::size_t p = 0; p < values_.size(); ++p)
        sides += generator_->parameters[p].grows == Growth::side && values_[p] > 1;
    for (std::size_t p = 0; p < values_.size(); ++p) {
        const Parameter& parameter = generator_->parameters[p];
        double value = values_[p];
        if (parameter.grows == Growth::size) value = std::round(value * factor);
        if (parameter.grows == Growth::side && value > 1)
            value = std::round(value * std::pow(factor, 1.0 / sides));
        if (parameter.grows == Growth::bits) value = std::ceil(value + std::log2(factor));
        // 0 nodes or edges mean that another parameter decides.
        if (parameter.grows != Growth::none && values_[p] != 0)
            values_[p] =
                std::clamp(value, std::max(parameter.min, std::min(parameter.least, values_[p])),
                           parameter.max);
    }
}

double Arguments::real(std::string_view name) const {
    for (std::size_t p = 0; p < values_.size(); ++p)
        if (generator_->parameters[p].name == name) return values_[p];
    throw Error(ErrorCode::internal,
                fmt::format("gallery: {} has no parameter '{}'", generator_->name, name));
}

void Arguments::fail(const std::string& what) const {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("gallery: {}: {}", generator_->name, what));
}

void Arguments::assign(std::string_view item, std::vector<bool>& given) {
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos)
        fail(fmt::format("'{}' is not of the form name=value", item));
    const std::string_view name = item.substr(0, equals), text = item.substr(equals + 1);

    const auto& parameters = generator_->parameters;
    std::size_t p = 0;
    while (p < parameters.size() && parameters[p].name != name) ++p;
    if (p == parameters.size()) {
        std::vector<std::string_view> names;
        for (const Parameter& known : parameters) names.push_back(known.name);
        fail(fmt::format("no parameter '{}'; it takes {}", name, fmt::join(names, ", ")));
    }
    if (given[p]) fail(fmt::format("{} is given twice", name));
    given[p] = true;

    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
        fail(fmt::format("{} is not a number", item));
    if (!(value >= parameters[p].min && value <= parameters[p].max))
        fail(fmt::format("{} is outside {} … {}", item, parameters[p].min, parameters[p].max));
    if (parameters[p].whole && value != std::floor(value))
        fail(fmt::format("{} is not a whole number", item));
    values_[p] = value;
}

}  // namespace spmvgen::generators
