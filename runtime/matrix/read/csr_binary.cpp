#include "matrix/read/csr_binary.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <exception>
#include <mutex>
#include <vector>

#include "matrix/files/output_file.hpp"
#include "matrix/memory_limit.hpp"
#include "matrix/sort_rows.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

static_assert(std::endian::native == std::endian::little, "the form is little endian");

constexpr std::uint32_t version = 1;
constexpr std::int64_t array_alignment = 4096;
constexpr std::int64_t checksum_block = std::int64_t{1} << 22;

/// The first bytes of the file; docs/reference/files.md tells each field.
struct BinaryHeader {
    std::array<char, 8> magic{};
    std::uint32_t version = 0;
    std::uint32_t header_bytes = 0;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t nnz = 0;
    std::uint8_t offset_bytes = 0;  ///< 4 or 8
    std::uint8_t index_bytes = 0;   ///< 4 or 8
    std::uint8_t value_code = 0;    ///< place in value_types
    std::uint8_t zero = 0;
    std::uint32_t checksum_block = 0;
    std::uint32_t checksums_crc = 0;  ///< CRC-32 of the table of checksums
    std::uint32_t header_crc = 0;     ///< CRC-32 of all bytes before
};
static_assert(sizeof(BinaryHeader) == 56);

constexpr std::array<ValueType, 4> value_types{ValueType::f32, ValueType::f64, ValueType::c32,
                                               ValueType::c64};

std::int64_t value_bytes(const BinaryHeader& h) {
    return static_cast<std::int64_t>(size_of(value_types[h.value_code]));
}

/// Where an array lies in the file, and in which order: row_ptr, col_idx, values.
struct Section {
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
    std::int64_t blocks() const { return (bytes + checksum_block - 1) / checksum_block; }
};
struct Layout {
    std::array<Section, 3> sections;
    Section checksums;  ///< one CRC-32 for each block of each array, in order
    std::int64_t blocks() const {
        return sections[0].blocks() + sections[1].blocks() + sections[2].blocks();
    }
    std::int64_t file_bytes() const { return checksums.offset + checksums.bytes; }
};

std::int64_t align(std::int64_t offset) {
    return (offset + array_alignment - 1) / array_alignment * array_alignment;
}

/// The sizes must have been checked against overflow.
Layout layout_of(const BinaryHeader& h) {
    Layout layout;
    const std::array<std::int64_t, 3> bytes{(h.rows + 1) * h.offset_bytes, h.nnz * h.index_bytes,
                                            h.nnz * value_bytes(h)};
    std::int64_t end = sizeof(BinaryHeader);
    for (std::size_t i = 0; i < 3; ++i) {
        layout.sections[i] = {align(end), bytes[i]};
        end = layout.sections[i].offset + bytes[i];
    }
    layout.checksums.offset = align(end);
    layout.checksums.bytes = layout.blocks() * 4;
    return layout;
}

std::uint32_t crc(const void* data, std::size_t bytes) {
    return static_cast<std::uint32_t>(crc32_z(0, static_cast<const Bytef*>(data), bytes));
}

std::uint32_t header_crc(const BinaryHeader& h) {
    return crc(&h, offsetof(BinaryHeader, header_crc));
}

[[noreturn]] void fail(const InputFile& file, const std::string& what) {
    throw Error(ErrorCode::invalid_input, fmt::format("{}: {}", file.path(), what));
}

void check_fields(const InputFile& file, const BinaryHeader& h) {
    if (h.version != version)
        fail(file, fmt::format("CSR binary version {}, but this spmvgen reads version {}: write it "
                               "anew",
                               h.version, version));
    if (h.header_crc != header_crc(h))
        fail(file, "the header's checksum is wrong: the file is damaged");
    const auto index_size = [](std::uint8_t bytes) { return bytes == 4 || bytes == 8; };
    if (h.header_bytes != sizeof(BinaryHeader) || !index_size(h.offset_bytes) ||
        !index_size(h.index_bytes) || h.value_code >= value_types.size() || h.zero != 0 ||
        h.checksum_block != checksum_block)
        fail(file, "the header has fields that version 1 does not know");
    const std::int64_t most = file.size();
    if (h.rows < 0 || h.cols < 0 || h.nnz < 0 || h.rows > most || h.nnz > most)
        fail(file, fmt::format("{} x {} with {} entries do not fit in a file of {} bytes", h.rows,
                               h.cols, h.nnz, file.size()));
}

