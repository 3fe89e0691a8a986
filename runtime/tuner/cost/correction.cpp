#include "tuner/cost/correction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "kernel/refuse.hpp"
#include "tuner/files/json_text.hpp"

namespace spmvgen {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view correction_kind = "gpu-correction";
constexpr int correction_schema = 1;
constexpr std::size_t most_levels = 8, most_trees = 4096;
constexpr double thousandth = 1e-3;
constexpr double most_above = 1e30;       ///< of what a feature is compared with
constexpr std::int64_t most_leaf = 2000;  ///< thousandths

/// Those of correction_features that are parameters, by name, and where they and lanes are.
constexpr std::size_t lanes = 20, first_parameter = lanes + 1;
static_assert(correction_features[lanes] == "lanes");
constexpr auto parameters = std::span(correction_features).subspan<first_parameter>();
static_assert(std::ranges::is_sorted(parameters));

void add_parameters(CorrectionFeatures& features, const Params& params) {
    for (auto& [name, whole] : params) {
        const auto value = static_cast<double>(whole);
        if (name == "subwarp" || name == "threads_per_row") {
            features[lanes] = value;
            continue;
        }
        const auto found = std::ranges::lower_bound(parameters, name.view());
        if (found != parameters.end() && *found == name.view())
            features[first_parameter + static_cast<std::size_t>(found - parameters.begin())] =
                value;
    }
}

const Json& member(const Json& object, const char* name, Json::value_t type) {
    const auto found = object.find(name);
    if (found == object.end() || found->type() != type)
        refuse_input(fmt::format("field '{}' is missing, or of another type", name));
    return *found;
}

double number_of(const Json& value, std::string_view what) {
    const double number = value.is_number() ? value.get<double>() : std::nan("");
    if (!(std::abs(number) <= most_above)) refuse_input(fmt::format("{} is no number", what));
    return number;
}

std::uint32_t feature_of(const Json& name) {
    const std::string text = name.is_string() ? name.get<std::string>() : name.dump();
    const auto* const found = std::ranges::find(correction_features, text);
    if (found == correction_features.end())
        refuse_input(fmt::format("there is no feature '{}'", text));
    return static_cast<std::uint32_t>(found - correction_features.begin());
}

/// A tree is a list: of each question its feature, by its place in the file's list, and a number;
/// then the list of its leaves.
void add_tree(CostCorrection& correction, const Json& tree, std::span<const std::uint32_t> names) {
    const std::size_t levels = tree.is_array() ? tree.size() / 2 : 0;
    if (levels == 0 || levels > most_levels || tree.size() != 2 * levels + 1)
        refuse_input(
            fmt::format("a tree is no list of 1 to {} questions, each a feature and a "
                        "number, and of leaves",
                        most_levels));
    for (std::size_t i = 0; i < levels; ++i) {
        const auto place = integer_of(tree[2 * i], 0, static_cast<std::int64_t>(names.size()) - 1);
        if (!place) refuse_input(fmt::format("{} is no feature's place", tree[2 * i].dump()));
        const double above = number_of(tree[2 * i + 1], "what a feature is above");
        correction.questions.push_back(
            {names[static_cast<std::size_t>(*place)], static_cast<float>(above)});
    }
    const Json& leaves = tree.back();
    if (!leaves.is_array() || leaves.size() != std::size_t{1} << levels)
        refuse_input(fmt::format("a tree of {} questions has not {} leaves", levels,
                                 std::size_t{1} << levels));
    for (auto& leaf : leaves) {
        const auto number = integer_of(leaf, -most_leaf, most_leaf);
        if (!number)
            refuse_input(fmt::format("leaf {} is no integer within ±{}", leaf.dump(), most_leaf));
        correction.leaves.push_back(static_cast<std::int16_t>(*number));
    }
    correction.levels.push_back(levels);
}

}  // namespace

CorrectionFeatures correction_features_of(const GpuWork& work, std::span<const double> costs,
                                          const CostConstants& constants, double us,
                                          const RowFeatures& f, const Signature& signature,
                                          double units) {
    CorrectionFeatures all{};
    auto* next = all.begin();
    for (std::size_t i = 0; i < costs.size(); ++i)
        *next++ = constants.coefficients[i] * costs[i] / std::max(us, 1e-9);
    constexpr double least_mean = 0.1, warp = 32;
    const double nnz = std::max(static_cast<double>(f.nnz), 1.0);
    const double mean = std::max(f.mean_row, least_mean);
    for (const double figure :
         {work.depth, work.warps / std::max(units * work.resident, 1.0), work.warps / units,
          work.bytes / nnz, work.near / nnz, work.far / nnz, work.steps * warp / nnz, mean,
          static_cast<double>(f.max_row) / mean, std::sqrt(f.variance_row) / mean})
        *next++ = figure;
    add_parameters(all, signature.params);
    return all;
}

double CostCorrection::of(const CorrectionFeatures& features) const {
    int sum = 0;
    const Question* question = questions.data();
    const std::int16_t* leaf = leaves.data();
    for (const std::size_t count : levels) {
        std::size_t place = 0;
        for (std::size_t i = 0; i < count; ++i, ++question)
            place |= std::size_t{features[question->feature] > question->above} << i;
        sum += leaf[place];
        leaf += std::size_t{1} << count;
    }
    return std::clamp(thousandth * sum, -most, most);
}

CostCorrection parse_cost_correction(std::string_view text) {
    const Json json = parse_tuning_json(text, correction_kind, correction_schema);
    CostCorrection correction;
    correction.vendor = member(json, "vendor", Json::value_t::string).get<std::string>();
    std::vector<std::uint32_t> names;
    for (auto& name : member(json, "features", Json::value_t::array))
        names.push_back(feature_of(name));
    const Json& trees = member(json, "trees", Json::value_t::array);
    if (trees.size() > most_trees)
        refuse_input(fmt::format("it has {} trees: at most {}", trees.size(), most_trees));
    for (auto& tree : trees) add_tree(correction, tree, names);
    return correction;
}

std::string to_json(const CostCorrection& c) {
    Json trees = Json::array();
    const auto* question = c.questions.data();
    const std::int16_t* leaf = c.leaves.data();
    for (const std::size_t count : c.levels) {
        Json tree = Json::array(), leaves = Json::array();
        for (std::size_t i = 0; i < count; ++i, ++question) {
            tree.push_back(question->feature);
            tree.push_back(question->above);
        }
        for (std::size_t i = 0; i < std::size_t{1} << count; ++i) leaves.push_back(*leaf++);
        tree.push_back(std::move(leaves));
        trees.push_back(std::move(tree));
    }
    return Json{{"kind", std::string(correction_kind)},
                {"schema", correction_schema},
                {"vendor", c.vendor},
                {"features", correction_features},
                {"trees", std::move(trees)}}
        .dump();
}

}  // namespace spmvgen
