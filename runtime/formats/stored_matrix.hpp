#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "matrix/buffer.hpp"
#include "spmvgen/matrix.hpp"
#include "spmvgen/signature.hpp"

namespace spmvgen {

/// A matrix in the storage format of one kernel: named arrays and scalars, as the kernel's
/// arguments name them. Immutable once made.
struct StoredMatrix {
    Format format = Format::csr;
    std::vector<Buffer> owned;                    ///< keeps the arrays alive that are not borrowed
    std::map<std::string, const void*> arrays;    ///< "row_ptr" → first element
    std::map<std::string, std::int64_t> scalars;  ///< "num_rows" → m
    std::int64_t stored = 0;                      ///< entries with padding
    std::int64_t bytes = 0;                       ///< bytes of the arrays that one apply reads
};

/// Converts `matrix` to the format that `signature`'s kernel reads (its parameters included:
/// "lanes", "sigma", …). Index and offset types become the signature's, values are
/// rounded to its storage type where that is narrower than theirs; CSR arrays of the right types
/// are borrowed when `borrow`, else copied. Parallel. Throws Error(invalid_argument) when the
/// matrix does not fit the signature's types, or when the padded arrays would take more
/// than half of the machine's free memory (the message gives the padding ratio).
StoredMatrix convert(const CsrView& matrix, const Signature& signature, bool borrow);

}  // namespace spmvgen
