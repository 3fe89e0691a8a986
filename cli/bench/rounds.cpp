#include "bench/rounds.hpp"

#include <algorithm>

namespace spmvgen::cli {
namespace {

/// The times of the middle one of rounds, ordered by their medians; of an even number the lower.
Json median_round(const std::vector<Json>& rows, const char* cache) {
    std::vector<const Json*> ordered;
    Json all = Json::array();
    for (auto& row : rows) {
        ordered.push_back(&row[cache]);
        all.push_back(row[cache]["us"]);
    }
    std::ranges::stable_sort(ordered, {},
                             [](auto* t) { return (*t)["us"].template get<double>(); });
    Json times = *ordered[(ordered.size() - 1) / 2];
    times["rounds_us"] = std::move(all);
    return times;
}

}  // namespace

Json Rounds::row() const {
    for (auto& row : rows_)
        if (row.contains("none") || row.contains("wrong")) return row;
    Json row = rows_.front();
    if (rows_.size() == 1) return row;
    for (const char* cache : {"hot", "cold"})
        if (row.contains(cache)) row[cache] = median_round(rows_, cache);
    for (auto& other : rows_)
        row["convert_ms"] =
            std::min(row["convert_ms"].get<double>(), other["convert_ms"].get<double>());
    return row;
}

}  // namespace spmvgen::cli
