#pragma once
#include <array>

#include "matrix/csr_matrix.hpp"
#include "matrix/files/text_source.hpp"
#include "matrix/read/reader.hpp"

namespace spmvgen {

/// How a file of the binary CSR form starts (docs/reference/files.md).
inline constexpr std::array<char, 8> csr_binary_magic{'\x89', 'S', 'P', 'M', 'V', 'C', 'S', 'R'};

/// Reads the binary CSR form; threads read, check and copy in parallel. Throws Error(invalid_input)
/// `file: what is wrong`, Error(io).
CsrMatrix read_csr_binary(const InputFile& file, const ReadOptions& options, FileHeader& header);

}  // namespace spmvgen
