// Handles of rows that are listed: all else of y stays as it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "any_matrix.hpp"
#include "arrays_on_device.hpp"
#include "handle/base/handle_impl.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "handle/kernels/kernel_sources.hpp"
#include "handle/making/handle_makers.hpp"
#include "matrix/suites/gallery.hpp"
#include "spmvgen/distributed.hpp"

namespace spmvgen {
namespace {

/// The rows of a small matrix in an order of their own, as rows of a taller one.
template <typename Value>
struct SomeRows {
    static constexpr std::int64_t num_rows = 400;
    AnyMatrix<Value> a;
    std::vector<std::int32_t> rows;

    SomeRows() {
        for (std::int32_t i = 0; i < a.n; ++i) rows.push_back((i * 37 + 11) % 400);
    }
    RowListView view() const { return {a.view(), num_rows, rows.data()}; }

    /// A long vector with numbers of its own.
    static std::vector<Value> long_vector() {
        std::vector<Value> v;
        for (std::int64_t i = 0; i < num_rows; ++i) v.push_back(Value(static_cast<float>(i % 13)));
        return v;
    }
    std::vector<Value> y_after(const std::vector<Value>& values, Value alpha, Value beta) const {
        std::vector<Value> y = long_vector();
        const auto product = a.product(values, "N", alpha);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            Value& element = y[static_cast<std::size_t>(rows[i])];
            element = product[i] + (beta == Value(0) ? Value(0) : beta * element);
        }
        return y;
    }
    /// αAᵀx + βy with a long x.
    std::vector<Value> transposed(Value alpha, Value beta) const {
        std::vector<Value> y = a.x();
        const auto x = long_vector();
        for (Value& element : y) element *= beta;
        for (std::size_t k = 0; k < a.values.size(); ++k)
            y[static_cast<std::size_t>(a.col_idx[k])] +=
                alpha * a.values[k] *
                x[static_cast<std::size_t>(rows[static_cast<std::size_t>(a.row_idx[k])])];
        return y;
    }
};

class RowListsOf : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, RowListsOf, testing::Values("host", "simt:sm_90", "simt:gfx90a"));

void expect_every_mode(const Options& options) {
    const SomeRows<double> some;
    const Handle handle(some.view(), options);
    const auto x = some.a.x();
    for (const double alpha : {0.0, 1.0, 3.0})
        for (const double beta : {0.0, 1.0, 2.0}) {
            auto y = some.long_vector();
            if (beta == 0)  // is not read
                for (const auto row : some.rows)
                    y[static_cast<std::size_t>(row)] = std::numeric_limits<double>::quiet_NaN();
            handle.apply(alpha, x.data(), beta, y.data());
            EXPECT_EQ(y, some.y_after(some.a.values, alpha, beta)) << alpha << " " << beta;
            std::vector<std::byte> workspace(handle.workspace_bytes(alpha == 0   ? Scale::zero
                                                                    : alpha == 1 ? Scale::one
                                                                                 : Scale::general,
                                                                    beta == 0   ? Scale::zero
                                                                    : beta == 1 ? Scale::one
                                                                                : Scale::general));
            y = some.long_vector();
            handle.apply(alpha, x.data(), beta, y.data(), {}, {workspace.data(), workspace.size()});
            EXPECT_EQ(y, some.y_after(some.a.values, alpha, beta)) << alpha << " " << beta;
        }
    auto y = some.long_vector();
    const double two = 2, one = 1;
    handle.prepare(Scale::device, Scale::device);
    handle.apply_device_scalars(&two, x.data(), &one, y.data());
    EXPECT_EQ(y, some.y_after(some.a.values, 2, 1));
    std::vector<double> z(400, 5);
    handle.apply_out_of_place(2.0, x.data(), 3.0, some.long_vector().data(), z.data());
    EXPECT_EQ(z, some.y_after(some.a.values, 2, 3));
}

TEST_P(RowListsOf, AreMultipliedInEveryMode) {
    expect_every_mode(options_for(GetParam()));
}

