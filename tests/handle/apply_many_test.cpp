// Products with any number of vectors, in any layout: sums are exact, for A and the vectors hold
// small integers.
#include <gtest/gtest.h>

#include <limits>

#include "registry.hpp"
#include "vector_blocks.hpp"

namespace spmvgen {
namespace {

using namespace vector_blocks;

struct Layouts {
    VectorLayout x, y;
    std::int64_t gap;
};
constexpr Layouts all_layouts[] = {
    {by_row, by_row, 0}, {by_row, by_row, 3}, {by_column, by_column, 0}, {by_column, by_row, 2}};

/// Of a handle on this CPU or the SIMT executor, whose memory is the host's.
void check(const CsrMatrix& a, const Handle& handle, std::int64_t k, const Layouts& l,
           double alpha = 1, double beta = 0) {
    const bool transposed = handle.info().op != "N";
    Block x = x_block(l.x, transposed ? a.rows : a.cols, k, l.gap);
    Block y(l.y, transposed ? a.cols : a.rows, k, l.gap);
    for (std::int64_t i = 0; i < y.rows; ++i)
        for (std::int64_t r = 0; r < k; ++r)
            y.at(i, r) = beta == 0 ? std::numeric_limits<double>::quiet_NaN() : y_number(i, r);
    handle.apply_many(k, alpha, x.data.data(), x.ld, l.x, beta, y.data.data(), y.ld, l.y);
    const Block wanted = product(a, transposed, alpha, beta, l.y, k, l.gap);
    EXPECT_EQ(y.data, wanted.data) << handle.info().kernel << ", k " << k << ", gap " << l.gap
                                   << ", layouts " << static_cast<int>(l.x) << ' '
                                   << static_cast<int>(l.y) << ", α " << alpha << ", β " << beta;
}

TEST(ApplyMany, AnyNumberInAnyLayout) {
    const CsrMatrix a = whole_numbers("powerlaw:n=90,max_row=30");
    const Handle handle(a.view(), in_memory());
    for (const Layouts& l : all_layouts)
        for (const std::int64_t k : {0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 23, 32, 33, 70})
            check(a, handle, k, l);
    for (const Layouts& l : all_layouts)
        for (const auto& [alpha, beta] :
             {std::pair{0.0, 0.0}, {0.0, 2.0}, {1.0, 1.0}, {-2.0, 1.0}, {3.0, -2.0}})
            for (const std::int64_t k : {1, 3, 4}) check(a, handle, k, l, alpha, beta);
}

/// Every CPU kernel, and handles that have none of their own kind.
TEST(ApplyMany, OfEveryHostKernel) {
    const CsrMatrix a = whole_numbers("stencil5:nx=9,ny=10");
    for (auto& entry : kernel_registry()) {
        if (entry.gpu || !is_plain_product(entry)) continue;
        Options o = in_memory();
        o.kernel = entry.id;
        const Handle handle(a.view(), o);
        for (const Layouts& l : all_layouts) check(a, handle, 7, l, 2, 1);
    }
    for (const CacheMode mode : {CacheMode::off, CacheMode::load}) {
        Options o = in_memory();
        o.cache = mode;
        o.cache_dir = testing::TempDir() + "apply_many_nothing";
        const Handle generic(a.view(), o);
        for (const Layouts& l : all_layouts) check(a, generic, 7, l, 2, 1);
    }
}

TEST(ApplyMany, TransposedReorderedPlannedForSeveralDeferred) {
    const CsrMatrix a = whole_numbers("stencil5:nx=9,ny=10");
    const CsrMatrix wide = whole_numbers("random:rows=40,cols=70,per_row=5");
    const auto each = [&](const CsrMatrix& matrix, auto set) {
        Options o = in_memory();
        set(o);
        const Handle handle(matrix.view(), o);
        for (const Layouts& l : all_layouts)
            for (const std::int64_t k : {1, 3, 5}) check(matrix, handle, k, l, 2, 1);
    };
    each(wide, [](Options&) {});
    each(wide, [](Options& o) { o.op = "T"; });
    each(wide, [](Options& o) {
        o.op = "T";
        o.transpose_by_atomics = true;
    });
    each(a, [](Options& o) { o.reorder = "rcm"; });
    for (const int planned : {3, 5, 8}) each(wide, [&](Options& o) { o.num_rhs = planned; });
    each(wide, [](Options& o) { o.level = "lazy"; });
    each(wide, [](Options& o) { o.compile = "behind"; });
}

TEST(ApplyMany, OfGpuKernels) {
    const CsrMatrix a = whole_numbers("stencil5:nx=9,ny=10");
    const auto each = [&](auto set) {
        Options o = in_memory();
        o.device = "simt:sm_90";
        set(o);
        const Handle handle(a.view(), o);
        for (const Layouts& l : all_layouts) check(a, handle, 7, l, 2, 1);
        check(a, handle, 12, all_layouts[2]);
        check(a, handle, 2, all_layouts[0]);
    };
    each([](Options&) {});
    each([](Options& o) { o.device = "simt:gfx90a"; });
    each([](Options& o) { o.reorder = "rcm"; });
    for (const char* kernel : {"strips", "tiles", "csr_by_length", "sell_slices"})
        each([&](Options& o) { o.kernel = kernel; });
}

/// Lanes of these share an entry, and move 16 bytes at a time where x and y begin at a multiple of
/// that.
TEST(ApplyMany, LanesThatShareEntries) {
    const CsrMatrix a = whole_numbers("powerlaw:n=90,max_row=80");
    for (const char* device : {"simt:sm_90", "simt:gfx90a"})
        for (const char* kernel : {"csr_classical", "csr_by_length"})
            for (const int k : {2, 6, 8, 16, 32, 64}) {
                Options o = in_memory();
                o.device = device;
                o.kernel = kernel;
                o.num_rhs = k;
                if (k > 16) o.params = {{"subwarp", 16}};
                if (o.kernel == "csr_by_length")
                    o.params.insert({{"most_short", 8}, {"most_middle", 64}, {"share", 512}});
                const Handle handle(a.view(), o);
                for (const double beta : {0.0, 1.0, -2.0})
                    for (const std::size_t offset : {0, 1}) {
                        const Block x = x_block(by_row, a.cols, k, 0);
                        Block y(by_row, a.rows, k, 0);
                        for (std::int64_t i = 0; i < a.rows; ++i)
                            for (std::int64_t r = 0; r < k; ++r) y.at(i, r) = y_number(i, r);
                        std::vector<double> in(offset), out(offset);
                        in.insert(in.end(), x.data.begin(), x.data.end());
                        out.insert(out.end(), y.data.begin(), y.data.end());
                        handle.apply(2.0, in.data() + offset, beta, out.data() + offset);
                        const Block wanted = product(a, false, 2, beta, by_row, k, 0);
                        EXPECT_TRUE(std::equal(wanted.data.begin(), wanted.data.end(),
                                               out.begin() + static_cast<std::ptrdiff_t>(offset)))
                            << handle.info().kernel << ", β " << beta << ", offset " << offset;
                    }
            }
}

TEST(ApplyMany, NewValuesReachEveryNumber) {
    CsrMatrix a = whole_numbers("stencil5:nx=9,ny=10");
    for (const char* device : {"host", "simt:sm_90"}) {
        Options o = in_memory();
        o.device = device;
        Handle handle(a.view(), o);
        check(a, handle, 4, all_layouts[0]);
        CsrMatrix other = whole_numbers("stencil5:nx=9,ny=10");
        for (double& value : other.values.as<double>()) value = 1000 - value;
        handle.update_values(other.values.as<double>().data());
        check(other, handle, 4, all_layouts[0]);
        check(other, handle, 1, all_layouts[0]);
    }
}

/// X and Y may share rows of one array.
// Of vectors that are longer than α and β are apart.
TEST(ApplyMany, AKernelForSeveralServesThem) {
    const CsrMatrix a = whole_numbers("stencil5:nx=60,ny=50");
    for (const char* device : {"host", "simt:sm_90"}) {
        Options options;
        options.device = device;
        options.cache = CacheMode::memory;
        options.threads = 1;
        const Handle handle(a.view(), options);
        const auto wanted = [] {
            const KernelCounters counters = kernel_counters();
            return counters.compiles_started + counters.hits_memory;
        };
        const std::int64_t before = wanted();
        const std::vector<double> x(static_cast<std::size_t>(a.cols * 4), 1);
        std::vector<double> y(static_cast<std::size_t>(a.rows * 4));
        handle.apply_many(4, 1.0, x.data(), 4, VectorLayout::row, 0.0, y.data(), 4,
                          VectorLayout::row);
        EXPECT_EQ(wanted(), before + 1) << device;
    }
}

TEST(ApplyMany, ColumnsOfOneArray) {
    const CsrMatrix a = whole_numbers("stencil5:nx=9,ny=10");
    const Handle handle(a.view(), in_memory());
    constexpr std::int64_t k = 3, ld = 8;
    std::vector<double> both(static_cast<std::size_t>(a.rows * ld), untouched);
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t r = 0; r < k; ++r)
            both[static_cast<std::size_t>(i * ld + r)] = x_number(i, r);
    handle.apply_many(k, 1.0, both.data(), ld, by_row, 0.0, both.data() + 4, ld, by_row);
    Block wanted = product(a, false, 1, 0, by_row, k, 0);
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t r = 0; r < ld; ++r) {
            const double number = both[static_cast<std::size_t>(i * ld + r)];
            EXPECT_EQ(number, r < k                 ? x_number(i, r)
                              : r >= 4 && r < 4 + k ? wanted.at(i, r - 4)
                                                    : untouched);
        }
}

