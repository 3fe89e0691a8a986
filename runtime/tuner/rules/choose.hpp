#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "matrix/features/features.hpp"
#include "registry.hpp"
#include "tuner/request.hpp"

namespace spmvgen {

/// Level `rule`: constant time, from features alone, no device work. What the request fixes is
/// honoured or refused; kernels that do not have a given parameter are not considered. Throws
/// Error(invalid_argument).
Choice choose(const RowFeatures& features, const Request& request);

/// The signature of choose() where the request names a kernel for single matrices, without the
/// reasons.
Signature with_parameters(const RowFeatures& features, const Request& request);

/// The same kernel for any matrix: with presets where the matrix has decided parameters that are
/// not in `given`, and values stored as `storage`. What kernels that are made ahead are made for.
Signature for_any_matrix(Signature signature, const Params& given, ValueType storage);

/// The registry's kernels that a request leaves free to choose from, in the registry's order; never
/// empty. Throws Error(invalid_argument) that says why there is none.
std::vector<const KernelEntry*> candidates(const Request& request);

/// The kernel `id` among them, or null.
const KernelEntry* find_kernel(const std::vector<const KernelEntry*>& among, std::string_view id);

}  // namespace spmvgen
