// Choices for matrices whose columns and values are elsewhere.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>

#include "formats/plans/tiles_plan.hpp"
#include "matrix/reorder/sampled_clusters.hpp"
#include "matrix/suites/gallery.hpp"
#include "tuner/chooser/chooser.hpp"
#include "tuner/chooser/order_choice.hpp"
#include "tuner/profiles/device_profile.hpp"

namespace spmvgen {
namespace {

/// Gives away a matrix piece by piece, and counts what it gives.
class CountingSource : public EntrySource {
  public:
    explicit CountingSource(const CsrView& matrix) : matrix_(matrix) {}
    std::int64_t columns_given = 0, values_given = 0;
    int asked = 0;
    bool gave_all = false;

    Buffer columns(std::span<const EntryRange> ranges) override {
        return copied(matrix_.col_idx, size_of(matrix_.index_type), ranges, columns_given);
    }
    Buffer values(std::span<const EntryRange> ranges) override {
        return copied(matrix_.values, size_of(matrix_.value_type), ranges, values_given);
    }
    const CsrView& pattern() override {
        columns_given += matrix_.nnz;
        ++asked;
        pattern_ = matrix_;
        pattern_.values = nullptr;
        return pattern_;
    }
    const CsrView& all() override {
        gave_all = true;
        return matrix_;
    }

  private:
    Buffer copied(const void* from, std::size_t element, std::span<const EntryRange> ranges,
                  std::int64_t& given) {
        ++asked;
        std::int64_t entries = 0;
        for (const auto [begin, end] : ranges) entries += end - begin;
        given += entries;
        Buffer here(static_cast<std::size_t>(entries) * element);
        auto* to = static_cast<std::byte*>(here.data());
        for (const auto [begin, end] : ranges) {
            const auto bytes = static_cast<std::size_t>(end - begin) * element;
            std::memcpy(
                to, static_cast<const std::byte*>(from) + static_cast<std::size_t>(begin) * element,
                bytes);
            to += bytes;
        }
        return here;
    }

