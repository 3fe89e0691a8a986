#pragma once
#include <complex>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "matrix/csr_matrix.hpp"
#include "matrix/read/reader.hpp"

namespace spmvgen {

/// A file that lives as long as the object, in a folder of its own.
class TestFile {
  public:
    explicit TestFile(std::string_view content, const std::string& name = "a.mtx");
    ~TestFile();
    TestFile(const TestFile&) = delete;
    TestFile& operator=(const TestFile&) = delete;
    const std::string& path() const { return path_; }

  private:
    std::string folder_;
    std::string path_;
};

/// `text` as one gzip member.
std::string gzip(std::string_view text);
std::string content_of(const std::string& path);

/// The matrix as "row col value" triples, in the order of the arrays; values as complex numbers.
struct Entry {
    std::int64_t row, col;
    std::complex<double> value;
    bool operator==(const Entry&) const = default;
};
void PrintTo(const Entry& entry, std::ostream* out);
std::vector<Entry> entries(const CsrMatrix& matrix);

/// Reads a text; threads and block size as given.
CsrMatrix read_text(std::string_view text, const ReadOptions& options = {});

/// The message that reading `text` fails with, its path replaced by "F"; "" when it does not fail.
std::string failure(std::string_view text, const ReadOptions& options = {});

/// Array for array, bit for bit.
bool identical(const CsrMatrix& a, const CsrMatrix& b);

}  // namespace spmvgen
