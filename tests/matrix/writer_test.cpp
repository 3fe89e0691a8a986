#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>

#include "spmvgen/error.hpp"
#include "test_files.hpp"

namespace spmvgen {
namespace {

using testing::ElementsAre;

template <typename T>
std::vector<T> vector_of(const Buffer& buffer) {
    const auto span = buffer.as<T>();
    return {span.begin(), span.end()};
}

TEST(MarketWriter, WritesReadableText) {
    const TestFile file("");
    const std::vector<int> row_ptr{0, 2, 3}, col_idx{0, 2, 1};
    const std::vector<double> values{1, -0.1, 1e300};
    write_matrix_market(file.path(), csr_view(2, 3, row_ptr.data(), col_idx.data(), values.data()));
    EXPECT_EQ(content_of(file.path()),
              "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1\n1 3 -0.1\n2 2 "
              "1e+300\n");
}

TEST(MarketWriter, FloatsAreWrittenAsTheDoublesThatTheyAre) {
    const TestFile file("");
    const std::vector<std::int64_t> row_ptr{0, 1}, col_idx{0};
    const std::vector<std::complex<float>> values{{0.1F, -2}};
    write_matrix_market(file.path(), csr_view(1, 1, row_ptr.data(), col_idx.data(), values.data()));
    EXPECT_THAT(entries(read_matrix(file.path())),
                ElementsAre(Entry{0, 0, {static_cast<double>(0.1F), -2}}));
}

TEST(MarketWriter, AnyBitsComeBackPlainAndGzipped) {
    std::mt19937_64 random(5);
    const std::int64_t rows = 3000;
    std::vector<std::int64_t> row_ptr{0};
    std::vector<int> col_idx;
    std::vector<double> values;
    for (std::int64_t i = 0; i < rows; ++i) {
        for (int j = static_cast<int>(random() % 20); j < 100;
             j += 1 + static_cast<int>(random() % 40)) {
            const auto value = std::bit_cast<double>(random());
            col_idx.push_back(j);
            values.push_back(std::isnan(value) ? std::numeric_limits<double>::infinity() : value);
        }
        row_ptr.push_back(static_cast<std::int64_t>(col_idx.size()));
    }
    const CsrView view = csr_view(rows, 100, row_ptr.data(), col_idx.data(), values.data());
    const TestFile plain("", "a.mtx"), zipped("", "a.mtx.gz");
    for (const std::string& path : {plain.path(), zipped.path()}) {
        write_matrix_market(path, view);
        const CsrMatrix back = read_matrix(path);
        ASSERT_EQ(back.nnz, view.nnz);
        EXPECT_EQ(std::memcmp(back.values.data(), values.data(), back.values.bytes()), 0);
        EXPECT_EQ(std::memcmp(back.col_idx.data(), col_idx.data(), back.col_idx.bytes()), 0);
    }
    EXPECT_EQ(content_of(zipped.path()).substr(0, 2), "\x1f\x8b");
}

TEST(MarketWriter, RefusesWhatCannotBeWritten) {
    const std::vector<int> row_ptr{0};
    const CsrView empty = csr_view<double, int>(0, 0, row_ptr.data(), nullptr, nullptr);
    EXPECT_THROW(write_matrix_market("/nowhere/a.mtx", empty), Error);
    try {
        write_matrix_market("/nowhere/a.mtx", empty);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::io);
        EXPECT_STREQ(error.what(), "/nowhere/a.mtx: cannot write: No such file or directory");
    }
    if (std::filesystem::exists("/dev/full")) {
        const std::vector<int> big_row{0, 1}, col{0};
        const std::vector<double> value{1};
        try {
            write_matrix_market("/dev/full",
                                csr_view(1, 1, big_row.data(), col.data(), value.data()));
            ADD_FAILURE() << "wrote to a full device";
        } catch (const Error& error) {
            EXPECT_STREQ(error.what(), "/dev/full: cannot write: No space left on device");
        }
    }
}

TEST(Vectors, RoundTrip) {
    const TestFile file("");
    const std::vector<double> x{1, 2, 0, 4, 0.1, -6};  // 3 x 2, row-major
    write_vector(file.path(), ValueType::f64, x.data(), 3, 2);
    EXPECT_EQ(content_of(file.path()),
              "%%MatrixMarket matrix array real general\n3 2\n1\n0\n0.1\n2\n4\n-6\n");
    EXPECT_EQ(vector_of<double>(read_vector(file.path(), ValueType::f64, 3, 2)), x);
    EXPECT_EQ(vector_of<float>(read_vector(file.path(), ValueType::f32, 3, 2)),
              (std::vector<float>{1, 2, 0, 4, 0.1F, -6}));
    const std::vector<std::complex<double>> z{{1, 2}, {0, -3}};
    write_vector(file.path(), ValueType::c64, z.data(), 2);
    EXPECT_EQ(vector_of<std::complex<double>>(read_vector(file.path(), ValueType::c64, 2)), z);
    write_vector(file.path(), ValueType::f64, x.data(), 0);
    EXPECT_EQ(read_vector(file.path(), ValueType::f64, 0).bytes(), 0U);
}

TEST(Vectors, CoordinateFilesServeToo) {
    const TestFile file("%%MatrixMarket matrix coordinate integer general\n4 1 2\n3 1 7\n1 1 5\n");
    EXPECT_EQ(vector_of<double>(read_vector(file.path(), ValueType::f64, 4)),
              (std::vector<double>{5, 0, 7, 0}));
}

TEST(Vectors, WrongSizesAndTypesAreRefused) {
    const auto failure_of = [](const TestFile& file, ValueType type, std::int64_t elements) {
        try {
            read_vector(file.path(), type, elements);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::invalid_input);
            return std::string(error.what()).substr(file.path().size());
        }
        return std::string();
    };
    const TestFile real("%%MatrixMarket matrix array real general\n%\n2 1\n1\n2\n");
    EXPECT_EQ(failure_of(real, ValueType::f64, 3), ":3: holds 2 x 1 values where 3 x 1 are needed");
    const TestFile complex("%%MatrixMarket matrix array complex general\n1 1\n1 2\n");
    EXPECT_EQ(failure_of(complex, ValueType::f32, 1),
              ":2: holds complex values where real ones (f32) are needed");
    const TestFile large("%%MatrixMarket matrix array real general\n2 1\n1\n1e39\n");
    EXPECT_EQ(failure_of(large, ValueType::f32, 2),
              ":2: value 1e+39 in row 1, column 0 (counted from 0) is too large for the vectors, "
              "which are f32");
    EXPECT_EQ(failure_of(large, ValueType::f64, 2), "");
}

}  // namespace
}  // namespace spmvgen
