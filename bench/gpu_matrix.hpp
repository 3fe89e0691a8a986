#pragma once
#include <string>

#include "matrix/csr_matrix.hpp"

namespace spmvgen {

/// What benchmarks of GPUs take: a file that the reader knows, one of ../shared/gallery.py (.csrb:
/// int64 rows, columns, entries; int32 row_ptr, col_idx; float64 values), or a specification of our
/// own gallery.
CsrMatrix read_bench_matrix(const std::string& text);

/// "memplus" of "/path/memplus.mtx.gz"; a gallery specification stays as it is.
std::string bench_matrix_name(const std::string& text);

}  // namespace spmvgen
