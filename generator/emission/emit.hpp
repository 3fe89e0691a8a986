#pragma once
#include <string>

#include "spmvgen/kernel.hpp"

namespace spmvgen {
namespace specializer {
class KeptTemplates;
}

/// The specialised source of a signature, absent parameters filled in. `command` is what the
/// provenance header says made it; "" = the canonical `spmvgen emit` line. Pure: the same bytes in
/// any process, directory and locale. Thread safe. Throws Error(invalid_argument) for a signature
/// that the registry refuses, Error(invalid_input) "templates/FILE:LINE: …" for a bad template,
/// Error(internal) when template, registry and dialect do not fit together.
KernelSource emit_kernel(const Signature& signature, const std::string& command);

/// The same bytes, in less time where a kernel of that template was emitted before. Any number of
/// threads may share `kept`.
KernelSource emit_kernel(const Signature& signature, const std::string& command,
                         specializer::KeptTemplates& kept);

}  // namespace spmvgen
