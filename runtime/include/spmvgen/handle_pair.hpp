#pragma once
/// spmvgen: handles of a matrix and of its transpose, made together.
#include <string>

#include "spmvgen/spmvgen.hpp"

namespace spmvgen {

/// A and its transpose, each as a handle of its own: for least squares, linear programs, BiCG.
/// Move-only; threads as for two handles.
struct HandlePair {
    Handle product;     ///< A
    Handle transposed;  ///< Aᵀ, or Aᴴ

    /// Handle::update_values of both, with the values of the given matrix. Where one throws, A may
    /// have the new ones and its transpose the old ones.
    template <typename Value>
    void update_values(const Value* values, Stream stream = {}) {
        product.update_values(values, stream);
        transposed.update_values(values, stream);
    }
};

/// Makes both of one matrix, which is sorted, expanded, brought to index base 0 or out of a
/// device's memory once for the two. `transpose` is the op of the second handle: "T", or "H" for
/// Aᴴ. The options are for both: options.op must be "N"; a format, kernel or order that they ask
/// for is used for both; with options.transpose_by_atomics the transpose reads A's CSR, which stays
/// the caller's with options.copy = false. Throws as the constructors of Handle.
HandlePair make_handle_pair(const CsrView& matrix, const Options& options = {},
                            const std::string& transpose = "T");
HandlePair make_handle_pair(const CooView& matrix, const Options& options = {},
                            const std::string& transpose = "T");
HandlePair make_handle_pair(const CscView& matrix, const Options& options = {},
                            const std::string& transpose = "T");
HandlePair make_handle_pair(const BsrView& matrix, const Options& options = {},
                            const std::string& transpose = "T");

}  // namespace spmvgen
