#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "spmvgen/error.hpp"
#include "test_files.hpp"

namespace spmvgen {
namespace {

using testing::ElementsAre;

/// [ 1 . 2 ]
/// [ . . . ]
/// [ . 3 . ]
struct Small {
    std::vector<int> row_ptr{0, 2, 2, 3}, col_idx{0, 2, 1};
    std::vector<double> values{1, 2, 3};
    CsrView view() const { return csr_view(3, 3, row_ptr.data(), col_idx.data(), values.data()); }
};

std::string binary_of(const CsrView& view) {
    const TestFile file("", "a.csr");
    write_csr_binary(file.path(), view);
    return content_of(file.path());
}

template <typename T>
void put(std::string& bytes, std::size_t offset, T value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// Makes the header's checksum right again after a change.
void seal(std::string& bytes) {
    put(bytes, 52,
        static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), 52)));
}

TEST(CsrBinary, RoundTripOfEveryType) {
    const Small small;
    for (const ValueType type : {ValueType::f32, ValueType::f64, ValueType::c32, ValueType::c64}) {
        const CsrMatrix a = convert_values(small.view(), type);
        const TestFile file("", "a.csr");
        write_csr_binary(file.path(), a.view());
        FileHeader header;
        EXPECT_TRUE(identical(read_matrix(file.path(), &header), a)) << to_string(type);
        EXPECT_EQ(header.kind, "csr binary");
        EXPECT_EQ(header.field, is_complex(type) ? "complex" : "real");
        EXPECT_EQ(header.stored, 3);
    }
}

TEST(CsrBinary, LayoutIsAsDocumented) {
    const std::string bytes = binary_of(Small().view());
    ASSERT_EQ(bytes.size(), 4 * 4096U + 12);
    EXPECT_EQ(bytes.substr(0, 8), "\x89SPMVCSR");
    const auto at = [&](std::size_t offset) {
        std::uint32_t word = 0;
        std::memcpy(&word, bytes.data() + offset, 4);
        return word;
    };
    EXPECT_EQ(at(8), 1U);    // version
    EXPECT_EQ(at(12), 56U);  // bytes of the header
    EXPECT_EQ(at(16), 3U);   // rows
    EXPECT_EQ(at(24), 3U);   // columns
    EXPECT_EQ(at(32), 3U);   // entries
    EXPECT_EQ(bytes.substr(40, 4), std::string("\4\4\1\0", 4));
    EXPECT_EQ(at(44), 4194304U);  // bytes of a checksum block
    EXPECT_EQ(at(4096 + 8), 2U);  // row_ptr[2]
    EXPECT_EQ(at(8192 + 8), 1U);  // col_idx[2]
    EXPECT_EQ(at(4 * 4096), crc32(0, reinterpret_cast<const Bytef*>(bytes.data() + 4096), 16));
}

TEST(CsrBinary, EmptyMatrices) {
    const std::vector<int> row_ptr{0, 0, 0};
    for (const int rows : {0, 2}) {
        const CsrView view = csr_view<double, int>(rows, 5, row_ptr.data(), nullptr, nullptr);
        const CsrMatrix a = [&] {
            const TestFile file(binary_of(view));
            return read_matrix(file.path());
        }();
        EXPECT_EQ(a.rows, rows);
        EXPECT_EQ(a.cols, 5);
        EXPECT_EQ(a.nnz, 0);
    }
    EXPECT_EQ(binary_of(CsrView{}).size(), 2 * 4096U + 4);
}

TEST(CsrBinary, WhatIsReadIsSortedNarrowAndWithoutDuplicates) {
    const std::vector<std::int64_t> row_ptr{0, 3, 4}, col_idx{2, 0, 2, 1};
    const std::vector<float> values{1, 2, 3, 4};
    const TestFile file(binary_of(csr_view(2, 3, row_ptr.data(), col_idx.data(), values.data())));
    const CsrMatrix a = read_matrix(file.path());
    EXPECT_EQ(a.offset_type, IndexType::i32);
    EXPECT_EQ(a.index_type, IndexType::i32);
    EXPECT_EQ(a.value_type, ValueType::f32);
    EXPECT_THAT(entries(a), ElementsAre(Entry{0, 0, 2}, Entry{0, 2, 4}, Entry{1, 1, 4}));
}

TEST(CsrBinary, TextToBinaryAndBack) {
    std::string text = "%%MatrixMarket matrix coordinate real general\n700000 9 700000\n";
    for (int i = 1; i <= 700000; ++i)
        text += std::to_string(i) + " " + std::to_string(i % 9 + 1) + " .1\n";
    const CsrMatrix a = read_text(text);  // several checksum blocks an array
    const TestFile binary("", "a.csr"), again("", "b.mtx");
    write_csr_binary(binary.path(), a.view());
    const CsrMatrix b = read_matrix(binary.path());
    EXPECT_TRUE(identical(a, b));
    write_matrix_market(again.path(), b.view());
    EXPECT_TRUE(identical(read_matrix(again.path()), a));
}

