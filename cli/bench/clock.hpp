#pragma once
#include <array>
#include <string>
#include <vector>

namespace spmvgen::cli {

/// How a product is timed (docs/how-to/benchmark-and-report.md).
enum class Clock {
    stream,  ///< products back to back on a stream
    graph,   ///< products of a CUDA graph: without what the host takes to launch each
    solver,  ///< a vector update, as solvers have, behind each product
    cold     ///< one product, after the caches were emptied
};

inline constexpr std::array all_clocks{Clock::stream, Clock::graph, Clock::solver, Clock::cold};

/// "stream": as --clock spells it; the field of a result with its times.
const char* clock_name(Clock clock);
/// How it is done, for people.
const char* clock_text(Clock clock);

/// What --clock names, in the order of all_clocks. Throws UsageError for a clock that is not known,
/// one that is given twice, and one that the device ("host", "cuda:0") does not have.
std::vector<Clock> parse_clocks(const std::vector<std::string>& names, const std::string& device);

}  // namespace spmvgen::cli