TEST(ApplyMany, OfNoRowsAnyNumberTakesNoTime) {
    const std::vector<std::int32_t> row_ptr{0}, no_columns;
    const std::vector<double> nothing;
    for (const char* device : {"host", "simt:sm_90"}) {
        Options o = in_memory();
        o.device = device;
        const Handle handle(0, 5, row_ptr.data(), no_columns.data(), nothing.data(), o);
        constexpr std::int64_t k = std::int64_t{1} << 50;
        handle.apply_many<double>(k, 1.0, nullptr, k, by_row, 0.0, nullptr, k, by_row);
    }
}

TEST(ApplyMany, RefusesWhatDoesNotFit) {
    const CsrMatrix a = whole_numbers("random:rows=4,cols=6,per_row=2");
    const Handle handle(a.view(), in_memory());
    std::vector<double> x(100), y(100);
    const auto with = [&](std::int64_t k, std::int64_t ldx, VectorLayout lx, std::int64_t ldy,
                          VectorLayout ly) {
        return refusal(
            [&] { handle.apply_many(k, 1.0, x.data(), ldx, lx, 0.0, y.data(), ldy, ly); });
    };
    EXPECT_EQ(with(-1, 1, by_row, 1, by_row), "apply_many: k is -1: use 0 or more");
    EXPECT_EQ(with(3, 2, by_row, 3, by_row),
              "apply_many: ldx is 2, but a row of x has 3 numbers: use 3 or more");
    EXPECT_EQ(with(3, 3, by_row, 3, by_column),
              "apply_many: ldy is 3, but a column of y has 4 numbers: use 4 or more");
    EXPECT_EQ(with(3, 5, by_column, 4, by_column),
              "apply_many: ldx is 5, but a column of x has 6 numbers: use 6 or more");
    EXPECT_EQ(with(std::int64_t{1} << 62, 6, by_column, 4, by_column),
              "apply_many: y is larger than any memory: give a smaller ldy");
    EXPECT_EQ(refusal([&] {
                  handle.apply_many(2, 1.0, x.data(), 2, by_row, 0.0, x.data() + 3, 2, by_row);
              }),
              "apply_many: x and y overlap; use different arrays");
    EXPECT_EQ(refusal([&] {
                  handle.apply_many<double>(2, 1.0, nullptr, 2, by_row, 0.0, y.data(), 2, by_row);
              }),
              "apply_many: x is null");
    EXPECT_EQ(refusal([&] {
                  handle.apply_many<double>(2, 1.0, x.data(), 2, by_row, 0.0, nullptr, 2, by_row);
              }),
              "apply_many: y is null");
    EXPECT_EQ(refusal([&] {
                  const float one = 1;
                  handle.apply_many(2, one, &one, 2, by_row, one, static_cast<float*>(nullptr), 2,
                                    by_row);
              }),
              "apply_many: the matrix is f64, but α, x, β and y are f32; use f64");
}

}  // namespace
}  // namespace spmvgen
