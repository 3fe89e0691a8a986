#pragma once
#include <cstdint>

#include "matrix/buffer.hpp"
#include "spmvgen/types.hpp"

namespace spmvgen {

/// Where the values of a matrix come from that was made of another one with the same numbers:
/// sorted, transposed or permuted. Value k is that of entry from[k], or, with `begins`, the sum of
/// those of entries from[begins[k]] … from[begins[k+1]-1], added in this order.
struct ValueOrder {
    IndexType type = IndexType::i32;  ///< of both arrays
    Buffer from;                      ///< empty, where values come in the same order
    Buffer begins;                    ///< empty: one entry each
    std::int64_t count = 0;           ///< of values
    bool conjugate = false;           ///< complex values are conjugated
    /// Empty: each value for itself. Else, of pieces of values, how many come before each, then
    /// their number: those of piece p are of entries from[p], from[p] + 1, …
    Buffer pieces = {};

    std::int64_t bytes() const {
        return static_cast<std::int64_t>(from.bytes() + begins.bytes() + pieces.bytes());
    }
};

ValueOrder copy_of(const ValueOrder& order);

/// The values in the new order. Parallel; threads = 0: what OpenMP would use.
Buffer ordered_values(const ValueOrder& order, ValueType type, const void* given, int threads);

}  // namespace spmvgen
