// The warp operations of BlockRunner: which threads of a warp go on together, and with what.
#include <algorithm>
#include <bit>

#include "devices/simt/block_runner.hpp"

namespace spmvgen {

namespace {

/// What a lane gets that asks for a value nobody has put there.
constexpr std::uint64_t undefined_value = ~std::uint64_t{0};

bool same_place(const spmvgen_simt_warp_call& a, const spmvgen_simt_warp_call& b) {
    return a.operation == b.operation && a.line == b.line && a.masked == b.masked &&
           a.mask == b.mask;
}

/// The lane whose value `lane` gets.
unsigned source_lane(const spmvgen_simt_warp_call& call, unsigned lane) {
    const auto width = static_cast<unsigned>(call.width);
    const unsigned in_segment = lane & (width - 1);
    const unsigned last = lane | (width - 1);
    switch (call.operation) {
        case spmvgen_simt_shfl:
            return (lane - in_segment) + (call.operand & (width - 1));
        case spmvgen_simt_shfl_up:
            return in_segment >= call.operand ? lane - call.operand : lane;
        case spmvgen_simt_shfl_down:
            return call.operand < width - in_segment ? lane + call.operand : lane;
        // Lanes of earlier segments can be read, as on the devices; those of later ones cannot.
        case spmvgen_simt_shfl_xor:
            return (lane ^ call.operand) <= last ? lane ^ call.operand : lane;
        default:
            return lane;
    }
}

}  // namespace

bool BlockRunner::complete_warp(unsigned first) {
    const unsigned lanes = std::min(warp_, size() - first);
    std::uint64_t live = 0, masked = 0, unmasked = 0;
    for (unsigned lane = 0; lane < lanes; lane++) {
        const auto& thread = threads_[first + lane];
        const std::uint64_t bit = std::uint64_t{1} << lane;
        if (thread.state != ThreadState::returned) live |= bit;
        if (thread.state == ThreadState::at_warp_operation)
            (thread.call.masked ? masked : unmasked) |= bit;
    }
    const auto call = [&](std::uint64_t set) -> const spmvgen_simt_warp_call& {
        return threads_[first + static_cast<unsigned>(std::countr_zero(set))].call;
    };
    const auto at_same_place = [&](std::uint64_t set, const spmvgen_simt_warp_call& place) {
        std::uint64_t group = 0;
        for (; set != 0; set &= set - 1)
            if (same_place(call(set), place)) group |= set & -set;
        return group;
    };
    bool completed = false;
    while (masked != 0) {
        const auto& place = call(masked);
        const auto group = at_same_place(masked, place);
        masked &= ~group;
        if (group != (place.mask & live)) continue;
        complete_group(first, group);
        completed = true;
    }
    if (completed || unmasked == 0) return completed;
    // A wavefront that has diverged: who is furthest behind in the text goes first, so that the
    // lanes of a loop or branch come to where the others wait.
    const spmvgen_simt_warp_call* behind = &call(unmasked);
    for (auto set = unmasked; set != 0; set &= set - 1)
        if (call(set).line < behind->line) behind = &call(set);
    complete_group(first, at_same_place(unmasked, *behind));
    return true;
}

void BlockRunner::complete_group(unsigned first, std::uint64_t group) {
    std::uint64_t votes = 0;
    for (auto set = group; set != 0; set &= set - 1)
        if (threads_[first + static_cast<unsigned>(std::countr_zero(set))].call.value != 0)
            votes |= set & -set;
    for (auto set = group; set != 0; set &= set - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(set));
        auto& thread = threads_[first + lane];
        const auto source = source_lane(thread.call, lane);
        thread.result = thread.call.operation == spmvgen_simt_ballot ? votes
                        : (group >> source & 1) != 0 ? threads_[first + source].call.value
                                                     : undefined_value;
    }
    const auto take_up = [&](unsigned lane) {
        threads_[first + lane].state = ThreadState::ready;
        ready_.push_back(first + lane);
    };
    if (reverse_)
        for (auto set = group; set != 0;) {
            const auto lane = 63 - static_cast<unsigned>(std::countl_zero(set));
            take_up(lane);
            set &= ~(std::uint64_t{1} << lane);
        }
    else
        for (auto set = group; set != 0; set &= set - 1)
            take_up(static_cast<unsigned>(std::countr_zero(set)));
}

}  // namespace spmvgen
