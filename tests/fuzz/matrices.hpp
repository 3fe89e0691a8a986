#pragma once
#include <optional>
#include <string>

#include "matrix/read/reader.hpp"

namespace spmvgen::fuzz {

/// What became of reading a file: the matrix, or why not.
struct Reading {
    std::optional<CsrMatrix> matrix;
    std::string refusal;
};

/// Reads; anything but a matrix that keeps what CsrMatrix promises, or an Error(invalid_input) that
/// names the file, aborts.
Reading read(const std::string& path, const ReadOptions& options);

/// Sizes, types and arrays, bit for bit; one NaN is as good as another with `any_nan`.
bool same(const CsrMatrix& a, const CsrMatrix& b, bool any_nan);

/// Writes the matrix in each form, reads it back, and compares.
void check_round_trips(const CsrMatrix& matrix);

}  // namespace spmvgen::fuzz
