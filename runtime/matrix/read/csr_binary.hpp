#pragma once
#include "matrix/csr_matrix.hpp"
#include "matrix/files/input_file.hpp"
#include "matrix/read/reader.hpp"

namespace spmvgen {

/// Whether the file starts as the binary CSR form does (docs/reference/files.md).
bool is_csr_binary(const InputFile& file);

/// Reads the binary CSR form; threads read, check and copy in parallel. Throws Error(invalid_input)
/// `file: what is wrong`, Error(io).
CsrMatrix read_csr_binary(const InputFile& file, const ReadOptions& options, FileHeader& header);

}  // namespace spmvgen
