#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kernel/refuse.hpp"
#include "spmvgen/error.hpp"
#include "tuner/files/json_text.hpp"
#include "tuner/profiles/device_profile.hpp"

namespace spmvgen {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* device_kind = "device-profile";
constexpr int device_first_schema = 1, device_schema = 2;
constexpr double most_profile_figure = 1e18;
constexpr std::int64_t most_threads = 65536, most_units = 1 << 20;

template <typename T>
T device_field(const Json& json, const char* name) {
    try {
        return json.at(name).get<T>();
    } catch (const nlohmann::json::exception&) {
        refuse_input(fmt::format("field '{}' is missing or of another type", name));
    }
}

/// The field itself, which may be large.
const Json& whole_field(const Json& json, const char* name) {
    const auto field = json.find(name);
    if (field == json.end())
        refuse_input(fmt::format("field '{}' is missing or of another type", name));
    return *field;
}

/// A figure of a real device: its reciprocal is a number, too.
double positive(const Json& json, const char* name) {
    const double value = device_field<double>(json, name);
    if (!(value > 0) || !(value <= most_profile_figure))
        refuse_input(
            fmt::format("field '{}' is not a positive number up to {}", name, most_profile_figure));
    return value;
}

double spread_of(const Json& json) {
    const double spread = device_field<double>(json, "spread");
    if (!(spread >= 0) || !(spread <= most_profile_figure))
        refuse_input("field 'spread' is not a number from 0 on");
    return spread;
}

int whole(const Json& json, const char* name, std::int64_t most) {
    const auto value = integer_of(whole_field(json, name), 0, most);
    if (!value) refuse_input(fmt::format("field '{}' is not a whole number of 0…{}", name, most));
    return static_cast<int>(*value);
}

/// A list of rates; in schema 1 without spreads.
struct RateList {
    const char* name;
    const char* rate;  ///< field of the rate
    std::vector<DeviceRate> DeviceProfile::* member;
};
constexpr RateList lists[] = {{"read", "bytes_per_s", &DeviceProfile::read},
                              {"copy", "bytes_per_s", &DeviceProfile::copy},
                              {"gather", "per_s", &DeviceProfile::gather},
                              {"atomics", "per_s", &DeviceProfile::atomics}};

struct FigureField {
    const char* name;
    Figure DeviceProfile::* member;
};
constexpr FigureField figures[] = {{"launch_us", &DeviceProfile::launch_us},
                                   {"first_kernel_ms", &DeviceProfile::first_kernel_ms},
                                   {"kernel_ms", &DeviceProfile::kernel_ms},
                                   {"load_ms", &DeviceProfile::load_ms},
                                   {"convert_bytes_per_s", &DeviceProfile::convert_bytes_per_s}};

/// A figure of DeviceSheet, and the least that can be one.
struct SheetField {
    const char* name;
    double DeviceSheet::* member;
    double least;
};
constexpr SheetField sheet_fields[] = {{"clock_ghz", &DeviceSheet::clock_ghz, 1e-3},
                                       {"memory_bytes_per_s", &DeviceSheet::memory_bytes_per_s, 1},
                                       {"l2_bytes", &DeviceSheet::l2_bytes, 1}};

DeviceSheet parse_sheet(const Json& json) {
    DeviceSheet sheet;
    for (auto& field : sheet_fields) {
        if (!json.contains(field.name)) continue;
        sheet.*field.member = positive(json, field.name);
        if (sheet.*field.member < field.least)
            refuse_input(fmt::format("field '{}' is at least {}", field.name, field.least));
    }
    return sheet;
}

DeviceRate parse_rate(const Json& json, const RateList& list, bool with_spread) {
    DeviceRate rate{whole(json, "threads", most_threads), positive(json, "bytes"),
                    positive(json, list.rate), with_spread ? spread_of(json) : 0};
    if (rate.bytes < 1 || rate.per_s < 1)
        refuse_input(fmt::format("fields 'bytes' and '{}' are at least 1", list.rate));
    return rate;
}

std::vector<DeviceRate> parse_rates(const Json& json, const RateList& list, bool with_spread) {
    const Json& rates = whole_field(json, list.name);
    if (!rates.is_array()) refuse_input(fmt::format("field '{}' is no list, or empty", list.name));
    std::vector<DeviceRate> parsed;
    for (auto& rate : rates) parsed.push_back(parse_rate(rate, list, with_spread));
    return parsed;
}

std::vector<RegionTime> parse_regions(const Json& json) {
    const Json& regions = whole_field(json, "regions");
    if (!regions.is_array() || regions.empty())
        refuse_input("field 'regions' is no list, or empty");
    std::vector<RegionTime> parsed;
    for (auto& region : regions)
        parsed.push_back(
            {whole(region, "threads", most_threads), positive(region, "us"), spread_of(region)});
    return parsed;
}

/// A figure that is known.
Figure parse_figure(const Json& json, const char* name) {
    const Json& object = whole_field(json, name);
    if (!object.is_object())
        refuse_input(fmt::format("field '{}' is missing or of another type", name));
    try {
        return {positive(object, "value"), spread_of(object)};
    } catch (const Error& error) {
        refuse_input(fmt::format("field '{}': {}", name, error.what()));
    }
}

void check_read(const DeviceProfile& p) {
    if (p.read.empty()) refuse_input("field 'read' is no list, or empty");
}

void parse_first_schema(const Json& json, DeviceProfile& p) {
    p.launch_us = {positive(json, "launch_us"), 0};
    p.read = parse_rates(json, lists[0], false);
    check_read(p);
}

/// A data sheet without rates is there to scale others' by.
void check_sheet(const DeviceProfile& p) {
    for (auto& field : sheet_fields)
        if (p.units == 0 || p.rated.*field.member == 0)
            refuse_input(
                "without rates it has to have units, clock_ghz, memory_bytes_per_s and l2_bytes");
}

void parse_rest(const Json& json, DeviceProfile& p) {
    p.arch = device_field<std::string>(json, "arch");
    p.units = whole(json, "units", most_units);
    p.rated = parse_sheet(json);
    p.source = device_field<std::string>(json, "source");
    p.assumed = device_field<std::vector<std::string>>(json, "assumed");
    const bool has_rates = p.source != sheet_source || json.contains("read");
    for (auto& f : figures)
        if ((has_rates && f.member == &DeviceProfile::launch_us) || json.contains(f.name))
            p.*f.member = parse_figure(json, f.name);
    if (!has_rates) return check_sheet(p);
    if (json.contains("regions")) p.regions = parse_regions(json);
    for (auto& list : lists)
        if (list.member == &DeviceProfile::read || json.contains(list.name))
            p.*list.member = parse_rates(json, list, true);
    check_read(p);
}

/// A field with a line for each item; "" without items.
template <typename Item, typename JsonOf>
std::string list_text(const char* name, const std::vector<Item>& items, JsonOf json_of) {
    if (items.empty()) return "";
    std::string text = fmt::format(" \"{}\": [", name);
    for (auto& item : items)
        text += fmt::format("{}\n  {}", &item == &items.front() ? "" : ",", json_of(item).dump());
    return text + "\n ],\n";
}

}  // namespace

