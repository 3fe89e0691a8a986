// An order of the rows as part of the choice on GPUs.
#include "tuner/chooser/order_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "matrix/suites/gallery.hpp"
#include "tuner/profiles/device_profile.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;

/// For an H200, whose profile is shipped.
Request h200_request() {
    Request request{.target = parse_target("sm_90"), .units = 132, .device = "NVIDIA H200"};
    request.profile = find_device_profile(request.device);
    return request;
}

std::optional<OrderChoice> order_of(const CsrMatrix& matrix, const Request& request,
                                    std::int64_t applies = 0) {
    const CsrView a = matrix.view();
    const RowFeatures features = analyse_row_lengths(a);
    Chooser chooser(a, features, 2);
    Request asked = request;
    std::optional<Choice> rule;
    return choose_order({.matrix = a,
                         .features = features,
                         .request = request,
                         .expected_applies = applies,
                         .threads = 2,
                         .chooser = chooser,
                         .rule = [&]() -> const Choice& {
                             if (!rule) rule = chooser.sampled(asked);
                             return *rule;
                         }});
}

TEST(OrderChoice, IsClustersWhereNeighboursAreFarApart) {
    const CsrMatrix scattered = make_gallery_matrix("delaunay:n=120000,spatial=0");
    const auto order = order_of(scattered, h200_request());
    ASSERT_TRUE(order.has_value());
    EXPECT_LT(order->us, 0.88 * order->plain_us);
    EXPECT_EQ(order->order, reorder(scattered.view(), ReorderMethod::rows));
    EXPECT_THAT(order->reason, HasSubstr("rows in clusters: predicted "));
    EXPECT_FALSE(order_of(scattered, h200_request(), 100).has_value()) << "so few do not repay it";
    EXPECT_TRUE(order_of(scattered, h200_request(), 1'000'000'000).has_value());
}

TEST(OrderChoice, IsNoneWhereRowsHaveOneOrNoneHelps) {
    for (const char* spec : {"delaunay:n=120000", "stencil7:nx=60,ny=60,nz=60", "rmat:scale=16"})
        EXPECT_FALSE(order_of(make_gallery_matrix(spec), h200_request()).has_value()) << spec;
}

TEST(OrderChoice, IsMadeOnlyWhereAllIsFree) {
    constexpr std::int64_t n = 100'000, nnz = 1'000'000;
    EXPECT_TRUE(may_choose_order(n, n, nnz, h200_request()));
    EXPECT_FALSE(may_choose_order(n, n + 1, nnz, h200_request()));
    EXPECT_FALSE(may_choose_order(n, n, 100'000, h200_request()));
    // x and y of 64 MB, of which an H200's L2 does not keep enough.
    EXPECT_FALSE(may_choose_order(40 * n, 40 * n, 400 * n, h200_request()));
    const auto refused = [](auto change) {
        Request asked = h200_request();
        change(asked);
        return !may_choose_order(n, n, nnz, asked);
    };
    EXPECT_TRUE(refused([](Request& r) { r.profile = nullptr; }));
    EXPECT_TRUE(refused([](Request& r) { r.kernel = "strips"; }));
    EXPECT_TRUE(refused([](Request& r) { r.format = "csr"; }));
    EXPECT_TRUE(refused([](Request& r) { r.params["block"] = 128; }));
    EXPECT_TRUE(refused([](Request& r) { r.rule = "ginkgo"; }));
    EXPECT_TRUE(refused([](Request& r) { r.num_rhs = 2; }));
    EXPECT_TRUE(refused([](Request& r) { r.op = Op::transpose; }));
    EXPECT_TRUE(refused([](Request& r) { r.look = false; }));
}

TEST(OrderChoice, IsClustersForSeveralVectorsWithoutTimes) {
    Request request{.target = parse_target("sm_90"), .num_rhs = 16};
    const CsrMatrix scattered = make_gallery_matrix("delaunay:n=120000,spatial=0");
    const auto order = order_of(scattered, request);
    ASSERT_TRUE(order.has_value());
    EXPECT_EQ(order->order, reorder(scattered.view(), ReorderMethod::rows));
    EXPECT_THAT(order->reason, HasSubstr("rows in clusters: 16 rows load 0."));
    EXPECT_FALSE(order_of(scattered, request, 100).has_value()) << "so few do not repay it";
    for (const char* spec : {"delaunay:n=120000", "stencil7:nx=60,ny=60,nz=60", "rmat:scale=16"})
        EXPECT_FALSE(order_of(make_gallery_matrix(spec), request).has_value()) << spec;
    request.num_rhs = 2;
    EXPECT_FALSE(order_of(scattered, request).has_value()) << "a sector has several rows of x";
}

TEST(OrderChoice, IsMadeForSeveralVectorsOnlyWhereAllIsFree) {
    constexpr std::int64_t n = 100'000, nnz = 500'000;
    const auto may = [](std::int64_t cols, std::int64_t entries, auto change) {
        Request asked{.target = parse_target("sm_90"), .num_rhs = 8};
        change(asked);
        return may_choose_order(n, cols, entries, asked);
    };
    const auto nothing = [](Request&) {};
    EXPECT_TRUE(may(n, nnz, nothing));
    EXPECT_FALSE(may(n + 1, nnz, nothing));
    EXPECT_FALSE(may(n, 2 * n, nothing)) << "short rows";
    EXPECT_FALSE(may(n, nnz, [](Request& r) { r.num_rhs = 4; })) << "and rows of x of a sector";
    EXPECT_FALSE(may(n, nnz, [](Request& r) { r.epilogue = "2 * value"; }));
    EXPECT_FALSE(may(n, nnz, [](Request& r) { r.kernel = "csr_classical"; }));
    EXPECT_FALSE(may(n, nnz, [](Request& r) { r.format = "csr"; }));
    EXPECT_FALSE(may(n, nnz, [](Request& r) { r.look = false; }));
}

}  // namespace
}  // namespace spmvgen
