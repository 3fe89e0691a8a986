// Every GPU kernel of the registry through the whole compiler, on the SIMT executor: warps of 32
// and wavefronts of 64, device threads forward and in reverse, every odd matrix, types and modes of
// α and β, against the compensated reference. A new kernel is in the table at once; parameters off
// their presets get a row here. Only the long tests have all types with both widths, and all modes
// in all rows: modes.hpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

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
/// Parameters worth a row of their own; every kernel has one with its presets.
const std::vector<std::pair<std::string, Params>> variants{
    {"csr_classical", {{"subwarp", 1}, {"unroll", 1}}},
    {"csr_classical", {{"subwarp", 2}, {"block", 64}}},
    {"csr_classical", {{"subwarp", 32}}},
    {"csr_by_length",
     {{"block", 64}, {"subwarp", 1}, {"most_short", 8}, {"most_middle", 64}, {"share", 512}}},
    {"csr_by_length", {{"most_short", 64}, {"most_middle", 64}, {"share", 512}, {"unroll", 1}}},
    {"csr_light", {{"level", 0}, {"rows", 2}, {"subwarp", 2}, {"unroll", 1}}},
    {"csr_light", {{"level", 1}, {"rows", 4}, {"subwarp", 4}, {"block", 64}}},
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
    {"dia", {{"block", 64}, {"unroll", 1}}},
    {"hyb", {{"partition", 3}, {"columns", 2}, {"per_thread", 4}}},
    {"hyb", {{"partition", 3}, {"columns", 2}, {"per_thread", 4}, {"deterministic", 1}}},
    {"hyb", {{"partition", 1}, {"percent", 50}, {"deterministic", 1}}},
    {"hyb_fused", {{"partition", 3}, {"columns", 2}}},
    {"hyb_fused", {{"partition", 2}, {"block", 512}, {"unroll", 8}}},
    {"csr_k_blocks", {{"subwarp", 1}, {"sr_threads", 4}, {"srs", 13}, {"ssrs", 5}}},
    {"csr_k_blocks", {{"subwarp", 4}, {"srs", 3}, {"ssrs", 17}, {"unroll", 1}}},
    {"csr_k_blocks", {{"subwarp", 32}, {"row_threads", 4}, {"sr_threads", 1}, {"srs", 40}}},
    {"bcsr_fused", {{"block_rows", 3}, {"block_cols", 3}, {"subwarp", 1}, {"unroll", 8}}},
    {"bcsr_fused", {{"block_rows", 8}, {"block_cols", 8}, {"subwarp", 32}, {"block", 64}}},
    {"bcsr_fused", {{"block_rows", 2}, {"block_cols", 3}, {"subwarp", 128}, {"block", 256}}},
    {"tiles", {{"items", 32}, {"run", 1}, {"block", 64}}},
    {"tiles", {{"items", 8}, {"run", 2}, {"staged", 32}, {"block", 512}}},
    {"tiles_hubs", {{"items", 16}, {"run", 1}, {"hubs", 512}, {"warm", 4096}, {"staged", 32}}},
    {"bcsr_split", {{"block_rows", 2}, {"block_cols", 5}, {"subwarp", 1}, {"block", 64}}},
    {"strips", {{"sigma", 64}, {"long_from", 32}, {"unroll", 3}, {"block", 64}}},
    {"strips",
     {{"slice", 64}, {"threads_per_row", 4}, {"codes", 12}, {"sigma", 16384}, {"long_from", 32}}},
    {"strips",
     {{"block_rows", 3}, {"block_cols", 3}, {"codes", 4}, {"sigma", 64}, {"long_from", 32}}},
    {"strips",
     {{"block_rows", 2}, {"block_cols", 5}, {"codes", 8}, {"threads_per_row", 32}, {"slice", 64}}},
};
/// The same of kernels that serve some signatures only.
const std::vector<std::pair<std::string, Params>> limited_variants{
    {"csr_matrix_units", {{"tiles", 2}, {"unroll", 2}, {"block", 64}}},
    {"csr_matrix_units", {{"tiles", 4}, {"unroll", 1}}},
};

