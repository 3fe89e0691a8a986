#pragma once
#include <optional>
#include <string>

#include "matrix/csr_matrix.hpp"
#include "matrix/read/reader.hpp"
#include "tuner/records/capture.hpp"

namespace spmvgen::cli {

/// A matrix as the command line names it, and where it came from.
struct SourcedMatrix {
    std::string name;
    CsrMatrix matrix;
    std::optional<FileHeader> header;  ///< nothing for a generated matrix
    double seconds = 0;                ///< what reading or making it took
    /// What an application's handle was asked and what its matrix looked like, values included;
    /// `matrix` then has ones.
    std::optional<Capture> captured = {};
};

/// `name` is a file (Matrix Market, plain or .gz, or binary CSR; a capture *.capture.json with its
/// pattern beside it) or "gallery:" and a specification of the gallery. A wrong specification is
/// UsageError; else throws as read_matrix.
SourcedMatrix load_matrix(const std::string& name);

/// Gives the matrix the value and index types that --value and --index ask for; "" = as they are.
/// Throws UsageError.
void convert_types(const std::string& value, const std::string& index_name, CsrMatrix& matrix);

/// The text that help gives for such an argument.
inline constexpr const char* matrix_help =
    "a matrix: Matrix Market (plain or .gz), binary CSR, or gallery:SPEC";

}  // namespace spmvgen::cli
