// Handles of arrays on a device, converted there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "any_matrix.hpp"
#include "arrays_on_device.hpp"
#include "handle/conversion/conversion_on_device.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "handle/kernels/kernel_sources.hpp"
#include "handle/plan/device_csr.hpp"
#include "matrix/suites/gallery.hpp"
#include "registry.hpp"

namespace spmvgen {
namespace {

/// What a matrix has in some ranges of entries, of any types.
template <typename Value, typename Index>
void expect_ranges_fetched() {
    CountingDevice device("simt:sm_90");
    AnyMatrix<Value> a(200);
    const std::vector<Index> columns(a.col_idx.begin(), a.col_idx.end());
    const There there(device, a);
    const auto there_columns = There::put(device, columns);
    CsrView view = there.view;
    view.col_idx = there_columns->data();
    view.index_type = sizeof(Index) == 4 ? IndexType::i32 : IndexType::i64;
    DeviceCsr matrix(device, view);
    const std::vector<EntryRange> ranges{{5, 8}, {300, 300}, {0, 2}, {100, 140}};
    const auto expected = [&](const auto& all) {
        std::remove_cvref_t<decltype(all)> some;
        for (const auto [begin, end] : ranges)
            some.insert(some.end(), all.begin() + begin, all.begin() + end);
        return some;
    };
    device.came_here = 0;
    EXPECT_THAT(matrix.columns(ranges).template as<Index>(),
                testing::ElementsAreArray(expected(columns)));
    EXPECT_EQ(device.came_here, 45 * sizeof(Index));
    EXPECT_THAT(matrix.values(ranges).template as<Value>(),
                testing::ElementsAreArray(expected(a.values)));
    EXPECT_EQ(device.came_here, 45 * (sizeof(Index) + sizeof(Value)));
    EXPECT_FALSE(matrix.is_complete());
}

TEST(DeviceArrays, RangesOfEntriesComeHereAlone) {
    expect_ranges_fetched<double, std::int32_t>();
    expect_ranges_fetched<float, std::int64_t>();
    expect_ranges_fetched<std::complex<double>, std::int64_t>();
}

// Where there are many ranges a kernel puts their columns together.
TEST(DeviceArrays, ManyRangesOfEntriesAreGatheredThere) {
    for (const char* text : {"simt:sm_90", "simt:gfx906"}) {
        const auto device = std::make_shared<CountingDevice>(text);
        const AnyMatrix<double> a(3000);
        const There there(*device, a);
        const std::vector<std::int64_t> wide(a.col_idx.begin(), a.col_idx.end());
        const auto there_wide = There::put(*device, wide);
        CsrView wide_view = there.view;
        wide_view.col_idx = there_wide->data();
        wide_view.index_type = IndexType::i64;
        std::vector<EntryRange> ranges;
        std::vector<std::int64_t> expected;
        for (std::int64_t k = 0; k + 7 < std::ssize(a.col_idx); k += 11) {
            ranges.push_back({k, k + k % 7});  // some are empty, some follow one another
            if (k % 3 == 0) ranges.push_back({k + k % 7, k + k % 7 + 1});
        }
        for (const auto [begin, end] : ranges)
            expected.insert(expected.end(), wide.begin() + begin, wide.begin() + end);
        const Options options = options_for(text);
        const KernelPolicy policy{options.cache, options.cache_dir, true, options.kernel_sets};
        const auto gathered = [&](const CsrView& view) {
            DeviceCsr matrix(*device, view, 0,
                             AnalysisOnDevice(KernelProvider::process(), policy, device));
            device->came_here = 0;
            device->waits = 0;
            Buffer columns = matrix.columns(ranges);
            EXPECT_EQ(device->came_here, expected.size() * size_of(view.index_type));
            EXPECT_EQ(device->waits, 1);
            return columns;
        };
        const Buffer narrow = gathered(there.view), same = gathered(wide_view);
        EXPECT_THAT(narrow.as<std::int32_t>(), testing::ElementsAreArray(expected));
        EXPECT_THAT(same.as<std::int64_t>(), testing::ElementsAreArray(expected));
    }
}

TEST(DeviceArrays, ColumnsOutsideThatComeHereAreRefused) {
    CountingDevice device("simt:sm_90");
    AnyMatrix<double> a(200);
    a.col_idx[70] = 200;
    const There there(device, a);
    DeviceCsr matrix(device, there.view);
    (void)matrix.columns(std::vector<EntryRange>{{0, 70}});
    EXPECT_THAT(code_and_text([&] { (void)matrix.columns(std::vector<EntryRange>{{60, 71}}); }),
                testing::HasSubstr("entry 70 (row"));
}

/// The kernel that converts for these options is at hand, as an earlier handle leaves it.
void make_converter(const CsrView& a, const Options& options,
                    const std::shared_ptr<Device>& device) {
    Signature s;
    s.kernel = options.kernel;
    s.value = a.value_type;
    if (!options.storage.empty()) s.storage = parse_value_type(options.storage);
    s.params = options.params;
    s.target = device->facts().target;
    KernelPolicy policy;
    policy.mode = CacheMode::memory;
    load_converters(KernelProvider::process(), policy, device, complete(s), a);
}

/// Kernels whose parameters rows decide, of each format that is made on the device.
const std::vector<std::pair<const char*, Params>> by_rows{
    {"csr_classical", {}},
    {"csr_by_length", {}},
    {"coo", {}},
    {"ell_groups", {}},
    {"sell_slices", {{"sigma", 64}, {"threads_per_row", 2}, {"slice", 32}}},
    {"tiles", {{"value_code", 0}, {"items", 8}, {"run", 4}}},
    {"bcsr_fused", {{"block_rows", 1}, {"block_cols", 1}}}};

Options by_rows_options(const char* kernel, const Params& params) {
    Options options = options_for("simt:sm_90");
    options.device_arrays = true;
    options.kernel = kernel;
    options.params = params;
    options.encodings = "none";
    return options;
}

/// A matrix of small integers whose columns rise, with long and empty rows.
AnyMatrix<double> rising_matrix() {
    AnyMatrix<double> a(300);
    for (std::size_t row = 0; row + 1 < a.row_ptr.size(); ++row)
        for (auto k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k)
            a.col_idx[static_cast<std::size_t>(k)] = static_cast<int>(row) / 2 + k - a.row_ptr[row];
    return a;
}

// No columns and no values come to the host where it has nothing to choose by them.
TEST(DeviceArrays, AreConvertedOnTheDevice) {
    const auto device = std::make_shared<CountingDevice>("simt:sm_90");
    const AnyMatrix<double> a = rising_matrix();
    const There there(*device, a);
    const auto fresh = a.numbers(1);
    const auto fresh_there = There::put(*device, fresh);
    for (auto& [kernel, params] : by_rows)
        for (const bool copy : {true, false}) {
            SCOPED_TRACE(testing::Message() << kernel << ", copy " << copy);
            Options options = by_rows_options(kernel, params);
            options.copy = copy;
            make_converter(there.view, options, device);
            device->came_here = 0;
            Handle handle = make_handle(there.view, options, KernelProvider::process(), device);
            EXPECT_LT(device->came_here, a.row_ptr.size() * sizeof(int) + 300)
                << "row offsets and counts; " << handle.info().reason;
            EXPECT_EQ(product_of(handle, a), a.product(a.values));
            handle.update_values(static_cast<const double*>(fresh_there->data()));
            EXPECT_EQ(product_of(handle, a), a.product(fresh));
        }
}

// Indices of 64 bits are narrowed there, and values rounded.
TEST(DeviceArrays, OfOtherTypesAreConvertedOnTheDevice) {
    const auto device = std::make_shared<CountingDevice>("simt:sm_90");
    const AnyMatrix<double> a = rising_matrix();
    const There there(*device, a);
    const auto row_ptr =
        There::put(*device, std::vector<std::int64_t>(a.row_ptr.begin(), a.row_ptr.end()));
    const auto col_idx =
        There::put(*device, std::vector<std::int64_t>(a.col_idx.begin(), a.col_idx.end()));
    CsrView wide = there.view;
    wide.row_ptr = row_ptr->data();
    wide.col_idx = col_idx->data();
    wide.index_type = wide.offset_type = IndexType::i64;
    const auto fresh = a.numbers(1);
    const auto fresh_there = There::put(*device, fresh);
    for (auto& [kernel, params] : by_rows) {
        SCOPED_TRACE(kernel);
        Options options = by_rows_options(kernel, params);
        options.storage = "f32";
        make_converter(wide, options, device);
        device->came_here = 0;
        Handle handle = make_handle(wide, options, KernelProvider::process(), device);
        EXPECT_LT(device->came_here, a.row_ptr.size() * sizeof(std::int64_t) + 300);
        EXPECT_THAT(handle.info().reason, testing::EndsWith("; converted on the device"));
        EXPECT_THAT(handle.info().kernel, testing::HasSubstr("_sf32_i32_o32_"));
        EXPECT_EQ(product_of(handle, a), a.product(a.values));
        handle.update_values(static_cast<const double*>(fresh_there->data()));
        EXPECT_EQ(product_of(handle, a), a.product(fresh));
    }
}

// What is no matrix is refused as the host refuses it, whoever finds it.
TEST(DeviceArrays, WithColumnsOutsideAreRefused) {
    const auto device = open_device("simt:sm_90");
    AnyMatrix<double> a = rising_matrix();
    a.col_idx[70] = 300;
    const There there(*device, a);
    for (auto& [kernel, params] : by_rows) {
        SCOPED_TRACE(kernel);
        const Options options = by_rows_options(kernel, params);
        make_converter(there.view, options, device);
        EXPECT_THAT(code_and_text([&] { const Handle handle(there.view, options); }),
                    testing::HasSubstr("has column 300, outside 0…299"));
    }
}

// What converts is compiled beside the handle's kernel; where that is there already, a host's
// matrix of this size is not worth a compilation of its own.
TEST(DeviceArrays, ConvertersAreMadeBesideTheKernel) {
    const CsrMatrix a = make_gallery_matrix("stencil5:nx=240,ny=240,random_values=1");
    ASSERT_GT(a.nnz, 1 << 18);
    const auto device = open_device("simt:sm_90");
    Options options = options_for("simt:sm_90");
    options.kernel = "sell_slices";
    options.params = {{"sigma", 1}};
    options.encodings = "none";
    options.cache = CacheMode::memory;
    const auto reason_with = [&](int threads, bool kernel_is_there) {
        KernelProvider provider(default_kernel_sources());
        Options few = options;
        few.memory_limit = 1 << 30;  // then the host converts
        if (kernel_is_there) (void)make_handle(a.view(), few, provider, device);
        options.threads = threads;
        const Handle handle = make_handle(a.view(), options, provider, device);
        EXPECT_EQ(handle.info().origin, kernel_is_there ? "memory" : "compiled");
        return handle.info().reason;
    };
    const auto on_the_device = testing::EndsWith("; converted on the device");
    EXPECT_THAT(reason_with(2, false), on_the_device);
    EXPECT_THAT(reason_with(1, false), testing::Not(on_the_device));
    EXPECT_THAT(reason_with(2, true), testing::Not(on_the_device));
}

}  // namespace
}  // namespace spmvgen
