#pragma once
#include "matrix/features/features.hpp"
#include "spmvgen/signature.hpp"

namespace spmvgen {

/// Stored entries over nonzeros, as far as row lengths tell.
double padding_of(const RowFeatures& features, const Signature& signature);

}  // namespace spmvgen
