#include "tuner/records/record_features.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "kernel/refuse.hpp"
#include "matrix/features/features_fields.hpp"
#include "spmvgen/error.hpp"
#include "tuner/files/json_text.hpp"

namespace spmvgen {
namespace {

using Json = nlohmann::ordered_json;

/// Whole numbers that a double holds exactly; far more than any memory holds.
constexpr std::int64_t most_count = std::int64_t{1} << 53;
constexpr double most_figure = 1e40;

bool read(const Json& json, std::int64_t& field) {
    const auto value = integer_of(json, 0, most_count);
    if (value) field = *value;
    return value.has_value();
}

bool read(const Json& json, double& field) {
    if (!json.is_number()) return false;
    field = json.get<double>();
    return field >= 0 && field <= most_figure;
}

bool read(const Json& json, bool& field) {
    if (json.is_boolean()) field = json.get<bool>();
    return json.is_boolean();
}

bool read(const Json& json, ValueType& field) try {
    if (!json.is_string()) return false;
    field = parse_value_type(json.get_ref<const std::string&>());
    return true;
} catch (const Error&) {
    return false;
}

template <typename T, std::size_t n>
bool read(const Json& json, std::array<T, n>& field) {
    if (!json.is_array() || json.size() != n) return false;
    for (std::size_t i = 0; i < n; ++i)
        if (!read(json[i], field[i])) return false;
    return true;
}

/// What the parts of one matrix' features have to do with each other.
void check(const Features& f) {
    const auto rows = std::accumulate(f.row_histogram.begin(), f.row_histogram.end(), 0.0);
    if (rows != static_cast<double>(f.rows))
        refuse_input(
            fmt::format("features.row_histogram has {:.0f} rows, the matrix has {}", rows, f.rows));
    const double mean = f.rows > 0 ? static_cast<double>(f.nnz) / static_cast<double>(f.rows) : 0;
    constexpr double rounded = 1e-4;  // of numbers that are kept with five digits
    if (std::abs(f.mean_row - mean) > rounded * mean)
        refuse_input(fmt::format("features.mean_row is {}, {} entries in {} rows are {}",
                                 f.mean_row, f.nnz, f.rows, mean));
    if (f.min_row > f.max_row || f.max_row > f.nnz)
        refuse_input(fmt::format("features.min_row {} and max_row {} do not go with {} entries",
                                 f.min_row, f.max_row, f.nnz));
}

}  // namespace

Features parse_features(const Json& object) {
    if (!object.is_object()) refuse_input("field 'features' is missing or of another type");
    Features features;
    for_each_field(features, [&](const char* name, auto& field, Presence presence) {
        const auto found = object.find(name);
        if (found == object.end() && presence == Presence::added_later) return;
        if (found == object.end())
            refuse_input(fmt::format("field 'features.{}' is missing", name));
        if (!read(*found, field))
            refuse_input(
                fmt::format("field 'features.{}' is of another type or out of range", name));
    });
    check(features);
    return features;
}

}  // namespace spmvgen