/// Of kernels whose lanes share entries: two and four of them, one launch's rows of several groups;
/// then rows of which the last lanes have nothing, in loads of one number and of 8 and 16 bytes.
const std::vector<Types> types_of_shared_entries{
    {ValueType::f64, i32, i32, 8},  {ValueType::c64, i32, i32, 8}, {ValueType::f32, i32, i32, 32},
    {ValueType::f64, i32, i32, 40}, {ValueType::f64, i32, i32, 5}, {ValueType::f32, i32, i32, 6},
    {ValueType::f64, i32, i32, 20}};

/// Of these: lanes that load as many entries as they share, more of them, and several each; groups
/// of pieces that end before the entries do.
const std::vector<Params> params_of_shared_entries{
    {},
    {{"subwarp", 8}, {"unroll", 8}},
    {{"subwarp", 2}, {"unroll", 8}},
    {{"subwarp", 32}, {"unroll", 2}},
};

/// Blocks few enough elements of which a lane hands round: lanes that load fewer blocks than share
/// one, as many, and more; those of several warps, one and two groups of them in a block.
const std::vector<Params> params_of_shared_blocks{
    {{"block_rows", 4}, {"block_cols", 1}, {"subwarp", 16}},
    {{"block_rows", 2}, {"block_cols", 3}, {"subwarp", 2}, {"unroll", 8}},
    {{"block_rows", 1}, {"block_cols", 2}, {"subwarp", 32}, {"unroll", 2}},
    {{"block_rows", 3}, {"block_cols", 1}, {"subwarp", 128}, {"unroll", 4}},
    {{"block_rows", 2}, {"block_cols", 1}, {"subwarp", 64}, {"unroll", 8}},
};

const std::string warp32 = "simt:sm_90", wave64 = "simt:gfx906";

/// Types of a kernel's rows with its presets, and with other parameters: each with one width.
std::vector<Types> types_of(const std::string& device, bool presets) {
    const Types &f32 = all_types[0], &f64 = all_types[1], &c32 = all_types[2];
    const Types &f64_three = all_types[6], &c64_two = all_types[7];
    if (fixtures::is_every_mode_wanted()) return all_types;
    if (device == warp32) return presets ? std::vector{f32, f64, f64_three} : std::vector{f64};
    return presets ? std::vector{f64, c32} : std::vector{c64_two};
}

std::vector<Row> rows(const std::string& device) {
    std::vector<Row> table;
    for (auto& entry : kernel_registry())
        if (entry.gpu && is_plain_product(entry))  // these: transpose_test
            for (auto& types : types_of(device, true))
                table.push_back({std::string(entry.id), {}, types, device});
    for (auto& [kernel, params] : variants)
        for (auto& types : types_of(device, false))
            table.push_back({kernel, params, types, device});
    for (auto& entry : kernel_registry())
        if (entry.shares_entries != nullptr && entry.format == Format::csr)
            for (auto& types : types_of_shared_entries)
                for (auto& params : params_of_shared_entries)
                    table.push_back({std::string(entry.id), params, types, device});
    for (auto& types : types_of_shared_entries)
        for (auto& params : params_of_shared_blocks)
            table.push_back({"bcsr_fused", params, types, device});
    return table;
}

