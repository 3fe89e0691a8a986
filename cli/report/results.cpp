#include "report/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <tuple>

#include "bench/clock.hpp"
#include "matrix/suites/suites.hpp"
#include "report/bench_lines.hpp"
#include "spmvgen/error.hpp"
#include "text/units.hpp"
#include "tuner/profiles/device_profile.hpp"

namespace spmvgen::cli {
namespace {

/// What the matrices' numbers are where a line does not say.
constexpr const char* own_numbers = "own";

/// Five significant digits: a page of thousands of numbers is half as large.
double rounded(double value) {
    if (value == 0 || !std::isfinite(value)) return value;
    const double scale = std::pow(10.0, 4 - std::floor(std::log10(std::abs(value))));
    return std::isfinite(scale) && scale > 0 ? std::round(value * scale) / scale : value;
}

/// µs, with the quartiles where there are some.
Json times_of(const Fields& times) {
    Json json{rounded(times.time("us"))};
    if (times.has("low_us") && times.has("high_us"))
        for (const char* quartile : {"low_us", "high_us"})
            json.push_back(rounded(times.time(quartile)));
    return json;
}

/// What files of schema 1 call Clock::stream.
constexpr const char* older_stream = "hot";

/// The times of all clocks; false = there are none.
bool add_times(const Fields& line, Json& row) {
    bool any = false;
    for (const Clock clock : all_clocks) {
        const char* const name = clock_name(clock);
        const char* const field = clock == Clock::stream && !line.has(name) ? older_stream : name;
        if (!line.has(field)) continue;
        row[name] = times_of(line.part(field));
        any = true;
    }
    return any;
}

Json result_of(const Fields& line) {
    Json row{{"value", line.text("value")},
             {"numbers", line.has("numbers") ? line.text("numbers") : own_numbers},
             {"case", line.text("case")},
             {"library", line.text("library")}};
    for (const char* field : {"kernel", "format", "reason", "storage", "profile", "note"})
        if (line.has(field)) row[field] = line.text(field);
    for (const char* field : {"launches", "stored", "bytes", "matrix_bytes"})
        if (line.has(field)) row[field] = line.count(field);
    for (const char* field : {"convert_ms", "plan_ms", "predicted_us"})
        if (line.has(field)) row[field] = rounded(line.number(field));
    if (line.has("measured")) {
        if (!line.json()["measured"].is_array()) line.refuse("measured", "an array");
        for (auto& one : line.json()["measured"]) {
            if (!one.is_object()) line.refuse("measured", "an array of objects");
            const Fields kernel(one, line.where(), "measured.");
            row["measured"].push_back({kernel.text("kernel"), rounded(kernel.time("us"))});
        }
    }
    if (line.has("wrong")) {  // whatever else the line says
        row["wrong"] = line.text("wrong");
    } else if (line.has("none")) {
        row["none"] = line.text("none");
    } else {
        if (!add_times(line, row)) line.refuse("stream", "an object");
        if (line.has("untimed"))
            for (auto& item : line.part("untimed").json().items())
                row["untimed"][item.key()] = line.part("untimed").text(item.key());
    }
    return row;
}

/// A character a cell: '0' for no entries, else '1' … '9' by the logarithm of their number.
std::string shades(const Fields& density, std::int64_t cells) {
    const Json& counts = density.json().value("counts", Json());
    if (!counts.is_array() || std::ssize(counts) != cells)
        density.refuse("counts", fmt::format("an array of {} numbers", cells));
    std::vector<std::int64_t> entries;
    for (auto& count : counts) {
        if (!count.is_number_integer() || count.get<std::int64_t>() < 0)
            density.refuse("counts", "an array of whole numbers from 0");
        entries.push_back(count.get<std::int64_t>());
    }
    const double most =
        entries.empty() ? 0 : static_cast<double>(*std::ranges::max_element(entries));
    std::string text;
    for (const std::int64_t count : entries) {
        const double share = std::log1p(static_cast<double>(count)) / std::log1p(most);
        text +=
            count == 0 ? '0' : static_cast<char>('1' + std::min(8, static_cast<int>(9 * share)));
    }
    return text;
}

Json density_of(const Fields& density) {
    constexpr std::int64_t most = 1000;
    for (const char* side : {"columns", "lines"})
        if (density.count(side) > most) density.refuse(side, "at most 1000");
    const std::int64_t columns = density.count("columns"), lines = density.count("lines");
    return {{"columns", columns}, {"lines", lines}, {"cells", shades(density, columns * lines)}};
}

/// Of the features those that the page shows; each is a number, a truth or an array of numbers.
Json features_of(const Fields& features) {
    Json kept = Json::object();
    const auto plain = [](const Json& value) { return value.is_number() || value.is_boolean(); };
    for (const char* name :
         {"min_row",       "max_row",     "mean_row",         "variance_row",   "empty_rows",
          "row_p50",       "row_p90",     "row_p99",          "row_histogram",  "bandwidth",
          "mean_distance", "max_col",     "empty_cols",       "top_cols_share", "delta_share",
          "block_fill",    "run_sectors", "pattern_symmetry", "value_symmetry", "distinct_values",
          "all_equal",     "exact_f32",   "exact_f16",        "exact_bf16",     "exact_int8"}) {
        if (!features.has(name)) continue;
        const Json& value = features.json()[name];
        if (!plain(value) && !(value.is_array() && std::ranges::all_of(value, plain)))
            features.refuse(name, "a number or an array of numbers");
        kept[name] = value;
        if (value.is_number_float()) kept[name] = rounded(value.get<double>());
        if (value.is_array())
            for (auto& element : kept[name])
                if (element.is_number_float()) element = rounded(element.get<double>());
    }
    return kept;
}

/// "NVIDIA H200 (cuda:0)" or the CPU's name with its threads.
std::string device_label(const Fields& header) {
    const Fields machine = header.part("machine");
    if (machine.has("gpu"))
        return machine.part("gpu").text("name") + " (" + header.text("device") + ")";
    const Fields method = header.part("method");
    return machine.text("cpu") +
           (method.has("threads") ? ", " + plural(method.count("threads"), "thread") : "");
}

/// How fast the device reads, as the header says; of a GPU else as tuning_db says.
Json bandwidth_of(const Fields& header) {
    if (header.has("bandwidth") && !header.json()["bandwidth"].is_null()) {
        const Fields given = header.part("bandwidth");
        Json json{{"source", given.text("source")}, {"read", Json::array()}};
        if (!given.has("read") || !given.json()["read"].is_array())
            given.refuse("read", "an array");
        for (auto& point : given.json()["read"]) {
            if (!point.is_object()) given.refuse("read", "an array of objects");
            const Fields rate(point, given.where(), "bandwidth.read.");
            json["read"].push_back({rate.number("bytes"), rate.number("bytes_per_s")});
        }
        return json;
    }
    const Fields machine = header.part("machine");
    if (!machine.has("gpu")) return nullptr;
    const DeviceProfile* const profile = find_device_profile(machine.part("gpu").text("name"));
    if (profile == nullptr) return nullptr;
    Json json{{"source", profile->file + " of this spmvgen's tuning_db, " + profile->source + " " +
                             profile->date},
              {"read", Json::array()}};
    for (auto& rate : profile->read) json["read"].push_back({rate.bytes, rate.per_s});
    return json;
}

class Collector {
  public:
    void header(const BenchLine& line) {
        const Fields header(line.json, line.where);
        std::string key = header.text("device");
        for (const char* field : {"machine", "versions", "method"})
            key += '\n' +
                   header.part(field).json().dump(-1, ' ', false, Json::error_handler_t::replace);
        const auto [found, fresh] = run_numbers_.try_emplace(key, std::ssize(runs_));
        run_ = found->second;
        if (fresh) runs_.push_back(run_of(header));
        Json& run = runs_[static_cast<std::size_t>(run_)];
        if (header.has("command")) run["commands"].push_back(header.text("command"));
        if (!header.has("peers")) return;
        for (auto& [name, peer] : header.part("peers").json().items())
            if (!run["peers"].contains(name) || peer.contains("version")) run["peers"][name] = peer;
    }