std::string to_json(const DeviceProfile& p) {
    Json head{{"kind", device_kind}, {"schema", device_schema}, {"device", p.device},
              {"arch", p.arch},      {"units", p.units},        {"date", p.date},
              {"source", p.source},  {"assumed", p.assumed},    {"method", p.method}};
    for (auto& field : sheet_fields)
        if (p.rated.*field.member > 0) head[field.name] = p.rated.*field.member;
    for (auto& f : figures)
        if (const Figure& figure = p.*f.member; figure.value > 0)
            head[f.name] = {{"value", figure.value}, {"spread", figure.spread}};
    std::string text = "{\n";
    for (auto& [name, value] : head.items())
        text += fmt::format(" {}: {},\n", Json(name).dump(), value.dump());
    text += list_text("regions", p.regions, [](const RegionTime& region) {
        return Json{{"threads", region.threads}, {"us", region.us}, {"spread", region.spread}};
    });
    for (auto& list : lists)
        text += list_text(list.name, p.*list.member, [&](const DeviceRate& rate) {
            return Json{{"threads", rate.threads},
                        {"bytes", rate.bytes},
                        {list.rate, rate.per_s},
                        {"spread", rate.spread}};
        });
    text.erase(text.size() - 2);  // the last comma
    return text + "\n}\n";
}

DeviceProfile parse_device_profile(std::string_view text) {
    const Json json = parse_json_text(text);
    if (!json.is_object() || json.value("kind", Json()) != device_kind)
        refuse_input(fmt::format("it is no {}", device_kind));
    const Json has = json.value("schema", Json());
    if (has != device_first_schema && has != device_schema)
        refuse_input(fmt::format("its schema is {}, but this version reads {} and {}",
                                 has.dump(-1, ' ', true, Json::error_handler_t::replace),
                                 device_first_schema, device_schema));
    DeviceProfile profile;
    profile.device = device_field<std::string>(json, "device");
    profile.date = device_field<std::string>(json, "date");
    profile.method = device_field<std::string>(json, "method");
    has == device_first_schema ? parse_first_schema(json, profile) : parse_rest(json, profile);
    return profile;
}

}  // namespace spmvgen
