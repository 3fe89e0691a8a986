#include "tuner/csr_k/csr_k.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "errors.hpp"
#include "tuner/rules/choose.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;
using testing::Not;

GroupSizes paper_sizes(const CsrKFormula& formula, double density) {
    return group_sizes(formula, density, density_case(density));
}

// ln 5 = 1.6094, ln 12 = 2.4849, ln 20 = 2.9957, ln 40 = 3.6889, ln 81 = 4.3944.

TEST(CsrKFormulas, VoltaAsWorkedOutByHand) {
    const CsrKFormula f = volta_formula();
    // 10.146 - 2.414 = 7.73, 8.9 - 2.012 = 6.89
    EXPECT_EQ(paper_sizes(f, 5), (GroupSizes{8, 7}));
    // ⌊6.42⌉ · 2, ⌊⌊5.79⌉ · 1.5⌉
    EXPECT_EQ(paper_sizes(f, 12), (GroupSizes{12, 9}));
    // ⌊5.16⌉ · 4 = 20, of which the half
    EXPECT_EQ(paper_sizes(f, 20), (GroupSizes{10, 20}));
    // ⌊4.29⌉ · 5 = 20
    EXPECT_EQ(paper_sizes(f, 40), (GroupSizes{10, 20}));
    // ⌊3.41⌉ · 5 = 15, ⌊7.5⌋
    EXPECT_EQ(paper_sizes(f, 81), (GroupSizes{7, 15}));
}

TEST(CsrKFormulas, AmpereAsWorkedOutByHand) {
    const CsrKFormula f = ampere_formula();
    // 20.5 - 5.633 = 14.87, 9.175 - 2.124 = 7.05
    EXPECT_EQ(paper_sizes(f, 5), (GroupSizes{15, 7}));
    // ⌊11.80⌉ · 4, ⌊5.89⌉
    EXPECT_EQ(paper_sizes(f, 12), (GroupSizes{48, 6}));
    // ⌊10.02⌉ · 3, ⌊⌊5.22⌉ · 2.5⌉ = ⌊12.5⌉
    EXPECT_EQ(paper_sizes(f, 20), (GroupSizes{30, 13}));
    // ⌊4.31⌉ · 2 = 8, twice that
    EXPECT_EQ(paper_sizes(f, 40), (GroupSizes{16, 8}));
}

TEST(CsrKFormulas, SizesStayPositiveWhateverTheDensity) {
    // ln 1000 = 6.908: 9.175 - 9.118 = 0.06 becomes 1, twice that is 2, and twice that 4.
    EXPECT_EQ(paper_sizes(ampere_formula(), 1000), (GroupSizes{4, 2}));
    // Up to 1 the logarithm is left out: ⌊20.5⌉ = 21.
    for (const double density : {0.0, 0.3, 1.0})
        EXPECT_EQ(paper_sizes(ampere_formula(), density), (GroupSizes{21, 9}));
}

TEST(CsrKFormulas, CpusHaveAConstant) {
    for (const double density : {0.5, 7.0, 500.0})
        EXPECT_EQ(group_sizes(cpu_formula(), density, 0).srs, 96);
}

TEST(CsrKFormulas, SizesStayWithinWhatWasMeasured) {
    CsrKFormula f{.name = "mine", .arch = "", .srs = {1000, 0}, .ssrs = {0, 0}};
    f.least = {4, 4};
    f.most = {48, 48};
    EXPECT_EQ(group_sizes(f, 10, 0), (GroupSizes{48, 4}));
}

TEST(CsrKCases, AreThePapers) {
    EXPECT_EQ(density_case(8), 0);
    EXPECT_EQ(density_case(8.01), 1);
    EXPECT_EQ(density_case(16), 1);
    EXPECT_EQ(density_case(16.01), 2);
    EXPECT_EQ(density_case(32), 2);
    EXPECT_EQ(density_case(32.01), 3);
    // 8 x 12, 4 x 8 x 12, 8 x 8 x 8, 16 x 8 x 4
    const BlockShape shapes[] = {{1, 8, 12}, {4, 8, 12}, {8, 8, 8}, {16, 8, 4}};
    for (int i = 0; i < 4; ++i) EXPECT_EQ(block_shape(case_subwarp(i)), shapes[i]) << i;
    for (const std::int64_t lanes : {2, 32, 64}) {
        const BlockShape shape = block_shape(lanes);
        EXPECT_EQ(shape.subwarp, lanes);
        EXPECT_LE(shape.subwarp * shape.row_threads * shape.sr_threads, 512);
    }
}

std::string formula_of(const char* target, const std::vector<CsrKFormula>& fitted = {}) {
    return choose_formula(parse_target(target), fitted).note;
}

