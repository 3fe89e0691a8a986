#include "spmvgen/spmvgen.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>
#include <unistd.h>

#include <complex>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>

#include "errors.hpp"
#include "fakes.hpp"
#include "parts_ms.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;

// [ 1 2 ]
// [ 0 3 ]
// [ 4 0 ]
struct Tiny {
    std::vector<int> row_ptr{0, 2, 3, 4};
    std::vector<int> col_idx{0, 1, 1, 0};
    std::vector<double> values{1, 2, 3, 4};
    CsrView view() const { return csr_view(3, 2, row_ptr.data(), col_idx.data(), values.data()); }
};
const std::vector<double> x{10, 20};
const std::vector<double> tiny_product{50, 60, 40};

Options csr_options() {
    Options o;
    o.kernel = "csr_rows";
    o.threads = 2;
    o.all_threads = true;
    return o;
}
Options off_options() {
    Options o;
    o.cache = CacheMode::off;
    o.threads = 2;
    o.all_threads = true;
    return o;
}

/// y = αAx + βy for every mode of α and β; y starts as NaN where β = 0.
void check_all_modes(const Handle& handle) {
    for (const double alpha : {0.0, 1.0, -2.0}) {
        for (const double beta : {0.0, 1.0, 3.0}) {
            const double start = beta == 0 ? std::numeric_limits<double>::quiet_NaN() : 7;
            std::vector<double> y(3, start);
            handle.apply(alpha, x.data(), beta, y.data());
            for (std::size_t i = 0; i < 3; ++i)
                EXPECT_EQ(y[i], alpha * tiny_product[i] + 7 * beta)
                    << "row " << i << ", α = " << alpha << ", β = " << beta;
        }
    }
}

TEST(Handle, MultipliesWithAKernelForEveryModeOfAlphaAndBeta) {
    FakeKernels fake;
    const Handle handle = make_handle(Tiny().view(), csr_options(), fake.provider);
    EXPECT_EQ(handle.info().kernel, "csr_rows_f64_i32_o32_a1_b0_k1");
    EXPECT_EQ(handle.info().origin, "compiled");
    EXPECT_EQ(handle.info().warning, "");
    EXPECT_EQ(handle.source(), "// the source of csr_rows_f64_i32_o32_a1_b0_k1");
    EXPECT_EQ(fake.generator.compiled, 1) << "other modes are made at their first use";
    check_all_modes(handle);
    EXPECT_EQ(fake.generator.compiled, 6) << "α = 0 needs no kernel";
    check_all_modes(handle);
    EXPECT_EQ(fake.provider.counters(), (KernelCounters{0, 0, 6, 0, 0}));
}

TEST(Handle, MultipliesWithTheGenericKernelWhenTheCompilerFails) {
    FakeKernels fake;
    fake.generator.failure = "no";
    for (const bool copy : {true, false}) {
        const Tiny tiny;
        Options options = csr_options();
        options.copy = copy;
        const Handle handle = make_handle(tiny.view(), options, fake.provider);
        EXPECT_EQ(handle.info().kernel, "generic_csr");
        EXPECT_EQ(handle.info().format, "csr");
        EXPECT_EQ(handle.info().origin, "generic");
        EXPECT_EQ(handle.info().reason,
                  "serves for csr_rows_f64_i32_o32_a1_b0_k1: named by the caller");
        EXPECT_THAT(handle.info().warning, HasSubstr(": no"));
        EXPECT_EQ(handle.source(), "");
        check_all_modes(handle);
    }
    EXPECT_EQ(fake.provider.counters(), (KernelCounters{0, 0, 1, 1, 2}));
}

TEST(Handle, AModeThatCannotBeCompiledIsServedByTheBaseKernel) {
    FakeKernels fake;
    fake.generator.only_base_works = true;
    const Handle handle = make_handle(Tiny().view(), csr_options(), fake.provider);
    check_all_modes(handle);
    check_all_modes(handle);
    EXPECT_EQ(handle.info().warning, "");
    // β = 1 and general with α = 1 and general fail.
    EXPECT_EQ(fake.provider.counters(), (KernelCounters{0, 0, 6, 4, 4}));
}

