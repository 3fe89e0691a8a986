#pragma once
#include "matrix/csr_matrix.hpp"
#include "matrix/files/text_source.hpp"
#include "matrix/read/market_header.hpp"
#include "matrix/read/reader.hpp"

namespace spmvgen {

/// Reads a Matrix Market text, plain or gzipped, as read_matrix does. `header`, when given, gets
/// what the banner and the size line say.
CsrMatrix read_matrix_market(const InputFile& file, const ReadOptions& options,
                             MarketHeader* header = nullptr);

}  // namespace spmvgen
