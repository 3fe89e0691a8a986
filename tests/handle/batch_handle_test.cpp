// What a BatchHandle promises beside right products, which tests/kernels/batch_table_test.cpp
// looks after.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <thread>

#include "fakes.hpp"
#include "handle/base/batch_impl.hpp"
#include "parts_ms.hpp"
#include "spmvgen/batch.hpp"

namespace spmvgen {
namespace {

using std::int32_t;

/// A small matrix of whole numbers.
struct Small {
    std::int64_t rows = 0, cols = 0;
    std::vector<int32_t> row_ptr, col_idx;
    std::vector<double> values;
    CsrView view() const {
        return csr_view(rows, cols, row_ptr.data(), col_idx.data(), values.data());
    }
};

const Small two_by_three{2, 3, {0, 2, 3}, {0, 1, 2}, {1, 2, 3}};
const Small same_pattern{2, 3, {0, 2, 3}, {0, 1, 2}, {4, 5, 6}};
const Small no_rows{0, 4, {0}, {}, {}};
const Small three_by_one{3, 1, {0, 1, 1, 2}, {0, 0}, {7, 8}};
const Small empty_rows{2, 2, {0, 0, 0}, {}, {}};

std::vector<CsrView> mixed() {
    return {two_by_three.view(), no_rows.view(), three_by_one.view()};
}
const std::vector<double> mixed_x{1, 10, 100, -1, -1, -1, -1, 2};
const std::vector<double> mixed_y{21, 300, 14, 0, 16};

Options in_memory(const char* device = "host") {
    Options o;
    o.device = device;
    o.cache = CacheMode::memory;
    o.strict = true;
    return o;
}

std::string refusal(const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        return std::string(to_string(error.code())) + ": " + error.what();
    }
    return "not refused";
}

TEST(BatchHandle, TellsWhereVectorsLie) {
    const BatchHandle handle(mixed(), in_memory());
    EXPECT_EQ(handle.size(), 3);
    EXPECT_EQ(handle.x_size(), 8);
    EXPECT_EQ(handle.y_size(), 5);
    const std::array<std::int64_t, 3> x{0, 3, 7}, y{0, 2, 2};
    for (std::size_t i = 0; i < 3; ++i) {
        const auto n = static_cast<std::int64_t>(i);
        EXPECT_EQ(handle.x_offset(n), x[i]);
        EXPECT_EQ(handle.y_offset(n), y[i]);
        EXPECT_EQ(handle.x_stride(n), 1);
        EXPECT_EQ(handle.y_stride(n), 1);
    }
    EXPECT_EQ(refusal([&] { handle.x_offset(3); }),
              "invalid_argument: system 3 is outside the batch of 3");
    EXPECT_EQ(refusal([&] { handle.y_stride(-1); }),
              "invalid_argument: system -1 is outside the batch of 3");
}

TEST(BatchHandle, MultipliesOnEveryDevice) {
    for (const char* device : {"host", "simt:sm_90", "simt:gfx906"}) {
        std::vector<double> y(5, NAN);
        const BatchHandle handle(mixed(), in_memory(device));
        handle.apply(1.0, mixed_x.data(), 0.0, y.data());
        EXPECT_EQ(y, mixed_y) << device;
        EXPECT_EQ(handle.info().rows, 5);
        EXPECT_EQ(handle.info().cols, 8);
        EXPECT_EQ(handle.info().nnz, 5);
        EXPECT_TRUE(handle.info().deterministic);
        EXPECT_EQ(handle.info().launches, std::string(device) == "host" ? 0 : 1);
    }
}

TEST(BatchHandle, RecognisesWhatSystemsShare) {
    const Small copy = two_by_three;
    const std::vector<std::int64_t> wide_ptr{0, 2, 3}, wide_col{0, 1, 2};
    const CsrView wide = csr_view(2, 3, wide_ptr.data(), wide_col.data(), copy.values.data());
    const auto kind = [](std::vector<CsrView> systems) {
        return BatchHandle(systems, in_memory()).kind();
    };
    EXPECT_EQ(kind({two_by_three.view(), two_by_three.view()}), BatchKind::one_matrix);
    EXPECT_EQ(kind({two_by_three.view(), copy.view(), wide}), BatchKind::one_matrix);
    EXPECT_EQ(kind({two_by_three.view(), same_pattern.view()}), BatchKind::shared_pattern);
    EXPECT_EQ(kind({two_by_three.view(), wide, same_pattern.view()}), BatchKind::shared_pattern);
    EXPECT_EQ(kind({two_by_three.view(), three_by_one.view()}), BatchKind::flexible);
    Small other_column = two_by_three;
    other_column.col_idx[2] = 1;
    EXPECT_EQ(kind({two_by_three.view(), other_column.view()}), BatchKind::flexible);
}

/// 3 entries a system, f64 values, i32 columns, and 8 numbers of the table for each.
TEST(BatchHandle, StoresOnceWhatSystemsShare) {
    Options o = in_memory();
    o.format = "csr";
    const auto bytes = [&](std::vector<CsrView> systems) {
        return BatchHandle(systems, o).info().matrix_bytes;
    };
    const CsrView a = two_by_three.view(), b = same_pattern.view(), c = three_by_one.view();
    EXPECT_EQ(bytes({a, a, a, a}), 3 * 8 + 3 * 4 + 3 * 4 + 4 * 32);
    EXPECT_EQ(bytes({a, b, a, b}), 4 * 3 * 8 + 3 * 4 + 3 * 4 + 4 * 32);
    EXPECT_EQ(bytes({a, c}), 5 * 8 + 5 * 4 + (3 + 4) * 4 + 2 * 32);
    EXPECT_EQ(BatchHandle(a, 100, o).info().matrix_bytes, 3 * 8 + 3 * 4 + 3 * 4 + 100 * 32);
}

TEST(BatchHandle, NamesTheBrokenSystem) {
    Small broken = two_by_three;
    broken.row_ptr = {0, 3, 2};
    std::vector<CsrView> systems(20, two_by_three.view());
    systems[17] = systems[19] = broken.view();
    for (const char* device : {"host", "simt:sm_90"})
        EXPECT_EQ(refusal([&] { BatchHandle(systems, in_memory(device)); }),
                  "invalid_argument: system 17: broken CSR matrix: row_ptr[1] = 3 is beyond the 2 "
                  "entries");
    systems[17] = two_by_three.view();
    systems[17].value_type = ValueType::f32;
    EXPECT_EQ(refusal([&] { BatchHandle(systems, in_memory()); }),
              "invalid_argument: system 17: its values are f32, those of system 0 are f64: all "
              "systems of a batch have one value type");
    Small large = two_by_three;
    large.values[1] = 1e6;
    systems[17] = large.view();
    systems[19] = two_by_three.view();
    Options o = in_memory("simt:sm_90");
    o.storage = "f16";
    EXPECT_EQ(refusal([&] { BatchHandle(systems, o); }),
              "invalid_argument: system 17: value 1000000 in row 0, column 1 (counted from 0) is "
              "too large for storage type f16: use a wider one");
}

TEST(BatchHandle, RefusesWhatItDoesNotHonour) {
    const auto refused = [](auto change, const char* device = "host") {
        Options o = in_memory(device);
        change(o);
        return refusal([&] { BatchHandle(mixed(), o); });
    };
    EXPECT_EQ(
        refused([](Options& o) { o.num_rhs = 3; }),
        "invalid_argument: options.num_rhs is 3, but a batch has one right-hand side for each "
        "system: give the system several times");
    EXPECT_EQ(
        refused([](Options& o) { o.copy = false; }),
        "invalid_argument: options.copy is false, but a batch is stored in arrays of its own: "
        "leave it true");
    EXPECT_EQ(refused([](Options& o) { o.device_arrays = true; }, "simt:sm_90"),
              "invalid_argument: options.device_arrays: the systems of a batch are given in host "
              "memory");
    EXPECT_EQ(refused([](Options& o) { o.index_base = 1; }),
              "invalid_argument: options.index_base is 1, but the systems of a batch count from 0: "
              "leave it 0");
    EXPECT_EQ(refused([](Options& o) { o.owner = std::make_shared<int>(); }),
              "invalid_argument: options.owner is for borrowed arrays, but options.copy is true: "
              "make that false, or leave owner out");
    EXPECT_NE(refused([](Options& o) {
                  o.memory_limit = 10;
              }).find("invalid_argument: format csr would take at least "),
              std::string::npos);
    EXPECT_EQ(refused([](Options& o) { o.format = "hyb"; }, "simt:sm_90"),
              "invalid_argument: no kernel of batches reads format hyb on sm_90");
    EXPECT_EQ(refused([](Options& o) { o.kernel = "csr_classical"; }, "simt:sm_90"),
              "invalid_argument: kernel csr_classical is for single matrices: use a kernel of "
              "batches, such as batch_csr");
    EXPECT_EQ(refused([](Options& o) { o.kernel = "batch_coo"; }),
              "invalid_argument: kernel batch_coo is not for " + parse_target("native").arch +
                  ": it is for GPUs");
    EXPECT_EQ(refused([](Options& o) { o.params = {{"sigma", 1}}; }),
              "invalid_argument: no kernel of format auto has all of the parameters 'sigma'");
    EXPECT_EQ(refused(
                  [](Options& o) {
                      o.kernel = "batch_ell";
                      o.params = {{"shared_x", 12288}};
                  },
                  "simt:sm_90"),
              "invalid_argument: kernel batch_ell with shared_x=12288 takes 98304 bytes of shared "
              "memory, more than the 49152 that every GPU has: use a smaller shared_x");
    EXPECT_EQ(
        refused([](Options& o) { o.epilogue = "value", o.cache = CacheMode::off; }),
        "invalid_argument: options.epilogue cannot be had with cache mode off (options.cache, "
        "SPMVGEN_CACHE), which always runs the generic CSR kernel: use another mode");
    EXPECT_EQ(
        refused([](Options& o) { o.vectors = "f32"; }),
        "invalid_argument: options.vectors f32 is narrower than the matrix's values, f64: set "
        "options.storage to f32 to round them, or leave options.vectors out");
    EXPECT_EQ(refusal([] { BatchHandle(mixed(), in_memory(), BatchLayout::interleaved); }),
              "invalid_argument: the interleaved layout is for batches of one matrix, but this one "
              "is flexible: use the concatenated layout");
    EXPECT_EQ(refusal([] { BatchHandle(two_by_three.view(), -1, in_memory()); }),
              "invalid_argument: a batch of -1 systems: use 0 or more");
    EXPECT_EQ(refusal([] { BatchHandle(two_by_three.view(), std::int64_t{1} << 62, in_memory()); }),
              "invalid_argument: a batch of 4611686018427387904 systems is larger than any memory: "
              "use fewer");
    const auto plain = [](const char* kernel) {
        Options o = in_memory();
        o.kernel = kernel;
        return refusal([&] { Handle(two_by_three.view(), o); });
    };
    EXPECT_EQ(plain("batch_csr_rows"),
              "invalid_argument: kernel batch_csr_rows is for batches of matrices: give them to a "
              "BatchHandle or to spmvgen run --batch");
}

TEST(BatchHandle, RefusesWrongOperands) {
    const BatchHandle handle(mixed(), in_memory());
    std::vector<double> y(5), x(8);
    std::vector<float> narrow(8);
    EXPECT_EQ(refusal([&] { handle.apply(1.0, static_cast<double*>(nullptr), 0.0, y.data()); }),
              "invalid_argument: apply: x is null, but has 8 elements");
    EXPECT_EQ(refusal([&] { handle.apply(1.0, x.data(), 0.0, x.data() + 7); }),
              "invalid_argument: apply: x and y overlap; use different arrays");
    EXPECT_EQ(refusal([&] { handle.apply(1.0F, narrow.data(), 0.0F, narrow.data()); }),
              "invalid_argument: apply: the matrix is f64, but α, x, β and y are f32; use f64");
}

/// y_i of one matrix and x_i = i · (1, 1, …): i · row sums.
void check_interleaved(const Small& a, std::int64_t count, const Options& options) {
    const BatchHandle handle(a.view(), count, options, BatchLayout::interleaved);
    EXPECT_EQ(handle.kind(), BatchKind::one_matrix);
    ASSERT_EQ(handle.x_size(), a.cols * count);
    ASSERT_EQ(handle.y_size(), a.rows * count);
    std::vector<double> x(static_cast<std::size_t>(handle.x_size()), NAN);
    std::vector<double> y(static_cast<std::size_t>(handle.y_size()), NAN);
    for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t j = 0; j < a.cols; ++j)
            x[static_cast<std::size_t>(handle.x_offset(i) + j * handle.x_stride(i))] =
                static_cast<double>(i);
    for (const double element : x) ASSERT_FALSE(std::isnan(element)) << "a place that none has";
    handle.apply(1.0, x.data(), 0.0, y.data());
    for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t row = 0; row < a.rows; ++row) {
            double sum = 0;
            for (std::int64_t k = a.view().row_begin(row); k < a.view().row_begin(row + 1); ++k)
                sum += a.values[static_cast<std::size_t>(k)];
            EXPECT_EQ(y[static_cast<std::size_t>(handle.y_offset(i) + row * handle.y_stride(i))],
                      static_cast<double>(i) * sum)
                << i << ", row " << row;
        }
}