BinaryHeader read_header(const InputFile& file) {
    BinaryHeader h;
    if (file.read(&h, sizeof h, 0) < sizeof h) fail(file, "truncated within the header");
    check_fields(file, h);
    const std::int64_t wanted = layout_of(h).file_bytes();
    if (file.size() != wanted)
        fail(file, fmt::format("{} bytes long, but its header says {}: the file is {}", file.size(),
                               wanted, file.size() < wanted ? "truncated" : "damaged"));
    const std::int64_t arrays = wanted - static_cast<std::int64_t>(sizeof h);
    if (arrays > available_memory())
        fail(file, fmt::format("needs {} of memory, and {} are available",
                               format_bytes(static_cast<double>(arrays)),
                               format_bytes(static_cast<double>(available_memory()))));
    return h;
}

std::vector<std::uint32_t> read_checksums(const InputFile& file, const BinaryHeader& h) {
    const Section table = layout_of(h).checksums;
    std::vector<std::uint32_t> sums(static_cast<std::size_t>(table.bytes / 4));
    const auto bytes = static_cast<std::size_t>(table.bytes);
    if (file.read(sums.data(), bytes, table.offset) != bytes)
        fail(file, "truncated while being read");
    if (crc(sums.data(), bytes) != h.checksums_crc) fail(file, "the table of checksums is damaged");
    return sums;
}

/// Runs f(block, section, offset in the section, bytes) for every block, in parallel; the first
/// exception is thrown on.
template <typename F>
void for_each_block(const Layout& layout, int threads, F&& f) {
    std::exception_ptr failure;
    std::mutex mutex;
    const std::int64_t blocks = layout.blocks();
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (std::int64_t block = 0; block < blocks; ++block) {
        std::size_t section = 0;
        std::int64_t local = block;
        while (local >= layout.sections[section].blocks())
            local -= layout.sections[section++].blocks();
        const std::int64_t offset = local * checksum_block;
        const std::int64_t bytes =
            std::min(checksum_block, layout.sections[section].bytes - offset);
        try {
            f(static_cast<std::size_t>(block), section, offset, static_cast<std::size_t>(bytes));
        } catch (...) {
            const std::lock_guard lock(mutex);
            failure = std::current_exception();
        }
    }
    if (failure) std::rethrow_exception(failure);
}

void read_arrays(const InputFile& file, const BinaryHeader& h, CsrMatrix& a, int threads) {
    const Layout layout = layout_of(h);
    const std::vector<std::uint32_t> sums = read_checksums(file, h);
    const std::array<char*, 3> to{static_cast<char*>(a.row_ptr.data()),
                                  static_cast<char*>(a.col_idx.data()),
                                  static_cast<char*>(a.values.data())};
    for_each_block(
        layout, threads,
        [&](std::size_t block, std::size_t section, std::int64_t offset, std::size_t bytes) {
            char* at = to[section] + offset;
            const std::int64_t from = layout.sections[section].offset + offset;
            if (file.read(at, bytes, from) != bytes) fail(file, "truncated while being read");
            if (crc(at, bytes) != sums[block])
                fail(file, fmt::format("wrong checksum of the {} bytes from {}: the "
                                       "file is damaged",
                                       bytes, from));
        });
}

template <typename To, typename From>
Buffer converted(const Buffer& from, std::int64_t count, int threads) {
    Buffer result = make_buffer<To>(count);
    const auto* source = from.as<From>().data();
    auto* to = result.template as<To>().data();
#pragma omp parallel for num_threads(threads) schedule(static)
    for (std::int64_t k = 0; k < count; ++k) to[k] = static_cast<To>(source[k]);
    return result;
}

