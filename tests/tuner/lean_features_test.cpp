// A handle's features are those of row lengths only; the rules must choose by them as they do by
// all.
#include <gtest/gtest.h>

#include "matrix/suites/gallery.hpp"
#include "spmvgen/error.hpp"
#include "tuner/chooser/chooser.hpp"

namespace spmvgen {
namespace {

// A matrix of each kind, of a size that the rules have thresholds near by; two that are large.
const std::vector<std::string> specifications{
    "stencil5:nx=200,ny=200",
    "stencil7:nx=11,ny=9,nz=10",
    "stencil9:nx=23,ny=21",
    "stencil27:nx=30,ny=30,nz=30",
    "fem:nx=40,ny=40",
    "fem_tri:nx=60,ny=60",
    "rmat:scale=13",
    "debruijn:k=14",
    "random:rows=5000,cols=7000",
    "random:rows=100,cols=10000,per_row=1000",
    "banded:n=3000",
    "arrow:n=30000",
    "diagonal:n=20000",
    "powerlaw:n=20000",
    "circuit:n=20000",
    "road:nx=60,ny=50",
    "stencil5:nx=700,ny=500",
    "powerlaw:n=150000",
};

class LeanFeatures : public testing::TestWithParam<std::string> {};

TEST_P(LeanFeatures, LeadToTheSameSignatureOnEveryKindOfTarget) {
    const CsrMatrix matrix = make_gallery_matrix(GetParam());
    const RowFeatures lean = analyse_row_lengths(matrix.view());
    const Features full = analyse(matrix.view());
    EXPECT_TRUE(lean == static_cast<const RowFeatures&>(full));
    // One each, so that what they look at in the matrix they look at once.
    Chooser choose_by_lean(matrix.view(), lean), choose_by_full(matrix.view(), full);
    for (const char* target : {"x86-64-v2", "x86-64-v4", "aarch64", "sm_90", "gfx906", "gfx1030"})
        for (const char* format : {"auto", "csr", "sell", "csr-k"})
            for (const int num_rhs : {1, 4}) {
                const Request request{.format = format,
                                      .target = parse_target(target),
                                      .num_rhs = num_rhs,
                                      .threads = 4,
                                      .units = 100};
                const Choice by_lean = choose_by_lean(request);
                const Choice by_full = choose_by_full(request);
                EXPECT_EQ(by_lean.signature, by_full.signature) << target << " " << format;
                EXPECT_EQ(by_lean.reason, by_full.reason);
            }
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
    std::string name = info.param;
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name;
}
INSTANTIATE_TEST_SUITE_P(Gallery, LeanFeatures, testing::ValuesIn(specifications), name_of);

TEST(LeanFeatures, DoNotDependOnTheNumberOfThreads) {
    const CsrMatrix matrix = make_gallery_matrix("powerlaw:n=50000");
    const RowFeatures one = analyse_row_lengths(matrix.view(), 1);
    for (const int threads : {2, 3, 7})
        EXPECT_TRUE(analyse_row_lengths(matrix.view(), threads) == one) << threads;
}

TEST(LeanFeatures, ABrokenMatrixIsRefused) {
    CsrMatrix matrix = make_gallery_matrix("stencil5:nx=400,ny=400");
    matrix.col_idx.as<std::int32_t>()[654321] = -1;
    try {
        analyse_row_lengths(matrix.view());
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
        EXPECT_NE(std::string(error.what()).find("entry 654321 (row "), std::string::npos);
    }
}

}  // namespace
}  // namespace spmvgen