TEST(BatchHandle, OneMatrixIsAProductWithManyRightHandSides) {
    Options o;
    o.cache = CacheMode::off;
    for (const std::int64_t count : {0, 1, 5, 64, 65, 129, 193})
        check_interleaved(two_by_three, count, o);
    for (const char* device : {"host", "simt:sm_90"})
        check_interleaved(three_by_one, 66, in_memory(device));
    const BatchHandle handle(two_by_three.view(), 129, o, BatchLayout::interleaved);
    EXPECT_EQ(handle.x_stride(0), 43);
    EXPECT_EQ(handle.x_offset(44), 43 * 3 + 1);
    EXPECT_EQ(handle.info().nnz, 129 * 3);
}

// `row` of an epilogue: of systems one after another the place in y, else the row in the system.
TEST(BatchHandle, AnEpilogueKnowsItsPlaceOrItsRow) {
    const std::vector<double> x(6, 0.0);
    for (const char* device : {"host", "simt:sm_90"}) {
        Options o = in_memory(device);
        o.epilogue = "value + row";
        const auto product = [&](BatchLayout layout) {
            std::vector<double> y(4, NAN);
            BatchHandle(two_by_three.view(), 2, o, layout).apply(1.0, x.data(), 0.0, y.data());
            return y;
        };
        EXPECT_EQ(product(BatchLayout::concatenated), (std::vector<double>{0, 1, 2, 3}));
        EXPECT_EQ(product(BatchLayout::interleaved), (std::vector<double>{0, 0, 1, 1}));
    }
}

