#include "bench/rounds.hpp"

#include <algorithm>

#include "bench/clock.hpp"

namespace spmvgen::cli {
namespace {

/// The times of the middle one of rounds, ordered by their medians; of an even number the lower.
Json median_round(const std::vector<Json>& rows, const char* clock) {
    std::vector<const Json*> ordered;
    Json all = Json::array();
    for (auto& row : rows) {
        ordered.push_back(&row[clock]);
        all.push_back(row[clock]["us"]);
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
    bool timed = false;
    for (const Clock each : all_clocks) {
        const char* const clock = clock_name(each);
        const auto without =
            std::ranges::find_if(rows_, [&](auto& other) { return !other.contains(clock); });
        if (without == rows_.end()) {
            row[clock] = median_round(rows_, clock);
            timed = true;
        } else if (row.erase(clock) > 0) {
            row["untimed"][clock] = (*without)["untimed"][clock];
        }
    }
    if (!timed) row["none"] = row["untimed"].begin().value();
    for (auto& other : rows_)
        row["convert_ms"] =
            std::min(row["convert_ms"].get<double>(), other["convert_ms"].get<double>());
    return row;
}

}  // namespace spmvgen::cli