/// Makes columns int32 where the matrix allows it, else int64, as every CsrMatrix has them.
void fit_columns(CsrMatrix& a, int threads) {
    const IndexType fitting = a.cols <= INT32_MAX ? IndexType::i32 : IndexType::i64;
    if (a.index_type == fitting) return;
    a.col_idx = fitting == IndexType::i32
                    ? converted<std::int32_t, std::int64_t>(a.col_idx, a.nnz, threads)
                    : converted<std::int64_t, std::int32_t>(a.col_idx, a.nnz, threads);
    a.index_type = fitting;
}

IndexType index_type(std::uint8_t bytes) {
    return bytes == 4 ? IndexType::i32 : IndexType::i64;
}

BinaryHeader header_of(const CsrView& a) {
    BinaryHeader h;
    h.magic = csr_binary_magic;
    h.version = version;
    h.header_bytes = sizeof h;
    h.rows = a.rows;
    h.cols = a.cols;
    h.nnz = a.nnz;
    h.offset_bytes = static_cast<std::uint8_t>(size_of(a.offset_type));
    h.index_bytes = static_cast<std::uint8_t>(size_of(a.index_type));
    h.value_code = static_cast<std::uint8_t>(
        std::find(value_types.begin(), value_types.end(), a.value_type) - value_types.begin());
    h.checksum_block = checksum_block;
    return h;
}

void pad_to(OutputFile& file, std::int64_t& position, std::int64_t offset) {
    const std::vector<char> zeros(static_cast<std::size_t>(offset - position), 0);
    file.write(zeros.data(), zeros.size());
    position = offset;
}

}  // namespace

CsrMatrix read_csr_binary(const InputFile& file, const ReadOptions& options, FileHeader& header) {
    const int wanted = options.threads > 0 ? options.threads : omp_get_max_threads();
    const int threads = file.size() < checksum_block / 4 ? 1 : wanted;
    const BinaryHeader h = read_header(file);
    CsrMatrix a{h.rows,
                h.cols,
                h.nnz,
                index_type(h.offset_bytes),
                index_type(h.index_bytes),
                value_types[h.value_code],
                make_buffer<char>((h.rows + 1) * h.offset_bytes),
                make_buffer<char>(h.nnz * h.index_bytes),
                make_buffer<char>(h.nnz * value_bytes(h))};
    read_arrays(file, h, a, threads);
    try {
        validate(a.view());
    } catch (const Error& error) {
        fail(file, error.what());
    }
    // Without rows a caller may leave row_ptr out, so that validate does not look at it.
    if (const std::int64_t begin = a.view().row_begin(0); begin != 0)
        fail(file, fmt::format("broken CSR matrix: row_ptr starts at {}, not at 0", begin));
    fit_columns(a, threads);
    sort_rows(a, Columns::plain, threads);
    header = {"csr binary", "csr", is_complex(a.value_type) ? "complex" : "real", "general", h.nnz};
    return a;
}

void write_csr_binary(const std::string& path, const CsrView& a) {
    validate(a);
    BinaryHeader h = header_of(a);
    const Layout layout = layout_of(h);
    const std::int64_t no_rows = 0;
    const std::array<const char*, 3> from{
        static_cast<const char*>(a.rows == 0 ? &no_rows : a.row_ptr),
        static_cast<const char*>(a.col_idx), static_cast<const char*>(a.values)};
    std::vector<std::uint32_t> sums(static_cast<std::size_t>(layout.blocks()));
    const int threads = layout.blocks() > 3 ? omp_get_max_threads() : 1;
    for_each_block(layout, threads,
                   [&](std::size_t block, std::size_t section, std::int64_t offset,
                       std::size_t bytes) { sums[block] = crc(from[section] + offset, bytes); });
    h.checksums_crc = crc(sums.data(), sums.size() * 4);
    h.header_crc = header_crc(h);

    OutputFile file(path);
    file.write(&h, sizeof h);
    std::int64_t position = sizeof h;
    for (std::size_t i = 0; i < 3; ++i) {
        const Section& section = layout.sections[i];
        pad_to(file, position, section.offset);
        file.write(from[i], static_cast<std::size_t>(section.bytes));
        position += section.bytes;
    }
    pad_to(file, position, layout.checksums.offset);
    file.write(sums.data(), sums.size() * 4);
    file.finish();
}

}  // namespace spmvgen
