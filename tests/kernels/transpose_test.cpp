// The parallel transpose against the plainest one there is, and what handles say of ops.
#include "matrix/transpose.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "errors.hpp"
#include "fixtures.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "spmvgen/error.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;

template <typename Value>
struct Entry {
    std::int64_t row;
    Value value;
    bool operator==(const Entry&) const = default;
};

/// Each column's entries, as one meets them row by row.
template <typename Value>
std::vector<std::vector<Entry<Value>>> columns_of(const CsrView& a, bool conjugate) {
    std::vector<std::vector<Entry<Value>>> columns(static_cast<std::size_t>(a.cols));
    for (std::int64_t row = 0; row < a.rows; ++row)
        for (std::int64_t k = a.row_begin(row); k < a.row_begin(row + 1); ++k) {
            Value value = a.values_as<Value>()[k];
            if constexpr (!std::is_floating_point_v<Value>)
                if (conjugate) value = std::conj(value);
            columns[static_cast<std::size_t>(a.col(k))].push_back({row, value});
        }
    return columns;
}

template <typename Value>
std::vector<std::vector<Entry<Value>>> rows_of(const CsrView& a) {
    std::vector<std::vector<Entry<Value>>> rows(static_cast<std::size_t>(a.rows));
    for (std::int64_t row = 0; row < a.rows; ++row)
        for (std::int64_t k = a.row_begin(row); k < a.row_begin(row + 1); ++k)
            rows[static_cast<std::size_t>(row)].push_back({a.col(k), a.values_as<Value>()[k]});
    return rows;
}

template <typename Value, typename Index, typename Offset>
void check_transpose_of_all() {
    for (auto& fixture : fixtures::all())
        for (const bool conjugate : {false, true})
            for (const int threads : {1, 2, 3, 8}) {
                SCOPED_TRACE(fixture.name + ", threads " + std::to_string(threads));
                const fixtures::TypedMatrix<Value, Index, Offset> matrix(fixture);
                const CsrMatrix t = transpose(matrix.view(), conjugate, threads);
                EXPECT_EQ(t.rows, fixture.cols);
                EXPECT_EQ(t.cols, fixture.rows);
                EXPECT_EQ(t.nnz, fixture.nnz());
                validate(t.view());
                EXPECT_EQ(rows_of<Value>(t.view()), columns_of<Value>(matrix.view(), conjugate));
            }
}

TEST(Transpose, IsThePlainOneWhateverTheThreads) {
    check_transpose_of_all<double, std::int32_t, std::int32_t>();
    check_transpose_of_all<std::complex<float>, std::int64_t, std::int64_t>();
    check_transpose_of_all<float, std::int32_t, std::int64_t>();
    check_transpose_of_all<std::complex<double>, std::int64_t, std::int32_t>();
}

// [ 1 2 0 ]
// [ 0 0 3 ]
struct Tiny {
    std::vector<int> row_ptr{0, 2, 3};
    std::vector<int> col_idx{0, 1, 2};
    std::vector<double> values{1, 2, 3};
    CsrView view() const { return csr_view(2, 3, row_ptr.data(), col_idx.data(), values.data()); }
};
const std::vector<double> x{10, 100};
const std::vector<double> product{10, 20, 300};

Options transposed_options() {
    Options o;
    o.op = "T";
    o.cache = CacheMode::memory;
    return o;
}

TEST(TransposedHandle, InfoIsOfWhatIsMultipliedWith) {
    for (const bool atomics : {false, true}) {
        Options options = transposed_options();
        options.transpose_by_atomics = atomics;
        options.threads = 2;
        options.all_threads = true;
        const Handle handle(Tiny().view(), options);
        EXPECT_EQ(handle.info().op, "T");
        EXPECT_EQ(handle.info().rows, 3);
        EXPECT_EQ(handle.info().cols, 2);
        EXPECT_EQ(handle.info().deterministic, !atomics);
        EXPECT_THAT(to_string(handle.info()), HasSubstr("op:       T, the transpose\n"));
        std::vector<double> y(3, 7);
        handle.apply(1.0, x.data(), 0.0, y.data());
        EXPECT_EQ(y, product);
        EXPECT_EQ(code_and_text([&] { handle.apply<double>(1.0, nullptr, 0.0, y.data()); }),
                  "invalid_argument: apply: x is null, but has 2 elements");
        EXPECT_EQ(code_and_text([&] { handle.apply<double>(1.0, x.data(), 0.0, nullptr); }),
                  "invalid_argument: apply: y is null, but has 3 elements");
    }
}

TEST(TransposedHandle, OwnsItsCopyAlsoWhenArraysAreBorrowed) {
    for (const char* kernel : {"auto", "csr_rows", "ell"}) {
        auto tiny = std::make_unique<Tiny>();
        Options options = transposed_options();
        options.copy = false;
        options.kernel = kernel;
        const Handle handle(tiny->view(), options);
        tiny->values.assign(3, 0);
        tiny.reset();
        std::vector<double> y(3);
        handle.apply(1.0, x.data(), 0.0, y.data());
        EXPECT_EQ(y, product) << kernel;
    }
}

TEST(TransposedHandle, AtomicsReadBorrowedArrays) {
    Tiny tiny;
    Options options = transposed_options();
    options.copy = false;
    options.transpose_by_atomics = true;
    const Handle handle(tiny.view(), options);
    EXPECT_THAT(handle.info().kernel, HasSubstr("csr_transposed_cpu_f64"));
    tiny.values.assign(3, 1);
    std::vector<double> y(3);
    handle.apply(1.0, x.data(), 0.0, y.data());
    EXPECT_EQ(y, (std::vector<double>{10, 10, 100}));
}

