// Types of the matrix, the vectors, the sums and the stored values that differ, and epilogues of
// CPU kernels: a few kernels each, through the whole compiler, on this CPU and on the SIMT
// executor; and the generic kernel, which must give the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fixtures.hpp"
#include "matrix/csr_matrix.hpp"
#include "modes.hpp"
#include "registry.hpp"
#include "spmvgen/spmvgen.hpp"
#include "verify/reference.hpp"

namespace spmvgen {
namespace {

struct Types {
    ValueType matrix, vectors, accumulator;
};
const std::vector<Types> mixed{{ValueType::f32, ValueType::f64, ValueType::f64},
                               {ValueType::f32, ValueType::f32, ValueType::f64},
                               {ValueType::c32, ValueType::c64, ValueType::c64},
                               {ValueType::c32, ValueType::c32, ValueType::c64}};

struct Row {
    std::string device, kernel;
};
void PrintTo(const Row& row, std::ostream* out) {
    *out << row.device << " " << row.kernel;
}

std::vector<Row> rows() {
    std::vector<Row> all;
    for (auto& entry : kernel_registry())
        if (!entry.gpu && is_plain_product(entry)) all.push_back({"host", std::string(entry.id)});
    for (const char* kernel :
         {"csr_light", "csr_load_balance", "coo", "ell_groups", "sell_slices", "hyb", "bcsr_fused"})
        all.push_back({"simt:sm_90", kernel});
    all.push_back({"host", "generic"});
    return all;
}

Options options_for(const Row& row) {
    Options o;
    o.device = row.device;
    o.cache_dir = fixtures::cache_of_this_run();
    o.strict = row.kernel != "generic";
    if (row.kernel == "generic")
        o.cache = CacheMode::off;
    else
        o.kernel = row.kernel;
    o.threads = 3;
    o.all_threads = true;
    return o;
}

bool adds_in_steps(const Row& row) {
    return row.kernel != "generic" && kernel_entry(row.kernel).determinism != Determinism::always;
}

class MixedTypes : public testing::TestWithParam<Row> {
  protected:
    template <typename A, typename X>
    void check(const Types& types, const fixtures::Fixture& fixture) {
        const fixtures::TypedMatrix<A, std::int32_t, std::int32_t> matrix(fixture);
        Options o = options_for(GetParam());
        o.vectors = to_string(types.vectors);
        o.accumulator = to_string(types.accumulator);
        const Handle handle(matrix.view(), o);
        EXPECT_EQ(handle.info().vectors, to_string(types.vectors));
        EXPECT_EQ(handle.info().accumulator, to_string(types.accumulator));
        EXPECT_EQ(handle.info().storage, to_string(types.matrix));
        for (const auto& [a, b] : {std::pair{1.0F, 0.0F}, {-1.5F, 2.5F}}) {
            // Another matrix may have a kernel of its own, whose store is the same.
            const bool again = b != 0 && fixture.name != "every_length";
            if (again && !fixtures::is_every_mode_wanted()) continue;
            const X alpha(a), beta(b);
            const auto x = fixtures::make_x<X>(fixture, 1);
            const auto before = fixtures::make_y<X>(fixture, 1, b == 0);
            auto after = before;
            handle.apply(alpha, x.data(), beta, after.data());
            const CheckResult result =
                check_product(matrix.view(), {.alpha = &alpha,
                                              .x = x.data(),
                                              .beta = &beta,
                                              .y_before = before.data(),
                                              .y_after = after.data(),
                                              .vectors = types.vectors,
                                              .accumulator = types.accumulator,
                                              .in_steps = adds_in_steps(GetParam())});
            EXPECT_TRUE(result.passed)
                << fixture << ", α = " << a << ", β = " << b << ": " << result.message;
        }
    }
};
INSTANTIATE_TEST_SUITE_P(, MixedTypes, testing::ValuesIn(rows()));

TEST_P(MixedTypes, GiveTheProduct) {
    for (auto& types : mixed) {
        // The executor takes its time: there, real vectors and complex sums.
        const bool both = types.vectors == types.accumulator;
        if (GetParam().device != "host" && both == is_complex(types.matrix)) continue;
        dispatch(types.matrix, [&]<typename A>(A) {
            dispatch(types.vectors, [&]<typename X>(X) {
                for (const char* name : {"every_length", "one_dense_row"})
                    check<A, X>(types, fixtures::find(name));
            });
        });
    }
}

/// Those that round y once.
class WiderSums : public testing::TestWithParam<Row> {};
INSTANTIATE_TEST_SUITE_P(, WiderSums, testing::ValuesIn([] {
                             std::vector<Row> all = rows();
                             std::erase_if(all, adds_in_steps);
                             return all;
                         }()));

/// One row of 999 entries: 2^26, 997 ones, -2^26; times ones. In f32 each one is lost beside 2^26.
TEST_P(WiderSums, KeepWhatFloatsLose) {
    constexpr int entries = 999;
    std::vector<std::int32_t> row_ptr{0, entries}, col_idx(entries);
    std::iota(col_idx.begin(), col_idx.end(), 0);
    std::vector<float> values(entries, 1);
    values.front() = 0x1p26F;
    values.back() = -0x1p26F;
    const std::vector<float> x(entries, 1);
    Options o = options_for(GetParam());
    o.accumulator = "f64";
    o.threads = 5;
    o.all_threads = true;  // the row is cut, where the kernel cuts rows
    const Handle handle(1, entries, row_ptr.data(), col_idx.data(), values.data(), o);
    float y = 8;
    handle.apply(1.0F, x.data(), 1.0F, &y);
    EXPECT_EQ(y, 8 + 997);
}

/// Small whole numbers, which every storage type holds exactly, as is their product.
struct WholeNumbers {
    const fixtures::Fixture& fixture = fixtures::find("every_length");
    std::vector<std::int32_t> row_ptr, col_idx;
    std::vector<double> values, x, product, transposed;

