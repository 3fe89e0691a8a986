// Every file of the edge folder is either read right or refused for the reason in the table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <filesystem>
#include <set>
#include <string>

#include "edge_table.hpp"
#include "matrix/read/reader.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

const std::filesystem::path folder = std::filesystem::path(SPMVGEN_MATRICES) / "edge";

#define SKIP_WITHOUT_FILES() \
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there"

struct Sums {
    long double re = 0, im = 0, magnitude = 0;
    std::int64_t non_finite = 0;
};

std::complex<double> value_at(const CsrMatrix& a, std::int64_t k) {
    const auto i = static_cast<std::size_t>(k);
    return a.value_type == ValueType::c64 ? a.values.as<std::complex<double>>()[i]
                                          : std::complex<double>(a.values.as<double>()[i]);
}

Sums weigh(const CsrMatrix& a) {
    Sums sums;
    const CsrView view = a.view();
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t k = view.row_begin(i); k < view.row_begin(i + 1); ++k) {
            const std::complex<double> v = value_at(a, k);
            const auto weight = static_cast<long double>((i + 1) * (2 * view.col(k) + 1));
            if (!std::isfinite(v.real()) || !std::isfinite(v.imag())) {
                ++sums.non_finite;
                continue;
            }
            sums.re += weight * v.real();
            sums.im += weight * v.imag();
            sums.magnitude += weight * (std::fabs(v.real()) + std::fabs(v.imag()));
        }
    return sums;
}

void expect_right(const AcceptedFile& file, const ReadOptions& options) {
    SCOPED_TRACE(file.name);
    CsrMatrix a;
    ASSERT_NO_THROW(a = read_matrix(folder / file.name, nullptr, options)) << file.why;
    validate(a.view());
    EXPECT_EQ(a.rows, file.rows);
    EXPECT_EQ(a.cols, file.cols);
    EXPECT_EQ(a.nnz, file.nnz) << file.why;
    const Sums sums = weigh(a);
    const auto bound = static_cast<double>(1e-15L * sums.magnitude);
    EXPECT_NEAR(static_cast<double>(sums.re), file.weighted_re, bound) << file.why;
    EXPECT_NEAR(static_cast<double>(sums.im), file.weighted_im, bound) << file.why;
    EXPECT_EQ(sums.non_finite, file.non_finite);
}

void expect_refused(const RefusedFile& file, const ReadOptions& options) {
    SCOPED_TRACE(file.name);
    const std::filesystem::path path = folder / file.name;
    std::string expected = path.string() + ":" + std::to_string(file.line) + ": " + file.message;
    try {
        read_matrix(path, nullptr, options);
        ADD_FAILURE() << "was read; " << file.why;
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_input);
        std::string message = error.what();
        if (expected.ends_with('*')) {
            expected.pop_back();
            message.resize(std::min(message.size(), expected.size()));
        }
        EXPECT_EQ(message, expected) << file.why;
    }
}

TEST(EdgeFiles, LegalFilesAreReadRight) {
    SKIP_WITHOUT_FILES();
    for (const AcceptedFile& file : accepted_files()) expect_right(file, {});
}

TEST(EdgeFiles, OtherFilesAreRefusedWithLineAndReason) {
    SKIP_WITHOUT_FILES();
    for (const RefusedFile& file : refused_files()) expect_refused(file, {});
}

// Blocks of a few bytes put every border between threads somewhere odd.
TEST(EdgeFiles, TheSameInTinyBlocksAndThreeThreads) {
    SKIP_WITHOUT_FILES();
    for (const AcceptedFile& file : accepted_files()) expect_right(file, {3, 7});
    for (const RefusedFile& file : refused_files())
        if (!std::string(file.name).ends_with(".rb")) expect_refused(file, {3, 7});
}

TEST(EdgeFiles, TheTablesNameEveryFileOnce) {
    SKIP_WITHOUT_FILES();
    std::multiset<std::string> listed, present;
    for (const AcceptedFile& file : accepted_files()) listed.insert(file.name);
    for (const RefusedFile& file : refused_files()) listed.insert(file.name);
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        present.insert(entry.path().filename().string());
    EXPECT_EQ(listed, present);
}

}  // namespace
}  // namespace spmvgen
