// Every GPU kernel of the registry through the whole compiler, on the SIMT executor: warps of 32
// and wavefronts of 64, device threads forward and in reverse, every odd matrix, every type and
// every mode of α and β, against the compensated reference. A new kernel is in the table at once;
// parameters off their presets get a row here.
#include <gtest/gtest.h>

#include "devices/device.hpp"
#include "fixtures.hpp"
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
    std::map<std::string, std::int64_t> params;
    Types types;
    std::string device;
};

void PrintTo(const Row& row, std::ostream* out) {
    *out << row.kernel << " " << to_string(row.types.value) << " i" << size_of(row.types.index) * 8
         << " o" << size_of(row.types.offset) * 8 << " k" << row.types.num_rhs << " on "
         << row.device;
    for (auto& [name, value] : row.params) *out << " " << name << "=" << value;
}

constexpr auto i32 = IndexType::i32, i64 = IndexType::i64;
const std::vector<Types> all_types{
    {ValueType::f32, i32, i32, 1}, {ValueType::f64, i32, i32, 1}, {ValueType::c32, i32, i32, 1},
    {ValueType::c64, i32, i32, 1}, {ValueType::f64, i32, i64, 1}, {ValueType::f32, i64, i64, 1},
    {ValueType::f64, i32, i32, 3}, {ValueType::c64, i64, i64, 2}, {ValueType::f32, i32, i32, 8},
};
/// NVIDIA's warp, AMD's wavefront, and both widths of one architecture.
const std::vector<std::string> devices{"simt:sm_90", "simt:gfx906"};

/// Parameters worth a row of their own; every kernel has one with its presets.
const std::vector<std::pair<std::string, std::map<std::string, std::int64_t>>> variants{
    {"csr_classical", {{"subwarp", 1}, {"unroll", 1}}},
    {"csr_classical", {{"subwarp", 2}, {"block", 64}}},
    {"csr_classical", {{"subwarp", 32}}},
    {"csr_load_balance", {{"entries", 4}, {"block", 64}}},
    {"csr_load_balance", {{"entries", 8}, {"deterministic", 1}}},
    {"csr_load_balance", {{"entries", 4}, {"block", 128}, {"deterministic", 1}}},
    {"csr_merge_path", {{"items", 4}, {"block", 128}}},
    {"csr_merge_path", {{"items", 9}, {"deterministic", 1}}},
    {"csr_merge_path", {{"items", 3}, {"block", 128}, {"deterministic", 1}}},
    {"coo", {{"entries", 4}, {"block", 64}, {"omega", 2}}},
    {"coo", {{"entries", 8}, {"block", 128}, {"deterministic", 1}}},
    {"coo", {{"entries", 4}, {"deterministic", 1}, {"omega", 2}}},
    {"ell_groups", {{"groups", 4}, {"unroll", 1}, {"block", 128}}},
    {"ell_groups", {{"groups", 16}, {"blocks_per_row", 4}}},
    {"ell_groups", {{"groups", 8}, {"blocks_per_row", 2}, {"deterministic", 1}, {"unroll", 2}}},
    {"ell_shuffle", {{"group", 2}, {"unroll", 1}}},
    {"ell_shuffle", {{"group", 32}, {"block", 128}}},
    {"sell_slices", {{"sigma", 64}, {"block", 128}, {"unroll", 8}}},
    {"sell_slices", {{"sigma", 16384}, {"slice", 64}, {"threads_per_row", 4}}},
    {"sell_slices", {{"threads_per_row", 32}, {"unroll", 1}}},
    {"hyb", {{"partition", 3}, {"columns", 2}, {"per_thread", 4}}},
    {"hyb", {{"partition", 3}, {"columns", 2}, {"per_thread", 4}, {"deterministic", 1}}},
    {"hyb", {{"partition", 1}, {"percent", 50}, {"deterministic", 1}}},
    {"hyb_fused", {{"partition", 3}, {"columns", 2}}},
    {"hyb_fused", {{"partition", 2}, {"block", 512}, {"unroll", 8}}},
};

std::vector<Row> rows() {
    std::vector<Row> table;
    for (auto& device : devices) {
        for (auto& entry : kernel_registry())
            if (entry.gpu)
                for (auto& types : all_types)
                    table.push_back({std::string(entry.id), {}, types, device});
        for (auto& [kernel, params] : variants)
            for (auto& types : {all_types[1], all_types[2], all_types[6]})
                table.push_back({kernel, params, types, device});
    }
    return table;
}

/// The order in which the executor takes device threads, for devices opened in its scope.
class OrderScope {
  public:
    explicit OrderScope(const char* order) { setenv("SPMVGEN_SIMT_ORDER", order, 1); }
    OrderScope(const OrderScope&) = delete;
    OrderScope& operator=(const OrderScope&) = delete;
    ~OrderScope() { unsetenv("SPMVGEN_SIMT_ORDER"); }
};

template <typename Value, typename Index, typename Offset>
class Product {
  public:
    Product(const Row& row, const fixtures::Fixture& fixture)
        : fixture_(fixture), matrix_(fixture), row_(row) {}

    /// Every mode of α and β.
    void check() const {
        Options options;
        options.device = row_.device;
        options.kernel = row_.kernel;
        options.params = row_.params;
        options.num_rhs = row_.types.num_rhs;
        options.copy = false;  // keeps the index types where the format is CSR
        options.cache = CacheMode::memory;
        options.strict = true;
        const Handle handle(matrix_.view(), options);
        for (const float alpha : {1.0F, -1.5F, 0.0F})
            for (const float beta : {0.0F, 1.0F, 2.5F}) check(handle, Value(alpha), Value(beta));
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

class EveryGpuKernel : public testing::TestWithParam<Row> {};
INSTANTIATE_TEST_SUITE_P(, EveryGpuKernel, testing::ValuesIn(rows()));

TEST_P(EveryGpuKernel, GivesTheRightProductOfEveryOddMatrix) {
    const Row& row = GetParam();
    dispatch(row.types.value, [&](auto value) {
        dispatch(row.types.index, [&](auto index) {
            dispatch(row.types.offset, [&](auto offset) {
                for (const char* order : {"forward", "reverse"}) {
                    SCOPED_TRACE(order);
                    const OrderScope scope(order);
                    for (auto& fixture : fixtures::all())
                        Product<decltype(value), decltype(index), decltype(offset)>(row, fixture)
                            .check();
                }
            });
        });
    });
}

}  // namespace
}  // namespace spmvgen