    const CsrView matrix_;
    CsrView pattern_;
};

Request h200_request() {
    Request request{.target = parse_target("sm_90"), .units = 132, .encode = true};
    request.device = "NVIDIA H200";
    request.profile = find_device_profile(request.device);
    return request;
}

struct Sampled {
    Choice choice;
    std::string name, reason;
};

Sampled sampled(Chooser&& chooser) {
    Request request = h200_request();
    Sampled found{chooser.sampled(request), "", ""};
    found.name = kernel_name(found.choice.signature);
    found.reason = found.choice.reason;
    return found;
}

/// The matrix without what is elsewhere.
CsrView row_offsets_of(CsrView matrix) {
    matrix.col_idx = matrix.values = nullptr;
    return matrix;
}

const char* const specs[] = {"stencil5:nx=450,ny=450,random_values=1",
                             "stencil27:nx=34,ny=34,nz=34,random_values=1",
                             "curl_curl:nx=30,ny=30,nz=30",
                             "fem:nx=110,ny=110,dofs=3",
                             "mesh3d:nx=26,ny=26,nz=26,points=15,dofs=2",
                             "delaunay:n=150000",
                             "delaunay:n=150000,spatial=0",
                             "rmat:scale=16",
                             "random:rows=100000,cols=100000,per_row=10",
                             "banded:n=50000,lower=10,upper=10",
                             "powerlaw:n=100000",
                             "road:nx=400,ny=400",
                             "random:rows=400,cols=30000,per_row=900"};

// With samples that are fetched the choice is that of the matrix, and hardly more than the samples
// is fetched.
TEST(ChooserSource, GivesSamplesOnlyAndTheChoiceIsTheSame) {
    for (const char* spec : specs) {
        SCOPED_TRACE(spec);
        const CsrMatrix matrix = make_gallery_matrix(spec);
        const CsrView here = matrix.view();
        const RowFeatures features = analyse_row_lengths(here);
        CountingSource source(here);
        const Sampled own = sampled(Chooser(here, features));
        const Sampled fetched = sampled(Chooser(row_offsets_of(here), features, 0, &source));
        EXPECT_EQ(fetched.name, own.name);
        EXPECT_EQ(fetched.reason, own.reason);
        EXPECT_FALSE(source.gave_all);
        EXPECT_LT(source.columns_given, 160'000) << "samples, whatever the size";
        EXPECT_LT(source.values_given, 20'000);
        EXPECT_LE(source.asked, 6) << "times waited for";
    }
}

TEST(ChooserSource, GivesLessThanATenthOfALargeMatrix) {
    const CsrMatrix matrix = make_gallery_matrix("random:rows=120000,cols=120000,per_row=9");
    const CsrView here = matrix.view();
    ASSERT_GT(here.nnz, 1'000'000);
    const RowFeatures features = analyse_row_lengths(here);
    CountingSource source(here);
    (void)sampled(Chooser(row_offsets_of(here), features, 0, &source));
    EXPECT_LT(source.columns_given, here.nnz / 10);
    EXPECT_LT(source.values_given, here.nnz / 10);
}

// Blocks of threads that share x are looked at in samples, too.
TEST(ChooserSource, GivesSamplesOfManyEntries) {
    const CsrMatrix matrix = make_gallery_matrix("random:rows=450000,cols=450000,per_row=9");
    const CsrView here = matrix.view();
    ASSERT_GT(here.nnz, 4'000'000);
    const RowFeatures features = analyse_row_lengths(here);
    CountingSource source(here);
    const Sampled fetched = sampled(Chooser(row_offsets_of(here), features, 0, &source));
    EXPECT_EQ(fetched.name, sampled(Chooser(here, features)).name);
    EXPECT_LT(source.columns_given, here.nnz / 6);
}

// Only all of the values tell that they can be coded; columns stay where they are.
TEST(ChooserSource, GivesAllValuesWhereSomeCouldBeCoded) {
    const CsrMatrix matrix = make_gallery_matrix("stencil5:nx=450,ny=450");
    const CsrView here = matrix.view();
    const RowFeatures features = analyse_row_lengths(here);
    CountingSource source(here);
    const Sampled fetched = sampled(Chooser(row_offsets_of(here), features, 0, &source));
    EXPECT_EQ(fetched.name, sampled(Chooser(here, features)).name);
    EXPECT_GE(source.values_given, here.nnz);
    EXPECT_LT(source.columns_given, 160'000);
}

// What is settled for the host's conversion needs all of the matrix, and is the same then.
TEST(ChooserSource, GivesAllForWhatIsSettled) {
    const CsrMatrix matrix = make_gallery_matrix("stencil27:nx=34,ny=34,nz=34,random_values=1");
    const CsrView here = matrix.view();
    const RowFeatures features = analyse_row_lengths(here);
    CountingSource source(here);
    Request request = h200_request();
    request.kernel = "strips";
    EXPECT_EQ(Chooser(row_offsets_of(here), features, 0, &source)(request).signature,
              Chooser(here, features)(request).signature);
    EXPECT_TRUE(source.gave_all);
}

/// An order of the rows of a matrix whose row offsets alone are here.
std::optional<OrderChoice> order_from(CountingSource& source, const CsrView& offsets,
                                      reordering::ClusteringElsewhere elsewhere = {}) {
    const RowFeatures features = features_of_rows(offsets);
    Chooser chooser(offsets, features, 0, &source);
    const Request request = h200_request();
    Request asked = request;
    std::optional<Choice> rule;
    return choose_order({.matrix = offsets,
                         .features = features,
                         .request = request,
                         .chooser = chooser,
                         .rule = [&]() -> const Choice& {
                             if (!rule) rule = chooser.sampled(asked);
                             return *rule;
                         },
                         .source = &source,
                         .elsewhere = std::move(elsewhere)});
}

// Whether an order may pay a sample tells; all columns are fetched where it may.
TEST(ChooserSource, GivesColumnsForAnOrderThatMayPay) {
    enum Order { kept, in_question, pays };
    for (const auto& [spec, expected] : {std::pair{"stencil7:nx=60,ny=60,nz=60", kept},
                                         {"random:rows=60000,cols=60000,per_row=9", in_question},
                                         {"delaunay:n=120000,spatial=0", pays}}) {
        SCOPED_TRACE(spec);
        const CsrMatrix matrix = make_gallery_matrix(spec);
        const CsrView here = matrix.view();
        CountingSource source(here);
        const auto order = order_from(source, row_offsets_of(here));
        EXPECT_EQ(order.has_value(), expected == pays);
        EXPECT_EQ(source.columns_given >= here.nnz, expected != kept);
        EXPECT_FALSE(source.gave_all) << "values stay where they are";
    }
}

/// Rows of 27 entries in random order.
CsrMatrix scattered_grid(int n) {
    const CsrMatrix grid = make_gallery_matrix(fmt::format("stencil27:nx={0},ny={0},nz={0}", n));
    Reordering anywhere;
    anywhere.method = ReorderMethod::rcm;  // of rows and columns
    anywhere.order.resize(static_cast<std::size_t>(grid.rows));
    std::iota(anywhere.order.begin(), anywhere.order.end(), 0);
    std::ranges::shuffle(anywhere.order, std::mt19937(7));
    anywhere.place.resize(anywhere.order.size());
    for (std::size_t i = 0; i < anywhere.order.size(); ++i)
        anywhere.place[static_cast<std::size_t>(anywhere.order[i])] = static_cast<std::int32_t>(i);
    return permute(grid.view(), anywhere);
}

// Along a path, and where no row leads on, there would be more steps than are taken: then all
// columns come.
TEST(ChooserSource, GivesClustersTheirColumnsStepByStep) {
    const CsrMatrix grid = scattered_grid(22);
    const CsrMatrix path = make_gallery_matrix("banded:n=9000,lower=1,upper=1");
    const CsrMatrix diagonal = make_gallery_matrix("diagonal:n=9000");
    for (const CsrMatrix* matrix : {&grid, &path, &diagonal}) {
        const CsrView here = matrix->view();
        CountingSource source(here);
        EXPECT_EQ(
            reordering::sampled_row_clusters(row_offsets_of(here), cluster_rows, 2, 4, &source),
            reordering::sampled_row_clusters(here, cluster_rows, 2, 4));
        EXPECT_EQ(source.columns_given >= here.nnz, matrix != &grid) << source.columns_given;
        EXPECT_LE(source.asked, 13);
    }
}

// All columns of a large matrix come here only where the host has to make its order.
TEST(ChooserSource, KeepsTheColumnsOfALargeMatrixWhereTheOrderIsMade) {
    const CsrMatrix matrix = scattered_grid(55);
    const CsrView here = matrix.view();
    const RowOrder expected = *order_of_rows(here);
    bool can_cluster = true;
    const auto reach_all = [](reordering::RegionSearch& search) {
        std::ranges::fill(search.marks(), search.mark(0));
        return true;
    };
    const auto cluster = [&](reordering::RegionsToCluster& regions) {
        regions.rows = expected.order.order;
        regions.bandwidth = expected.bandwidth;
        return can_cluster;
    };
    for (const bool can : {true, false}) {
        SCOPED_TRACE(can);
        can_cluster = can;
        CountingSource source(here);
        const auto order =
            order_from(source, row_offsets_of(here), {.search = reach_all, .cluster = cluster});
        ASSERT_TRUE(order);
        EXPECT_EQ(order->bandwidth, expected.bandwidth);
        EXPECT_EQ(source.columns_given >= here.nnz, !can);
        if (can) {
            EXPECT_EQ(order->order, expected.order);
        }
    }
}

TEST(ChooserSource, HubsOfALargeMatrixTakeTwoSamples) {
    const CsrMatrix matrix = make_gallery_matrix("rmat:scale=16,edges=1500000");
    CsrView bare = matrix.view();
    bare.col_idx = nullptr;
    CountingSource source(matrix.view());
    EXPECT_EQ(concentration(bare, 2048, 2, 1 << 17, &source),
              concentration(matrix.view(), 2048, 2, 1 << 17, nullptr));
    EXPECT_EQ(source.columns_given, 2 << 17);
    EXPECT_EQ(source.asked, 1);
    for (const std::int64_t count : {512L, 16384L})
        EXPECT_EQ(SampledHubs(bare, &source).share(count),
                  SampledHubs(matrix.view(), nullptr).share(count));
}

}  // namespace
}  // namespace spmvgen