    WholeNumbers() {
        row_ptr.assign(fixture.row_ptr.begin(), fixture.row_ptr.end());
        col_idx.assign(fixture.col_idx.begin(), fixture.col_idx.end());
        for (std::size_t k = 0; k < col_idx.size(); ++k)
            values.push_back(static_cast<double>(k * 7 % 31) - 15);
        for (std::int64_t j = 0; j < std::max(fixture.rows, fixture.cols); ++j)
            x.push_back(static_cast<double>(j % 13) - 6);
        product.resize(static_cast<std::size_t>(fixture.rows));
        transposed.resize(static_cast<std::size_t>(fixture.cols));
        for (std::size_t i = 0; i < product.size(); ++i)
            for (auto k = static_cast<std::size_t>(row_ptr[i]);
                 k < static_cast<std::size_t>(row_ptr[i + 1]); ++k) {
                product[i] += values[k] * x[static_cast<std::size_t>(col_idx[k])];
                transposed[static_cast<std::size_t>(col_idx[k])] += values[k] * x[i];
            }
    }
    template <typename Value>
    Handle handle(const Options& options) const {
        const std::vector<Value> a(values.begin(), values.end());
        return Handle(fixture.rows, fixture.cols, row_ptr.data(), col_idx.data(), a.data(),
                      options);
    }
    /// αAx + βy of y = 3, or with `transposes` αAᵀx + βy.
    template <typename Value>
    std::vector<Value> times(const Handle& handle, Value alpha, Value beta,
                             bool transposes = false) const {
        const std::vector<Value> b(x.begin(), x.end());
        std::vector<Value> y(transposes ? transposed.size() : product.size(),
                             beta == 0 ? Value(NAN) : Value(3));
        handle.apply(alpha, b.data(), beta, y.data());
        return y;
    }
};

std::vector<std::string> host_kernels(std::vector<std::string> others) {
    for (auto& entry : kernel_registry())
        if (!entry.gpu && !entry.batch) others.emplace_back(entry.id);
    return others;
}

class HostStorage : public testing::TestWithParam<std::string> {
  protected:
    const WholeNumbers numbers_;
};
INSTANTIATE_TEST_SUITE_P(, HostStorage, testing::ValuesIn(host_kernels({"generic"})),
                         [](auto& test) { return test.param; });

class HostKernel : public HostStorage {};
INSTANTIATE_TEST_SUITE_P(, HostKernel, testing::ValuesIn(host_kernels({})),
                         [](auto& test) { return test.param; });

TEST_P(HostStorage, ComputesWithEveryStorageType) {
    Options o = options_for({"host", GetParam()});
    const bool transposes = GetParam() == "csr_transposed_cpu";
    if (transposes) o.op = "T";
    const std::vector<double>& wanted = transposes ? numbers_.transposed : numbers_.product;
    for (const char* storage : {"f16", "bf16", "f32"}) {
        o.storage = storage;
        if (std::string(storage) != "f32") {
            const Handle floats = numbers_.handle<float>(o);
            EXPECT_EQ(floats.info().storage, storage);
            const std::vector<float> y = numbers_.times<float>(floats, 1, 0, transposes);
            EXPECT_EQ(std::vector<double>(y.begin(), y.end()), wanted) << storage;
        }
        const Handle doubles = numbers_.handle<double>(o);
        const std::vector<double> y = numbers_.times<double>(doubles, 2, 5, transposes);
        for (std::size_t i = 0; i < y.size(); ++i)
            EXPECT_EQ(y[i], 2 * wanted[i] + 15) << storage << " row " << i;
    }
}

TEST_P(HostKernel, AppliesTheEpilogueToEveryRowOnce) {
    Options o = options_for({"host", GetParam()});
    const bool transposes = GetParam() == "csr_transposed_cpu";
    if (transposes) o.op = "T";
    const std::vector<double>& wanted = transposes ? numbers_.transposed : numbers_.product;
    o.epilogue = "2 * fmax(value, 0) + row";
    for (const int threads : {1, 3, 8}) {
        o.threads = threads;
        o.all_threads = true;
        const Handle handle = numbers_.handle<double>(o);
        for (const auto& [alpha, beta] :
             {std::pair{1.0, 0.0}, {1.0, 1.0}, {-2.0, 4.0}, {0.0, 1.0}}) {
            const auto y = numbers_.times<double>(handle, alpha, beta, transposes);
            for (std::size_t i = 0; i < y.size(); ++i)
                EXPECT_EQ(y[i],
                          2 * std::max(alpha * wanted[i] + beta * 3, 0.0) + static_cast<double>(i))
                    << "row " << i << ", α = " << alpha << ", β = " << beta << ", " << threads
                    << " threads";
        }
    }
}

TEST(HostEpilogue, TellsTheRowOfEveryRightHandSide) {
    for (const char* kernel : {"csr_rows", "csr_balanced", "coo_segmented", "sell", "bcsr"}) {
        Options o = options_for({"host", kernel});
        o.num_rhs = 2;
        o.epilogue = "row";
        const WholeNumbers numbers;
        const Handle handle = numbers.handle<double>(o);
        const std::vector<double> x(2 * numbers.x.size(), 1);
        std::vector<double> y(2 * numbers.product.size());
        handle.apply(1.0, x.data(), 0.0, y.data());
        for (std::size_t i = 0; i < y.size(); ++i)
            EXPECT_EQ(y[i], static_cast<double>(i / 2)) << kernel;
    }
}

TEST(HostEpilogue, RunsWithoutEntries) {
    const std::vector<std::int32_t> row_ptr{0, 0, 0};
    Options o = options_for({"host", "csr_vector"});
    o.epilogue = "value + row + 1";
    const Handle handle(2, 2, row_ptr.data(), static_cast<const std::int32_t*>(nullptr),
                        static_cast<const double*>(nullptr), o);
    std::vector<double> y{5, 7};
    const std::vector<double> x{1, 1};
    handle.apply(1.0, x.data(), 1.0, y.data());
    EXPECT_EQ(y, (std::vector<double>{6, 9}));
    handle.apply(1.0, x.data(), 0.0, y.data());
    EXPECT_EQ(y, (std::vector<double>{1, 2}));
}

/// The kernel's conversions of all numbers of 16 bits are exact: stored in f16 and read by the
/// kernel, each of a diagonal's elements comes back as it was.
TEST(StorageTypes, EveryNumberOf16BitsComesBack) {
    std::vector<std::int32_t> row_ptr(1), col_idx;
    std::vector<float> values;
    for (int bits = 0; bits < 0x8000; ++bits) {  // f16: sign by the element's parity
        const int exponent = bits >> 10, fraction = bits & 1023;
        if (exponent == 31 && fraction != 0) continue;  // NaN
        const float size = exponent == 31 ? INFINITY
                           : exponent == 0
                               ? std::ldexp(static_cast<float>(fraction), -24)
                               : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
        col_idx.push_back(bits % 7);
        values.push_back(bits % 2 == 0 ? size : -size);
        row_ptr.push_back(static_cast<std::int32_t>(values.size()));
    }
    const std::vector<float> x(7, 1);
    for (const char* kernel : {"csr_rows", "csr_vector", "sell", "generic"}) {
        Options o = options_for({"host", kernel});
        o.storage = "f16";
        const auto count = static_cast<std::int64_t>(values.size());
        const Handle handle(count, 7, row_ptr.data(), col_idx.data(), values.data(), o);
        std::vector<float> y(values.size());
        handle.apply(1.0F, x.data(), 0.0F, y.data());
        EXPECT_EQ(y, values) << kernel;
    }
}

}  // namespace
}  // namespace spmvgen