// Kernels that store where rows are listed, and others with a launch behind them that does so.
TEST(RowLists, AreOneLaunchOfKernelsThatLookUpTheirRows) {
    struct Case {
        const char* kernel;
        Params params;
        int launches;
    };
    for (const auto& [kernel, params, launches] : {Case{"csr_classical", {}, 1},
                                                   {"sell_slices", {{"sigma", 64}}, 1},
                                                   {"sell_slices", {{"sigma", 1}}, 2},
                                                   {"tiles", {}, 2},
                                                   {"csr_merge_path", {}, 3}}) {
        SCOPED_TRACE(kernel);
        Options options = options_for("simt:sm_90");
        options.kernel = kernel;
        options.params = params;
        expect_every_mode(options);
        const SomeRows<double> some;
        const Handle handle(some.view(), options);
        EXPECT_EQ(handle.info().launches, launches);
        EXPECT_THAT(handle.info().kernel, testing::StartsWith(kernel));
    }
}

/// The executor in the name of a GPU whose profile ships.
class NamedDevice : public CountingDevice {
  public:
    NamedDevice() : CountingDevice("simt:sm_90"), facts_(CountingDevice::facts()) {
        facts_.name = "NVIDIA H200";
        facts_.units = 132;
    }
    const DeviceFacts& facts() const override { return facts_; }

  private:
    DeviceFacts facts_;
};

// The halo of a stencil: sell_slices would be chosen, and rows brought to their places after it.
TEST(RowLists, OfAShortProductTakeOneLaunch) {
    const CsrMatrix whole = make_gallery_matrix("stencil27:nx=128,ny=128,nz=4");
    const Part part = std::move(make_parts(whole.view(), partition_by_entries(whole.view(), 2))[0]);
    const auto device = std::make_shared<NamedDevice>();
    const auto made = [&](const char* kernel) {
        Options options = options_for("simt:sm_90");
        options.kernel = kernel;
        return HandleImpl::wrap(
            make_handle_impl(part.halo_view(), options, KernelProvider::process(), device));
    };
    const Handle handle = made("auto"), slices = made("sell_slices");
    EXPECT_EQ(handle.info().launches, 1);
    EXPECT_THAT(handle.info().kernel, testing::StartsWith("csr_classical"));
    EXPECT_THAT(handle.info().reason, testing::EndsWith("; sell_slices would take a launch more"));
    EXPECT_EQ(slices.info().launches, 2);
    const auto cols = static_cast<std::size_t>(part.halo.cols);
    std::vector<double> x(cols), y(static_cast<std::size_t>(part.rows()), 3), expected = y;
    for (std::size_t i = 0; i < cols; ++i) x[i] = static_cast<double>(i % 5);
    handle.apply(1.0, x.data(), 1.0, y.data());
    slices.apply(1.0, x.data(), 1.0, expected.data());
    EXPECT_EQ(y, expected);
}

// A kernel set may have no csr_listed.
TEST(RowLists, OfPlainCsrTakeTwoLaunchesWithoutTheirOwnKernel) {
    KernelProvider provider(default_kernel_sources());
    const SomeRows<double> some;
    const auto made = [&](const Options& options) {
        return HandleImpl::wrap(make_handle_impl(some.view(), options, provider, nullptr));
    };
    Options options = options_for("simt:sm_90");
    options.kernel = "tiles";  // and scatter_rows
    made(options).prepare(Scale::general, Scale::general);
    options.kernel = "csr_classical";
    const Handle plain = make_handle(some.view().matrix, options, provider);
    options.cache = CacheMode::load;
    const Handle handle = made(options);
    EXPECT_EQ(handle.info().kernel, plain.info().kernel);
    EXPECT_EQ(handle.info().launches, 2);
    auto y = some.long_vector();
    handle.apply(2.0, some.a.x().data(), 3.0, y.data());
    EXPECT_EQ(y, some.y_after(some.a.values, 2, 3));
}