/// Of kernels that serve some signatures only, where they do: they are asked themselves.
std::vector<Row> limited_rows(const std::string& device) {
    std::vector<Row> table;
    const auto served = [&](const KernelEntry& entry, const Types& types) {
        Signature s;
        s.kernel = entry.id;
        s.value = types.value;
        s.num_rhs = types.num_rhs;
        s.target = parse_target(device.substr(device.find(':') + 1));
        return entry.refuses(s).empty();
    };
    for (auto& entry : kernel_registry())
        if (entry.gpu && entry.refuses != nullptr)
            for (auto& types : all_types)
                if (served(entry, types))
                    table.push_back({std::string(entry.id), {}, types, device});
    for (auto& [kernel, params] : limited_variants)
        table.push_back({kernel, params, all_types[4], device});
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

    void check(fixtures::ModesByKernel& modes) const {
        Options options;
        options.device = row_.device;
        options.kernel = row_.kernel;
        options.params = row_.params;
        options.num_rhs = row_.types.num_rhs;
        options.copy = false;  // keeps the index types where the format is CSR
        options.cache_dir = fixtures::cache_of_this_run();
        options.strict = true;
        const Handle handle(matrix_.view(), options);
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

/// A width of warps changes no store: one of them has every mode.
fixtures::Modes modes_of(const Row& row) {
    const Types& types = row.types;
    const auto modes =
        fixtures::modes_of({.params = row.params.empty(),
                            .integers = types.index == i32 && types.offset == i32,
                            .type = types.value == ValueType::f64 && types.num_rhs == 1});
    return row.device == wave64 ? std::min(modes, fixtures::Modes::telling) : modes;
}

// Two instances, so that CTest can run them side by side.
class EveryGpuKernel : public testing::TestWithParam<Row> {};
INSTANTIATE_TEST_SUITE_P(Warp32, EveryGpuKernel, testing::ValuesIn(rows(warp32)));
INSTANTIATE_TEST_SUITE_P(Wave64, EveryGpuKernel, testing::ValuesIn(rows(wave64)));
INSTANTIATE_TEST_SUITE_P(LimitedWarp32, EveryGpuKernel,
                         testing::ValuesIn(limited_rows("simt:sm_90")));
INSTANTIATE_TEST_SUITE_P(LimitedWave64, EveryGpuKernel,
                         testing::ValuesIn(limited_rows("simt:gfx90a")));

TEST_P(EveryGpuKernel, GivesTheRightProductOfEveryOddMatrix) {
    const Row& row = GetParam();
    const Types& types = row.types;
    const bool usual = types.value == ValueType::f64 && types.index == i32 && types.num_rhs == 1;
    dispatch(row.types.value, [&](auto value) {
        dispatch(row.types.index, [&](auto index) {
            dispatch(row.types.offset, [&](auto offset) {
                for (const char* order : {"forward", "reverse"}) {
                    SCOPED_TRACE(order);
                    const OrderScope scope(order);
                    fixtures::ModesByKernel modes(modes_of(row));
                    for (auto* fixture : fixtures::matrices_of(usual))
                        Product<decltype(value), decltype(index), decltype(offset)>(row, *fixture)
                            .check(modes);
                }
            });
        });
    });
}

TEST(LimitedKernels, HaveRowsWhereTheyServe) {
    // One kernel of f64 with two offset types, and its variants.
    EXPECT_EQ(limited_rows("simt:sm_90").size(), 2 + limited_variants.size());
    EXPECT_EQ(limited_rows("simt:gfx90a").size(), 2 + limited_variants.size());
    EXPECT_EQ(limited_rows("simt:gfx906").size(), limited_variants.size()) << "it has no such unit";
}

std::vector<std::string> gpu_kernels_of_the_registry() {
    std::vector<std::string> ids;
    for (auto& entry : kernel_registry())
        if (entry.gpu && is_plain_product(entry)) ids.emplace_back(entry.id);
    return ids;
}

/// "every_length" with small whole numbers, which every storage type holds exactly, as is their
/// product with whole x.
struct WholeNumbers {
    const fixtures::Fixture& fixture = fixtures::find("every_length");
    std::vector<std::int32_t> row_ptr, col_idx;
    std::vector<double> values, x, product;

    WholeNumbers() {
        row_ptr.assign(fixture.row_ptr.begin(), fixture.row_ptr.end());
        col_idx.assign(fixture.col_idx.begin(), fixture.col_idx.end());
        for (std::size_t k = 0; k < col_idx.size(); ++k)
            values.push_back(static_cast<double>(k * 7 % 31) - 15);
        for (std::int64_t j = 0; j < fixture.cols; ++j)
            x.push_back(static_cast<double>(j % 13) - 6);
        for (std::int64_t i = 0; i < fixture.rows; ++i) {
            double sum = 0;
            for (auto k = static_cast<std::size_t>(row_ptr[static_cast<std::size_t>(i)]);
                 k < static_cast<std::size_t>(row_ptr[static_cast<std::size_t>(i) + 1]); ++k)
                sum += values[k] * x[static_cast<std::size_t>(col_idx[k])];
            product.push_back(sum);
        }
    }
    template <typename Value>
    std::vector<Value> times(const Options& options, Value alpha, Value beta,
                             std::vector<Value> y) const {
        const std::vector<Value> a(values.begin(), values.end()), b(x.begin(), x.end());
        const Handle handle(fixture.rows, fixture.cols, row_ptr.data(), col_idx.data(), a.data(),
                            options);
        handle.apply(alpha, b.data(), beta, y.data());
        return y;
    }
};

class GpuKernel : public testing::TestWithParam<std::string> {
  protected:
    Options options(const char* device) const {
        Options o;
        o.device = device;
        o.kernel = GetParam();
        o.cache = CacheMode::memory;
        o.strict = true;
        return o;
    }
    /// One of two devices, every second kernel the other; the long tests have both.
    bool is_skipped(const char* device, int test) const {
        const auto ids = gpu_kernels_of_the_registry();
        const auto number = std::ranges::find(ids, GetParam()) - ids.begin();
        const bool second = (number + test) % 2 != 0;
        return !fixtures::is_every_mode_wanted() && second != (std::string_view(device) == wave64);
    }
    const WholeNumbers numbers_;
};
INSTANTIATE_TEST_SUITE_P(, GpuKernel, testing::ValuesIn(gpu_kernels_of_the_registry()),
                         [](auto& test) { return test.param; });

TEST_P(GpuKernel, ComputesWithEveryStorageType) {
    for (const char* device : {"simt:sm_90", "simt:gfx906"}) {
        Options o = options(device);
        for (const char* storage : {"f16", "bf16"}) {
            if (is_skipped(device, *storage == 'f' ? 0 : 1)) continue;
            o.storage = storage;
            const std::vector<float> y =
                numbers_.times<float>(o, 1, 0, std::vector<float>(numbers_.product.size(), NAN));
            for (std::size_t i = 0; i < y.size(); ++i)
                EXPECT_EQ(y[i], static_cast<float>(numbers_.product[i])) << storage << " row " << i;
        }
        if (is_skipped(device, 0)) continue;
        o.storage = "f32";
        const std::vector<double> before(numbers_.product.size(), 3);
        const std::vector<double> y = numbers_.times<double>(o, 2, 5, before);
        for (std::size_t i = 0; i < y.size(); ++i)
            EXPECT_EQ(y[i], 2 * numbers_.product[i] + 15) << "f32 row " << i;
    }
}

TEST_P(GpuKernel, AppliesTheEpilogueToEveryRowOnce) {
    for (const char* device : {"simt:sm_90", "simt:gfx906"}) {
        if (is_skipped(device, 1)) continue;
        Options o = options(device);
        o.epilogue = "2 * fmax(value, 0) + row";
        const std::vector<double> before(numbers_.product.size(), 1);
        const std::vector<double> y = numbers_.times<double>(o, 1, 1, before);
        for (std::size_t i = 0; i < y.size(); ++i)
            EXPECT_EQ(y[i], 2 * std::max(numbers_.product[i] + 1, 0.0) + static_cast<double>(i))
                << "row " << i;
    }
}

class MatrixUnits : public GpuKernel {};
INSTANTIATE_TEST_SUITE_P(, MatrixUnits, testing::Values("csr_matrix_units"),
                         [](auto& test) { return test.param; });

TEST_P(MatrixUnits, TakeNarrowerNumbersAndAnEpilogue) {
    const auto& product = numbers_.product;
    for (const char* device : {"simt:sm_90", "simt:gfx90a"}) {
        Options o = options(device);
        o.storage = "bf16";
        o.epilogue = "2 * fmax(value, 0) + row";
        const std::vector<double> y =
            numbers_.times<double>(o, 1, 1, std::vector<double>(product.size(), 1));
        for (std::size_t i = 0; i < y.size(); ++i)
            EXPECT_EQ(y[i], 2 * std::max(product[i] + 1, 0.0) + static_cast<double>(i))
                << device << " row " << i;
        o = options(device);
        o.accumulator = "f64";
        const std::vector<float> z =
            numbers_.times<float>(o, 1, 0, std::vector<float>(product.size(), NAN));
        for (std::size_t i = 0; i < z.size(); ++i)
            EXPECT_EQ(z[i], static_cast<float>(product[i])) << device << " row " << i;
    }
}

}  // namespace
}  // namespace spmvgen
