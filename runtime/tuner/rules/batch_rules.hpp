#pragma once
#include <map>
#include <vector>

#include "matrix/features/batch_features.hpp"
#include "registry.hpp"
#include "tuner/rules/choose.hpp"

namespace spmvgen {

/// As choose(), for a batch: the rules look at the batch's figures only. request.batch is taken to
/// be true.
Choice choose_batch(const BatchFeatures& features, const Request& request);

/// Whether choose_batch() may pick the kernel, one of those that the request leaves free.
bool may_pick_batch_kernel(const KernelEntry& kernel, const Request& request);

/// All parameters that choose_batch() may choose for it, whatever the batch.
std::vector<Params> possible_batch_params(const KernelEntry& kernel, const Request& request,
                                          ValueType value);

}  // namespace spmvgen