TEST_P(RowListsOf, OfATransposeAreRowsOfX) {
    const SomeRows<double> some;
    Options options = options_for(GetParam());
    options.op = "T";
    const Handle handle(some.view(), options);
    EXPECT_EQ(handle.info().rows, some.a.n);
    EXPECT_EQ(handle.info().cols, some.num_rows);
    const auto x = some.long_vector();
    for (const double alpha : {0.0, 1.0, 3.0})
        for (const double beta : {0.0, 1.0, 2.0}) {
            auto y = some.a.x();
            handle.prepare(Scale::general, Scale::general);
            std::vector<std::byte> workspace(
                handle.workspace_bytes(Scale::general, Scale::general));
            handle.apply(alpha, x.data(), beta, y.data());
            EXPECT_EQ(y, some.transposed(alpha, beta)) << alpha << " " << beta;
        }
    auto y = some.a.x();
    const double two = 2, one = 1;
    handle.apply_device_scalars(&two, x.data(), &one, y.data());
    EXPECT_EQ(y, some.transposed(2, 1));
}

TEST_P(RowListsOf, OfComplexNumbersAreConjugated) {
    const SomeRows<std::complex<double>> some;
    auto conjugates = some.a.values;
    for (auto& value : conjugates) value = std::conj(value);
    Options options = options_for(GetParam());
    options.op = "C";
    const Handle handle(some.view(), options);
    auto y = some.long_vector();
    handle.apply(std::complex<double>(2), some.a.x().data(), std::complex<double>(1), y.data());
    EXPECT_EQ(y, some.y_after(conjugates, 2, 1));
}

TEST_P(RowListsOf, TakeNewNumbers) {
    const SomeRows<double> some;
    for (const char* level : {"rule", "lazy"})
        for (const bool copy : {true, false}) {
            Options options = options_for(GetParam());
            options.level = level;
            options.copy = copy;
            Handle handle(some.view(), options);
            for (int salt = 1; salt < 4; ++salt) {
                const auto fresh = some.a.numbers(salt);
                handle.update_values(fresh.data());
                if (salt == 2) handle.prepare(Scale::one, Scale::one);  // is planned
                auto y = some.long_vector();
                handle.apply(1.0, some.a.x().data(), 1.0, y.data());
                EXPECT_EQ(y, some.y_after(fresh, 1, 1)) << level << " " << salt;
                EXPECT_THAT(handle.info().reason,
                            testing::StartsWith("60 of 400 rows are listed; "));
                EXPECT_EQ(handle.info().rows, 400);
            }
        }
}

// Columns are multiplied where they are; in other layouts y is packed, with all its rows.
TEST_P(RowListsOf, TakeSeveralVectorsInEveryLayout) {
    const SomeRows<double> some;
    const auto x = some.a.x();
    const auto right = some.y_after(some.a.values, 2, 0), before = some.long_vector();
    for (const int num_rhs : {1, 4})
        for (const auto x_layout : {VectorLayout::row, VectorLayout::column})
            for (const auto y_layout : {VectorLayout::row, VectorLayout::column}) {
                Options options = options_for(GetParam());
                options.num_rhs = num_rhs;
                const Handle handle(some.view(), options);
                constexpr std::int64_t k = 3;
                const std::int64_t ldx = x_layout == VectorLayout::row ? k : some.a.n;
                const std::int64_t ldy = y_layout == VectorLayout::row ? k + 1 : 400;
                const auto place = [](std::int64_t i, std::int64_t r, std::int64_t ld,
                                      VectorLayout layout) {
                    return static_cast<std::size_t>(layout == VectorLayout::row ? i * ld + r
                                                                                : i + r * ld);
                };
                std::vector<double> xs(static_cast<std::size_t>(k * some.a.n)), ys(400 * (k + 1));
                for (std::int64_t r = 0; r < k; ++r) {
                    for (std::int64_t j = 0; j < some.a.n; ++j)
                        xs[place(j, r, ldx, x_layout)] = x[static_cast<std::size_t>(j)];
                    for (std::int64_t i = 0; i < 400; ++i)
                        ys[place(i, r, ldy, y_layout)] = before[static_cast<std::size_t>(i)];
                }
                handle.apply_many(k, 2.0, xs.data(), ldx, x_layout, 0.0, ys.data(), ldy, y_layout);
                for (std::int64_t r = 0; r < k; ++r)
                    for (std::int64_t i = 0; i < 400; ++i)
                        EXPECT_EQ(ys[place(i, r, ldy, y_layout)],
                                  right[static_cast<std::size_t>(i)])
                            << i << " of vector " << r;
            }
}

