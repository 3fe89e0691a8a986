#include "options/matrix_source.hpp"

#include <chrono>
#include <string_view>

#include "matrix/suites/gallery.hpp"
#include "options/options.hpp"

namespace spmvgen::cli {
namespace {

CsrMatrix generated(const std::string& specification) {
    try {
        return make_gallery_matrix(specification);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::invalid_argument) throw;
        throw UsageError(error.what());
    }
}

CapturedMatrix captured_in(const std::string& file) {
    CaptureList list = read_captures(file);
    if (list.captures.empty()) throw Error(ErrorCode::invalid_input, list.warnings.at(0));
    return std::move(list.captures[0]);
}

void widen_columns(CsrMatrix& matrix) {
    Buffer wide = make_buffer<std::int64_t>(matrix.nnz);
    const auto from = matrix.col_idx.as<std::int32_t>();
    const auto to = wide.as<std::int64_t>();
#pragma omp parallel for schedule(static)
    for (std::int64_t k = 0; k < matrix.nnz; ++k)
        to[static_cast<std::size_t>(k)] = from[static_cast<std::size_t>(k)];
    matrix.col_idx = std::move(wide);
    matrix.index_type = IndexType::i64;
}

}  // namespace

SourcedMatrix load_matrix(const std::string& name) {
    constexpr std::string_view prefix = "gallery:";
    const auto start = std::chrono::steady_clock::now();
    SourcedMatrix source;
    source.name = name;
    if (name.starts_with(prefix)) {
        source.matrix = generated(name.substr(prefix.size()));
    } else if (is_capture_name(name)) {
        CapturedMatrix captured = captured_in(name);
        source.matrix = load_pattern(captured);
        source.captured = std::move(captured.capture);
    } else {
        FileHeader header;
        source.matrix = read_matrix(name, &header);
        source.header = header;
    }
    source.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return source;
}

void convert_types(const std::string& value, const std::string& index_name, CsrMatrix& matrix) {
    if (!value.empty()) {
        const ValueType type = parse_computed_type("--value", value);
        if (type != matrix.value_type)
            matrix = resolve("--value", [&] { return convert_values(matrix.view(), type); });
    }
    if (index_name.empty()) return;
    const IndexType index = resolve("--index", [&] { return parse_index_type(index_name); });
    if (index == IndexType::i64 && matrix.index_type == IndexType::i32) widen_columns(matrix);
    if (index == IndexType::i32 && matrix.index_type == IndexType::i64)
        throw UsageError("--index: i32 is too narrow for " + std::to_string(matrix.cols) +
                         " columns; use i64");
}

}  // namespace spmvgen::cli
