#include "tuner/device_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "handle/log.hpp"
#include "spmvgen/error.hpp"
#include "tuner/json_integer.hpp"

namespace spmvgen {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kind = "device-profile";
constexpr int schema = 1;
constexpr double most_figure = 1e18;
constexpr std::int64_t most_threads = 65536;

[[noreturn]] void refuse(const std::string& what) {
    throw Error(ErrorCode::invalid_input, what);
}

template <typename T>
T field(const Json& json, const char* name) {
    try {
        return json.at(name).get<T>();
    } catch (const nlohmann::json::exception&) {
        refuse(fmt::format("field '{}' is missing or of another type", name));
    }
}

/// A figure of a real device: its reciprocal is a number, too.
double positive(const Json& json, const char* name) {
    const double value = field<double>(json, name);
    if (!(value > 0) || !(value <= most_figure))
        refuse(fmt::format("field '{}' is not a positive number up to {}", name, most_figure));
    return value;
}

ReadRate parse_rate(const Json& json) {
    const auto threads = integer_of(field<Json>(json, "threads"), 0, most_threads);
    if (!threads)
        refuse(fmt::format("field 'threads' is not a whole number of 0…{}", most_threads));
    ReadRate rate{static_cast<int>(*threads), positive(json, "bytes"),
                  positive(json, "bytes_per_s")};
    if (rate.bytes < 1 || rate.bytes_per_s < 1)
        refuse("fields 'bytes' and 'bytes_per_s' are at least 1");
    return rate;
}

/// Of the numbers of threads that were measured the nearest, the smaller of two.
int nearest_threads(const std::vector<ReadRate>& rates, int threads) {
    int nearest = rates.front().threads;
    for (auto& rate : rates) {
        const int distance = std::abs(rate.threads - threads), best = std::abs(nearest - threads);
        if (distance < best || (distance == best && rate.threads < nearest)) nearest = rate.threads;
    }
    return nearest;
}

std::vector<DeviceProfile> read_once() {
    std::vector<std::string> warnings;
    std::vector<DeviceProfile> profiles = read_device_profiles(tuning_files("device-"), warnings);
    Log log;
    for (auto& warning : warnings) log.warn(warning);
    return profiles;
}

}  // namespace

double DeviceProfile::read_rate(double bytes, int threads) const {
    const int nearest = nearest_threads(read, threads);
    const ReadRate *below = nullptr, *above = nullptr;
    for (auto& rate : read) {
        if (rate.threads != nearest) continue;
        if (rate.bytes <= bytes && (below == nullptr || rate.bytes > below->bytes)) below = &rate;
        if (rate.bytes >= bytes && (above == nullptr || rate.bytes < above->bytes)) above = &rate;
    }
    if (below == nullptr) return above->bytes_per_s;
    if (above == nullptr || above->bytes == below->bytes) return below->bytes_per_s;
    const double share = std::log(bytes / below->bytes) / std::log(above->bytes / below->bytes);
    return below->bytes_per_s + share * (above->bytes_per_s - below->bytes_per_s);
}

std::string to_json(const DeviceProfile& p) {
    Json rates = Json::array();
    for (auto& rate : p.read)
        rates.push_back(
            {{"threads", rate.threads}, {"bytes", rate.bytes}, {"bytes_per_s", rate.bytes_per_s}});
    const Json json{{"kind", kind},
                    {"schema", schema},
                    {"device", p.device},
                    {"date", p.date},
                    {"method", p.method},
                    {"launch_us", p.launch_us},
                    {"read", std::move(rates)}};
    return json.dump(1) + "\n";
}

DeviceProfile parse_device_profile(std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) refuse("it is not JSON");
    if (!json.is_object() || json.value("kind", Json()) != kind)
        refuse(fmt::format("it is no {}", kind));
    if (json.value("schema", Json()) != schema)
        refuse(fmt::format(
            "its schema is {}, but this version reads {}",
            json.value("schema", Json()).dump(-1, ' ', true, Json::error_handler_t::replace),
            schema));
    DeviceProfile profile{field<std::string>(json, "device"),
                          field<std::string>(json, "date"),
                          field<std::string>(json, "method"),
                          positive(json, "launch_us"),
                          {}};
    const auto rates = field<Json>(json, "read");
    if (!rates.is_array() || rates.empty()) refuse("field 'read' is no list, or empty");
    for (auto& rate : rates) profile.read.push_back(parse_rate(rate));
    return profile;
}

std::vector<DeviceProfile> read_device_profiles(std::span<const TuningFile> files,
                                                std::vector<std::string>& warnings) {
    std::vector<DeviceProfile> profiles;
    for (auto& [name, text] : files) try {
            profiles.push_back(parse_device_profile(text));
            profiles.back().file = std::filesystem::path(name).filename().string();
        } catch (const Error& error) {
            warnings.push_back(fmt::format("tuning file {} is left out: {}", name, error.what()));
        }
    return profiles;
}

const DeviceProfile* find_device_profile(std::string_view device) {
    static const std::vector<DeviceProfile> profiles = read_once();
    const auto found = std::ranges::find(profiles, device, &DeviceProfile::device);
    return found != profiles.end() ? &*found : nullptr;
}

double predict_us(const DeviceProfile& profile, double bytes, int threads, int launches) {
    return 1e6 * bytes / profile.read_rate(bytes, threads) + profile.launch_us * launches;
}

}  // namespace spmvgen
