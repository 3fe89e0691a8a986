// How work is cut into shares of threads: by rows, and by steps along the ends of rows and the
// entries.
#pragma once

/// Where the share of thread number `thread` begins when `total` units of work are cut into
/// `threads` nearly equal shares; share(total, threads, threads) = total.
[[gnu::always_inline]] inline long share(long total, long thread, long threads) {
    return total / threads * thread + total % threads * thread / threads;
}

/// First row of a thread's share when rows are not cut: every thread gets about the same number of
/// rows plus entries. row_ptr has num_rows + 1 elements.
template <typename Offset>
[[gnu::always_inline]] inline long first_row(long num_rows, const Offset* row_ptr, long thread,
                                             long threads) {
    const long work = share(num_rows + row_ptr[num_rows], thread, threads);
    long low = 0;
    long high = num_rows;
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (middle + row_ptr[middle] < work) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Merge path over the rows' ends and the entries of CSR: how many of its first `step` steps end a
/// row; the other steps take an entry. A row's end comes after its entries.
template <typename Offset>
[[gnu::always_inline]] inline long rows_ended(long num_rows, const Offset* row_ptr, long step) {
    long low = 0;
    long high = num_rows;
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (middle + row_ptr[middle + 1] < step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Merge path over the rows' ends and entries that are sorted by row: how many of its first `step` steps take an
/// entry; the other steps end a row.
template <typename Index>
[[gnu::always_inline]] inline long entries_taken(long nnz, const Index* row_idx, long step) {
    long low = 0;
    long high = nnz;
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (middle + row_idx[middle] < step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