    void result(const BenchLine& line) {
        const Fields fields(line.json, line.where);
        const std::int64_t matrix = matrix_of(fields);
        Json row{{"run", run_}, {"matrix", matrix}};
        row.update(result_of(fields));
        const auto key =
            std::tuple(run_, matrix, row["value"].get<std::string>(),
                       row["numbers"].get<std::string>(), row["case"].get<std::string>());
        const auto [found, fresh] = result_numbers_.try_emplace(key, std::ssize(results_));
        if (fresh)
            results_.push_back(std::move(row));
        else
            results_[static_cast<std::size_t>(found->second)] = std::move(row);
        replaced_ += !fresh;
    }

    ReportData finish(std::vector<std::string> notes) {
        if (replaced_ > 0)
            notes.push_back(plural(replaced_, "result") +
                            " measured more than once: the last counts");
        label_runs();
        ReportData data;
        data.matrices = static_cast<int>(matrices_.size());
        data.results = static_cast<int>(results_.size());
        data.wrong = static_cast<int>(
            std::ranges::count_if(results_, [](auto& row) { return row.contains("wrong"); }));
        data.json = {
            {"notes", notes}, {"runs", runs_}, {"matrices", matrices_}, {"results", results_}};
        data.notes = std::move(notes);
        return data;
    }

