#include "matrix/csr_matrix.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "spmvgen/error.hpp"
#include "test_files.hpp"

namespace spmvgen {
namespace {

using testing::ElementsAre;

struct Tiny {
    std::vector<int> row_ptr{0, 2, 3}, col_idx{0, 1, 1};
    std::vector<double> values{1, 0.1, 3};
    CsrView view() const { return csr_view(2, 2, row_ptr.data(), col_idx.data(), values.data()); }
};

std::string complaint(const CsrView& view) {
    try {
        validate(view);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
        return error.what();
    }
    return "";
}

TEST(Validate, AcceptsLegalMatrices) {
    EXPECT_EQ(complaint(Tiny().view()), "");
    EXPECT_EQ(complaint(CsrView{}), "");
    Tiny unsorted;
    unsorted.col_idx = {1, 0, 0};
    EXPECT_EQ(complaint(unsorted.view()), "");
}

TEST(Validate, NamesRowAndEntry) {
    Tiny tiny;
    tiny.row_ptr = {0, 4, 3};
    EXPECT_EQ(complaint(tiny.view()), "broken CSR matrix: row_ptr[1] = 4 is beyond the 3 entries");
    tiny.row_ptr = {0, -1, 3};
    EXPECT_EQ(complaint(tiny.view()), "broken CSR matrix: row_ptr descends at row 0: -1 after 0");
    tiny.row_ptr = {1, 2, 3};
    EXPECT_EQ(complaint(tiny.view()), "broken CSR matrix: row_ptr starts at 1, not at 0");
    tiny.row_ptr = {0, 2, 3};
    tiny.col_idx = {0, 1, 2};
    EXPECT_EQ(complaint(tiny.view()),
              "broken CSR matrix: entry 2 (row 1) has column 2, outside 0…1");
    tiny.col_idx = {0, -1, 2};
    EXPECT_EQ(complaint(tiny.view()),
              "broken CSR matrix: entry 1 (row 0) has column -1, outside 0…1");
    CsrView view = Tiny().view();
    view.values = nullptr;
    EXPECT_EQ(complaint(view), "broken CSR matrix: values is null");
    view.row_ptr = nullptr;
    EXPECT_EQ(complaint(view), "broken CSR matrix: row_ptr is null");
    Tiny short_ptr;
    view = short_ptr.view();
    view.nnz = 5;
    EXPECT_EQ(complaint(view), "broken CSR matrix: row_ptr ends at 3, but there are 5 entries");
    // Of so many columns none is read.
    short_ptr.row_ptr = {0, 900'000'000, 3};
    view.nnz = 1'000'000'000;
    EXPECT_EQ(complaint(view),
              "broken CSR matrix: row_ptr ends at 3, but there are 1000000000 entries");
    view.nnz = 5;
    view.rows = -1;
    EXPECT_EQ(complaint(view), "broken CSR matrix: negative size (-1 rows, 2 columns, 5 entries)");
}

TEST(ConvertValues, RealComplexWiderNarrower) {
    const Tiny tiny;
    const CsrMatrix narrow = convert_values(tiny.view(), ValueType::f32);
    EXPECT_EQ(narrow.value_type, ValueType::f32);
    EXPECT_THAT(entries(narrow),
                ElementsAre(Entry{0, 0, 1}, Entry{0, 1, double(0.1F)}, Entry{1, 1, 3}));
    const CsrMatrix complex = convert_values(tiny.view(), ValueType::c64);
    EXPECT_THAT(entries(complex), ElementsAre(Entry{0, 0, 1}, Entry{0, 1, 0.1}, Entry{1, 1, 3}));
    EXPECT_TRUE(identical(
        convert_values(convert_values(tiny.view(), ValueType::f64).view(), ValueType::f32),
        narrow));
    try {
        convert_values(complex.view(), ValueType::f32);
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
        EXPECT_STREQ(error.what(), "complex values (c64) cannot become real (f32): use c32 or c64");
    }
}

TEST(ConvertValues, RefusesFiniteValuesThatWouldBecomeInfinite) {
    const auto complaint_of = [](std::complex<double> value, ValueType from, ValueType to) {
        CsrMatrix a = convert_values(Tiny().view(), from);
        if (is_complex(from))
            a.values.as<std::complex<double>>()[2] = value;
        else
            a.values.as<double>()[2] = value.real();
        try {
            convert_values(a.view(), to);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
            return std::string(error.what());
        }
        return std::string();
    };
    constexpr double infinite = std::numeric_limits<double>::infinity();
    EXPECT_EQ(complaint_of(-1e39, ValueType::f64, ValueType::f32),
              "value -1e+39 in row 1, column 1 (counted from 0) is too large for f32: use a wider "
              "type");
    EXPECT_EQ(complaint_of({1, 1e300}, ValueType::c64, ValueType::c32),
              "value (1, 1e+300) in row 1, column 1 (counted from 0) is too large for c32: use a "
              "wider type");
    EXPECT_EQ(complaint_of(3.4e38, ValueType::f64, ValueType::f32), "");
    EXPECT_EQ(complaint_of(infinite, ValueType::f64, ValueType::f32), "");
    EXPECT_EQ(complaint_of(1e300, ValueType::f64, ValueType::c64), "");
}

TEST(Buffers, AreAlignedAndShrink) {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{100}, std::size_t{5} << 20}) {
        Buffer buffer(bytes);
        EXPECT_EQ(buffer.bytes(), bytes);
        const auto address = reinterpret_cast<std::uintptr_t>(buffer.data());
        EXPECT_EQ(address % (bytes < (4U << 20) ? 64 : 2U << 20), 0U);
        std::memset(buffer.data(), 7, bytes);
        buffer.shrink(bytes / 2);
        EXPECT_EQ(buffer.bytes(), bytes / 2);
        for (const char c : buffer.as<char>()) ASSERT_EQ(c, 7);
        buffer.shrink(0);
        EXPECT_EQ(buffer.bytes(), 0U);
    }
    EXPECT_EQ(Buffer(0).data(), nullptr);
    EXPECT_THROW(Buffer(SIZE_MAX), std::bad_alloc);
    EXPECT_THROW(make_buffer<double>(INT64_MAX), std::bad_alloc);
    EXPECT_THROW(make_buffer<double>(-1), std::bad_alloc);
}

TEST(Buffers, MovedFromIsEmpty) {
    Buffer a(16);
    Buffer b = std::move(a);
    EXPECT_EQ(b.bytes(), 16U);
    EXPECT_EQ(a.bytes(), 0U);  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(a.data(), nullptr);
}

}  // namespace
}  // namespace spmvgen