TEST(CsrKFormulas, AreChosenByArchitecture) {
    EXPECT_EQ(formula_of("sm_75"), "Lane & Booth's for Volta");
    for (const char* ampere : {"sm_80", "sm_86", "sm_89"})
        EXPECT_EQ(formula_of(ampere), "Lane & Booth's for Ampere");
    EXPECT_EQ(formula_of("sm_90"), "Lane & Booth's for Ampere, none is fitted for sm_90");
    EXPECT_EQ(formula_of("gfx90a"), "Lane & Booth's for Ampere, none is fitted for gfx90a");
    EXPECT_EQ(formula_of("x86-64-v3"), "Lane & Booth's for CPUs");
}

TEST(CsrKFormulas, FittedOnesComeFirst) {
    CsrKFormula hopper = ampere_formula(), cpu = cpu_formula(), volta = volta_formula();
    hopper.name = "hopper.json";
    hopper.arch = "sm_90";
    cpu.name = "cpu.json";
    cpu.arch = "x86-64-v4:tune=sapphirerapids";
    volta.name = "turing.json";
    volta.arch = "sm_75";
    const std::vector<CsrKFormula> fitted{hopper, cpu, volta};
    EXPECT_EQ(formula_of("sm_90", fitted), "hopper.json");
    EXPECT_EQ(formula_of("sm_100", fitted), "hopper.json, none is fitted for sm_100");
    EXPECT_EQ(formula_of("gfx942", fitted), "hopper.json, none is fitted for gfx942");
    EXPECT_EQ(formula_of("sm_80", fitted), "Lane & Booth's for Ampere");
    EXPECT_EQ(formula_of("sm_75", fitted), "turing.json");
    EXPECT_EQ(formula_of("x86-64-v4:tune=sapphirerapids", fitted), "cpu.json");
    EXPECT_EQ(formula_of("x86-64-v4", fitted), "Lane & Booth's for CPUs");
}

/// Rows of about one length; a million of them.
Features regular(double density) {
    Features f;
    f.rows = f.cols = 1'000'000;
    f.nnz = static_cast<std::int64_t>(density * 1e6);
    f.mean_row = density;
    f.min_row = static_cast<std::int64_t>(density);
    f.max_row = f.min_row + 2;
    std::size_t bin = 0;
    while ((1 << bin) <= f.min_row) ++bin;
    f.row_histogram[bin] = f.rows;
    f.sell_padding = f.sell_sorted_padding = {1, 1, 1};
    return f;
}

Request csr_k_request(const std::string& target, Params params = {}) {
    Request r;
    r.format = "csr-k";
    r.target = parse_target(target);
    r.params = std::move(params);
    return r;
}

CsrKPlan plan(const Features& f, const Request& r) {
    const Situation situation{f, r, candidates(r)};
    return plan_csr_k(*situation.among.front(), situation, {});
}

TEST(CsrKPlans, GpuBlocksFollowTheRowDensity) {
    EXPECT_EQ(plan(regular(5), csr_k_request("sm_80")).params, (Params{{"subwarp", 1},
                                                                       {"row_threads", 8},
                                                                       {"sr_threads", 12},
                                                                       {"unroll", 8},
                                                                       {"srs", 15},
                                                                       {"ssrs", 7}}));
    EXPECT_EQ(plan(regular(5), csr_k_request("sm_80")).reason,
              "row density 5.0, a thread a row, blocks of 7 super-rows of 15 rows (Lane & Booth's "
              "for Ampere)");
    EXPECT_EQ(plan(regular(40), csr_k_request("sm_80")).reason,
              "row density 40.0, 16 lanes a row, blocks of 8 super-rows of 16 rows (Lane & "
              "Booth's for Ampere)");
}

TEST(CsrKPlans, ALongRowTakesMoreLanes) {
    // webbase-1M's: the paper gives its row of 28.6 K entries to one thread.
    Features f = regular(3);
    f.max_row = 28'600;
    const CsrKPlan p = plan(f, csr_k_request("sm_80"));
    EXPECT_GT(p.params.at("subwarp"), 1);
    EXPECT_THAT(p.reason, HasSubstr(" lanes a row instead of 1, for the longest row has 28600 "));
    EXPECT_THAT(p.reason, HasSubstr("; the longest row, 28600 entries, holds up its block: "
                                    "csr_load_balance (format csr) cuts such rows"));
    f.max_row = 64;
    EXPECT_EQ(plan(f, csr_k_request("sm_80")).params.at("subwarp"), 1);
    EXPECT_THAT(plan(f, csr_k_request("sm_80")).reason, Not(HasSubstr("longest row")));
}