TEST(TransposedHandle, WithoutKernelsItIsTheGenericOne) {
    Options options = transposed_options();
    options.cache = CacheMode::off;
    const Handle handle(Tiny().view(), options);
    EXPECT_EQ(handle.info().kernel, "generic_csr");
    std::vector<double> y(3, 1);
    handle.apply(2.0, x.data(), 3.0, y.data());
    EXPECT_EQ(y, (std::vector<double>{23, 43, 603}));
}

TEST(TransposedHandle, AFallbackKeepsTheOp) {
    setenv("SPMVGEN_LOG", "quiet", 1);
    KernelProvider provider(
        {[]() -> Generator& { throw Error(ErrorCode::unsupported, "there is no generator"); },
         nullptr});
    for (const bool atomics : {false, true})
        for (const char* op : {"T", "H"}) {
            Options options = transposed_options();
            options.op = op;
            options.transpose_by_atomics = atomics;
            using Complex = std::complex<double>;
            const Tiny tiny;
            const std::vector<Complex> values{{1, 1}, {2, -1}, {3, 2}};
            const Handle handle =
                make_handle(csr_view(2, 3, tiny.row_ptr.data(), tiny.col_idx.data(), values.data()),
                            options, provider);
            EXPECT_THAT(handle.info().warning, HasSubstr("there is no generator"));
            EXPECT_EQ(handle.info().kernel, "generic_csr");
            const std::vector<Complex> in{10, 100};
            std::vector<Complex> y(3, 1);
            handle.apply(Complex(2), in.data(), Complex(0, 1), y.data());
            const double sign = *op == 'H' ? -1 : 1;
            EXPECT_EQ(y, (std::vector<Complex>{
                             {20, 1 + 20 * sign}, {40, 1 - 20 * sign}, {600, 1 + 400 * sign}}))
                << op << (atomics ? ", atomics" : "");
        }
    unsetenv("SPMVGEN_LOG");
}

TEST(TransposedHandle, ABrokenMatrixIsRefusedInItsOwnWords) {
    Tiny tiny;
    tiny.col_idx[2] = 3;
    const std::string plain = code_and_text([&] {
        Options options;
        options.cache = CacheMode::off;
        const Handle handle(tiny.view(), options);
    });
    EXPECT_THAT(plain, HasSubstr("invalid_argument"));
    for (const bool atomics : {false, true}) {
        Options options = transposed_options();
        options.transpose_by_atomics = atomics;
        EXPECT_EQ(code_and_text([&] { const Handle handle(tiny.view(), options); }), plain);
    }
}

TEST(TransposedHandle, WhatCannotBeHonouredIsRefused) {
    const auto with = [](const std::function<void(Options&)>& change) {
        Options options = transposed_options();
        change(options);
        return code_and_text([&] { const Handle handle(Tiny().view(), options); });
    };
    EXPECT_EQ(with([](Options& o) { o.op = "X"; }),
              "invalid_argument: options.op: unknown op 'X': use one of N, T, H, C");
    EXPECT_EQ(with([](Options& o) {
                  o.op = "N";
                  o.transpose_by_atomics = true;
              }),
              "invalid_argument: options.transpose_by_atomics is for options.op T and H: leave it "
              "out, or use one of them");
    EXPECT_EQ(with([](Options& o) {
                  o.transpose_by_atomics = true;
                  o.deterministic = true;
              }),
              "invalid_argument: options.transpose_by_atomics adds in any order, which contradicts "
              "options.deterministic: leave one of them out");
    EXPECT_EQ(with([](Options& o) {
                  o.transpose_by_atomics = true;
                  o.cache = CacheMode::off;
              }),
              "invalid_argument: options.transpose_by_atomics cannot be had with cache mode off "
              "(options.cache, SPMVGEN_CACHE), which always runs the generic CSR kernel: use "
              "another mode");
    EXPECT_EQ(with([](Options& o) {
                  o.transpose_by_atomics = true;
                  o.kernel = "csr_rows";
              }),
              "invalid_argument: options.transpose_by_atomics runs kernel csr_transposed_cpu, not "
              "csr_rows: leave options.kernel auto");
    EXPECT_EQ(with([](Options& o) {
                  o.transpose_by_atomics = true;
                  o.format = "ell";
              }),
              "invalid_argument: options.transpose_by_atomics reads A in csr, not ell: leave "
              "options.format auto");
    EXPECT_EQ(with([](Options& o) {
                  o.op = "N";
                  o.kernel = "csr_transposed_cpu";
              }),
              "invalid_argument: kernel csr_transposed_cpu multiplies with the transpose: use "
              "op T or H, or use another kernel");
    EXPECT_EQ(with([](Options& o) {
                  o.kernel = "csr_transposed_cpu";
                  o.deterministic = true;
              }),
              "invalid_argument: options.transpose_by_atomics adds in any order, which contradicts "
              "options.deterministic: leave one of them out");
    EXPECT_EQ(with([](Options& o) { o.kernel = "csr_transposed_cpu"; }), "no error");
    EXPECT_EQ(with([](Options& o) { o.deterministic = true; }), "no error");
    const std::complex<double> values[]{1, 2, 3};
    Options options = transposed_options();
    options.kernel = "csr_transposed_cpu";
    options.params = {{"conjugate", 1}};
    const Tiny tiny;
    EXPECT_EQ(code_and_text([&] {
                  const Handle handle(2, 3, tiny.row_ptr.data(), tiny.col_idx.data(), values,
                                      options);
              }),
              "invalid_argument: parameter conjugate=1 of kernel csr_transposed_cpu contradicts op "
              "T: leave it out");
}

}  // namespace
}  // namespace spmvgen
