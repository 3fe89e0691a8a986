// A round of a search by breadth from many rows of A at once, on the device that has A: what the columns
// of the rows name that were reached in the round before.
//
// What:       as regions_of_rows() finds out on the host, bit for bit: of all that reach a row in the same
//             round the first region has it, whoever came first.
// Source:     ours.
// Parameters: block  128, 256, 512, 1024: threads of a block.
// Work:       a row a thread, which leaves at once unless its row was reached in the round before.
// Reads:      of each row when it was reached; columns of the rows of one round; where these lead,
//             anywhere.
#pragma once
#include "dialect/convert/gpu_convert_orders.hpp"

constexpr int round_shift = 32;  ///< of a mark: the round is above the number of the region

/// Lowers a number; whether it was larger.
[[gnu::always_inline]] inline bool lower(unsigned long long* address, unsigned long long number) {
    return number < *address && number < atomicMin(address, number);
}

template <typename Index, typename Offset, int block>
void search_round(long num_rows, long round, const Offset* __restrict__ row_ptr,
                  const Index* __restrict__ csr_col_idx, unsigned long long* reached,
                  unsigned* __restrict__ went_on) {
    const long row = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (row < num_rows) {
        const unsigned long long own = reached[row];
        const unsigned long long now = static_cast<unsigned long long>(round);
        if ((own >> round_shift) + 1 == now) {
            const unsigned long long mark = now << round_shift | (own & 0xffffffffull);
            bool goes_on = false;
            bool outside = false;
            for (Offset k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
                const long column = csr_col_idx[k];
                if (is_row(column, num_rows)) {
                    goes_on |= lower(reached + column, mark);
                } else {
                    outside = true;
                }
            }
            if (goes_on) {
                went_on[round] = 1u;
            }
            if (outside) {
                went_on[0] = 1u;
            }
        }
    }
}
