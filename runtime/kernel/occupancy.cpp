#include <algorithm>

#include "spmvgen/kernel.hpp"

namespace spmvgen {
namespace {

int rounded_up(int number, int granule) {
    return (number + granule - 1) / granule * granule;
}

}  // namespace

double occupancy(const Target& target, const KernelFacts& facts, const Step& step) {
    const GpuUnit& unit = architecture(target).gpu;
    if (unit.max_wavefronts == 0 || step.block <= 0) return 0;
    const int per_lane = unit.registers / (unit.simds * facts.wavefront);
    const int registers = rounded_up(std::max(facts.registers, 1), unit.register_granule);
    const int by_registers = unit.simds * (per_lane / registers);
    const int block_wavefronts = rounded_up(step.block, facts.wavefront) / facts.wavefront;
    std::int64_t blocks = std::min(unit.max_blocks, unit.max_wavefronts / block_wavefronts);
    blocks = std::min<std::int64_t>(blocks, by_registers / block_wavefronts);
    const std::int64_t shared = facts.shared_bytes + step.shared_bytes;
    if (shared > 0) blocks = std::min(blocks, unit.shared_bytes / shared);
    return static_cast<double>(blocks * block_wavefronts) / unit.max_wavefronts;
}

}  // namespace spmvgen
