#include "json_mutation.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

namespace spmvgen::fuzz {
namespace {

using Json = nlohmann::ordered_json;
using Random = std::minstd_rand;

Json another_value(Random& random) {
    static const std::array<Json, 24> values{0,
                                             1,
                                             -1,
                                             2,
                                             4096,
                                             INT32_MAX,
                                             std::int64_t{1} << 31,
                                             INT64_MAX,
                                             INT64_MIN,
                                             UINT64_MAX,
                                             0.5,
                                             -0.0,
                                             1e-320,
                                             1e-9,
                                             9.3e18,
                                             1e308,
                                             -1e308,
                                             1e19,
                                             nullptr,
                                             true,
                                             "",
                                             "a\nb \"c\"",
                                             Json::array(),
                                             Json::object()};
    return values[random() % values.size()];
}

void collect(Json& json, std::vector<Json*>& places) {
    places.push_back(&json);
    if (json.is_structured())
        for (auto& child : json) collect(child, places);
}

/// Changes the members of an array or object.
void change_members(Json& json, Random& random) {
    const std::size_t at = random() % json.size();
    auto it = json.begin();
    std::advance(it, static_cast<std::ptrdiff_t>(at));
    if (random() % 2 == 0)
        json.erase(it);
    else if (json.is_array())
        json.push_back(*it);
    else
        json["x" + std::to_string(random() % 4)] = *it;
}

}  // namespace

std::string mutated_json(std::string_view text, unsigned seed) {
    Random random(seed + 1);
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded() || random() % 4 == 0) return "";
    std::vector<Json*> places;
    collect(json, places);
    Json& place = *places[random() % places.size()];
    if (place.is_structured() && !place.empty() && random() % 4 != 0)
        change_members(place, random);
    else if (random() % 4 == 0)
        place = Json(*places[random() % places.size()]);
    else
        place = another_value(random);
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace spmvgen::fuzz
