#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <complex>
#include <iterator>
#include <vector>

#include "matrix/files/output_file.hpp"
#include "matrix/read/reader.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

using Text = fmt::memory_buffer;

// The shortest digits that give the same double; float is written as the double that it is.
void append(Text& text, double value) {
    fmt::format_to(std::back_inserter(text), "{}", value);
}
template <typename T>
void append(Text& text, std::complex<T> value) {
    fmt::format_to(std::back_inserter(text), "{} {}", double(value.real()), double(value.imag()));
}

const char* field_of(ValueType type) {
    return is_complex(type) ? "complex" : "real";
}

OutputFile::Form form_of(const std::string& path) {
    return path.ends_with(".gz") ? OutputFile::Form::gzip : OutputFile::Form::plain;
}

/// Writes the lines of items 0 … count-1 in order; `format(text, i)` appends those of one item.
/// Threads format parts of a round, which are then written one after the other.
template <typename F>
void write_lines(OutputFile& file, std::int64_t count, std::int64_t part, F&& format) {
    const std::int64_t parts = 4 * static_cast<std::int64_t>(omp_get_max_threads());
    std::vector<Text> texts(static_cast<std::size_t>(parts));
    for (std::int64_t begin = 0; begin < count; begin += parts * part) {
#pragma omp parallel for schedule(dynamic, 1) if (count > part)
        for (std::int64_t p = 0; p < parts; ++p) {
            Text& text = texts[static_cast<std::size_t>(p)];
            text.clear();
            const std::int64_t first = std::min(count, begin + p * part);
            const std::int64_t last = std::min(count, first + part);
            for (std::int64_t i = first; i < last; ++i) format(text, i);
        }
        for (const Text& text : texts) file.write(text.data(), text.size());
    }
}

}  // namespace

void write_matrix_market(const std::string& path, const CsrView& a) {
    validate(a);
    OutputFile file(path, form_of(path));
    file.write(fmt::format("%%MatrixMarket matrix coordinate {} general\n{} {} {}\n",
                           field_of(a.value_type), a.rows, a.cols, a.nnz));
    const std::int64_t mean = a.nnz / std::max<std::int64_t>(a.rows, 1) + 1;
    const std::int64_t part = std::max<std::int64_t>(8192 / mean, 1);
    dispatch(a.value_type, [&](auto value) {
        const auto* values = a.values_as<decltype(value)>();
        write_lines(file, a.rows, part, [&](Text& text, std::int64_t i) {
            for (std::int64_t k = a.row_begin(i); k < a.row_begin(i + 1); ++k) {
                fmt::format_to(std::back_inserter(text), "{} {} ", i + 1, a.col(k) + 1);
                append(text, values[k]);
                text.push_back('\n');
            }
        });
    });
    file.finish();
}

void write_vector(const std::string& path, ValueType type, const void* data, std::int64_t elements,
                  int columns) {
    OutputFile file(path, form_of(path));
    file.write(fmt::format("%%MatrixMarket matrix array {} general\n{} {}\n", field_of(type),
                           elements, columns));
    dispatch(type, [&](auto value) {
        const auto* values = static_cast<const decltype(value)*>(data);
        for (int column = 0; column < columns; ++column)
            write_lines(file, elements, 8192, [&](Text& text, std::int64_t i) {
                append(text, values[i * columns + column]);
                text.push_back('\n');
            });
    });
    file.finish();
}

}  // namespace spmvgen
