#pragma once
#include <string_view>
#include <vector>

#include "registry.hpp"
#include "tuner/rules/choose.hpp"

namespace spmvgen {

/// The registry's kernels that a request leaves free to choose from, in the registry's order; never
/// empty. Throws Error(invalid_argument) that says why there is none.
std::vector<const KernelEntry*> candidates(const Request& request);

/// The kernel `id` among them, or null.
const KernelEntry* find_kernel(const std::vector<const KernelEntry*>& among, std::string_view id);

}  // namespace spmvgen
