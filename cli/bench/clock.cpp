#include "bench/clock.hpp"

#include <algorithm>

#include "text/verb.hpp"

namespace spmvgen::cli {
namespace {

/// Graphs and the vector update are CUDA's.
bool needs_cuda(Clock clock) {
    return clock == Clock::graph || clock == Clock::solver;
}

}  // namespace

const char* clock_name(Clock clock) {
    switch (clock) {
        case Clock::stream:
            return "stream";
        case Clock::graph:
            return "graph";
        case Clock::solver:
            return "solver";
        default:
            return "cold";
    }
}

const char* clock_text(Clock clock) {
    switch (clock) {
        case Clock::stream:
            return "warm-up, then samples of as many applies as fill 1 ms";
        case Clock::graph:
            return "graphs of 100 applies, launched after a warm-up";
        case Clock::solver:
            return "applies with a vector update behind each, less the updates alone";
        default:
            return "single applies, the caches emptied before each";
    }
}

std::vector<Clock> parse_clocks(const std::vector<std::string>& names, const std::string& device) {
    std::vector<Clock> clocks;
    for (auto& name : names) {
        const auto found = std::ranges::find(all_clocks, name, clock_name);
        if (found == all_clocks.end())
            throw UsageError("--clock: unknown '" + name + "': use stream, graph, solver, cold");
        if (needs_cuda(*found) && !device.starts_with("cuda"))
            throw UsageError("--clock: " + name + " is for NVIDIA GPUs, --device cuda:N; on " +
                             device + " there are stream, cold");
        if (std::ranges::count(clocks, *found) > 0)
            throw UsageError("--clock: " + name + " is given twice");
        clocks.push_back(*found);
    }
    std::ranges::sort(clocks);
    return clocks;
}

}  // namespace spmvgen::cli
