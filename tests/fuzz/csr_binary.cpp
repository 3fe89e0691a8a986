// The binary CSR form. Its checksums would stop every changed file at the door, and its padding
// would be most of an input. So an input is: a byte of flags, the 56 bytes of the header, and the
// arrays without padding. Flags: 1 = the header gets a right checksum; 2 = the arrays are laid out
// as docs/reference/files.md says and get right checksums; else the bytes follow the header as they
// are.
#include <zlib.h>

#include <array>
#include <cstring>

#include "matrices.hpp"
#include "support.hpp"

namespace spmvgen::fuzz {
namespace {

constexpr std::size_t header_bytes = 56;

std::uint32_t crc(std::string_view bytes) {
    return static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

template <typename T>
T number_at(std::string_view bytes, std::size_t at) {
    T number{};
    std::memcpy(&number, bytes.data() + at, sizeof number);
    return number;
}

void put(std::string& bytes, std::size_t at, std::uint32_t number) {
    std::memcpy(bytes.data() + at, &number, sizeof number);
}

void pad(std::string& file) {
    file.resize((file.size() + 4095) / 4096 * 4096);
}

/// The arrays of the header's sizes, as far as there are bytes, and the table of checksums.
void lay_out(std::string& file, std::string_view arrays) {
    constexpr std::array<std::uint64_t, 4> value_bytes{4, 8, 8, 16};
    const auto rows = number_at<std::uint64_t>(file, 16), nnz = number_at<std::uint64_t>(file, 32);
    const std::array<std::uint64_t, 3> wanted{
        (rows + 1) * static_cast<unsigned char>(file[40]),
        nnz * static_cast<unsigned char>(file[41]),
        nnz * value_bytes.at(static_cast<unsigned char>(file[42]) % 4u)};
    std::string table;
    for (const std::uint64_t bytes : wanted) {
        const std::string_view array = arrays.substr(0, bytes);
        arrays.remove_prefix(array.size());
        pad(file);
        file += array;
        const std::uint32_t sum = crc(array);
        if (!array.empty()) table.append(reinterpret_cast<const char*>(&sum), sizeof sum);
    }
    pad(file);
    file += table;
    put(file, 48, crc(table));
}

std::string assemble(Input input) {
    const unsigned flags = input.byte();
    std::string file(input.bytes(header_bytes));
    if (file.size() < header_bytes) return file;
    if (flags & 2)
        lay_out(file, input.rest());
    else
        file += input.rest();
    if (flags & 1) put(file, 52, crc(std::string_view(file).substr(0, 52)));
    return file;
}

}  // namespace
}  // namespace spmvgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace spmvgen::fuzz;
    const std::string bytes = assemble(Input(data, size));
    const MemoryFile file(bytes);
    const Reading reading = read(file.path(), {1, 0});
    if (reading.matrix) check_round_trips(*reading.matrix);
    return 0;
}
