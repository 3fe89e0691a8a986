#pragma once
#include <vector>

#include "bench/clock.hpp"
#include "text/output.hpp"

namespace spmvgen::cli {

/// The line of a row of results for people: times by these clocks with quartiles, or why a clock
/// has none; "none: WHY", or "WRONG: WHAT", which has no time.
std::string bench_line(const Json& row, const std::vector<Clock>& clocks);

/// The line above such lines.
std::string bench_title(const std::vector<Clock>& clocks);

}  // namespace spmvgen::cli
