#include "bench/header.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ctime>

#include "bench/results.hpp"
#include "doctor/machine.hpp"
#include "measure/bandwidth.hpp"
#include "tuner/profiles/device_profile.hpp"

namespace spmvgen::cli {
namespace {

constexpr int schema = 2;

Json peers_json(const std::vector<FoundPeer>& peers) {
    Json all = Json::object();
    for (auto& found : peers)
        all[found.name] =
            found.peer ? Json{{"version", found.peer->version()}, {"path", found.peer->path()}}
                       : Json{{"absent", found.absent}};
    return all;
}

Json clocks_json(const CaseMethod& method) {
    Json clocks = Json::object();
    for (const Clock clock : method.clocks) clocks[clock_name(clock)] = clock_text(clock);
    return clocks;
}

Json method_json(const Place& place, const CaseMethod& method) {
    return {
        {"x", "uniform in [0.5, 1.5), seed 7"},
        {"random_values", "uniform in [0.5, 1.5), seed 11"},
        {"product", "y = Ax"},
        {"check", "before and after timing, against a compensated reference"},
        {"timer", place.timer()},
        {"threads", place.threads()},
        {"seconds_a_case", method.seconds},
        {"clocks", clocks_json(method)},
        {"flush_bytes", method.has(Clock::cold) ? place.flush_bytes() : 0},
        {"cache_bytes", place.cache_bytes()},
        {"statistic", "median of the samples, with quartiles; spread = their distance / median"},
        {"bytes", "each array of A, x and y counted once"}};
}

/// How fast bytes can be read there: what the roofline of a report is drawn by. Null = not known.
Json bandwidth_json(const BenchOptions& o, const Place& place) {
    if (place.device() == nullptr) {
        if (o.json.empty() || place.flush_bytes() == 0) return nullptr;
        const Bandwidth measured = measure_bandwidth(place.threads(), place.flush_bytes());
        return {{"source", "measured before the first case"},
                {"read", {{{"bytes", measured.bytes}, {"bytes_per_s", measured.best()}}}}};
    }
    const DeviceProfile* const profile = find_device_profile(place.device()->facts().name);
    if (profile == nullptr) return nullptr;
    Json read = Json::array();
    for (auto& rate : profile->read)
        read.push_back({{"bytes", rate.bytes}, {"bytes_per_s", rate.per_s}});
    return {{"source", profile->file + ", " + profile->source + " " + profile->date},
            {"read", read}};
}

}  // namespace

std::string command_of(const BenchOptions& o) {
    std::string text = fmt::format("spmvgen bench {}", fmt::join(o.matrices, " "));
    if (o.matrices.empty()) text.pop_back();
    const auto add = [&](const char* name, const std::string& value) {
        text += fmt::format(" {} {}", name, value);
    };
    const auto list = [](const std::vector<std::string>& words) {
        return fmt::format("{}", fmt::join(words, ","));
    };
    if (!o.suite.empty()) add("--suite", o.suite);
    if (o.scale != 1) add("--scale", fmt::format("{}", o.scale));
    add("--device", o.device);
    if (!o.formats.empty()) add("--formats", list(o.formats));
    add("--kernels", list(o.kernels));
    add("--against", list(o.against));
    add("--value", list(o.values));
    if (o.numbers != std::vector<std::string>{"own"}) add("--numbers", list(o.numbers));
    if (o.encodings != "auto") add("--encodings", o.encodings);
    if (o.num_rhs != 1) add("--rhs", std::to_string(o.num_rhs));
    if (o.layout != "row") add("--layout", o.layout);
    add("--clock", list(o.clocks));
    if (!o.cusparse.empty()) add("--cusparse", o.cusparse);
    if (o.threads > 0) add("--threads", std::to_string(o.threads));
    if (o.arch != "native") add("--arch", o.arch);
    if (o.rounds > 1) add("--rounds", std::to_string(o.rounds));
    add("--budget", o.budget);
    if (o.flush_bytes > 0) add("--flush", std::to_string(o.flush_bytes));
    if (!o.json.empty()) add("--json", o.json);
    return text;
}

Json bench_header(const BenchOptions& o, Place& place, const CaseMethod& method,
                  const std::vector<FoundPeer>& peers) {
    Json how = method_json(place, method);
    if (o.encodings != "auto") how["encodings"] = o.encodings;
    if (o.num_rhs != 1) how["rhs"] = o.num_rhs;
    if (o.layout != "row") how["layout"] = o.layout;
    if (o.arch != "native") how["arch"] = o.arch;
    if (o.rounds > 1) how["rounds"] = o.rounds;
    return {{"kind", bench_kind},
            {"schema", schema},
            {"date", fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)))},
            {"command", command_of(o)},
            {"device", o.device},
            {"machine", machine_json(place.device())},
            {"versions", versions_json()},
            {"peers", peers_json(peers)},
            {"method", how},
            {"bandwidth", bandwidth_json(o, place)},
            {"empty_cold_sample_us", method.has(Clock::cold) ? place.empty_sample_us() : 0}};
}

}  // namespace spmvgen::cli