TEST(Handle, StrictThrowsWhereAKernelIsMissing) {
    FakeKernels fake;
    Options options = csr_options();
    options.strict = true;
    fake.generator.only_base_works = true;
    const Handle handle = make_handle(Tiny().view(), options, fake.provider);
    std::vector<double> y(3, 0);
    EXPECT_THAT(code_and_text([&] { handle.apply(1.0, x.data(), 1.0, y.data()); }),
                HasSubstr("compile: no kernel csr_rows_f64_i32_o32_a1_b1_k1@"));
    handle.apply(1.0, x.data(), 0.0, y.data());
    EXPECT_EQ(y, tiny_product);
    FakeKernels failing;
    failing.generator.failure = "no";
    EXPECT_THAT(code_and_text([&] { make_handle(Tiny().view(), options, failing.provider); }),
                HasSubstr("compile: no kernel csr_rows_f64_i32_o32_a1_b0_k1@"));
}

TEST(Handle, CacheOffMakesNothing) {
    FakeKernels fake;
    for (const bool copy : {true, false}) {
        const Tiny tiny;
        Options options = off_options();
        options.copy = copy;
        const Handle handle = make_handle(tiny.view(), options, fake.provider);
        EXPECT_EQ(handle.info().kernel, "generic_csr");
        EXPECT_EQ(handle.info().warning, "");
        EXPECT_EQ(handle.info().reason, "cache mode off: no kernel is made");
        check_all_modes(handle);
    }
    EXPECT_EQ(fake.provider.counters(), KernelCounters{});
}

TEST(Handle, CopiesOrBorrowsAsTold) {
    for (const Options& base : {csr_options(), off_options()}) {
        FakeKernels fake;
        Options options = base;
        Tiny tiny;
        const Handle copied = make_handle(tiny.view(), options, fake.provider);
        options.copy = false;
        const Handle borrowed = make_handle(tiny.view(), options, fake.provider);
        tiny.values = {0, 0, 0, 0};
        std::vector<double> y(3);
        copied.apply(1.0, x.data(), 0.0, y.data());
        EXPECT_EQ(y, tiny_product);
        borrowed.apply(1.0, x.data(), 0.0, y.data());
        EXPECT_EQ(y, (std::vector<double>{0, 0, 0}));
    }
}

TEST(Handle, TellsWhatItDoes) {
    FakeKernels fake;
    Info info = make_handle(Tiny().view(), csr_options(), fake.provider).info();
    EXPECT_EQ(info.rows, 3);
    EXPECT_EQ(info.cols, 2);
    EXPECT_EQ(info.nnz, 4);
    EXPECT_EQ(info.stored, 4);
    EXPECT_EQ(info.matrix_bytes, 4 * 4 + 4 * (4 + 8));
    EXPECT_EQ(info.bytes, info.matrix_bytes + 8 * (3 + 2));
    EXPECT_GT(info.kernel_ms, 0);
    EXPECT_GE(info.prepare_ms, info.kernel_ms);
    info.target = "x86-64-v4";
    info.prepare_ms = 20.04;
    info.kernel_ms = 19.96;
    info.predicted_us = 12.344;
    info.profile = "device-this.json";
    info.measured_us = 11.5;
    info.measured = {{"csr_rows_f64", 11.5}, {"csr_vector_f64", 12}};
    EXPECT_EQ(to_string(info),
              "matrix:   3 x 2, 4 entries\n"
              "kernel:   csr_rows_f64_i32_o32_a1_b0_k1\n"
              "format:   csr\n"
              "target:   x86-64-v4\n"
              "threads:  2\n"
              "reason:   named by the caller\n"
              "origin:   compiled\n"
              "source:   /fake/csr_rows_f64_i32_o32_a1_b0_k1\n"
              "bytes:    104 B a product, 64 B of them the matrix\n"
              "prepared: 20.0 ms, 20.0 of them for the kernel\n"
              "time:     measured 11.50 µs a product, predicted 12.34 µs by device-this.json\n"
              "measured: 11.50 µs csr_rows_f64, 12.00 µs csr_vector_f64\n");
}

// Each degenerate shape, with and without a compiler: y = βy, and pointers to nothing may be null.
class Degenerate : public testing::TestWithParam<bool> {
  protected:
    Options options() const { return GetParam() ? csr_options() : off_options(); }
    FakeKernels fake;
};
INSTANTIATE_TEST_SUITE_P(, Degenerate, testing::Bool());

TEST_P(Degenerate, NoRows) {
    const CsrView a = csr_view<double, int, int>(0, 5, nullptr, nullptr, nullptr);
    const Handle handle = make_handle(a, options(), fake.provider);
    handle.apply<double>(1.0, nullptr, 2.0, nullptr);
    EXPECT_EQ(handle.info().kernel, "generic_csr");
}

