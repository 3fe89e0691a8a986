#include "tuner/profiles/dense_profile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "kernel/refuse.hpp"
#include "spmvgen/error.hpp"
#include "tuner/files/json_text.hpp"

namespace spmvgen {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* dense_kind = "dense-profile";
constexpr int dense_schema = 1;
constexpr std::string_view prefix = "dense-";
// GFLOP/s that a device may have: their reciprocals and sums are numbers, too.
constexpr double slowest = 1e-9, fastest = 1e9;

[[noreturn]] void refuse_field(const char* name) {
    refuse_input(fmt::format("field '{}' is missing or of another type", name));
}

template <typename T>
T field(const Json& json, const char* name) {
    try {
        return json.at(name).get<T>();
    } catch (const nlohmann::json::exception&) {
        refuse_field(name);
    }
}

std::int64_t integer_field(const Json& json, const char* name, std::int64_t least,
                           std::int64_t most) {
    const auto value = integer_of(field<Json>(json, name), least, most);
    if (!value) refuse_field(name);
    return *value;
}

BlockTable parse_table(const Json& json) {
    const auto rows = field<std::vector<std::vector<double>>>(json, "gflops");
    BlockTable table{};
    if (rows.size() != table.size()) refuse_input("field 'gflops' does not have 8 rows");
    for (std::size_t r = 0; r < rows.size(); ++r) {
        if (rows[r].size() != table[r].size())
            refuse_input("a row of 'gflops' does not have 8 numbers");
        for (std::size_t c = 0; c < rows[r].size(); ++c) {
            if (!(rows[r][c] > 0)) refuse_input("field 'gflops' has a number that is not positive");
            if (rows[r][c] < slowest || rows[r][c] > fastest)
                refuse_input("field 'gflops' has a number that is no speed");
            table[r][c] = rows[r][c];
        }
    }
    return table;
}

DenseClass parse_class(const Json& json) {
    DenseClass c;
    try {
        c.value = parse_value_type(field<std::string>(json, "value"));
    } catch (const Error& error) {
        refuse_input(std::string("field 'value': ") + error.what());
    }
    c.rows = integer_field(json, "rows", INT64_MIN, INT64_MAX);
    c.cols = integer_field(json, "cols", INT64_MIN, INT64_MAX);
    constexpr std::int64_t most = 1LL << 31;
    if (c.rows < 1 || c.cols < 1 || c.rows > most || c.cols > most)
        refuse_input("fields 'rows' and 'cols' are no sizes of a matrix");
    c.gflops = parse_table(json);
    return c;
}

/// The value at x of a function of which points are known, in the order of their places: on the
/// line between its neighbours, or that of the outermost point.
template <typename Point, typename Value>
double interpolated(const std::vector<Point>& points, double x, const Value& value) {
    const auto above = std::ranges::lower_bound(points, x, {}, &Point::at);
    if (above == points.begin()) return value(*above);
    const auto below = std::prev(above);
    if (above == points.end()) return value(*below);
    const double share = (x - below->at) / (above->at - below->at), least = value(*below);
    return least + share * (value(*above) - least);
}

/// The element with that key, made in its place of a list sorted by it where it is not there.
template <typename Point>
Point& point_at(std::vector<Point>& points, double at) {
    auto found = std::ranges::lower_bound(points, at, {}, &Point::at);
    if (found == points.end() || found->at != at) found = points.insert(found, Point{.at = at});
    return *found;
}

}  // namespace

bool DenseProfile::has(ValueType value) const {
    return std::ranges::find(classes, value, &DenseClass::value) != classes.end();
}

DenseSpeeds::DenseSpeeds(const DenseProfile& profile, ValueType value) {
    for (auto& dense : profile.classes)
        if (dense.value == value)
            point_at(point_at(widths_, std::log(static_cast<double>(dense.cols))).classes,
                     std::log(static_cast<double>(dense.nnz())))
                .gflops = &dense.gflops;
}

