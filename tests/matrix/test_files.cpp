#include "test_files.hpp"

#include <zlib.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <stdexcept>

#include "spmvgen/error.hpp"

namespace spmvgen {

TestFile::TestFile(std::string_view content, const std::string& name) {
    folder_ = (std::filesystem::temp_directory_path() / "spmvgen_test_XXXXXX").string();
    if (mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = folder_ + "/" + name;
    std::ofstream(path_, std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
}

TestFile::~TestFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::string gzip(std::string_view text) {
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string result(deflateBound(&stream, text.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(result.data());
    stream.avail_out = static_cast<uInt>(result.size());
    deflate(&stream, Z_FINISH);
    result.resize(stream.total_out);
    deflateEnd(&stream);
    return result;
}

std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void PrintTo(const Entry& entry, std::ostream* out) {
    *out << "(" << entry.row << ", " << entry.col << ") = " << entry.value;
}

std::vector<Entry> entries(const CsrMatrix& a) {
    std::vector<Entry> result;
    const CsrMatrix wide = convert_values(a.view(), ValueType::c64);
    const CsrView view = wide.view();
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t k = view.row_begin(i); k < view.row_begin(i + 1); ++k)
            result.push_back({i, view.col(k), view.values_as<std::complex<double>>()[k]});
    return result;
}

CsrMatrix read_text(std::string_view text, const ReadOptions& options) {
    const TestFile file(text);
    CsrMatrix a = read_matrix(file.path(), nullptr, options);
    validate(a.view());
    return a;
}

std::string failure(std::string_view text, const ReadOptions& options) {
    const TestFile file(text);
    try {
        read_matrix(file.path(), nullptr, options);
    } catch (const Error& error) {
        const std::string message = error.what();
        if (error.code() != ErrorCode::invalid_input) return "not invalid_input: " + message;
        if (!message.starts_with(file.path())) return "without path: " + message;
        return "F" + message.substr(file.path().size());
    }
    return "";
}

bool identical(const CsrMatrix& a, const CsrMatrix& b) {
    const auto same = [](const Buffer& x, const Buffer& y) {
        return x.bytes() == y.bytes() &&
               (x.bytes() == 0 || std::memcmp(x.data(), y.data(), x.bytes()) == 0);
    };
    return a.rows == b.rows && a.cols == b.cols && a.nnz == b.nnz &&
           a.offset_type == b.offset_type && a.index_type == b.index_type &&
           a.value_type == b.value_type && same(a.row_ptr, b.row_ptr) &&
           same(a.col_idx, b.col_idx) && same(a.values, b.values);
}

}  // namespace spmvgen
