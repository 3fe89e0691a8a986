#include "tuner/rules/paper_rules.hpp"

#include <gtest/gtest.h>

#include "errors.hpp"
#include "matrix/suites/gallery.hpp"
#include "rule_features.hpp"
#include "spmvgen/error.hpp"
#include "tuner/chooser/chooser.hpp"

namespace spmvgen {
namespace {

Request by_rule(const char* rule, const char* arch = "sm_80") {
    Request r = request(arch);
    r.rule = rule;
    return r;
}

// Algorithm 3: long rows and many entries are divided, whatever else is known of the matrix.
TEST(PaperRules, GinkgoDividesLongRowsAndLargeMatrices) {
    Features f = even_features(10, 10'000);
    EXPECT_EQ(chosen(f, by_rule("ginkgo")),
              "csr_classical: 100000 entries, longest row 20: csr_classical");
    f.max_row = 1025;
    EXPECT_EQ(choose(f, by_rule("ginkgo")).signature.kernel, "csr_load_balance");
    f.max_row = 20;
    f.nnz = 1'000'001;
    EXPECT_EQ(choose(f, by_rule("ginkgo")).signature.kernel, "csr_load_balance");
}

// The largest power of two that the longest row fills, not what rows take on average.
TEST(PaperRules, GinkgosSubwarpIsOfTheLongestRow) {
    Features f = even_features(10, 10'000);
    EXPECT_EQ(parameter(f, by_rule("ginkgo"), "subwarp"), 16);
    f.max_row = 600;
    EXPECT_EQ(parameter(f, by_rule("ginkgo"), "subwarp"), 32);
    EXPECT_EQ(parameter(f, by_rule("ginkgo", "gfx90a"), "subwarp"), 64);
}

TEST(PaperRules, OfAFormatThatIsAskedFor) {
    for (auto& [format, kernel] :
         {std::pair("coo", "coo"), std::pair("ell", "ell_groups"), std::pair("hyb", "hyb"),
          std::pair("sell", "sell_slices"), std::pair("csr", "csr_classical")}) {
        Request r = by_rule("ginkgo");
        r.format = format;
        EXPECT_EQ(choose(even_features(10, 10'000), r).signature.kernel, kernel);
    }
}

TEST(PaperRules, EachChoosesAKernelOfItsPaper) {
    const CsrMatrix m = make_gallery_matrix("stencil5:nx=40");
    const RowFeatures features = analyse_row_lengths(m.view());
    const auto kernel = [&](const char* rule, const char* arch) {
        Chooser chooser(m.view(), features, 1);
        return chooser(by_rule(rule, arch)).signature.kernel;
    };
    EXPECT_EQ(kernel("csr-k", "sm_90"), "csr_k_blocks");
    EXPECT_EQ(kernel("csr-k", "x86-64-v3"), "csr_k_rows");
    EXPECT_EQ(kernel("gospmv", "gfx906"), "bcsr_fused");
    EXPECT_EQ(kernel("gospmv", "x86-64-v3"), "bcsr");
    EXPECT_EQ(kernel("lightspmv", "sm_75"), "csr_light");
}

// GOSpMV's size of blocks is that which the fill and the profile suggest.
TEST(PaperRules, GospmvLooksAtBlocks) {
    const CsrMatrix m = make_gallery_matrix("fem_tri:nx=20,ny=20,dofs=3");
    const RowFeatures features = analyse_row_lengths(m.view());
    Chooser chooser(m.view(), features, 1);
    const Choice choice = chooser(by_rule("gospmv", "x86-64-v3"));
    EXPECT_NE(choice.reason.find("GOSpMV: bcsr; blocks "), std::string::npos) << choice.reason;
    EXPECT_GT(choice.signature.params.at("block_rows"), 1);
}

TEST(PaperRules, WhatTheySayNothingOf) {
    EXPECT_EQ(
        code_and_text([] { choose(even_features(), by_rule("best")); }),
        "invalid_argument: 'best' is no rule of a paper: use ginkgo, csr-k, gospmv or lightspmv");
    EXPECT_EQ(code_and_text([] { choose(even_features(), by_rule("ginkgo", "x86-64-v3")); }),
              "invalid_argument: rule ginkgo says nothing of format csr on x86-64-v3: leave out "
              "one of them");
    Request r = by_rule("csr-k");
    r.format = "ell";
    EXPECT_EQ(
        code_and_text([&] { choose(even_features(), r); }),
        "invalid_argument: rule csr-k says nothing of format ell on sm_80: leave out one of them");
    Request other = by_rule("lightspmv");
    other.params = {{"entries", 4}};
    EXPECT_EQ(code_and_text([&] { choose(even_features(), other); }),
              "invalid_argument: rule lightspmv chooses none of the kernels of format csr that the "
              "parameters leave: leave out the parameters or the rule");
}

}  // namespace
}  // namespace spmvgen
