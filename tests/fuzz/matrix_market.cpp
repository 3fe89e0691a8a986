// Any bytes as a matrix file: Matrix Market text, plain or gzipped (the first bytes decide).
#include <zlib.h>

#include <complex>

#include "matrices.hpp"
#include "spmvgen/error.hpp"
#include "support.hpp"

namespace spmvgen::fuzz {
namespace {

/// The bytes as one gzip member, not compressed: quick.
std::string gzip(std::string_view text) {
    z_stream stream{};
    check(deflateInit2(&stream, 0, Z_DEFLATED, 15 + 16, 1, Z_DEFAULT_STRATEGY) == Z_OK,
          "zlib works");
    std::string result(deflateBound(&stream, text.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(result.data());
    stream.avail_out = static_cast<uInt>(result.size());
    check(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib has room");
    result.resize(stream.total_out);
    deflateEnd(&stream);
    return result;
}

std::string without_memory(const std::string& refusal) {
    return refusal.substr(0, refusal.find(", and "));
}

/// Matrix or message, whatever the blocks that the text is read in.
void check_blocks(const MemoryFile& file, const Reading& whole) {
    const Reading pieces = read(file.path(), {2, 16});
    check(whole.matrix.has_value() == pieces.matrix.has_value(), "blocks accept alike");
    // What a file without a banner may be is guessed from the text that was read with its line.
    if (!whole.refusal.starts_with(":1: "))
        check(without_memory(whole.refusal) == without_memory(pieces.refusal),
              "blocks refuse alike: '" + whole.refusal + "', '" + pieces.refusal + "'");
    check(!whole.matrix || same(*whole.matrix, *pieces.matrix, false), "blocks read alike");
}

/// A gzipped text is the same matrix. (How much text there is cannot be known before, so that it
/// may be refused for another reason.)
void check_gzipped(std::string_view text, const Reading& plain) {
    const MemoryFile file(gzip(text));
    const Reading gzipped = read(file.path(), {1, 0});
    check(plain.matrix.has_value() == gzipped.matrix.has_value(),
          "gzipped texts are accepted alike: '" + plain.refusal + "', '" + gzipped.refusal + "'");
    check(!plain.matrix || same(*plain.matrix, *gzipped.matrix, false), "and read alike");
}

/// The same file as a dense vector holds the same numbers.
void check_vector(const MemoryFile& file, const CsrMatrix& a) {
    if (a.rows > 64 || a.cols > 64) return;
    const Buffer dense = read_vector(file.path(), ValueType::c64, a.rows, static_cast<int>(a.cols));
    const auto numbers = dense.as<std::complex<double>>();
    const CsrMatrix wide = convert_values(a.view(), ValueType::c64);
    const CsrView view = wide.view();
    const auto* values = view.values_as<std::complex<double>>();
    std::size_t entries = 0;
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t k = view.row_begin(i); k < view.row_begin(i + 1); ++k, ++entries) {
            const auto got = numbers[static_cast<std::size_t>(i * a.cols + view.col(k))];
            check(got == values[k] || got != got, "a vector has the matrix's entries");
        }
    check(static_cast<std::int64_t>(entries) == a.nnz, "all entries were compared");
}

}  // namespace
}  // namespace spmvgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace spmvgen::fuzz;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const MemoryFile file(bytes);
    const Reading whole = read(file.path(), {1, 0});
    if (!bytes.starts_with("\x89SPMVCSR")) {
        check_blocks(file, whole);
        if (!bytes.starts_with("\x1f\x8b")) check_gzipped(bytes, whole);
    }
    if (!whole.matrix) return 0;
    check_round_trips(*whole.matrix);
    check_vector(file, *whole.matrix);
    return 0;
}
