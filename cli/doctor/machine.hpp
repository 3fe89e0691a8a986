#pragma once
#include <string>

#include "devices/device.hpp"
#include "text/output.hpp"

namespace spmvgen::cli {

/// The model of this CPU as the system tells it; "unknown" when it does not.
std::string cpu_name();

/// This machine, and the device if it is not null: what measurements must agree in to be compared.
Json machine_json(const Device* device);

/// Versions of spmvgen, the kernel compiler's parts and the generator's digest.
Json versions_json();

}  // namespace spmvgen::cli