TEST(RowLists, PlannedLaterTakeSeveralVectors) {
    const SomeRows<double> some;
    Options options = options_for("host");
    options.level = "lazy";
    const Handle handle(some.view(), options);
    std::vector<double> xs, ys = some.long_vector();
    for (const double number : some.a.x()) xs.insert(xs.end(), {number, number});
    const auto right = some.y_after(some.a.values, 1, 1);
    std::vector<double> both;
    for (const double number : ys) both.insert(both.end(), {number, number});
    handle.apply_many(2, 1.0, xs.data(), 2, VectorLayout::row, 1.0, both.data(), 2,
                      VectorLayout::row);
    for (std::size_t i = 0; i < right.size(); ++i) EXPECT_EQ(both[2 * i + 1], right[i]);
}

TEST(RowLists, OfADeviceStayThere) {
    const auto device = open_device("simt:sm_90");
    const SomeRows<double> some;
    const There there(*device, some.a);
    const auto rows = There::put(*device, some.rows);
    const auto fresh = There::put(*device, some.a.numbers(1));
    Options options = options_for("simt:sm_90");
    options.device_arrays = true;
    Handle handle(RowListView{there.view, 400, rows->data()}, options);
    auto y = some.long_vector();
    handle.apply(1.0, some.a.x().data(), 1.0, y.data());
    EXPECT_EQ(y, some.y_after(some.a.values, 1, 1));
    handle.update_values(static_cast<const double*>(fresh->data()));
    y = some.long_vector();
    handle.apply(1.0, some.a.x().data(), 1.0, y.data());
    EXPECT_EQ(y, some.y_after(some.a.numbers(1), 1, 1));
}

TEST(RowLists, MayBeginAtOne) {
    SomeRows<double> some;
    for (auto* numbers : {&some.rows, &some.a.row_ptr, &some.a.col_idx})
        for (auto& number : *numbers) ++number;
    Options options = options_for("host");
    options.index_base = 1;
    const Handle handle(some.view(), options);
    auto y = some.long_vector();
    handle.apply(1.0, some.a.x().data(), 1.0, y.data());
    const SomeRows<double> from_zero;
    EXPECT_EQ(y, from_zero.y_after(some.a.values, 1, 1));
}

// Row i of y gets the epilogue's `row` i, whatever place it has in the list.
TEST(RowLists, EpiloguesAreToldTheRowsOfY) {
    const SomeRows<double> some;
    Options options = options_for("simt:sm_90");
    options.epilogue = "value + 1000 * row";
    const Handle handle(some.view(), options);
    auto y = some.long_vector();
    handle.apply(1.0, some.a.x().data(), 0.0, y.data());
    auto right = some.y_after(some.a.values, 1, 0);
    for (const auto row : some.rows) right[static_cast<std::size_t>(row)] += 1000.0 * row;
    EXPECT_EQ(y, right);
}

TEST(RowLists, OfNoRowsOrEntriesTouchNothingElse) {
    const std::vector<int> ptr{0, 0, 0}, rows{1, 3};
    const std::vector<double> x(5, 1);
    for (const char* device : {"host", "simt:sm_90"}) {
        const double* const none = nullptr;
        const int* const no_columns = nullptr;
        const Handle empty(row_list_view(4, 5, 0, 2, rows.data(), ptr.data(), no_columns, none),
                           options_for(device));
        std::vector<double> y{1, 2, 3, 4};
        empty.apply(1.0, x.data(), 3.0, y.data());
        EXPECT_EQ(y, (std::vector<double>{1, 6, 3, 12})) << device;
        empty.apply(1.0, x.data(), 0.0, y.data());
        EXPECT_EQ(y, (std::vector<double>{1, 0, 3, 0})) << device;
        const Handle nothing(row_list_view(4, 5, 0, 0, no_columns, ptr.data(), no_columns, none),
                             options_for(device));
        nothing.apply(1.0, x.data(), 0.0, y.data());
        EXPECT_EQ(y, (std::vector<double>{1, 0, 3, 0})) << device;
    }
}

