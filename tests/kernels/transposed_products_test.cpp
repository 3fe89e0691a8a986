// y = αAᵀx + βy and y = αAᴴx + βy through handles: on every odd matrix, by transposed plans in
// every format and by atomics, on this CPU and on the SIMT executor, against the compensated
// reference of the transposed product.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "fixtures.hpp"
#include "modes.hpp"
#include "spmvgen/spmvgen.hpp"
#include "verify/reference.hpp"

namespace spmvgen {
namespace {

struct Types {
    ValueType value;
    IndexType index, offset;
    int num_rhs;
};

struct Row {
    std::string kernel, device;
    Params params;
    Types types;
    std::string op;
    int threads = 1;
};

void PrintTo(const Row& row, std::ostream* out) {
    *out << row.kernel << " on " << row.device << " " << to_string(row.types.value) << " i"
         << size_of(row.types.index) * 8 << " o" << size_of(row.types.offset) * 8 << " k"
         << row.types.num_rhs << " op " << row.op << " threads " << row.threads;
    for (auto& [name, value] : row.params) *out << " " << name << "=" << value;
}

constexpr auto i32 = IndexType::i32, i64 = IndexType::i64;
const std::vector<Types> all_types{
    {ValueType::f32, i32, i32, 1}, {ValueType::f64, i32, i32, 1}, {ValueType::c32, i32, i32, 1},
    {ValueType::c64, i32, i32, 1}, {ValueType::f64, i32, i64, 3}, {ValueType::f32, i64, i64, 8},
    {ValueType::c64, i64, i32, 2},
};

/// A plan is the kernels of the other tables on another matrix: one of a format, and few types.
std::vector<Row> plans() {
    std::vector<Row> table;
    const std::vector<std::pair<std::string, std::string>> kernels{
        {"csr_rows", "host"},
        {"csr_balanced", "host"},
        {"coo_segmented", "host"},
        {"ell", "host"},
        {"sell", "host"},
        {"csr_classical", "simt:sm_90"},
        {"csr_light", "simt:gfx906"},
        {"coo", "simt:sm_90"},
        {"ell_groups", "simt:gfx906"},
        {"sell_slices", "simt:gfx906"},
        {"hyb_fused", "simt:sm_90"},
    };
    for (auto& [kernel, device] : kernels) {
        table.push_back({kernel, device, {}, all_types[1], "T", 3});
        table.push_back({kernel, device, {}, all_types[6], "H", 3});
    }
    return table;
}

/// Of a GPU's two widths each has types of its own; the long tests have all with both.
bool is_shown_on(const std::string& device, const Types& types) {
    const bool real = !is_complex(types.value);
    return fixtures::is_every_mode_wanted() || types.value == ValueType::f64 ||
           real == (device == "simt:sm_90");
}

std::vector<Row> atomics() {
    std::vector<Row> table;
    for (auto& types : all_types)
        for (const char* op : {"T", "H"}) {
            if (*op == 'H' && !is_complex(types.value) && types.num_rhs == 1) continue;  // as T
            for (const int threads : {1, 8})
                table.push_back({"csr_transposed_cpu", "host", {}, types, op, threads});
            for (const char* device : {"simt:sm_90", "simt:gfx906"})
                if (is_shown_on(device, types))
                    table.push_back({"csr_transposed_gpu", device, {}, types, op});
        }
    table.push_back(
        {"csr_transposed_gpu", "simt:sm_90", {{"subwarp", 32}, {"block", 64}}, all_types[1], "T"});
    table.push_back({"csr_transposed_gpu", "simt:gfx906", {{"subwarp", 1}}, all_types[3], "H"});
    return table;
}

template <typename Value, typename Index, typename Offset>
class Product {
  public:
    Product(const Row& row, const fixtures::Fixture& fixture)
        : fixture_(fixture), swapped_(fixture), matrix_(fixture), row_(row) {
        std::swap(swapped_.rows, swapped_.cols);
        swapped_.first_x = fixtures::Special::none;
        special_ = fixture.first_x;
    }

    void check(fixtures::ModesByKernel& modes) const {
        Options options;
        options.device = row_.device;
        options.kernel = row_.kernel;
        options.params = row_.params;
        options.num_rhs = row_.types.num_rhs;
        options.threads = row_.threads;
        options.all_threads = true;
        options.op = row_.op;
        options.copy = false;  // keeps the index types of kernels that read A itself
        options.cache = CacheMode::memory;
        options.strict = true;
        const Handle handle(matrix_.view(), options);
        EXPECT_EQ(handle.info().rows, matrix_.cols);
        const fixtures::Modes own = modes.of(fixture_, handle.info().kernel);
        for (const float alpha : {1.0F, -1.5F, 0.0F})
            for (const float beta : {0.0F, 1.0F, 2.5F})
                if (fixtures::has_mode(own, alpha, beta)) check(handle, Value(alpha), Value(beta));
    }

