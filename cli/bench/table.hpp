#pragma once
#include "output.hpp"

namespace spmvgen::cli {

/// The line of a row of results for people: times with quartiles, "none: WHY", or "WRONG: WHAT",
/// which has no time.
std::string bench_line(const Json& row);

/// The line above such lines.
std::string bench_title();

}  // namespace spmvgen::cli
