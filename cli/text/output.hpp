#pragma once
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "spmvgen/matrix.hpp"
#include "text/verb.hpp"

namespace spmvgen::cli {

using Json = nlohmann::ordered_json;

/// Prints one JSON object and a newline. Text that is not UTF-8 (a file name) is replaced, numbers
/// that JSON lacks become null.
void print_json(std::ostream& out, const Json& json);

/// What "-" means in the place of a file that is written.
inline constexpr std::string_view standard_output = "standard output";
inline bool is_standard_output(std::string_view path) {
    return path == "-";
}
/// `path` for messages.
std::string output_name(const std::string& path);

/// Whether both names are of one file, which need not be there; "", "-" and devices are none.
bool is_same_file(const std::string& one, const std::string& other);

/// Lets `write` make the file under a temporary name beside `path` and renames it, so that a
/// failure, or a signal that ends the process, leaves what was at `path` and nothing else; devices
/// and pipes are written to directly. "-" means `out`. Throws Error(io).
void write_file_with(const std::string& path, std::ostream& out,
                     const std::function<void(const std::string&)>& write);

/// Writes `bytes` to `path` that way; "" means `out`, too.
void write_file(const std::string& path, std::string_view bytes, std::ostream& out);

/// Throws UsageError for the name of a gzipped file, where such are not written.
void check_not_gzipped(const std::string& path);

/// How a matrix is written.
enum class MatrixFile { matrix_market, csr_binary };

/// `to` ("mtx", "csr", or "" = by the suffix of `path`). Throws UsageError.
MatrixFile matrix_file_kind(const std::string& path, const std::string& to);
/// Writes it to `path`, "-" meaning `out`.
void save_matrix(const std::string& path, MatrixFile kind, const CsrView& matrix,
                 std::ostream& out);

}  // namespace spmvgen::cli
