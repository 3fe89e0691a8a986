#include "devices/gpu/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t max_x = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t max_y = 65535;
constexpr std::int64_t max_block = 1024;
// HIP: blocks times threads are a 32-bit number of the packet that starts the kernel.
constexpr std::int64_t max_hip_threads = std::numeric_limits<std::uint32_t>::max();

constexpr const char* split = "; split the matrix by rows and apply the parts one after another";

std::int64_t max_blocks(TargetKind kind, std::int64_t block) {
    return kind == TargetKind::hip ? std::min(max_x, max_hip_threads / block) : max_x;
}

std::string trouble(std::int64_t x, std::int64_t y, std::int64_t block, TargetKind kind) {
    if (block < 1 || block > max_block)
        return fmt::format("blocks of {} threads; a device takes 1 to {}", block, max_block);
    if (x < 1 || y < 1) return fmt::format("a grid of {} x {} blocks is empty", x, y);
    if (x > max_blocks(kind, block))
        return fmt::format("a grid of {} blocks of {} threads; {} devices take {} such blocks{}", x,
                           block, kind == TargetKind::hip ? "AMD's" : "NVIDIA's",
                           max_blocks(kind, block), split);
    if (y > max_y)
        return fmt::format(
            "a grid of {} groups of right-hand sides; a device takes {}; multiply "
            "with fewer right-hand sides at a time",
            y, max_y);
    return "";
}

[[noreturn]] void defect(const Step& step, const std::string& why) {
    throw Error(ErrorCode::internal, fmt::format("step '{}': {}", step.symbol, why));
}

/// Blocks in x, before any limit of a device.
std::int64_t blocks_of(const GridRule& rule, std::int64_t items, int units) {
    const std::int64_t all = std::max<std::int64_t>(
        1, items / rule.items_per_block + (items % rule.items_per_block != 0));
    return rule.blocks_per_unit == 0 ? all : std::min(all, rule.blocks_per_unit * units);
}

}  // namespace

std::string why_not_launchable(const GridLaunch& launch, TargetKind kind) {
    return trouble(launch.grid[0], launch.grid[1], launch.block, kind);
}

GridLaunch grid_of(const Step& step, const std::map<std::string, std::int64_t>& scalars, int units,
                   TargetKind kind) {
    const GridRule& rule = step.grid;
    if (step.rule != StepRule::grid) defect(step, "it has no grid");
    if (step.joins.step >= 0) {
        if (const std::string why = trouble(step.joins.blocks, 1, step.block, kind); !why.empty())
            defect(step, why);
        return {{static_cast<unsigned>(step.joins.blocks), 1},
                static_cast<unsigned>(step.block),
                0,
                step.overlaps};
    }
    const auto items = scalars.find(rule.items);
    if (items == scalars.end())
        defect(step,
               fmt::format("its grid counts '{}', which the matrix does not have", rule.items));
    if (items->second < 0)
        defect(step, fmt::format("its grid counts {} = {}", rule.items, items->second));
    if (rule.items_per_block < 1 || rule.blocks_per_unit < 0 || rule.groups < 1 ||
        rule.blocks_per_unit > max_x || step.block < 1 || step.shared_bytes < 0)
        defect(step, fmt::format("bad grid rule: {} items a block, {} blocks a unit, {} groups, {} "
                                 "threads, {} bytes of shared memory",
                                 rule.items_per_block, rule.blocks_per_unit, rule.groups,
                                 step.block, step.shared_bytes));
    if (rule.blocks_per_unit > 0 && units < 1)
        defect(step, fmt::format("its grid counts units, of which there are {}", units));
    const std::int64_t x = blocks_of(rule, items->second, units);
    if (const std::string why = trouble(x, rule.groups, step.block, kind); !why.empty())
        throw Error(
            ErrorCode::invalid_argument,
            fmt::format("step '{}' over {} = {}: {}", step.symbol, rule.items, items->second, why));
    return {{static_cast<unsigned>(x), static_cast<unsigned>(rule.groups)},
            static_cast<unsigned>(step.block),
            static_cast<std::size_t>(step.shared_bytes),
            step.overlaps};
}

}  // namespace spmvgen
