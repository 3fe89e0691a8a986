#pragma once
#include "specializer/specialize.hpp"
#include "spmvgen/signature.hpp"

namespace spmvgen {

/// Has each step take a pointer, alpha_at or beta_at, in the place of the number α or β that the
/// signature says is in the device's memory, and begin by reading it.
void read_device_scalars(specializer::Specialized& text, const Signature& signature);

}  // namespace spmvgen
