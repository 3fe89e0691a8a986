#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "kernel/refuse.hpp"
#include "spmvgen/error.hpp"
#include "tuner/csr_k/csr_k_fit.hpp"
#include "tuner/files/json_text.hpp"

namespace spmvgen {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* csr_k_kind = "spmvgen csr-k fit";
constexpr int schema_version = 1;

Json json_of(const LogFormula& f) {
    return {{"constant", f.constant}, {"slope", f.slope}};
}

Json json_of(const GroupSizes& s) {
    return {{"srs", s.srs}, {"ssrs", s.ssrs}};
}

Json json_of(const CsrKFormula& f) {
    Json cases = Json::array();
    for (auto& c : f.cases)
        cases.push_back({{"ssrs", c.ssrs}, {"srs", c.srs}, {"srs_from_ssrs", c.srs_from_ssrs}});
    return {{"srs", json_of(f.srs)},
            {"ssrs", json_of(f.ssrs)},
            {"cases", cases},
            {"least", json_of(f.least)},
            {"most", json_of(f.most)}};
}

Json json_of(const CsrKSample& s) {
    const OptimalSizes best = optimum_of(s);
    Json times = Json::array();
    for (auto& [sizes, seconds] : s.times) times.push_back({sizes.srs, sizes.ssrs, seconds});
    return {{"matrix", s.matrix},
            {"rows", s.rows},
            {"cols", s.cols},
            {"nnz", s.nnz},
            {"row_density", s.density()},
            {"max_row", s.max_row},
            {"variance_row", s.variance_row},
            {"case", s.block_case + 1},
            {"optimum", {{"srs", best.srs}, {"ssrs", best.ssrs}}},
            {"times", times}};
}

double number(const Json& json, const char* field) {
    const double value = json.at(field).get<double>();
    if (!std::isfinite(value)) refuse_input(fmt::format("{} is not a finite number", field));
    return value;
}

LogFormula log_formula(const Json& json) {
    return {number(json, "constant"), number(json, "slope")};
}

GroupSizes sizes(const Json& json) {
    const auto srs = integer_of(json.at("srs"), 1, 4096);
    const auto ssrs = integer_of(json.at("ssrs"), 1, 1024);
    if (!srs || !ssrs) refuse_input("a limit of sizes is out of range");
    return {*srs, *ssrs};
}

CsrKFormula formula_of(const Json& json) {
    CsrKFormula f;
    f.srs = log_formula(json.at("srs"));
    f.ssrs = log_formula(json.at("ssrs"));
    f.least = sizes(json.at("least"));
    f.most = sizes(json.at("most"));
    if (f.least.srs > f.most.srs || f.least.ssrs > f.most.ssrs)
        refuse_input("the least size is above the largest");
    const Json& cases = json.at("cases");
    if (!cases.is_array() || cases.size() != f.cases.size())
        refuse_input("there are not four cases");
    for (std::size_t i = 0; i < f.cases.size(); ++i) {
        f.cases[i] = {number(cases[i], "ssrs"), number(cases[i], "srs"),
                      cases[i].at("srs_from_ssrs").get<bool>()};
        const CaseCorrection& c = f.cases[i];
        if (c.ssrs <= 0 || c.ssrs > 1e4 || c.srs <= 0 || c.srs > 1e4)
            refuse_input("a case's factor is out of range");
    }
    return f;
}

CsrKFormula chosen_formula(const Json& json, const std::string& name) {
    if (json.at("kind").get<std::string>() != csr_k_kind) refuse_input("it is no fit of CSR-k");
    if (json.at("version") != schema_version)
        refuse_input(
            fmt::format("its version is {}, not {}", json.at("version").dump(), schema_version));
    const std::string chosen = json.at("chosen").get<std::string>();
    for (auto& candidate : json.at("candidates")) {
        if (candidate.at("name").get<std::string>() != chosen) continue;
        CsrKFormula formula = formula_of(candidate.at("formula"));
        formula.arch = json.at("arch").get<std::string>();
        formula.name = fmt::format("{}, by {}", chosen == "paper" ? "the paper's" : chosen, name);
        return formula;
    }
    refuse_input(fmt::format("there is no candidate '{}'", chosen));
}

/// A field of the whole a line, and an element of an array a line.
std::string lines(const Json& json) {
    std::string text;
    for (auto& [key, value] : json.items()) {
        text += fmt::format("{}\n {}: ", text.empty() ? "{" : ",", Json(key).dump());
        if (!value.is_array()) {
            text += value.dump();
            continue;
        }
        std::string elements;
        for (auto& element : value)
            elements += (elements.empty() ? "\n  " : ",\n  ") + element.dump();
        text += "[" + elements + "]";
    }
    return text + "\n}\n";
}

}  // namespace

std::string to_json(const CsrKFit& fit) {
    Json samples = Json::array(), candidates = Json::array();
    for (auto& sample : fit.samples) samples.push_back(json_of(sample));
    for (auto& c : fit.candidates)
        candidates.push_back({{"name", c.name}, {"loss", c.loss}, {"formula", json_of(c.formula)}});
    const Json json{{"kind", csr_k_kind},
                    {"version", schema_version},
                    {"arch", fit.arch},
                    {"device", fit.device},
                    {"threads", fit.threads},
                    {"value", fit.value},
                    {"generator", fit.generator},
                    {"chosen", fit.chosen},
                    {"candidates", candidates},
                    {"residual", {{"srs", fit.srs_residual}, {"ssrs", fit.ssrs_residual}}},
                    {"matrices", samples}};
    return lines(json);
}

CsrKFormula csr_k_formula_of(std::string_view text, const std::string& name) {
    try {
        return chosen_formula(parse_json_text(text), name);
    } catch (const Json::exception& error) {
        refuse_input(error.what());
    }
}

}  // namespace spmvgen
