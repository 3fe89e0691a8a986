#pragma once
#include <string>

#include "sets/set_file.hpp"

/// Making sets of kernels.
namespace spmvgen {

/// Adds a kernel, as an entry whose bytes depend on nothing but the kernel and this spmvgen's
/// version. Throws Error(internal) as encode_entry.
void add_entry(SetEntries& entries, const KernelBinary& binary);

/// The header of a set of these entries, which this spmvgen made. Throws BadEntry.
SetHeader header_for(const SetEntries& entries, const std::string& name);

/// Why entry i cannot be used by this spmvgen: damaged, or another's; "" = it can.
std::string why_no_entry(const KernelSet& set, std::size_t i);

}  // namespace spmvgen
