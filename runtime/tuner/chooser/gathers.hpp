#pragma once
#include "matrix/entry_source.hpp"
#include "spmvgen/matrix.hpp"

namespace spmvgen {

/// The share of the bytes that an apply of CSR asks of a GPU's L2 cache that blocks of 1024 threads
/// would save beside blocks of 256, with a thread a row: those of one block share an L1 cache, so
/// each sector of x (32 bytes) that rows of a block need is fetched once. Estimated from a sample
/// of the rows; 0 for matrices of few rows, and of rows of about 100 entries and more. `vectors` is
/// the type of x. Parallel, with the same result for any number of threads (0 = what OpenMP would
/// use). `source` has the columns where the matrix has none.
double saved_by_large_blocks(const CsrView& matrix, ValueType vectors, int threads = 0,
                             EntrySource* source = nullptr);

}  // namespace spmvgen
