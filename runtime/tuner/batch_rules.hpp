#pragma once
#include "matrix/batch_features.hpp"
#include "tuner/choose.hpp"

namespace spmvgen {

/// As choose(), for a batch: the rules look at the batch's figures only. request.batch is taken to
/// be true.
Choice choose_batch(const BatchFeatures& features, const Request& request);

}  // namespace spmvgen
