// Every kernel of the registry through the whole compiler: made by the real generator, run by a
// handle on every odd matrix, and checked against the compensated reference, for types and modes of
// α and β (modes.hpp; the long tests have every one). A new kernel is in the table at once;
// parameters off their presets get a row here.
#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "modes.hpp"
#include "registry.hpp"
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
    std::string kernel;
    Params params;
    Types types;
};

void PrintTo(const Row& row, std::ostream* out) {
    *out << row.kernel << " " << to_string(row.types.value) << " i" << size_of(row.types.index) * 8
         << " o" << size_of(row.types.offset) * 8 << " k" << row.types.num_rhs;
    for (auto& [name, value] : row.params) *out << " " << name << "=" << value;
}

constexpr auto i32 = IndexType::i32, i64 = IndexType::i64;
const std::vector<Types> all_types{
    {ValueType::f32, i32, i32, 1}, {ValueType::f64, i32, i32, 1}, {ValueType::c32, i32, i32, 1},
    {ValueType::c64, i32, i32, 1}, {ValueType::f64, i32, i64, 1}, {ValueType::f32, i64, i64, 1},
    {ValueType::f64, i32, i32, 3}, {ValueType::c64, i64, i64, 2}, {ValueType::f32, i32, i32, 8},
};

/// Parameters worth a row of their own; every kernel has one with its presets.
const std::vector<std::pair<std::string, Params>> variants{
    {"csr_vector", {{"lanes", 2}, {"unroll", 2}, {"prefetch", 4096}}},
    {"csr_balanced", {{"lanes", 1}}},
    {"csr_balanced", {{"prefetch", 4096}}},
    {"coo_segmented", {{"lanes", 1}}},
    {"ell", {{"lanes", 4}, {"unroll", 2}}},
    {"sell", {{"lanes", 4}, {"sigma", 64}, {"prefetch", 4096}}},
    {"sell", {{"unroll", 2}, {"sigma", 4096}}},
    {"csr_k_rows", {{"lanes", 1}, {"srs", 1}}},
    {"csr_k_rows", {{"k", 3}, {"srs", 3}, {"ssrs", 2}}},
    {"bcsr", {{"block_rows", 3}, {"block_cols", 3}}},
    {"bcsr", {{"block_rows", 2}, {"block_cols", 5}}},
    {"strips_cpu", {{"lanes", 4}, {"sigma", 64}, {"long_from", 16}, {"prefetch", 4096}}},
    {"strips_cpu", {{"lanes", 16}, {"block_rows", 3}, {"block_cols", 2}, {"sigma", 4096}}},
    {"strips_cpu", {{"codes", 8}, {"block_rows", 2}, {"block_cols", 2}, {"long_from", 16}}},
};

/// Types of a kernel's rows with its presets, and with other parameters; the long tests have all.
std::vector<Types> types_of(bool presets) {
    const Types &f32 = all_types[0], &f64 = all_types[1];
    const Types &long_offsets = all_types[4], &f64_three = all_types[6], &c64_two = all_types[7];
    if (fixtures::is_every_mode_wanted()) return all_types;
    return presets ? std::vector{f32, f64, long_offsets, f64_three, c64_two}
                   : std::vector{f64, c64_two};
}

std::vector<Row> rows() {
    std::vector<Row> table;
    for (auto& entry : kernel_registry())
        if (!entry.gpu && is_plain_product(entry))  // these: transpose_test
            for (auto& types : types_of(true)) table.push_back({std::string(entry.id), {}, types});
    for (auto& [kernel, params] : variants)
        for (auto& types : types_of(false)) table.push_back({kernel, params, types});
    return table;
}

template <typename Value, typename Index, typename Offset>
class Product {
  public:
    Product(const Row& row, const fixtures::Fixture& fixture)
        : fixture_(fixture), matrix_(fixture), row_(row) {}

    /// The matrix's modes of α and β on a team of `threads`.
    void check(int threads, fixtures::ModesByKernel& modes) const {
        Options options;
        options.kernel = row_.kernel;
        options.params = row_.params;
        options.num_rhs = row_.types.num_rhs;
        options.threads = threads;
        options.all_threads = true;
        options.copy = false;  // keeps the index types where the format is CSR
        options.cache = CacheMode::memory;
        options.strict = true;
        options.memory_limit = 1 << 30;  // padding is no trouble here
        const Handle handle(matrix_.view(), options);
        EXPECT_EQ(handle.source() != "", fixture_.nnz() > 0 && fixture_.rows > 0);
        const fixtures::Modes own = modes.of(fixture_, handle.info().kernel);
        for (const float alpha : {1.0F, -1.5F, 0.0F})
            for (const float beta : {0.0F, 1.0F, 2.5F})
                if (fixtures::has_mode(own, alpha, beta)) check(handle, Value(alpha), Value(beta));
    }

  private:
    void check(const Handle& handle, Value alpha, Value beta) const {
        const auto x = fixtures::make_x<Value>(fixture_, row_.types.num_rhs);
        const auto before = fixtures::make_y<Value>(fixture_, row_.types.num_rhs, beta == Value(0));
        auto after = before;
        handle.apply(alpha, x.data(), beta, after.data());
        const CheckResult result = check_product(
            matrix_.view(),
            {&alpha, x.data(), &beta, before.data(), after.data(), row_.types.num_rhs});
        EXPECT_TRUE(result.passed)
            << fixture_ << ", α = " << alpha << ", β = " << beta << ": " << result.message;
    }

    const fixtures::Fixture& fixture_;
    const fixtures::TypedMatrix<Value, Index, Offset> matrix_;
    const Row& row_;
};

fixtures::Modes modes_of(const Row& row) {
    const Types& types = row.types;
    return fixtures::modes_of({.params = row.params.empty(),
                               .integers = types.index == i32 && types.offset == i32,
                               .type = types.value == ValueType::f64 && types.num_rhs == 1});
}

class EveryKernel : public testing::TestWithParam<Row> {};
INSTANTIATE_TEST_SUITE_P(, EveryKernel, testing::ValuesIn(rows()));

TEST_P(EveryKernel, GivesTheRightProductOfEveryOddMatrix) {
    const Row& row = GetParam();
    const bool usual = row.types.value == ValueType::f64 && row.types.num_rhs == 1;
    fixtures::ModesByKernel modes(modes_of(row));
    dispatch(row.types.value, [&](auto value) {
        dispatch(row.types.index, [&](auto index) {
            dispatch(row.types.offset, [&](auto offset) {
                for (auto* fixture : fixtures::matrices_of(usual)) {
                    const Product<decltype(value), decltype(index), decltype(offset)> product(
                        row, *fixture);
                    for (const int threads : {1, 3, 8}) product.check(threads, modes);
                }
            });
        });
    });
}

}  // namespace
}  // namespace spmvgen
