#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "devices/device.hpp"

namespace spmvgen {

/// What the steps of a kernel that is no product read and write, by the names of their arguments.
struct StepValues {
    std::map<std::string, const void*> arrays = {};    ///< device pointers, also what is written
    std::map<std::string, std::int64_t> scalars = {};  ///< also what grids count
};

/// Enqueues step `function` of a loaded kernel (the name of the function template) on the default
/// stream. Throws Error(internal), naming kernel and argument, when there is no such step or it
/// wants a value that is not there; as grid_of and Device::launch do.
void launch_step(Device& device, const DeviceKernel& kernel, std::string_view function,
                 const StepValues& values);

}  // namespace spmvgen