TEST(CsrBinary, DamageIsRefused) {
    const std::string good = binary_of(Small().view());
    EXPECT_EQ(failure(good), "");
    EXPECT_EQ(failure(good.substr(0, 30)), "F: truncated within the header");
    EXPECT_EQ(failure(good.substr(0, 9000)),
              "F: 9000 bytes long, but its header says 16396: the file is truncated");
    EXPECT_EQ(failure(good + "x"),
              "F: 16397 bytes long, but its header says 16396: the file is damaged");
    std::string bytes = good;
    bytes[20] ^= 1;
    EXPECT_EQ(failure(bytes), "F: the header's checksum is wrong: the file is damaged");
    bytes = good;
    put(bytes, 8, std::uint32_t{2});
    EXPECT_EQ(failure(bytes),
              "F: CSR binary version 2, but this spmvgen reads version 1: write it anew");
    bytes = good;
    bytes[12288 + 5] ^= 1;
    EXPECT_EQ(failure(bytes), "F: wrong checksum of the 24 bytes from 12288: the file is damaged");
    bytes = good;
    bytes[16384] ^= 1;
    EXPECT_EQ(failure(bytes), "F: the table of checksums is damaged");
}

TEST(CsrBinary, EveryDamagedByteOfTheHeaderIsNoticed) {
    const std::string good = binary_of(Small().view());
    for (std::size_t i = 0; i < 56; ++i)
        for (const int bit : {0, 7}) {
            std::string bytes = good;
            bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
            EXPECT_NE(failure(bytes), "") << "byte " << i;
        }
}

TEST(CsrBinary, ForgedHeadersAreRefused) {
    const std::string good = binary_of(Small().view());
    const auto forged = [&](std::size_t offset, auto value) {
        std::string bytes = good;
        put(bytes, offset, value);
        seal(bytes);
        return failure(bytes);
    };
    EXPECT_EQ(forged(16, std::int64_t{-1}),
              "F: -1 x 3 with 3 entries do not fit in a file of 16396 bytes");
    EXPECT_EQ(forged(32, INT64_MAX),
              "F: 3 x 3 with 9223372036854775807 entries do not fit in a file of 16396 bytes");
    EXPECT_EQ(forged(42, std::uint8_t{9}), "F: the header has fields that version 1 does not know");
    EXPECT_EQ(forged(40, std::uint8_t{5}), "F: the header has fields that version 1 does not know");
    EXPECT_EQ(forged(24, std::int64_t{2}),
              "F: broken CSR matrix: entry 1 (row 0) has column 2, outside 0…1");
}

// Found by fuzzing, as the next one.
TEST(CsrBinary, TheOffsetOfNoRowsIsLookedAt) {
    std::string bytes = binary_of(csr_view<double, int, int>(0, 5, nullptr, nullptr, nullptr));
    put(bytes, 4096, std::int32_t{42});
    const auto* row_ptr = reinterpret_cast<const Bytef*>(bytes.data() + 4096);
    put(bytes, 8192, static_cast<std::uint32_t>(crc32(0, row_ptr, 4)));
    const auto* table = reinterpret_cast<const Bytef*>(bytes.data() + 8192);
    put(bytes, 48, static_cast<std::uint32_t>(crc32(0, table, 4)));
    seal(bytes);
    EXPECT_EQ(failure(bytes), "F: broken CSR matrix: row_ptr starts at 42, not at 0");
}

TEST(CsrBinary, ColumnsOfAWideMatrixAreRead64BitsWide) {
    const std::int64_t wide = std::int64_t{1} << 31;
    const std::vector<int> row_ptr{0, 2}, col_idx{1, INT32_MAX};
    const std::vector<double> values{1, 2};
    const TestFile file(
        binary_of(csr_view(1, wide, row_ptr.data(), col_idx.data(), values.data())));
    const CsrMatrix a = read_matrix(file.path());
    EXPECT_EQ(a.index_type, IndexType::i64);
    EXPECT_THAT(entries(a), ElementsAre(Entry{0, 1, 1}, Entry{0, INT32_MAX, 2}));
}

TEST(CsrBinary, BrokenMatricesAreNotWritten) {
    Small small;
    small.col_idx[1] = 7;
    const TestFile file("", "a.csr");
    EXPECT_THROW(write_csr_binary(file.path() + ".no", small.view()), Error);
    EXPECT_FALSE(std::filesystem::exists(file.path() + ".no"));
}

}  // namespace
}  // namespace spmvgen
