#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "spmvgen/batch.hpp"
#include "spmvgen/error.hpp"
#include "spmvgen/matrix.hpp"

namespace spmvgen {

/// What a batch of matrices looks like: all that the tuner looks at. Sums and maxima are over the
/// systems.
struct BatchFeatures {
    BatchKind kind = BatchKind::flexible;
    ValueType value_type = ValueType::f64;
    std::int64_t systems = 0;
    std::int64_t rows = 0, cols = 0, nnz = 0;  ///< sums
    std::int64_t max_rows = 0, max_cols = 0, max_nnz = 0;
    std::int64_t max_shared_cols = 0;  ///< columns of the widest system whose x has at most 48 KiB
    std::int64_t max_row = 0;          ///< entries of the longest row
    std::int64_t ell_entries = 0;      ///< Σ rows · longest row: what ELL stores, beside rounding
    double mean_row() const {
        return rows > 0 ? static_cast<double>(nnz) / static_cast<double>(rows) : 0;
    }
    bool operator==(const BatchFeatures&) const = default;
};

/// Checks and analyses the systems; parallel, one pass. Throws Error(invalid_argument) that names
/// the first broken one: "system 17: …", and Error(invalid_argument) when their value types differ.
BatchFeatures analyse_batch(std::span<const CsrView> systems);

/// The same of `count` times one matrix.
BatchFeatures analyse_repeated(const CsrView& matrix, std::int64_t count);

/// f(), its Error being one of system `number`.
template <typename F>
void in_system(std::int64_t number, F f) {
    try {
        f();
    } catch (const Error& error) {
        throw Error(error.code(), "system " + std::to_string(number) + ": " + error.what());
    }
}

}  // namespace spmvgen