TEST_P(Degenerate, NoColumns) {
    const std::vector<int> row_ptr(4, 0);
    const CsrView a = csr_view<double, int, int>(3, 0, row_ptr.data(), nullptr, nullptr);
    const Handle handle = make_handle(a, options(), fake.provider);
    std::vector<double> y{1, 2, 3};
    handle.apply<double>(5.0, nullptr, 2.0, y.data());
    EXPECT_EQ(y, (std::vector<double>{2, 4, 6}));
}

TEST_P(Degenerate, NoEntries) {
    const std::vector<int> row_ptr(4, 0);
    const CsrView a = csr_view<double, int, int>(3, 2, row_ptr.data(), nullptr, nullptr);
    const Handle handle = make_handle(a, options(), fake.provider);
    std::vector<double> y{1, 2, 3};
    handle.apply(5.0, x.data(), 1.0, y.data());
    EXPECT_EQ(y, (std::vector<double>{1, 2, 3}));
    y[1] = std::numeric_limits<double>::quiet_NaN();
    handle.apply<double>(5.0, nullptr, 0.0, y.data());
    EXPECT_EQ(y, (std::vector<double>{0, 0, 0}));
}

TEST_P(Degenerate, PartsOfThePreparationAddUp) {
    const std::vector<int> row_ptr(4, 0);
    const CsrView empty = csr_view<double, int, int>(3, 2, row_ptr.data(), nullptr, nullptr);
    const Tiny tiny;
    for (const char* level : {"rule", "lazy"}) {
        Options o = options();
        o.level = level;
        for (const CsrView& a : {empty, tiny.view()}) {
            const Info info = make_handle(a, o, fake.provider).info();
            EXPECT_NEAR(parts_ms(info), info.prepare_ms, parts_tolerance_ms(info))
                << level << ", " << info.nnz << " entries: " << info.reason;
        }
    }
}

TEST_P(Degenerate, AlphaZeroTouchesNeitherTheMatrixNorX) {
    const Handle handle = make_handle(Tiny().view(), options(), fake.provider);
    std::vector<double> y{1, 2, 3};
    handle.apply<double>(-0.0, nullptr, 2.0, y.data());
    EXPECT_EQ(y, (std::vector<double>{2, 4, 6}));
}

TEST_P(Degenerate, OneByOne) {
    const std::vector<int> row_ptr{0, 1}, col_idx{0};
    const std::vector<double> values{3}, one_x{5};
    const CsrView a = csr_view(1, 1, row_ptr.data(), col_idx.data(), values.data());
    double y = 2;
    make_handle(a, options(), fake.provider).apply(1.0, one_x.data(), 1.0, &y);
    EXPECT_EQ(y, 17);
}

TEST(Handle, RefusesWrongOptions) {
    const auto with = [](const std::function<void(Options&)>& change) {
        FakeKernels fake;
        Options options;
        change(options);
        return code_and_text([&] { make_handle(Tiny().view(), options, fake.provider); });
    };
    EXPECT_EQ(with([](Options& o) { o.num_rhs = 0; }),
              "invalid_argument: options.num_rhs is 0: use 1…64");
    EXPECT_EQ(with([](Options& o) { o.num_rhs = 65; }),
              "invalid_argument: options.num_rhs is 65: use 1…64");
    EXPECT_EQ(with([](Options& o) { o.threads = -1; }),
              "invalid_argument: options.threads is -1: use 0 (what OpenMP would use) or 1…4096");
    EXPECT_EQ(with([](Options& o) { o.format = "no-such"; }),
              "invalid_argument: unknown format 'no-such': use one of " + format_names());
    EXPECT_THAT(with([](Options& o) { o.kernel = "csr_magic"; }),
                HasSubstr("invalid_argument: unknown kernel 'csr_magic': use one of csr_rows"));
    EXPECT_EQ(
        with([](Options& o) { o.kernel = "csr_rows", o.format = "coo"; }),
        "invalid_argument: kernel csr_rows reads format csr, not coo: leave one of them auto");
    EXPECT_EQ(with([](Options& o) { o.params = {{"colour", 3}}; }),
              "invalid_argument: no kernel of format auto has all of the parameters 'colour'");
    EXPECT_THAT(with([](Options& o) { o.target = "vax"; }),
                HasSubstr("invalid_argument: unknown architecture 'vax': use one of native, x86"));
    EXPECT_EQ(with([](Options& o) { o.cache = CacheMode::off, o.format = "sell"; }),
              "invalid_argument: options.format cannot be had with cache mode off (options.cache, "
              "SPMVGEN_CACHE), which always runs the generic CSR kernel: use another mode");
    EXPECT_THAT(with([](Options& o) { o.cache = CacheMode::off, o.kernel = "csr_rows"; }),
                HasSubstr("options.kernel cannot be had with cache mode off"));
#if defined(__x86_64__)
    EXPECT_EQ(with([](Options& o) { o.target = "aarch64"; }),
              "unsupported: options.target aarch64 cannot run here: this machine is x86-64; use "
              "native");
#endif
}

