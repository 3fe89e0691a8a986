// Twins in full size beside the figures that the papers list. Minutes, and gigabytes:
// scripts/test-long.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "matrix/suites/gallery.hpp"
#include "matrix/suites/suites.hpp"

namespace spmvgen {
namespace {

class FullTwin : public ::testing::TestWithParam<Twin> {};

TEST_P(FullTwin, hasTheFiguresOfTheOriginal) {
    const Twin& twin = GetParam();
    if (twin.nnz > 7e7) GTEST_SKIP() << "gigabytes: the smaller ones of its kind are tested";
    const CsrMatrix a = make_gallery_matrix(twin.name);
    const CsrView view = a.view();
    std::int64_t longest = 0;
    for (std::int64_t i = 0; i < a.rows; ++i)
        longest = std::max(longest, view.row_begin(i + 1) - view.row_begin(i));
    const double rows = static_cast<double>(a.rows), nnz = static_cast<double>(a.nnz);
    EXPECT_NEAR(rows / twin.rows, 1, 0.02);
    EXPECT_NEAR(nnz / twin.nnz, 1, 0.055);
    EXPECT_NEAR(nnz / rows / (twin.nnz / twin.rows), 1, 0.055);
    // The longest row of a random model is a matter of chance.
    if (twin.longest > 0) {
        EXPECT_NEAR(static_cast<double>(longest) / twin.longest, 1, 0.15);
    }
}

INSTANTIATE_TEST_SUITE_P(All, FullTwin, ::testing::ValuesIn(twins().begin(), twins().end()),
                         [](const auto& twin) {
                             std::string name(twin.param.name);
                             std::ranges::replace_if(
                                 name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                             return name;
                         });

}  // namespace
}  // namespace spmvgen
