#pragma once
#include <string>

#include "matrix/csr_matrix.hpp"

namespace spmvgen {

/// What a file said of its matrix before it became general CSR.
struct FileHeader {
    std::string kind;         ///< "matrix market" or "csr binary"
    std::string layout;       ///< "coordinate" or "array"
    std::string field;        ///< as written: "real", "double", "integer", "complex", "pattern", …
    std::string symmetry;     ///< "general", "symmetric", "skew-symmetric", "hermitian"
    std::int64_t stored = 0;  ///< entries in the file
};

struct ReadOptions {
    int threads = 0;              ///< 0 = what OpenMP would use
    std::size_t block_bytes = 0;  ///< text that a thread takes at a time; 0 = chosen
};

/// Reads a matrix; the file's first bytes tell what it is (Matrix Market plain or gzipped, or CSR
/// binary). Symmetry is expanded, duplicates are added up, rows are sorted by column; real, integer
/// and pattern become f64 (pattern: 1.0), complex becomes c64. Array layout keeps nonzero entries
/// only. Throws Error(invalid_input) `file:line: what is wrong`, Error(io).
CsrMatrix read_matrix(const std::string& path, FileHeader* header = nullptr,
                      const ReadOptions& options = {});

/// Writes Matrix Market "coordinate real|complex general" with digits that read back to the same
/// bits. Throws Error(io).
void write_matrix_market(const std::string& path, const CsrView& matrix);

/// Writes the binary CSR form (docs/reference/files.md). Throws Error(io).
void write_csr_binary(const std::string& path, const CsrView& matrix);

/// Reads a dense vector (Matrix Market array n×1, or coordinate n×1) as `type`; throws as
/// read_matrix, and Error(invalid_input) when it has not `elements` × `columns` entries, or a
/// finite one that would become infinite. Row-major, elements·columns values.
Buffer read_vector(const std::string& path, ValueType type, std::int64_t elements, int columns = 1);

/// Writes a dense row-major elements×columns array as Matrix Market array. Throws Error(io).
void write_vector(const std::string& path, ValueType type, const void* data, std::int64_t elements,
                  int columns = 1);

}  // namespace spmvgen
