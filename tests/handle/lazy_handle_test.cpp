// Level lazy: plain CSR, until products took as long as planning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "errors.hpp"
#include "fake_device.hpp"
#include "fakes.hpp"
#include "grid_of_ones.hpp"
#include "run_threads.hpp"
#include "spmvgen/batch.hpp"
#include "spmvgen/kernels.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;

Options lazy_on(const std::string& device) {
    Options options;
    options.device = device;
    options.level = "lazy";
    options.cache = CacheMode::memory;
    options.threads = team_threads;
    options.all_threads = true;
    return options;
}

bool is_plain(const Handle& handle) {
    return handle.info().reason.starts_with("plain CSR, until products have taken as long");
}

/// Products until a plan serves, at most so many.
int products_until_planned(const Handle& handle, const CsrView& a, int most) {
    const std::vector<double> x(static_cast<std::size_t>(a.cols), 1);
    std::vector<double> y(static_cast<std::size_t>(a.rows));
    int products = 0;
    for (; products < most && is_plain(handle); ++products)
        handle.apply(1.0, x.data(), 0.0, y.data());
    return products;
}

class LazyHandle : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(, LazyHandle, testing::ValuesIn(devices_of_threads));

TEST_P(LazyHandle, BeginsWithPlainCsr) {
    const CsrMatrix a = grid_of_ones();
    const Handle handle(a.view(), lazy_on(GetParam()));
    EXPECT_TRUE(is_plain(handle)) << handle.info().reason;
    EXPECT_EQ(handle.info().format, "csr");
    expect_row_sums(handle, a.view());
}

TEST_P(LazyHandle, IsPlannedWhenItIsMadeReady) {
    const CsrMatrix a = grid_of_ones();
    Options options = lazy_on(GetParam());
    const Handle handle(a.view(), options);
    expect_row_sums(handle, a.view());
    handle.prepare(Scale::one, Scale::zero);
    options.level = "rule";
    const Handle planned(a.view(), options);
    EXPECT_EQ(handle.info().kernel, planned.info().kernel);
    EXPECT_THAT(handle.info().reason, HasSubstr("level lazy, planned after 1 products; "));
    expect_row_sums(handle, a.view());
}

TEST_P(LazyHandle, TakesNewValuesBeforeAndAfterItIsPlanned) {
    const CsrMatrix a = grid_of_ones();
    Handle handle(a.view(), lazy_on(GetParam()));
    const std::vector<double> threes(static_cast<std::size_t>(a.nnz), 3), fives(threes.size(), 5);
    handle.update_values(threes.data());
    expect_row_sums(handle, a.view(), 3);
    handle.prepare(Scale::one, Scale::zero);
    expect_row_sums(handle, a.view(), 3);
    handle.update_values(fives.data());
    expect_row_sums(handle, a.view(), 5);
}

TEST_P(LazyHandle, NewValuesOfBorrowedArraysAreBorrowed) {
    const CsrMatrix a = grid_of_ones();
    Options options = lazy_on(GetParam());
    options.copy = false;
    options.owner = std::make_shared<int>();
    Handle handle(a.view(), options);
    const std::vector<double> threes(static_cast<std::size_t>(a.nnz), 3);
    handle.update_values(threes.data());
    handle.prepare(Scale::one, Scale::zero);
    expect_row_sums(handle, a.view(), 3);
    EXPECT_EQ(a.values.as<double>()[0], 1) << "the caller's array";
}

TEST_P(LazyHandle, IsPlannedAtOnceWhereBitsMustStay) {
    const CsrMatrix a = grid_of_ones();
    Options options = lazy_on(GetParam());
    options.deterministic = true;
    const Handle handle(a.view(), options);
    options.level = "rule";
    EXPECT_EQ(handle.info().kernel, Handle(a.view(), options).info().kernel);
    expect_row_sums(handle, a.view());
}

TEST_P(LazyHandle, IsUsedByManyThreadsAtOnce) {
    const CsrMatrix a = grid_of_ones();
    Options options = lazy_on(GetParam());
    options.compile = "behind";
    const Handle handle(a.view(), options);
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
        threads.emplace_back([&] {
            for (int product = 0; product < 5; ++product) expect_row_sums(handle, a.view());
        });
    threads.emplace_back([&] { handle.prepare(Scale::one, Scale::general); });
    for (auto& thread : threads) thread.join();
    EXPECT_FALSE(is_plain(handle));
}

class LazyHandleOnTheHost : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(, LazyHandleOnTheHost, testing::Values("now", "behind"));