TEST(CsrKPlans, WhatTheRequestFixesStays) {
    const CsrKPlan p = plan(regular(5), csr_k_request("sm_80", {{"subwarp", 16}, {"srs", 3}}));
    EXPECT_EQ(p.params.at("subwarp"), 16);
    EXPECT_EQ(p.params.at("sr_threads"), 4);
    EXPECT_EQ(p.params.at("srs"), 3);
    // 4 lanes, 32 rows and the case's 12 super-rows would be 1536 threads.
    const CsrKPlan wide = plan(regular(12), csr_k_request("sm_80", {{"row_threads", 32}}));
    EXPECT_EQ(wide.params.at("sr_threads"), 6);
    const CsrKPlan cpu = plan(regular(5), csr_k_request("x86-64-v3", {{"srs", 40}}));
    EXPECT_EQ(cpu.params, (Params{{"k", 2}, {"srs", 40}}));
    EXPECT_EQ(cpu.reason, "CSR-2, super-rows of 40 rows (given by the caller)");
}

TEST(CsrKPlans, Csr2IsTheCpusDefault) {
    const CsrKPlan p = plan(regular(5), csr_k_request("x86-64-v3"));
    EXPECT_EQ(p.params, (Params{{"k", 2}, {"srs", 96}}));
    EXPECT_EQ(p.reason, "CSR-2, super-rows of 96 rows (Lane & Booth's for CPUs)");
    EXPECT_EQ(plan(regular(5), csr_k_request("x86-64-v3", {{"ssrs", 4}})).params.at("k"), 3);
}

TEST(CsrKPlans, EveryThreadOfACpuGetsGroups) {
    Features f = regular(5);
    f.rows = 640;
    f.nnz = 3200;
    Request r = csr_k_request("x86-64-v3");
    r.threads = 4;
    // 640 / (4 · 8) = 20
    EXPECT_EQ(plan(f, r).params.at("srs"), 16);
    EXPECT_EQ(plan(f, r).reason, "CSR-2, super-rows of 16 rows (96 would be too few groups)");
    r.params = {{"k", 3}};
    EXPECT_EQ(plan(f, r).params.at("srs"), 2) << "super-super-rows of 8";
}

TEST(CsrKPlans, ALongRowOfACpuIsTold) {
    Features f = regular(5);
    f.max_row = 4'000'000;
    Request r = csr_k_request("x86-64-v3");
    r.threads = 2;
    EXPECT_EQ(plan(f, r).reason,
              "CSR-2, super-rows of 96 rows (Lane & Booth's for CPUs); the longest row, 4000000 "
              "entries, is one thread's, whose share is 2500000: csr_balanced (format csr) cuts "
              "such rows");
}

TEST(CsrKPlans, SizesWithoutMeaningAreRefused) {
    EXPECT_EQ(code_and_text(
                  [] { plan(regular(5), csr_k_request("x86-64-v3", {{"k", 2}, {"ssrs", 4}})); }),
              "invalid_argument: parameter ssrs=4 means nothing with k=2, which has no "
              "super-super-rows: leave it out, or use k=3");
    EXPECT_EQ(code_and_text([] {
                  choose(regular(5), csr_k_request("sm_80", {{"subwarp", 32}, {"sr_threads", 12}}));
              }),
              "invalid_argument: kernel csr_k_blocks would have blocks of 3072 threads: use "
              "parameters that give a multiple of 32 up to 1024");
    EXPECT_EQ(code_and_text([] {
                  choose(regular(5),
                         csr_k_request("sm_80", {{"row_threads", 4}, {"sr_threads", 1}}));
              }),
              "invalid_argument: kernel csr_k_blocks would have blocks of 4 threads: use "
              "parameters that give a multiple of 32 up to 1024");
}

TEST(CsrKPlans, AreWhatChooseGives) {
    const Choice gpu = choose(regular(12), csr_k_request("sm_80"));
    EXPECT_EQ(kernel_name(gpu.signature),
              "csr_k_blocks_f64_i32_o32_a1_b0_k1_row_threads8_sr_threads12_srs48_ssrs6_subwarp4_"
              "unroll4");
    EXPECT_EQ(gpu.reason,
              "the one kernel of format csr-k; row density 12.0, 4 lanes a row, blocks of 6 "
              "super-rows of 48 rows (Lane & Booth's for Ampere)");
    Request borrowed = csr_k_request("x86-64-v3");
    borrowed.csr_index = IndexType::i64;
    EXPECT_EQ(choose(regular(12), borrowed).signature.index, IndexType::i64);
    EXPECT_EQ(choose(regular(12), borrowed).signature.params.at("lanes"), 4);
}

}  // namespace
}  // namespace spmvgen
