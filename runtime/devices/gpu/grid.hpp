#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "devices/device.hpp"

namespace spmvgen {

/// The grid that `step` wants for a matrix with these scalars (StoredMatrix's, by name) on a device
/// with `units` multiprocessors or compute units. `kind` is that of the device's target: AMD's
/// devices take fewer blocks. Throws Error(invalid_argument), with numbers and what to do, when the
/// grid is larger than such a device takes, Error(internal) for a step without a grid, with a rule
/// that makes no sense, or that counts a scalar which is not there.
GridLaunch grid_of(const Step& step, const std::map<std::string, std::int64_t>& scalars, int units,
                   TargetKind kind = TargetKind::cuda);

/// Why a device of that kind does not take this launch, and what to do; "" when it does: a device
/// takes 1 to 2147483647 blocks in x, 1 to 65535 in y, 1 to 1024 threads a block, and one of AMD's
/// fewer than 2^32 threads in x.
std::string why_not_launchable(const GridLaunch& launch, TargetKind kind);

}  // namespace spmvgen