TEST(BatchHandle, TheGenericLoopServesWhereNoKernelIsToBeHad) {
    FakeGenerator generator;
    FakeDisk disk;
    generator.failure = "no compiler today";
    KernelProvider provider({[&]() -> Generator& { return generator; },
                             [&](const std::string&, bool writable) {
                                 return std::make_unique<FakeCache>(disk, writable);
                             }});
    const auto product = [&](Options o, BatchKind kind, std::vector<CsrView> systems,
                             const std::vector<double>& x, std::vector<double> y) {
        const BatchHandle handle =
            make_batch_handle(systems, o, BatchLayout::concatenated, provider);
        EXPECT_EQ(handle.kind(), kind);
        EXPECT_EQ(handle.info().kernel, "generic_csr");
        EXPECT_EQ(handle.info().origin, "generic");
        EXPECT_EQ(handle.source(), "");
        EXPECT_EQ(handle.info().warning != "", o.cache != CacheMode::off);
        handle.apply(2.0, x.data(), 3.0, y.data());
        return y;
    };
    const CsrView a = two_by_three.view(), b = same_pattern.view();
    for (const CacheMode mode : {CacheMode::off, CacheMode::memory}) {
        Options o;
        o.cache = mode;
        EXPECT_EQ(product(o, BatchKind::flexible, mixed(), mixed_x, {1, 1, 1, 1, 1}),
                  (std::vector<double>{45, 603, 31, 3, 35}));
        EXPECT_EQ(product(o, BatchKind::shared_pattern, {a, b}, {1, 1, 1, 1, 1, 1}, {0, 0, 0, 1}),
                  (std::vector<double>{6, 6, 18, 15}));
        EXPECT_EQ(product(o, BatchKind::one_matrix, {a, a}, {1, 1, 1, 2, 2, 2}, {0, 0, 0, 1}),
                  (std::vector<double>{6, 6, 12, 15}));
    }
    Options strict;
    strict.strict = true;
    EXPECT_TRUE(refusal([&] {
                    make_batch_handle(mixed(), strict, BatchLayout::concatenated, provider);
                }).starts_with("compile: no kernel batch_csr_rows_"));
}

