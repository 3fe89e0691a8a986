#include "matrix/read/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <complex>

#include "matrix/files/text_source.hpp"
#include "matrix/overflow.hpp"
#include "matrix/read/csr_binary.hpp"
#include "matrix/read/matrix_market.hpp"
#include "matrix/read/text_lines.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

struct ReadResult {
    CsrMatrix matrix;
    FileHeader header;
    std::int64_t size_offset = -1;  ///< where a text tells its size; -1 = not a text
};

bool is_csr_binary(const InputFile& file) {
    std::array<char, csr_binary_magic.size()> first{};
    return file.read(first.data(), first.size(), 0) == first.size() && first == csr_binary_magic;
}

ReadResult read_any(const InputFile& file, const ReadOptions& options) {
    if (options.threads < 0)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("threads = {}: use 0 or more", options.threads));
    ReadResult result;
    if (is_csr_binary(file)) {
        result.matrix = read_csr_binary(file, options, result.header);
        return result;
    }
    MarketHeader header;
    result.matrix = read_matrix_market(file, options, &header);
    result.header = describe(header);
    result.size_offset = header.size_offset;
    return result;
}

/// The entries of a vector file as a dense row-major array.
template <typename From, typename To>
void spread(const CsrView& a, To* to) {
    const From* values = a.values_as<From>();
    std::fill(to, to + a.rows * a.cols, To(0));
#pragma omp parallel for schedule(static) if (a.rows > 32768)
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t k = a.row_begin(i); k < a.row_begin(i + 1); ++k)
            to[i * a.cols + a.col(k)] = static_cast<To>(values[k]);
}

}  // namespace

CsrMatrix read_matrix(const std::string& path, FileHeader* header, const ReadOptions& options) {
    const InputFile file(path);
    ReadResult result = read_any(file, options);
    if (header != nullptr) *header = std::move(result.header);
    return std::move(result.matrix);
}

Buffer read_vector(const std::string& path, ValueType type, std::int64_t elements, int columns) {
    const InputFile file(path);
    ReadResult result = read_any(file, {});
    const auto fail = [&](const std::string& what) {
        if (result.size_offset >= 0) throw located(file, {result.size_offset, what});
        throw Error(ErrorCode::invalid_input, fmt::format("{}: {}", path, what));
    };
    CsrMatrix& a = result.matrix;
    if (a.rows != elements || a.cols != columns)
        fail(fmt::format("holds {} x {} values where {} x {} are needed", a.rows, a.cols, elements,
                         columns));
    if (is_complex(a.value_type) && !is_complex(type))
        fail(fmt::format("holds complex values where real ones ({}) are needed", to_string(type)));
    if (const std::int64_t place = first_overflow(a.view(), type); place < a.nnz)
        fail(fmt::format("{} is too large for the vectors, which are {}",
                         entry_text(a.view(), place), to_string(type)));
    const CsrMatrix converted = convert_values(a.view(), type);
    a = {};
    return dispatch(type, [&](auto value) {
        using To = decltype(value);
        Buffer dense = make_buffer<To>(elements * columns);
        spread<To>(converted.view(), dense.template as<To>().data());
        return dense;
    });
}

}  // namespace spmvgen