  private:
    static Json run_of(const Fields& header) {
        Json run{{"label", device_label(header)},
                 {"date", header.has("date") ? header.text("date").substr(0, 10) : ""},
                 {"device", header.text("device")},
                 {"machine", header.part("machine").json()},
                 {"versions", header.part("versions").json()},
                 {"method", header.part("method").json()},
                 {"bandwidth", bandwidth_of(header)},
                 {"commands", Json::array()},
                 {"peers", Json::object()}};
        return run;
    }

    std::int64_t matrix_of(const Fields& line) {
        const auto key = std::tuple(line.text("matrix"), line.count("rows"), line.count("cols"),
                                    line.count("nnz"));
        const auto [found, fresh] = matrix_numbers_.try_emplace(key, std::ssize(matrices_));
        if (fresh) {
            Json matrix{{"name", std::get<0>(key)},
                        {"rows", std::get<1>(key)},
                        {"cols", std::get<2>(key)},
                        {"nnz", std::get<3>(key)}};
            if (const Twin* const twin = find_twin(std::get<0>(key)); twin != nullptr)
                matrix["class"] = std::string(twin->structure);
            matrices_.push_back(std::move(matrix));
        }
        Json& matrix = matrices_[static_cast<std::size_t>(found->second)];
        if (line.has("class")) matrix["class"] = line.text("class");
        if (line.has("about")) {
            const std::string numbers = line.has("numbers") ? line.text("numbers") : own_numbers;
            about(matrix, line.part("about"),
                  line.text("value") + (numbers == own_numbers ? "" : " " + numbers));
        }
        return found->second;
    }

    /// `values`: "f64", "f64 random".
    static void about(Json& matrix, const Fields& about, const std::string& values) {
        if (about.has("density")) matrix["density"] = density_of(about.part("density"));
        if (about.has("features")) matrix["features"][values] = features_of(about.part("features"));
    }

    /// Labels that differ: with the date, then with a number.
    void label_runs() {
        for (int pass = 0; pass < 2; ++pass) {
            std::map<std::string, int> seen;
            for (auto& run : runs_) ++seen[run["label"].get<std::string>()];
            std::map<std::string, int> number;
            for (auto& run : runs_) {
                const std::string label = run["label"].get<std::string>();
                if (seen[label] > 1)
                    run["label"] = pass == 0 ? label + ", " + run["date"].get<std::string>()
                                             : fmt::format("{}, {}", label, ++number[label]);
            }
        }
    }

    std::vector<Json> runs_, matrices_, results_;
    std::int64_t run_ = 0;
    int replaced_ = 0;
    std::map<std::string, std::int64_t> run_numbers_;
    std::map<std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>, std::int64_t>
        matrix_numbers_;
    std::map<std::tuple<std::int64_t, std::int64_t, std::string, std::string, std::string>,
             std::int64_t>
        result_numbers_;
};

}  // namespace

ReportData read_report_data(const std::vector<std::string>& paths) {
    Collector collector;
    std::vector<std::string> notes;
    bool any = false;
    for (auto& path : paths)
        for (auto& line : read_bench_lines(path, notes)) {
            const bool is_header = line.json.contains("kind");
            any |= !is_header;
            if (is_header)
                collector.header(line);
            else
                collector.result(line);
        }
    if (!any)
        throw Error(ErrorCode::invalid_input,
                    paths.front() + (paths.size() > 1 ? " and the others have" : ": has") +
                        " no results, only headers");
    return collector.finish(std::move(notes));
}

}  // namespace spmvgen::cli