TEST(BatchHandle, EmptyBatchesAndSystems) {
    for (const char* device : {"host", "simt:gfx906"}) {
        const BatchHandle none(std::span<const CsrView>(), in_memory(device));
        EXPECT_EQ(none.size(), 0);
        EXPECT_EQ(none.x_size(), 0);
        none.apply(1.0F, static_cast<float*>(nullptr), 2.0F, static_cast<float*>(nullptr));
        const BatchHandle hollow(std::vector<CsrView>{empty_rows.view(), no_rows.view()},
                                 in_memory(device));
        std::vector<double> y{1, 2};
        hollow.apply(1.0, static_cast<double*>(nullptr), 3.0, y.data());
        EXPECT_EQ(y, (std::vector<double>{3, 6})) << device;
        hollow.apply(1.0, static_cast<double*>(nullptr), 1.0, y.data());
        EXPECT_EQ(y, (std::vector<double>{3, 6})) << device;
        hollow.apply(1.0, static_cast<double*>(nullptr), 0.0, y.data());
        EXPECT_EQ(y, (std::vector<double>{0, 0})) << device;
    }
}

TEST(BatchHandle, TellsPartsThatAddUp) {
    const auto expect_sum = [](const Info& info) {
        EXPECT_NEAR(parts_ms(info), info.prepare_ms, parts_tolerance_ms(info))
            << info.kernel << " on " << info.device;
        EXPECT_GT(info.convert_ms, 0) << info.kernel << " on " << info.device;
    };
    Options no_kernel;
    no_kernel.cache = CacheMode::off;
    expect_sum(BatchHandle(mixed(), no_kernel).info());
    for (const char* device : {"host", "simt:gfx906"}) {
        expect_sum(BatchHandle(mixed(), in_memory(device)).info());
        // Of two groups, each with a handle of its own.
        expect_sum(BatchHandle(three_by_one.view(), 65, in_memory(device), BatchLayout::interleaved)
                       .info());
    }
}

TEST(BatchHandle, ServesSeveralThreadsAtOnce) {
    for (const char* device : {"host", "simt:sm_90"}) {
        const BatchHandle handle(mixed(), in_memory(device));
        std::array<std::vector<double>, 4> results;
        {
            std::vector<std::jthread> threads;
            for (auto& y : results)
                threads.emplace_back([&] {
                    y.assign(5, 1);
                    for (int i = 0; i < 20; ++i) handle.apply(1.0, mixed_x.data(), 0.0, y.data());
                    handle.apply(2.0, mixed_x.data(), -2.0, y.data());
                });
        }
        for (auto& y : results) EXPECT_EQ(y, std::vector<double>(5, 0)) << device;
    }
}

TEST(BatchHandle, AMovedHandleServesAndTheOldOneSaysSo) {
    BatchHandle first(mixed(), in_memory());
    BatchHandle second(std::move(first));
    std::vector<double> y(5);
    second.apply(1.0, mixed_x.data(), 0.0, y.data());
    EXPECT_EQ(y, mixed_y);
    EXPECT_EQ(
        refusal([&] { first.size(); }),
        "invalid_argument: this batch handle was moved from: use the one that it was moved to");
}

}  // namespace
}  // namespace spmvgen
