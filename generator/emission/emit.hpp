#pragma once
#include <string>

#include "spmvgen/kernel.hpp"

namespace spmvgen {

/// The specialised source of a signature. Pure; see Generator::emit.
KernelSource emit_kernel(const Signature& signature, const std::string& command);

}  // namespace spmvgen
