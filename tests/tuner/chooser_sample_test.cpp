// What is chosen by a sample of the rows, and what of that is looked at in all of the matrix.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "formats/plans/strips_plan.hpp"
#include "formats/plans/tiles_plan.hpp"
#include "formats/value_encoding.hpp"
#include "matrix/features/block_fill.hpp"
#include "matrix/suites/gallery.hpp"
#include "registry.hpp"
#include "tuner/chooser/chooser.hpp"
#include "tuner/chooser/strips_choice.hpp"
#include "tuner/cost/figures/figures.hpp"
#include "tuner/profiles/device_profile.hpp"

namespace spmvgen {
namespace {

/// Matrices that are alike everywhere, far larger than a sample.
const char* const homogeneous[] = {"stencil5:nx=100,ny=4000", "stencil27:nx=40,ny=40,nz=30",
                                   "fem:nx=120,ny=110", "debruijn:k=18,random_values=0",
                                   "random:rows=200000,cols=200000,per_row=5"};

Signature strips_for(const char* target) {
    Signature s;
    s.target = parse_target(target);
    s.kernel = architecture(s.target).kind == TargetKind::host ? "strips_cpu" : "strips";
    return complete(s);
}

/// What the rows that are looked at lead to.
Signature fitted(const CsrView& a, const RowFeatures& features, const SampledRows& sample,
                 Signature s) {
    StripsChooser chooser(a, features, sample, 2);
    chooser.fit(s, {}, [&] { return block_fill(a, 1); });
    chooser.settle(s, {}, a);
    return s;
}

TEST(ChooserSample, LeadsToWhatAllOfAHomogeneousMatrixDoes) {
    for (const char* name : homogeneous)
        for (const char* target : {"x86-64-v3", "sm_90"}) {
            const CsrMatrix matrix = make_gallery_matrix(name);
            const CsrView a = matrix.view();
            const RowFeatures features = analyse_row_lengths(a);
            const bool host = architecture(parse_target(target)).kind == TargetKind::host;
            const SampledRows few = SampledRows::of_choice(a, host ? host_sample : gpu_sample);
            const SampledRows all(a, a.nnz, 1);
            ASSERT_FALSE(few.is_whole());
            ASSERT_TRUE(all.is_whole());
            EXPECT_EQ(kernel_name(fitted(a, features, few, strips_for(target))),
                      kernel_name(fitted(a, features, all, strips_for(target))))
                << name;
        }
}

TEST(ChooserSample, WhatOccursIsLookedForInAllOfTheMatrix) {
    // One row in the middle of the sample's windows has other columns and is longer.
    CsrMatrix matrix = make_gallery_matrix("stencil5:nx=700,ny=600");
    const CsrView a = matrix.view();
    const RowFeatures features = analyse_row_lengths(a);
    const SampledRows sample = SampledRows::of_choice(a, host_sample);
    StripsChooser chooser(a, features, sample, 2);
    Signature s = strips_for("sm_90");
    s.params["fill"] = 0;
    chooser.fit(s, {{"fill", 0}}, [&] { return block_fill(a, 1); });
    const Signature before = s;
    // The middle of the first grid line is in no window; its columns are now far from each other.
    auto columns = matrix.col_idx.as<std::int32_t>();
    const std::int64_t row = 350;
    columns[static_cast<std::size_t>(a.row_begin(row + 1) - 1)] =
        static_cast<std::int32_t>(a.cols - 1);
    EXPECT_NE(chooser.settle(s, {{"fill", 0}}, a), "");
    const StripsPlan exact = plan_strips(a, before);
    EXPECT_EQ(chooser.outlook(s).index_bytes * static_cast<double>(a.nnz),
              static_cast<double>(exact.index_bytes - exact.hole_mask_bytes));
    EXPECT_NO_THROW(convert(a, s, false));
}

/// What a sample of whole diagonals alone lets expect, and what all of the matrix then says.
TEST(ChooserSample, DiagonalsMayEndWhereItDoesNotLook) {
    const auto fills = [](const char* name) {
        const CsrMatrix matrix = make_gallery_matrix(name);
        const CsrView a = matrix.view();
        const RowFeatures features = analyse_row_lengths(a);
        const SampledRows sample = SampledRows::of_choice(a, gpu_sample);
        StripsChooser chooser(a, features, sample, 2);
        Signature s = strips_for("sm_90");
        chooser.fit(s, {}, [&] { return block_fill(a, 1); });
        const std::int64_t expected = s.params.at("fill");
        chooser.settle(s, {}, a);
        return std::pair{expected, s.params.at("fill")};
    };
    EXPECT_EQ(fills("stencil5:nx=1000,ny=1000"), std::pair(1L, 1L));
    EXPECT_EQ(fills("banded:n=200000"), std::pair(1L, 0L)) << "where they end x ends, too";
    EXPECT_EQ(fills("near:n=100000"), std::pair(0L, 0L)) << "no diagonals";
}

bool same_arrays(const StoredMatrix& a, const StoredMatrix& b) {
    if (a.scalars != b.scalars || a.owned.size() != b.owned.size()) return false;
    for (std::size_t i = 0; i < a.owned.size(); ++i)
        if (a.owned[i].bytes() != b.owned[i].bytes() ||
            std::memcmp(a.owned[i].data(), b.owned[i].data(), a.owned[i].bytes()) != 0)
            return false;
    return a.bytes == b.bytes && a.stored == b.stored;
}

TEST(ChooserSample, ALayoutThatIsHandedOverGivesTheSameArrays) {
    for (const char* name : {"stencil5:nx=300,ny=200", "fem:nx=60,ny=50", "random:seed=7",
                             "circuit:n=20000,per_row=6,dense=3,dense_length=9000",
                             "mesh3d:nx=30,ny=30,nz=20,dofs=3,keep=0.95"})
        for (const char* target : {"x86-64-v3", "sm_90"})
            for (const bool encode : {false, true}) {
                const CsrMatrix matrix = make_gallery_matrix(name);
                const RowFeatures features = analyse_row_lengths(matrix.view());
                Chooser chooser(matrix.view(), features, 2);
                Request request{.kernel = kernel_entry(strips_for(target).kernel).id.data(),
                                .target = parse_target(target)};
                request.encode = encode;
                const Signature s = chooser(request).signature;
                const auto layout = chooser.take_layout(s);
                ASSERT_NE(layout, nullptr) << name << " " << kernel_name(s);
                EXPECT_EQ(chooser.take_layout(s), nullptr) << "it is given once";
                EXPECT_TRUE(same_arrays(convert(matrix.view(), s, false),
                                        convert(matrix.view(), s, false, 0, {}, layout.get())))
                    << name << " " << kernel_name(s);
            }
}

TEST(ChooserSample, ALayoutOfAnotherShapeIsNoneOfTheSignatures) {
    const CsrMatrix matrix = make_gallery_matrix("stencil5:nx=300,ny=200");
    const RowFeatures features = analyse_row_lengths(matrix.view());
    Chooser chooser(matrix.view(), features, 2);
    Request request{.kernel = "strips", .target = parse_target("sm_90")};
    Signature s = chooser(request).signature;
    s.params["sigma"] = s.params["sigma"] == 1 ? 256 : 1;
    EXPECT_EQ(chooser.take_layout(s), nullptr);
}

TEST(ChooserSample, ALayoutWithoutLongRowsIsNoneOfASignatureThatHasThemApart) {
    const CsrMatrix matrix = make_gallery_matrix("random:seed=1041072,max_nnz=300000");
    const RowFeatures features = analyse_row_lengths(matrix.view());
    Chooser chooser(matrix.view(), features, 2);
    Request request{.kernel = "strips", .target = parse_target("sm_90")};
    request.params = {{"long_from", 4096}, {"threads_per_row", 1}};
    Choice choice = chooser(request);
    chooser.settle(choice, request);
    ASSERT_EQ(choice.signature.params.at("long_rows"), 0);
    Signature s = choice.signature;
    s.params["long_rows"] = 1;
    s.params["long_from"] = 32;
    ASSERT_GT(features.max_row, 32);
    EXPECT_EQ(chooser.take_layout(s), nullptr);
}

/// All ones but for one value in the middle of the last tenth.
CsrMatrix nearly_ones(double other) {
    CsrMatrix matrix = make_gallery_matrix("debruijn:k=18,random_values=0");
    auto values = matrix.values.as<double>();
    std::ranges::fill(values, 1.0);
    values[values.size() / 20 * 19 + 5] = other;
    return matrix;
}

TEST(ChooserSample, ValuesThatOnlyASampleCanCodeAreNotCoded) {
    const EncodingChoice anything{.small_integers = true, .one_value = true, .dictionary = true};
    const auto encoding = [&](double other) {
        return encode_values(nearly_ones(other).view(), anything, 2);
    };
    EXPECT_EQ(encoding(1.0).code, ValueCode::one_value);
    EXPECT_EQ(encoding(2.0).code, ValueCode::small_integers);
    EXPECT_EQ(encoding(1e300).code, ValueCode::dictionary);
    EXPECT_EQ(encoding(1e300).storage, ValueType::f64);
    EXPECT_EQ(encoding(0.1).dictionary.size(), 2U);
}

TEST(ChooserSample, ADictionaryIsChosenWhereAllValuesAreInIt) {
    const auto code = [](int others) {
        CsrMatrix matrix = make_gallery_matrix("debruijn:k=18,random_values=0");
        auto values = matrix.values.as<double>();
        for (std::size_t k = 0; k < values.size(); ++k)
            values[k] = 0.1 * static_cast<double>(k % 7);
        // In the middle of the sixteenths whose beginnings are looked at first.
        for (int i = 0; i < others; ++i)
            values[values.size() / 32 + static_cast<std::size_t>(i)] = i + 0.7;
        const RowFeatures features = analyse_row_lengths(matrix.view());
        const Request request{
            .kernel = "strips_cpu", .target = parse_target("x86-64-v4"), .encode = true};
        Chooser chooser(matrix.view(), features, 1);
        const Choice choice = chooser(request);
        EXPECT_EQ(chooser(request).signature, choice.signature) << "asked again";
        return choice.signature.params.at("value_code");
    };
    EXPECT_EQ(code(200), static_cast<int>(ValueCode::dictionary));
    EXPECT_EQ(code(300), static_cast<int>(ValueCode::plain));
}

TEST(ChooserSample, FillsAreOfAllEntriesThatAreWantedWhereThereAreBlocks) {
    for (const char* name : {"fem:nx=30,ny=30,dofs=4", "stencil9:nx=60,ny=60"}) {
        const CsrMatrix matrix = make_gallery_matrix(name);
        EXPECT_EQ(sampled_block_fill(matrix.view(), matrix.nnz), block_fill(matrix.view(), 1))
            << name;
    }
    const CsrMatrix none = make_gallery_matrix("random:rows=20000,cols=20000,per_row=8");
    const BlockFill fill = sampled_block_fill(none.view(), none.nnz);
    EXPECT_LT(fill.share, 0.25);
    EXPECT_NEAR(fill.at(2, 1), 2, 0.1);
    EXPECT_NEAR(fill.at(2, 4), 8, 0.4);
}

/// What leaves each source, in neighbouring columns, and what comes to each sink, one here and
/// there.
CsrMatrix make_transport(std::int64_t sources, std::int64_t sinks) {
    CsrMatrix a;
    a.rows = sources + sinks;
    a.cols = sources * sinks;
    a.nnz = 2 * a.cols;
    a.row_ptr = make_buffer<std::int32_t>(a.rows + 1);
    a.col_idx = make_buffer<std::int32_t>(a.nnz);
    a.values = make_buffer<double>(a.nnz);
    std::ranges::fill(a.values.as<double>(), 0.7);
    const auto row_ptr = a.row_ptr.as<std::int32_t>(), columns = a.col_idx.as<std::int32_t>();
    row_ptr[0] = 0;
    std::size_t k = 0;
    const auto row = [&](std::int64_t i, std::int64_t first, std::int64_t step,
                         std::int64_t count) {
        for (std::int64_t j = 0; j < count; ++j)
            columns[k++] = static_cast<std::int32_t>(first + j * step);
        row_ptr[static_cast<std::size_t>(i) + 1] = static_cast<std::int32_t>(k);
    };
    for (std::int64_t i = 0; i < sources; ++i) row(i, i * sinks, 1, sinks);
    for (std::int64_t j = 0; j < sinks; ++j) row(sources + j, j, sinks, sources);
    return a;
}

// Of rows so long a sample has those of one place, all of them in whole blocks.
TEST(ChooserSample, BlocksThatTheSampleAloneHasAreNotChosen) {
    const CsrMatrix matrix = make_transport(107, 1600);
    EXPECT_NEAR(block_fill(matrix.view(), 1).at(1, 8), 4.5, 0.1);
    EXPECT_NEAR(sampled_block_fill(matrix.view(), 6000).at(1, 8), 1, 0.1);
    const RowFeatures features = analyse_row_lengths(matrix.view());
    for (const char* device : {"x86-64-v4", "NVIDIA H200"}) {
        Request request;
        request.profile = find_device_profile(device);
        request.target = parse_target(request.profile->arch);
        request.units = request.profile->units;
        const Choice choice = Chooser(matrix.view(), features)(request);
        EXPECT_NE(kernel_entry(choice.signature.kernel).format, Format::bcsr) << choice.reason;
        request.format = "bcsr";
        request.params = {{"block_rows", 1}, {"block_cols", 8}};
        const Choice asked_for = Chooser(matrix.view(), features)(request);
        EXPECT_EQ(asked_for.signature.params.at("block_cols"), 8);
        EXPECT_THAT(asked_for.reason, testing::HasSubstr("given by the caller: fill 1.1"));
    }
}

// The least count of hubs that has nearly as many entries as the largest is chosen: here the
// largest itself, though half of the sample names fewer columns.
TEST(ChooserSample, HubsAreCountedInMoreEntriesThanTheSampleHas) {
    const CsrMatrix graph = make_gallery_matrix("rmat:scale=18,edges=3000000,scatter=1");
    Request request;
    request.kernel = "tiles_hubs";
    request.profile = find_device_profile("NVIDIA H200");
    request.target = parse_target(request.profile->arch);
    const RowFeatures features = analyse_row_lengths(graph.view());
    const Choice choice = Chooser(graph.view(), features)(request);
    EXPECT_EQ(choice.signature.params.at("hubs"), 16384) << choice.reason;
}

// Columns anywhere: no number of hubs has many entries, though by its counts such a kernel is fast.
TEST(ChooserSample, HubsThatHaveHardlyAnyEntriesAreNotChosen) {
    const CsrMatrix matrix = make_gallery_matrix("random:seed=1223318,max_nnz=1e7");
    Request request;
    request.profile = find_device_profile("NVIDIA H200");
    request.target = parse_target(request.profile->arch);
    request.units = request.profile->units;
    const RowFeatures features = analyse_row_lengths(matrix.view());
    Chooser chooser(matrix.view(), features);
    EXPECT_NE(chooser(request).signature.kernel, "tiles_hubs");
    const auto ranked = chooser.ranked(request, 30);
    EXPECT_TRUE(std::ranges::any_of(ranked, [](const Ranked& candidate) {
        return candidate.choice.signature.kernel == "tiles_hubs";
    })) << "but timed by level measure";
}

TEST(ChooserSample, LongRowsDoNotMakeItLarge) {
    const CsrMatrix matrix = make_gallery_matrix("random:rows=1200,cols=5000,per_row=250");
    const SampledRows sample = SampledRows::of_choice(matrix.view(), gpu_sample);
    EXPECT_EQ(sample.wanted(), gpu_sample.least);
    EXPECT_LE(sample.view().nnz, gpu_sample.slack * sample.wanted());
    EXPECT_GE(sample.view().nnz, sample.wanted() / 2);
}

TEST(ChooserSample, EmptyRowsDoNotMakeItLarge) {
    // One entry in every 50 rows: as many entries as are wanted have 200 000 of them.
    constexpr std::int64_t count = 2'000'000, apart = 50;
    CsrMatrix matrix = make_gallery_matrix("diagonal:n=40000");
    matrix.rows = count;
    matrix.row_ptr = make_buffer<std::int32_t>(count + 1);
    for (std::int64_t row = 0; row <= count; ++row)
        matrix.row_ptr.as<std::int32_t>()[static_cast<std::size_t>(row)] =
            static_cast<std::int32_t>((row + apart - 1) / apart);
    const SampledRows sample = SampledRows::of_choice(matrix.view(), gpu_sample);
    EXPECT_EQ(sample.wanted(), gpu_sample.least);
    // Whole slices are more than a row for each of these: 32 windows of 192 rows.
    EXPECT_LE(sample.view().rows, 32 * 192);
    EXPECT_GE(sample.view().rows, sample.wanted());
    EXPECT_NEAR(static_cast<double>(sample.view().rows) / apart,
                static_cast<double>(sample.view().nnz), 64);
}

// What a choice of σ counts is what a layout comes to.
TEST(ChooserSample, StripsAreCountedAsTheyAreLaidOut) {
    const CsrMatrix matrix = make_gallery_matrix("powerlaw:n=3000");
    CsrView lengths = matrix.view();
    lengths.col_idx = nullptr;
    for (const std::int64_t lanes : {8, 32})
        for (const std::int64_t threads : {1, 4})
            for (const std::int64_t sigma : {1, 4, 256, 4096})
                for (const std::int64_t long_from : {0, 16}) {
                    const StripsShape shape{.lanes = lanes,
                                            .threads_per_row = threads,
                                            .sigma = sigma,
                                            .long_from = long_from};
                    SCOPED_TRACE(fmt::format("{} {} {} {}", lanes, threads, sigma, long_from));
                    EXPECT_EQ(count_strips(count_strip_blocks(lengths, shape), shape),
                              lay_out_strips(lengths, shape, all_strip_codes).strips());
                }
}

/// On an H200, of values that no narrow encoding holds.
Request plain_request_of_h200() {
    Request request{.target = parse_target("sm_90"), .units = 132};
    request.device = "NVIDIA H200";
    request.profile = find_device_profile(request.device);
    return request;
}

bool takes_too_much(const CsrView& a, const Signature& s) {
    const StripsLayout layout = lay_out_strips(a, strips_shape(s), all_strip_codes);
    return !strips_memory(a, s, layout.stored(), layout.index_bytes(s.index, s.offset)).allowed;
}

TEST(ChooserSample, StripsWithMorePaddingThanItHasAreLeftOut) {
    const CsrMatrix m = make_gallery_matrix("random:seed=672,family=rmat,max_nnz=5e6");
    const RowFeatures features = analyse_row_lengths(m.view());
    const SampledRows sample = SampledRows::of_choice(m.view(), gpu_sample);
    StripsChooser strips(m.view(), features, sample, 1);
    Signature narrow = complete({.kernel = "strips", .target = parse_target("sm_90")});
    narrow.params["sigma"] = 256;
    Signature wide = narrow;
    wide.params["sigma"] = 4096;
    for (const Signature& s : {narrow, wide})
        EXPECT_EQ(strips.is_too_large(s), takes_too_much(m.view(), s)) << s.params.at("sigma");

    Request request = plain_request_of_h200();
    const Choice choice = Chooser(m.view(), features).sampled(request);
    EXPECT_EQ(request.without, Format::strips);
    EXPECT_NE(choice.signature.kernel, "strips");
    request = plain_request_of_h200();
    request.format = "strips";
    EXPECT_EQ(Chooser(m.view(), features).sampled(request).signature.kernel, "strips")
        << "asked for";
}

}  // namespace
}  // namespace spmvgen