TEST(Handle, RefusesWrongOperands) {
    FakeKernels fake;
    const Handle handle = make_handle(Tiny().view(), csr_options(), fake.provider);
    std::vector<double> y(3);
    std::vector<float> narrow(3);
    EXPECT_EQ(code_and_text([&] { handle.apply(1.0F, narrow.data(), 0.0F, narrow.data()); }),
              "invalid_argument: apply: the matrix is f64, but α, x, β and y are f32; use f64");
    EXPECT_EQ(code_and_text([&] { handle.apply<double>(1.0, nullptr, 0.0, y.data()); }),
              "invalid_argument: apply: x is null, but has 2 elements");
    EXPECT_EQ(code_and_text([&] { handle.apply<double>(1.0, x.data(), 0.0, nullptr); }),
              "invalid_argument: apply: y is null, but has 3 elements");
    EXPECT_EQ(code_and_text([&] { handle.apply(1.0, y.data() + 2, 0.0, y.data()); }),
              "invalid_argument: apply: x and y overlap; use different arrays");
    EXPECT_EQ(
        code_and_text([&] { handle.apply(ValueType::f64, nullptr, x.data(), nullptr, y.data()); }),
        "invalid_argument: apply: α or β is null");
}

TEST(Handle, AMovedHandleServesAndTheOldOneSaysSo) {
    FakeKernels fake;
    Handle first = make_handle(Tiny().view(), csr_options(), fake.provider);
    const Handle second = std::move(first);
    check_all_modes(second);
    // NOLINTNEXTLINE(bugprone-use-after-move): what this is about
    EXPECT_EQ(code_and_text([&] { first.info(); }),
              "invalid_argument: this handle was moved from: use the one that it was moved to");
}

TEST(Handle, WorksWithinTheCallersParallelRegion) {
    FakeKernels fake;
    const Handle handle = make_handle(Tiny().view(), csr_options(), fake.provider);
    for (const int levels : {1, 2}) {
        omp_set_max_active_levels(levels);
        std::vector<std::vector<double>> y(4, std::vector<double>(3, 1));
#pragma omp parallel for num_threads(4)
        for (int i = 0; i < 4; ++i)
            handle.apply(1.0, x.data(), 1.0, y[static_cast<std::size_t>(i)].data());
        for (auto& part : y) EXPECT_EQ(part, (std::vector<double>{51, 61, 41}));
    }
    omp_set_max_active_levels(1);
}

TEST(Handle, TheTypedConstructorUsesTheKernelsOfTheProcess) {
    const Tiny tiny;
    const KernelCounters before = kernel_counters();
    const Handle handle(3, 2, tiny.row_ptr.data(), tiny.col_idx.data(), tiny.values.data(),
                        off_options());
    check_all_modes(handle);
    EXPECT_EQ(kernel_counters(), before);
}

#if defined(__SANITIZE_ADDRESS__)
constexpr bool keeps_freed_memory = true;
#else
constexpr bool keeps_freed_memory = false;
#endif

std::int64_t resident_pages() {
    std::ifstream statm("/proc/self/statm");
    std::int64_t total = 0, resident = 0;
    statm >> total >> resident;
    return resident;
}

TEST(Handle, ThousandsOfHandlesLeaveNothingBehind) {
    FakeKernels fake;
    const auto open_files = [] {
        return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
    };
    const Tiny tiny;
    const auto make_and_use = [&] {
        const Handle handle = make_handle(tiny.view(), csr_options(), fake.provider);
        check_all_modes(handle);
    };
    for (int i = 0; i < 50; ++i) make_and_use();
    const auto files = open_files();
    const std::int64_t pages = resident_pages();
    for (int i = 0; i < 2000; ++i) make_and_use();
    EXPECT_EQ(open_files(), files);
    if (!keeps_freed_memory) {
        EXPECT_LT(resident_pages() - pages, 256) << "pages of 4 KiB";
    }
    EXPECT_EQ(fake.generator.compiled, 6);
}

}  // namespace
}  // namespace spmvgen
