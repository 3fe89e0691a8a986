#pragma once
#include <cstdint>

#include "tuner/profiles/device_profile.hpp"

namespace spmvgen {

/// Stands for what choices are made by beside matrix and request: this library, the profile, of a
/// CPU without what the speed of its cores decides, which each process measures, and the names,
/// sizes and times of change of tuning files. Equal in all processes for which these are
/// equal; looked up once in a process for each directory that $SPMVGEN_TUNING_DB names. Safe to
/// call from any thread.
std::uint64_t situation_of(const DeviceProfile& profile, bool of_cpu);

}  // namespace spmvgen
