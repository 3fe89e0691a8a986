#pragma once
#include <cstdint>
#include <functional>

#include "formats/stored_matrix.hpp"
#include "spmvgen/signature.hpp"

namespace spmvgen {

/// What the entries of A touch of one vector x, for each entry: counted in windows of neighbouring
/// rows, in which what was loaded once is still in a cache.
struct XGathers {
    double lines = 1;    ///< cache lines of a vector that lies by itself
    double columns = 1;  ///< different columns
    int line_bytes = 64;
    int few_vectors = 8;  ///< up to so many, a load for each of them costs what its bytes do
};

/// The windows that a device counts with.
struct XWindow {
    std::int64_t rows = 1;
    int line_bytes = 64;
    int few_vectors = 8;  ///< as XGathers has it
    std::int64_t element_bytes = 8;

    constexpr XWindow of(ValueType type) const {
        return {rows, line_bytes, few_vectors, static_cast<std::int64_t>(size_of(type))};
    }
};

/// Copies bytes of the stored matrix to this host.
using CopyHere = std::function<void(void* to, const void* from, std::size_t bytes)>;

/// Counts a sample of a matrix of so many rows in CSR, SELL or BCSR, of which the fill counts,
/// whose kernel is that of `signature`. {1, 1} where there are no entries.
XGathers count_x_gathers(const StoredMatrix& stored, const Signature& signature, std::int64_t rows,
                         const XWindow& window, const CopyHere& copy);

/// Whether reading x by columns takes no longer than packing it and reading the packed one, for so
/// many entries a column of A: moves no more bytes, or with many vectors a quarter of them.
bool columns_pay(const XGathers& x, double entries_a_column, std::size_t element_bytes,
                 int num_rhs);

}  // namespace spmvgen
