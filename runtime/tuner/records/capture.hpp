#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "matrix/csr_matrix.hpp"
#include "matrix/features/features.hpp"
#include "tuner/records/record.hpp"

/// Matrices of an application's handles, written where it runs and tuned elsewhere:
/// docs/how-to/capture.md. A directory with a file DIGEST-QUESTION.capture.json for each matrix and
/// question, and DIGEST.csr with the pattern when that was opted in.
namespace spmvgen {

/// A matrix of which a handle was made, and what the handle was asked. No value of it.
struct Capture {
    std::string pattern;  ///< digest of where its entries are: pattern_digest()
    Features features;
    Question question;
    RecordDevice device;  ///< where the handle was
    std::string kernel;   ///< the handle's, for α = 1, β = 0, or "generic_csr"
    bool operator==(const Capture&) const = default;
};

/// Hex SHA-256 of the sizes and of where the entries are, in their order; the widths of the indices
/// and the values make no difference. Parallel; depends on nothing else.
std::string pattern_digest(const CsrView& matrix);

/// One JSON object, and back. parse_capture takes any bytes; throws Error(invalid_input) that says
/// what is wrong: no JSON, another kind or schema, a field that is missing, of another type or out
/// of range. Fields that are not known are passed over.
std::string to_json(const Capture& capture);
Capture parse_capture(std::string_view text);

/// "0123456789abcdef-01234567.capture.json": the same for the same pattern, type of values and
/// question.
std::string capture_file_name(const std::string& pattern, ValueType values,
                              const Question& question);
/// "0123456789abcdef.csr".
std::string pattern_file_name(const std::string& pattern);

/// A capture that was read.
struct CapturedMatrix {
    Capture capture;
    std::string file;     ///< its path
    std::string pattern;  ///< path of the pattern beside it; "" = there are only features, of
                          ///< which the levels rule and recorded can make something
};

struct CaptureList {
    std::vector<CapturedMatrix> captures;  ///< by file name
    std::vector<std::string> warnings;     ///< of files that were left out, and why
};

/// The captures of a directory, or of one file *.capture.json. What is broken or of another schema
/// is left out, with a warning. Throws Error(io) when `path` cannot be read, Error(invalid_input)
/// when a directory holds no file of that name.
CaptureList read_captures(const std::filesystem::path& path);

/// How a path of a capture ends.
inline constexpr std::string_view capture_ending = ".capture.json";
inline bool is_capture_name(std::string_view path) {
    return path.ends_with(capture_ending);
}

/// The pattern of a capture that has one, as a matrix of ones of the captured type. Its features
/// are those of the capture where values do not matter. Throws Error(invalid_input) when the file
/// is broken or of another matrix, Error(io).
CsrMatrix load_pattern(const CapturedMatrix& captured);

/// Keeps a capture in a directory, which is made when it does not exist, and with `with_pattern`
/// the pattern of `matrix`; what is there already is left as it is. Nobody ever sees a part of a
/// file, whoever writes at the same time. Throws std::system_error or Error(io).
void keep_capture(const std::string& directory, const Capture& capture, const CsrView& matrix,
                  bool with_pattern);

}  // namespace spmvgen