  private:
    /// Row 5 is one that x's special element meets.
    void make_special(fixtures::OffsetArray<Value>& x) const {
        using Limits = std::numeric_limits<decltype(std::abs(Value{}))>;
        const auto at = static_cast<std::size_t>(5 * row_.types.num_rhs);
        if (special_ == fixtures::Special::infinite) x[at] = Limits::infinity();
        if (special_ == fixtures::Special::nan) x[at] = Limits::quiet_NaN();
    }
    void check(const Handle& handle, Value alpha, Value beta) const {
        auto x = fixtures::make_x<Value>(swapped_, row_.types.num_rhs);
        make_special(x);
        const auto before = fixtures::make_y<Value>(swapped_, row_.types.num_rhs, beta == Value(0));
        auto after = before;
        handle.apply(alpha, x.data(), beta, after.data());
        const CheckResult result = check_product(
            matrix_.view(),
            {&alpha, x.data(), &beta, before.data(), after.data(), row_.types.num_rhs},
            parse_op(row_.op));
        EXPECT_TRUE(result.passed)
            << swapped_ << ", α = " << alpha << ", β = " << beta << ": " << result.message;
    }

    const fixtures::Fixture& fixture_;
    fixtures::Fixture swapped_;  ///< with the rows and columns that y and x have
    fixtures::Special special_;
    const fixtures::TypedMatrix<Value, Index, Offset> matrix_;
    const Row& row_;
};

/// All odd matrices for f64, those that break most for the other types.
std::vector<const fixtures::Fixture*> matrices(const Types& types) {
    static const std::set<std::string> telling{
        "zero_by_three", "three_by_zero", "many_empty_rows",  "one_dense_column",
        "every_length",  "nan_x",         "unsorted_columns", "duplicates"};
    std::vector<const fixtures::Fixture*> list;
    for (auto* fixture : fixtures::matrices_of(true))
        if (types.value == ValueType::f64 || telling.contains(fixture->name))
            list.push_back(fixture);
    return list;
}

class TransposedProduct : public testing::TestWithParam<Row> {};
INSTANTIATE_TEST_SUITE_P(Plan, TransposedProduct, testing::ValuesIn(plans()));
INSTANTIATE_TEST_SUITE_P(Atomics, TransposedProduct, testing::ValuesIn(atomics()));

TEST_P(TransposedProduct, IsRightForEveryOddMatrix) {
    const Row& row = GetParam();
    fixtures::ModesByKernel modes(fixtures::modes_of({.type = row.types.value == ValueType::f64}));
    dispatch(row.types.value, [&](auto value) {
        dispatch(row.types.index, [&](auto index) {
            dispatch(row.types.offset, [&](auto offset) {
                for (auto* fixture : matrices(row.types))
                    Product<decltype(value), decltype(index), decltype(offset)>(row, *fixture)
                        .check(modes);
            });
        });
    });
}

/// Whole numbers, exact in every order and storage type.
TEST(TransposedProducts, StorageTypesAndEpiloguesOfTheAtomicKernel) {
    const auto& fixture = fixtures::find("every_length");
    const std::vector<std::int32_t> row_ptr(fixture.row_ptr.begin(), fixture.row_ptr.end()),
        col_idx(fixture.col_idx.begin(), fixture.col_idx.end());
    std::vector<float> values, x;
    for (std::size_t k = 0; k < col_idx.size(); ++k)
        values.push_back(static_cast<float>(k * 7 % 31) - 15);
    for (std::int64_t i = 0; i < fixture.rows; ++i) x.push_back(static_cast<float>(i % 13) - 6);
    std::vector<float> product(static_cast<std::size_t>(fixture.cols));
    for (std::size_t i = 0; i < x.size(); ++i)
        for (auto k = static_cast<std::size_t>(row_ptr[i]);
             k < static_cast<std::size_t>(row_ptr[i + 1]); ++k)
            product[static_cast<std::size_t>(col_idx[k])] += values[k] * x[i];
    for (const char* device : {"simt:sm_90", "simt:gfx906"})
        for (const char* storage : {"f16", "bf16", ""}) {
            Options options;
            options.device = device;
            options.op = "T";
            options.transpose_by_atomics = true;
            options.storage = storage;
            if (*storage == '\0') options.epilogue = "2 * fmax(value, 0) + row";
            options.cache = CacheMode::memory;
            const Handle handle(fixture.rows, fixture.cols, row_ptr.data(), col_idx.data(),
                                values.data(), options);
            std::vector<float> y(product.size(), 1), scaled(product.size(), 2);
            handle.apply(1.0F, x.data(), 1.0F, y.data());
            handle.apply<float>(0.0F, nullptr, 3.0F, scaled.data());
            for (std::size_t j = 0; j < y.size(); ++j) {
                const auto row = static_cast<float>(j);
                const float plain = product[j] + 1;
                EXPECT_EQ(y[j], *storage != '\0' ? plain : 2 * std::max(plain, 0.0F) + row);
                EXPECT_EQ(scaled[j], *storage != '\0' ? 6 : 12 + row);
            }
        }
}

}  // namespace
}  // namespace spmvgen