TEST(RowLists, WrongOnesAreNamed) {
    const auto refusal = [](auto change, int base = 0) {
        SomeRows<double> some;
        RowListView view = some.view();
        Options options = options_for("host");
        options.index_base = base;
        change(some, view, options);
        return code_and_text([&] { const Handle handle(view, options); });
    };
    const std::string broken = "invalid_argument: broken list of rows: ";
    EXPECT_EQ(refusal([](auto&, RowListView& v, auto&) { v.num_rows = -1; }),
              broken + "num_rows is -1");
    EXPECT_EQ(refusal([](auto&, RowListView& v, auto&) { v.num_rows = std::int64_t{1} << 31; }),
              broken + "num_rows is 2147483648, but at most 2147483647 can be numbered");
    EXPECT_EQ(refusal([](auto&, RowListView& v, auto&) { v.num_rows = 59; }),
              broken + "60 rows of 59");
    EXPECT_EQ(refusal([](auto&, RowListView& v, auto&) { v.rows = nullptr; }),
              broken + "rows is null");
    EXPECT_EQ(refusal([](auto& some, auto&, auto&) { some.rows[7] = 400; }),
              broken + "rows[7] is 400, outside 0…399");
    EXPECT_EQ(refusal([](auto& some, auto&, auto&) { some.rows[7] = -1; }),
              broken + "rows[7] is -1, outside 0…399");
    EXPECT_EQ(refusal([](auto& some, auto&, auto&) { some.rows[0] = 0; }, 1),
              broken + "rows[0] is 0, outside 1…400");
    EXPECT_EQ(refusal([](auto& some, auto&, auto&) { some.rows[9] = some.rows[4]; }),
              broken + "rows[9] is 159, as rows[4]: list each row once");
    EXPECT_THAT(refusal([](auto& some, auto&, auto&) { some.a.col_idx[2] = 99; }),
                testing::StartsWith("invalid_argument: broken CSR matrix: entry 2 "));
    EXPECT_EQ(refusal([](auto&, RowListView& v, auto&) { v.matrix.rows = -1; }),
              "invalid_argument: broken CSR matrix: negative size (-1 rows, 60 columns, " +
                  std::to_string(SomeRows<double>().a.values.size()) + " entries)");
    EXPECT_EQ(refusal([](auto&, auto&, Options& o) { o.epilogue = "value + z[row]"; }),
              "invalid_argument: options.epilogue has operands, but lists of rows take none: write "
              "one of value and row");
    EXPECT_EQ(refusal([](auto&, auto&, Options& o) { o.epilogue = "-value"; }),
              "invalid_argument: options.epilogue is not for lists of rows on the host: leave it "
              "empty");
    EXPECT_EQ(refusal([](auto&, auto&, Options& o) {
                  o.reorder = "rcm";
                  o.permuted_vectors = true;
              }),
              "invalid_argument: options.permuted_vectors is not for lists of rows, whose x and y "
              "have no order in common: leave it false");
}

// Nothing is done for rows that are not listed: with 2^31 - 1 of them no vector could be read.
TEST(RowLists, TakeTimeByTheRowsThatAreListed) {
    const std::vector<int> ptr{0, 1}, cols{0}, rows{2};
    const std::vector<double> values{3};
    const Handle handle(
        row_list_view(INT32_MAX, 1, 1, 1, rows.data(), ptr.data(), cols.data(), values.data()),
        options_for("host"));
    std::vector<double> x_and_y{5, 1, 1, 1};
    handle.apply(2.0, x_and_y.data(), 1.0, x_and_y.data() + 1);
    EXPECT_EQ(x_and_y, (std::vector<double>{5, 1, 1, 31}));
}

}  // namespace
}  // namespace spmvgen