double DenseSpeeds::gflops(double stored, double rows, int r, int c) const {
    const double elements = std::max(stored, 1.0), size = std::log(elements);
    const auto time = [&](const Class& dense) {
        return 1 /
               (*dense.gflops)[static_cast<std::size_t>(r - 1)][static_cast<std::size_t>(c - 1)];
    };
    return 1 / interpolated(widths_, std::log(elements / std::max(rows, 1.0)),
                            [&](const Width& w) { return interpolated(w.classes, size, time); });
}

std::string to_json(const DenseProfile& profile) {
    const Json head{{"kind", dense_kind},         {"schema", dense_schema},
                    {"device", profile.device},   {"threads", profile.threads},
                    {"version", profile.version}, {"generator", profile.generator},
                    {"command", profile.command}, {"note", profile.note}};
    std::string text = "{\n";
    for (auto& [name, value] : head.items())
        text += fmt::format(" {}: {},\n", Json(name).dump(), value.dump());
    text += " \"classes\": [";
    for (auto& c : profile.classes) {
        text += fmt::format("{}\n  {{\"value\": \"{}\", \"rows\": {}, \"cols\": {}, \"gflops\": [",
                            &c == &profile.classes.front() ? "" : ",", to_string(c.value), c.rows,
                            c.cols);
        for (auto& row : c.gflops)
            text += fmt::format("{}\n   [{:.6g}]", &row == &c.gflops.front() ? "" : ",",
                                fmt::join(row, ", "));
        text += "]}";
    }
    return text + "]\n}\n";
}

DenseProfile parse_dense_profile(std::string_view text) {
    const Json json = parse_json_text(text);
    if (!json.is_object() || json.value("kind", Json()) != dense_kind)
        refuse_input(fmt::format("it is no {}", dense_kind));
    if (json.value("schema", Json()) != dense_schema)
        refuse_input(
            fmt::format("its schema is not {}; make it again with this version", dense_schema));
    DenseProfile profile;
    profile.device = field<std::string>(json, "device");
    profile.threads = static_cast<int>(integer_field(json, "threads", 0, INT32_MAX));
    profile.version = field<std::string>(json, "version");
    profile.generator = field<std::string>(json, "generator");
    profile.command = field<std::string>(json, "command");
    profile.note = field<std::string>(json, "note");
    const auto classes = field<Json>(json, "classes");
    if (!classes.is_array() || classes.empty())
        refuse_input("field 'classes' is no list, or empty");
    for (auto& c : classes) profile.classes.push_back(parse_class(c));
    return profile;
}

std::string profile_file_name(const DenseProfile& profile) {
    std::string name(prefix);
    for (const char c : profile.device) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        const bool capital = c >= 'A' && c <= 'Z';
        name += plain ? c : capital ? static_cast<char>(c - 'A' + 'a') : '-';
    }
    if (profile.threads > 0) name += fmt::format("-t{}", profile.threads);
    return name + ".json";
}

std::vector<ReadDenseProfile> read_dense_profiles(std::span<const TuningFile> files) {
    std::vector<ReadDenseProfile> read;
    for (auto& file : files) try {
            read.push_back({file.label(), file.shipped(), {}, ""});
            if (file.readable_text().empty()) refuse_input("it is empty");
            read.back().profile = parse_dense_profile(file.text);
        } catch (const Error& error) {
            read.back().warning = fmt::format("{} is passed over: {}", file.name, error.what());
        }
    return read;
}

FoundProfile find_dense_profile(std::span<const ReadDenseProfile> profiles, std::string_view device,
                                int threads) {
    FoundProfile found;
    for (auto& [file, shipped, profile, warning] : profiles) {
        // Whoever has a profile of their own wants that, whatever ships.
        if (shipped && found.profile && !found.shipped) break;
        if (!warning.empty())
            found.warning += fmt::format("{}{}", found.warning.empty() ? "" : "; ", warning);
        if (!profile || profile->device != device) continue;
        const bool better =
            !found.profile || (found.profile->threads != threads && profile->threads == threads);
        if (!better) continue;
        found.profile = profile;
        found.file = file;
        found.shipped = shipped;
    }
    return found;
}

}  // namespace spmvgen
