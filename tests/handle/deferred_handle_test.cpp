// Handles that are planned in a thread of their own: plain CSR serves until then.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "errors.hpp"
#include "grid_of_ones.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "matrix/suites/gallery.hpp"
#include "run_threads.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {
namespace {

Options behind_on(const std::string& device) {
    Options options;
    options.device = device;
    options.compile = "behind";
    options.cache = CacheMode::memory;
    options.threads = team_threads;
    options.all_threads = true;
    return options;
}

class BehindHandle : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(, BehindHandle, testing::ValuesIn(devices_of_threads));

TEST_P(BehindHandle, MultipliesBeforeAndAfterItIsPlanned) {
    CsrMatrix a = grid_of_ones();
    Options options = behind_on(GetParam());
    const Handle handle(a.view(), options);
    for (int i = 0; i < 3; ++i) expect_row_sums(handle, a.view());
    handle.prepare(Scale::one, Scale::zero);  // waits
    options.compile = "now";
    const Handle planned(a.view(), options);
    EXPECT_EQ(handle.info().kernel, planned.info().kernel);
    expect_row_sums(handle, a.view());
}

TEST_P(BehindHandle, IsUsedByManyThreadsAtOnce) {
    CsrMatrix a = grid_of_ones();
    const Handle handle(a.view(), behind_on(GetParam()));
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int product = 0; product < 5; ++product) expect_row_sums(handle, a.view());
        });
    for (auto& thread : threads) thread.join();
}

TEST_P(BehindHandle, KeepsWhatItReads) {
    std::unique_ptr<const Handle> handle;
    CsrMatrix kept = grid_of_ones();
    {
        CsrMatrix gone = grid_of_ones();
        handle = std::make_unique<const Handle>(gone.view(), behind_on(GetParam()));
        std::ranges::fill(gone.values.as<double>(), 7.0);
    }
    expect_row_sums(*handle, kept.view());
    handle->prepare(Scale::one, Scale::zero);
    expect_row_sums(*handle, kept.view());
}

TEST_P(BehindHandle, TakesNewValues) {
    CsrMatrix a = grid_of_ones();
    std::ranges::fill(a.values.as<double>(), 3.0);
    Handle handle(a.view(), behind_on(GetParam()));
    const std::vector<double> values(static_cast<std::size_t>(a.nnz), 1);
    handle.update_values(values.data());
    expect_row_sums(handle, a.view());
}

TEST(BehindHandleOnTheHost, ServesEntriesInAnyOrderAndTransposes) {
    const std::vector<int> rows{2, 0, 1}, cols{0, 1, 2};
    const std::vector<double> values{3, 1, 2};
    Options options = behind_on("host");
    const Handle entries(coo_view(3, 3, 3, rows.data(), cols.data(), values.data()), options);
    options.op = "T";
    const Handle transposed(coo_view(3, 3, 3, rows.data(), cols.data(), values.data()), options);
    const std::vector<double> x{1, 10, 100};
    for (int wait = 0; wait < 2; ++wait) {
        std::vector<double> y(3), z(3);
        entries.apply(1.0, x.data(), 0.0, y.data());
        transposed.apply(1.0, x.data(), 0.0, z.data());
        EXPECT_EQ(y, (std::vector<double>{10, 200, 3}));
        EXPECT_EQ(z, (std::vector<double>{300, 1, 20}));
        entries.prepare(Scale::one, Scale::zero);
        transposed.prepare(Scale::one, Scale::zero);
    }
}

TEST(BehindHandleOnTheHost, GoesOnWithPlainCsrWhenPlanningFails) {
    CsrMatrix a = make_gallery_matrix("arrow:n=400000");  // whose long row ELL would pad all to
    std::ranges::fill(a.values.as<double>(), 1.0);
    Options options = behind_on("host");
    options.kernel = "ell";
    const Handle handle(a.view(), options);
    handle.prepare(Scale::one, Scale::zero);
    EXPECT_EQ(handle.info().kernel, "generic_csr");
    expect_row_sums(handle, a.view());
}

TEST(BehindHandleOnTheHost, RefusesWhatPlainCsrCannotDo) {
    const CsrMatrix a = grid_of_ones();
    const auto refusal = [&](auto change) {
        Options options = behind_on("host");
        change(options);
        return code_and_text([&] { Handle(a.view(), options); });
    };
    const std::string begin = "invalid_argument: options.compile behind begins with plain CSR, ";
    EXPECT_EQ(refusal([](Options& o) { o.deterministic = true; }),
              begin +
                  "whose bits are not those of the kernel that takes over: use now, or leave "
                  "deterministic false");
    EXPECT_EQ(refusal([](Options& o) { o.reorder = "rcm"; }),
              begin + "which has no order of its own: use now, or leave reorder auto");
    EXPECT_EQ(
        refusal([](Options& o) { o.memory_limit = 1; }),
        begin + "which stays beside what is planned: use now, or leave options.memory_limit 0");
    EXPECT_EQ(refusal([](Options& o) { o.epilogue = "value"; }),
              begin + "which has no epilogue: use now, or leave epilogue empty");
    EXPECT_EQ(refusal([](Options& o) {
                  o.kernel = "csr_rows";
                  o.format = "ell";
              }),
              "invalid_argument: kernel csr_rows reads format csr, not ell: leave one of them auto")
        << "at once, not in a warning of the thread that plans";
    EXPECT_THAT(refusal([](Options& o) { o.format = "hyb"; }),
                testing::StartsWith("invalid_argument: no kernel reads format hyb on "));
    EXPECT_THAT(
        refusal([](Options& o) { o.rule = "lightspmv"; }),
        testing::StartsWith("invalid_argument: rule lightspmv says nothing of format csr "));
    EXPECT_EQ(refusal([](Options& o) { o.compile = "later"; }),
              "invalid_argument: options.compile is 'later': use now or behind");
}

}  // namespace
}  // namespace spmvgen
