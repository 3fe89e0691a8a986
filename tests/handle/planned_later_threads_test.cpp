// Handles that are planned later, with products from many threads, new values between them, and
// other calls meanwhile. Of label threads: for ThreadSanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <numeric>
#include <tuple>

#include "grid_of_ones.hpp"
#include "run_threads.hpp"

namespace spmvgen {
namespace {

struct Planning {
    const char* level;
    const char* compile;
};

/// A handle of a matrix that is the same by rows and by columns.
Handle make_handle_of(const std::string& input, const CsrMatrix& a,
                      const std::vector<std::int32_t>& rows, const Options& options) {
    const CsrView view = a.view();
    if (input == "columns")
        return Handle(CscView{view.rows, view.cols, view.nnz, view.offset_type, view.index_type,
                              view.value_type, view.row_ptr, view.col_idx, view.values},
                      options);
    if (input == "some rows") return Handle(RowListView{view, 2 * view.rows, rows.data()}, options);
    return Handle(view, options);
}

class PlannedLaterAmongThreads
    : public testing::TestWithParam<std::tuple<const char*, const char*, Planning>> {};
INSTANTIATE_TEST_SUITE_P(, PlannedLaterAmongThreads,
                         testing::Combine(testing::Values("host", "simt:sm_90"),
                                          testing::Values("rows", "columns", "some rows"),
                                          testing::Values(Planning{"lazy", "now"},
                                                          Planning{"lazy", "behind"},
                                                          Planning{"rule", "behind"})));

// In round r the values are r + 1. Some thread makes the handle ready in the middle, if products
// have not done so by then.
TEST_P(PlannedLaterAmongThreads, NewValuesReachEveryProduct) {
    const auto& [device, input, planning] = GetParam();
#if defined(__SANITIZE_THREAD__)
    if (std::string(device) != "host")
        GTEST_SKIP() << "ThreadSanitizer does not follow the executor's fibers";
#endif
    const CsrMatrix a = grid_of_ones("stencil5:nx=16,ny=12");
    const auto n = static_cast<std::size_t>(a.rows);
    std::vector<std::int32_t> rows(n);
    std::iota(rows.begin(), rows.end(), 7);
    Options options;
    options.device = device;
    options.level = planning.level;
    options.compile = planning.compile;
    options.cache = CacheMode::memory;
    options.threads = 1;
    Handle handle = make_handle_of(input, a, rows, options);
    const std::size_t first = std::string(input) == "some rows" ? 7 : 0;
    constexpr int rounds = 4;
    std::barrier round_ends(thread_count);
    std::atomic<int> wrong = 0;
    std::atomic<std::size_t> told = 0;
    run_threads([&](int t) {
        const std::vector<double> x(2 * n, 1);
        const CsrView view = a.view();
        for (int round = 0; round < rounds; ++round) {
            for (int product = 0; product < 2; ++product) {
                std::vector<double> y(2 * n, 0), columns(4 * n, 0);
                handle.apply(1.0, x.data(), 0.0, y.data());
                const auto length = static_cast<std::int64_t>(y.size() / (first > 0 ? 1 : 2));
                handle.apply_many(2, 1.0, x.data(), a.cols, VectorLayout::column, 1.0,
                                  columns.data(), length, VectorLayout::column);
                for (std::size_t i = 0; i < n; ++i) {
                    const double right =
                        (round + 1) *
                        static_cast<double>(view.row_length(static_cast<std::int64_t>(i)));
                    wrong += y[first + i] != right;
                    wrong += columns[static_cast<std::size_t>(length) + first + i] != right;
                }
                told += handle.info().reason.size();
            }
            if (round == rounds / 2 && t == 1) handle.prepare(Scale::one, Scale::zero);
            round_ends.arrive_and_wait();
            const std::vector<double> values(static_cast<std::size_t>(a.nnz), round + 2);
            if (t == 0) handle.update_values(values.data());
            round_ends.arrive_and_wait();
        }
    });
    EXPECT_EQ(wrong, 0);
    EXPECT_GT(told, 0u);
    EXPECT_EQ(handle.info().reason.find("plain CSR, "), std::string::npos) << handle.info().reason;
}

class KernelInBetweenAmongThreads : public testing::TestWithParam<std::tuple<const char*, bool>> {};
INSTANTIATE_TEST_SUITE_P(, KernelInBetweenAmongThreads,
                         testing::Combine(testing::Values("now", "behind"), testing::Bool()));

// As above, of products that take so long that a kernel of CSR serves before planning is due.
TEST_P(KernelInBetweenAmongThreads, NewValuesReachEveryProduct) {
    const auto& [compile, copy] = GetParam();
    const CsrMatrix a = grid_of_ones("stencil5:nx=100,ny=80");
    const CsrView view = a.view();
    Options options;
    options.cache = CacheMode::memory;
    options.threads = 1;
    options.format = "csr";
    options.encodings = "none";
    const Handle csr(view, options);  // its kernel is at hand from here on
    options.format = "auto";
    options.encodings = "auto";
    options.level = "lazy";
    options.compile = compile;
    options.copy = copy;
    Handle handle(view, options);
    ASSERT_EQ(handle.info().kernel, "generic_csr");
    constexpr int rounds = 6;
    std::vector<std::vector<double>> values;  // which may be borrowed
    for (int round = 0; round < rounds; ++round)
        values.emplace_back(static_cast<std::size_t>(a.nnz), round + 2);
    std::barrier round_ends(thread_count);
    std::atomic<int> wrong = 0, in_between = 0;
    run_threads([&](int t) {
        const auto n = static_cast<std::size_t>(a.rows);
        const std::vector<double> x(n, 1);
        for (int round = 0; round < rounds; ++round) {
            for (int product = 0; product < 4; ++product) {
                std::vector<double> y(n, 1);
                handle.apply(2.0, x.data(), -1.0, y.data());
                for (std::size_t i = 0; i < n; ++i)
                    wrong += y[i] != 2 * (round + 1) *
                                             static_cast<double>(
                                                 view.row_length(static_cast<std::int64_t>(i))) -
                                         1;
                in_between += handle.info().kernel == csr.info().kernel;
            }
            round_ends.arrive_and_wait();
            if (t == 0) handle.update_values(values[static_cast<std::size_t>(round)].data());
            round_ends.arrive_and_wait();
        }
    });
    EXPECT_EQ(wrong, 0);
    EXPECT_GT(in_between, 0) << handle.info().kernel;
    EXPECT_NE(handle.info().kernel, "generic_csr");
}

}  // namespace
}  // namespace spmvgen
