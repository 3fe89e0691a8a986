#include "gpu_matrix.hpp"

#include <array>
#include <filesystem>
#include <fstream>

#include "matrix/gallery.hpp"
#include "matrix/reader.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

void read_array(std::ifstream& file, const std::string& path, void* data, std::size_t bytes) {
    if (!file.read(static_cast<char*>(data), static_cast<std::streamsize>(bytes)))
        throw Error(ErrorCode::invalid_input, path + ": it is too short");
}

CsrMatrix read_csrb(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error(ErrorCode::io, path + ": cannot be opened");
    std::array<std::int64_t, 3> header{};
    read_array(file, path, header.data(), sizeof header);
    CsrMatrix a;
    a.rows = header[0];
    a.cols = header[1];
    a.nnz = header[2];
    constexpr std::int64_t most = 1LL << 31;
    if (a.rows < 0 || a.cols < 0 || a.nnz < 0 || a.rows >= most || a.cols >= most || a.nnz >= most)
        throw Error(ErrorCode::invalid_input, path + ": its header makes no sense");
    a.row_ptr = make_buffer<std::int32_t>(a.rows + 1);
    a.col_idx = make_buffer<std::int32_t>(a.nnz);
    a.values = make_buffer<double>(a.nnz);
    for (auto* array : {&a.row_ptr, &a.col_idx, &a.values})
        read_array(file, path, array->data(), array->bytes());
    validate(a.view());
    return a;
}

}  // namespace

CsrMatrix read_bench_matrix(const std::string& text) {
    if (text.ends_with(".csrb")) return read_csrb(text);
    return std::filesystem::exists(text) ? read_matrix(text) : make_gallery_matrix(text);
}

std::string bench_matrix_name(const std::string& text) {
    if (!std::filesystem::exists(text)) return text;
    std::string name = std::filesystem::path(text).filename().string();
    for (const char* ending : {".gz", ".mtx", ".csrb", ".csr"})
        if (name.ends_with(ending)) name.resize(name.size() - std::string(ending).size());
    return name;
}

}  // namespace spmvgen
