#pragma once
#include <string>

#include "spmvgen/signature.hpp"

namespace spmvgen {

/// What of a signature decides what convert() makes of a matrix: signatures with the same text
/// share the stored matrix.
std::string storage_key(const Signature& signature);

}  // namespace spmvgen