TEST_P(LazyHandleOnTheHost, IsPlannedOnceProductsTookAsLong) {
    const CsrMatrix a = grid_of_ones("stencil5:nx=300,ny=300");
    Options options = lazy_on("host");
    options.compile = GetParam();
    const Handle handle(a.view(), options);
    EXPECT_GE(products_until_planned(handle, a.view(), 100'000), 20);
    EXPECT_FALSE(is_plain(handle));
    EXPECT_THAT(handle.info().reason, HasSubstr("level lazy, planned after "));
    expect_row_sums(handle, a.view());
}

TEST(LazyHandleOnAHost, HasAKernelOfCsrThatIsAtHandBeforeItIsPlanned) {
    const CsrMatrix a = grid_of_ones("stencil5:nx=300,ny=300");
    Options options = lazy_on("host");
    options.level = "rule";
    options.format = "csr";
    options.encodings = "none";
    const Handle csr(a.view(), options);  // its kernel is in memory from here on
    const Handle handle(a.view(), lazy_on("host"));
    EXPECT_EQ(handle.info().kernel, "generic_csr");
    for (int product = 0; product < 100'000 && handle.info().kernel == "generic_csr"; ++product)
        expect_row_sums(handle, a.view());
    EXPECT_TRUE(is_plain(handle)) << handle.info().reason;
    EXPECT_EQ(handle.info().kernel, csr.info().kernel);
    expect_row_sums(handle, a.view());
    // Other modes of α and β are served without a compiler.
    const auto compiled = kernel_counters().compiles_started;
    const std::vector<double> x(static_cast<std::size_t>(a.cols), 1);
    std::vector<double> y(static_cast<std::size_t>(a.rows), 1);
    handle.apply(2.0, x.data(), -3.0, y.data());
    for (std::int64_t row = 0; row < a.rows; ++row)
        ASSERT_EQ(y[static_cast<std::size_t>(row)],
                  2.0 * static_cast<double>(a.view().row_length(row)) - 3)
            << row;
    EXPECT_EQ(kernel_counters().compiles_started, compiled);
}

TEST(LazyHandleOnAHost, CompilesNothingBeforeItIsPlanned) {
    const CsrMatrix a = grid_of_ones("stencil5:nx=300,ny=300");
    FakeKernels fake;
    const Handle handle = make_handle(a.view(), lazy_on("host"), fake.provider);
    for (int product = 0; product < 90; ++product) expect_row_sums(handle, a.view());
    EXPECT_EQ(handle.info().kernel, "generic_csr");
    EXPECT_EQ(fake.provider.counters().compiles_started, 0);
}

TEST(LazyHandleOfEntries, ServesThemInAnyOrderAndTransposes) {
    const std::vector<int> rows{2, 0, 1}, cols{0, 1, 2};
    const std::vector<double> values{3, 1, 2}, twice{6, 2, 4};
    Options options = lazy_on("host");
    Handle entries(coo_view(3, 3, 3, rows.data(), cols.data(), values.data()), options);
    options.op = "T";
    Handle transposed(coo_view(3, 3, 3, rows.data(), cols.data(), values.data()), options);
    const std::vector<double> x{1, 10, 100};
    const auto expect_times = [&](double factor) {
        std::vector<double> y(3), z(3);
        entries.apply(1.0, x.data(), 0.0, y.data());
        transposed.apply(1.0, x.data(), 0.0, z.data());
        EXPECT_EQ(y, (std::vector<double>{10 * factor, 200 * factor, 3 * factor}));
        EXPECT_EQ(z, (std::vector<double>{300 * factor, 1 * factor, 20 * factor}));
    };
    expect_times(1);
    for (Handle* handle : {&entries, &transposed}) handle->update_values(twice.data());
    expect_times(2);
    for (Handle* handle : {&entries, &transposed}) handle->prepare(Scale::one, Scale::zero);
    expect_times(2);
}

TEST(LazyHandleOfDeviceArrays, ReadsThemOrACopy) {
    if (!follows_fibers) GTEST_SKIP() << "ThreadSanitizer does not follow the executor's fibers";
    const CsrMatrix a = grid_of_ones();
    const auto device = open_device("simt:sm_90");
    for (const bool copy : {true, false}) {
        CsrMatrix arrays = grid_of_ones();  // the executor's memory is this machine's
        Options options = lazy_on("simt:sm_90");
        options.device_arrays = true;
        options.copy = copy;
        Handle handle(arrays.view(), options);
        expect_row_sums(handle, a.view());
        if (copy) std::ranges::fill(arrays.values.as<double>(), 9.0);
        handle.prepare(Scale::one, Scale::zero);
        expect_row_sums(handle, a.view());
        const std::vector<double> threes(static_cast<std::size_t>(a.nnz), 3);
        handle.update_values(threes.data());
        expect_row_sums(handle, a.view(), 3);
    }
}

/// Says that it captures what is enqueued, and runs it.
class CapturingDevice : public FakeDevice {
  public:
    bool capturing = false;
    bool is_capturing(StreamRef) override { return capturing; }
};

TEST(LazyHandleInAGraph, StaysAsItIs) {
    const CsrMatrix a = grid_of_ones("stencil5:nx=100,ny=100");
    FakeKernels fake;
    const auto device = std::make_shared<CapturingDevice>();
    Options options = lazy_on("cuda:0");
    options.kernel = "csr_merge_path";
    const Handle handle = make_handle(a.view(), options, fake.provider, device);
    constexpr int enough = 12'000;
    device->capturing = true;
    EXPECT_EQ(products_until_planned(handle, a.view(), enough), enough);
    device->capturing = false;
    EXPECT_LT(products_until_planned(handle, a.view(), enough), enough);
    EXPECT_THAT(handle.info().kernel, HasSubstr("csr_merge_path"));
}

TEST(LazyHandleOptions, RefusesWhatPlainCsrCannotDo) {
    const CsrMatrix a = grid_of_ones();
    const auto refusal = [&](auto change) {
        Options options = lazy_on("host");
        change(options);
        return code_and_text([&] { Handle(a.view(), options); });
    };
    const std::string begin = "invalid_argument: options.level lazy begins with plain CSR, ";
    EXPECT_EQ(refusal([](Options& o) { o.reorder = "rcm"; }),
              begin + "which has no order of its own: use rule, or leave reorder auto");
    EXPECT_EQ(
        refusal([](Options& o) { o.memory_limit = 1; }),
        begin + "which stays beside what is planned: use rule, or leave options.memory_limit 0");
    EXPECT_EQ(refusal([](Options& o) { o.epilogue = "value"; }),
              begin + "which has no epilogue: use rule, or leave epilogue empty");
    EXPECT_EQ(code_and_text([&] { BatchHandle(a.view(), 2, lazy_on("host")); }),
              "invalid_argument: options.level is lazy, but batches are chosen by rules: leave it "
              "\"rule\"");
}

}  // namespace
}  // namespace spmvgen
