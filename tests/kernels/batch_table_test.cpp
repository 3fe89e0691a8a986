// Every batch kernel of the registry through the whole compiler, on the CPU and on the SIMT
// executor (warps of 32 and wavefronts of 64, device threads forward and in reverse): batches of
// every odd matrix, of one pattern, and of one matrix, in every type and mode of α and β, against
// the compensated reference. A new kernel is in the table at once; parameters off their presets get
// a row here.
#include <gtest/gtest.h>

#include "batch_systems.hpp"
#include "devices/host/host_kernel.hpp"
#include "devices/simt/simt_device.hpp"
#include "fixtures.hpp"
#include "formats/batch.hpp"
#include "handle/base/batch_impl.hpp"
#include "handle/conversion/gpu_matrix.hpp"
#include "handle/gpu/gpu_bound_kernel.hpp"
#include "modes.hpp"
#include "registry.hpp"
#include "spmvgen/batch.hpp"
#include "tuner/rules/batch_rules.hpp"
#include "verify/reference.hpp"

namespace spmvgen {
namespace {

struct Row {
    std::string kernel;
    Params params;
    ValueType value;
    std::string device;
};

void PrintTo(const Row& row, std::ostream* out) {
    *out << row.kernel << " " << to_string(row.value) << " on " << row.device;
    for (auto& [name, value] : row.params) *out << " " << name << "=" << value;
}

/// Parameters worth a row of their own; every kernel has one with those that are chosen.
const std::vector<std::pair<std::string, Params>> variants{
    {"batch_csr_rows", {{"lanes", 1}}},
    {"batch_coo_rows", {{"lanes", 16}}},
    {"batch_ell_rows", {{"lanes", 2}}},
    {"batch_csr", {{"shared_x", 0}, {"subwarp", 1}, {"unroll", 1}}},
    {"batch_csr", {{"shared_x", 64}, {"subwarp", 32}, {"block", 512}}},
    {"batch_coo", {{"shared_x", 0}, {"block", 64}}},
    {"batch_coo", {{"shared_x", 64}, {"block", 256}, {"entries", 8}}},
    {"batch_ell", {{"shared_x", 0}, {"groups", 16}, {"block", 64}}},
    {"batch_ell", {{"shared_x", 64}, {"groups", 4}, {"unroll", 8}}},
};

/// Of a GPU's two widths each has real and complex numbers of its own; the long tests have all.
std::vector<ValueType> types_on(const std::string& device) {
    using enum ValueType;
    if (device == "simt:sm_90" && !fixtures::is_every_mode_wanted()) return {f64, c32};
    if (device == "simt:gfx906" && !fixtures::is_every_mode_wanted()) return {f32, f64, c64};
    return {f32, f64, c32, c64};
}

/// What differs in the store is shown on warps of 32.
fixtures::Modes modes_of(ValueType value, bool presets, const std::string& device) {
    const auto modes = fixtures::modes_of({.params = presets, .type = value == ValueType::f64});
    return device == "simt:gfx906" ? std::min(modes, fixtures::Modes::telling) : modes;
}

std::vector<Row> rows(bool gpu, const std::string& device) {
    using enum ValueType;
    std::vector<Row> table;
    for (auto& entry : kernel_registry())
        if (entry.batch && entry.gpu == gpu)
            for (const ValueType value : types_on(device))
                table.push_back({std::string(entry.id), {}, value, device});
    for (auto& [kernel, params] : variants)
        if (kernel_entry(kernel).gpu == gpu) table.push_back({kernel, params, f64, device});
    return table;
}

/// The device "simt:…" that takes its threads in this order: one for all tests, which share what
/// was compiled for it.
std::shared_ptr<Device> device_of(const std::string& text, ThreadOrder order) {
    static std::map<std::pair<std::string, ThreadOrder>, std::shared_ptr<Device>> devices;
    auto& device = devices[{text, order}];
    if (device == nullptr)
        device = open_simt_device(parse_target(text.substr(text.find(':') + 1)), order);
    return device;
}

/// x or y of all systems, where `place(i, j)` says that element j of system i is.
template <typename Value, typename Part, typename Place>
fixtures::OffsetArray<Value> gathered(std::int64_t size, std::size_t systems, Part part,
                                      Place place) {
    fixtures::OffsetArray<Value> all(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < systems; ++i) {
        const auto own = part(i);
        for (std::size_t j = 0; j < own.size(); ++j) all[place(i, j)] = own[j];
    }
    return all;
}

/// One product of a batch, checked system by system. `multiply(alpha, x, beta, y)` computes it.
template <typename Value, typename Index, typename Offset, typename PlaceX, typename PlaceY,
          typename Multiply>
void check(const Systems<Value, Index, Offset>& s, std::int64_t x_size, std::int64_t y_size,
           PlaceX place_x, PlaceY place_y, Value alpha, Value beta, Multiply multiply) {
    const std::size_t count = s.views.size();
    const auto make_x = [&](std::size_t i) { return fixtures::make_x<Value>(*s.fixtures[i], 1); };
    const auto make_y = [&](std::size_t i) {
        return fixtures::make_y<Value>(*s.fixtures[i], 1, beta == Value(0));
    };
    const auto x = gathered<Value>(x_size, count, make_x, place_x);
    auto y = gathered<Value>(y_size, count, make_y, place_y);
    multiply(alpha, x.data(), beta, y.data());
    for (std::size_t i = 0; i < count; ++i) {
        const auto own_x = make_x(i), before = make_y(i);
        auto after = before;
        for (std::size_t j = 0; j < after.size(); ++j) after[j] = y[place_y(i, j)];
        const CheckResult result = check_product(
            s.views[i], {&alpha, own_x.data(), &beta, before.data(), after.data(), 1});
        EXPECT_TRUE(result.passed) << "system " << i << ", " << *s.fixtures[i] << ", α = " << alpha
                                   << ", β = " << beta << ": " << result.message;
    }
}

template <typename Value, typename F>
void each_mode(fixtures::Modes modes, F f) {
    for (const float alpha : {1.0F, -1.5F, 0.0F})
        for (const float beta : {0.0F, 1.0F, 2.5F})
            if (fixtures::has_mode(modes, alpha, beta)) f(Value(alpha), Value(beta));
}

template <typename Value, typename Index, typename Offset>
void check_handle(const Systems<Value, Index, Offset>& s, const BatchHandle& handle,
                  fixtures::Modes modes) {
    ASSERT_EQ(handle.size(), static_cast<std::int64_t>(s.views.size()));
    const auto place = [](std::int64_t offset, std::int64_t stride, std::size_t j) {
        return static_cast<std::size_t>(offset + static_cast<std::int64_t>(j) * stride);
    };
    const auto place_x = [&](std::size_t i, std::size_t j) {
        const auto n = static_cast<std::int64_t>(i);
        return place(handle.x_offset(n), handle.x_stride(n), j);
    };
    const auto place_y = [&](std::size_t i, std::size_t j) {
        const auto n = static_cast<std::int64_t>(i);
        return place(handle.y_offset(n), handle.y_stride(n), j);
    };
    each_mode<Value>(modes, [&](Value alpha, Value beta) {
        check(s, handle.x_size(), handle.y_size(), place_x, place_y, alpha, beta,
              [&](Value a, const Value* x, Value b, Value* y) { handle.apply(a, x, b, y); });
    });
}

Options options_of(const Row& row) {
    Options o;
    o.device = row.device;
    o.kernel = row.kernel;
    o.params = row.params;
    o.cache_dir = fixtures::cache_of_this_run();
    o.strict = true;
    return o;
}

/// Every kind of batch; `device` is that of the row, null for the host.
template <typename Value>
void check_row(const Row& row, int threads, const std::shared_ptr<Device>& device) {
    Options options = options_of(row);
    options.threads = threads;
    options.all_threads = true;
    const fixtures::Modes modes = modes_of(row.value, row.params.empty(), row.device);
    const auto handle_for = [&](const std::vector<CsrView>& systems) {
        return make_batch_handle(systems, options, BatchLayout::concatenated,
                                 KernelProvider::process(), device);
    };
    {
        SCOPED_TRACE("mixed");
        Systems<Value> mixed;
        for (auto& fixture : fixtures::all()) mixed.add(fixture);
        const BatchHandle handle = handle_for(mixed.views);
        EXPECT_EQ(handle.kind(), BatchKind::flexible);
        EXPECT_NE(handle.source(), "");
        check_handle(mixed, handle, modes);
    }
    {
        SCOPED_TRACE("one pattern");
        Systems<Value> similar;
        for (int i = 0; i < 5; ++i) similar.add(fixtures::find("every_length"), i);
        const BatchHandle handle = handle_for(similar.views);
        EXPECT_EQ(handle.kind(), BatchKind::shared_pattern);
        check_handle(similar, handle, modes);
    }
    {
        SCOPED_TRACE("one matrix");
        Systems<Value> same;
        same.add(fixtures::find("many_empty_rows"));
        for (int i = 0; i < 6; ++i) same.add_again();
        const BatchHandle handle = handle_for(same.views);
        EXPECT_EQ(handle.kind(), BatchKind::one_matrix);
        check_handle(same, handle, modes);
    }
}

class CpuBatch : public testing::TestWithParam<Row> {};
INSTANTIATE_TEST_SUITE_P(, CpuBatch, testing::ValuesIn(rows(false, "host")));

TEST_P(CpuBatch, GivesTheRightProducts) {
    for (const int threads : {1, 3, 8})
        dispatch(GetParam().value,
                 [&](auto value) { check_row<decltype(value)>(GetParam(), threads, nullptr); });
}

// Two instances, so that CTest can run them side by side.
class GpuBatch : public testing::TestWithParam<Row> {};
INSTANTIATE_TEST_SUITE_P(Warp32, GpuBatch, testing::ValuesIn(rows(true, "simt:sm_90")));
INSTANTIATE_TEST_SUITE_P(Wave64, GpuBatch, testing::ValuesIn(rows(true, "simt:gfx906")));

TEST_P(GpuBatch, GivesTheRightProducts) {
    for (const ThreadOrder order : {ThreadOrder::forward, ThreadOrder::reverse}) {
        SCOPED_TRACE(order == ThreadOrder::forward ? "forward" : "reverse");
        dispatch(GetParam().value, [&](auto value) {
            check_row<decltype(value)>(GetParam(), 1, device_of(GetParam().device, order));
        });
    }
}

/// Handles choose narrow indices by themselves: here the kernels get wide ones.
class WideIndices : public testing::TestWithParam<Row> {
  protected:
    using Value = double;

    WideIndices() {
        for (auto& fixture : fixtures::all()) systems_.add(fixture);
    }
    void check_wide() {
        const Row& row = GetParam();
        const bool host = row.device == "host";
        const auto device = host ? nullptr : device_of(row.device, ThreadOrder::forward);
        const BatchFeatures features = analyse_batch(systems_.views);
        Signature s = choose_batch(features, {.kernel = row.kernel,
                                              .target = host ? parse_target("native")
                                                             : device->facts().target})
                          .signature;
        s.index = s.offset = IndexType::i64;
        s.alpha = s.beta = Scale::general;
        const StoredMatrix stored = store_batch(BatchSystems(systems_.views), features, s);
        const KernelPolicy policy{CacheMode::memory, "", true};
        const auto with = [&](auto run) {
            check(
                systems_, features.cols, features.rows,
                [&](std::size_t i, std::size_t j) { return offset(i, &CsrView::cols) + j; },
                [&](std::size_t i, std::size_t j) { return offset(i, &CsrView::rows) + j; }, -1.5,
                2.5, [&](Value a, const Value* x, Value b, Value* y) { run({&a, x, &b, y}); });
        };
        if (host) {
            const BoundKernel kernel(KernelProvider::process().get(s, policy).kernel, stored);
            with([&](const Operands& o) { kernel.run(o, 3, nullptr); });
        } else {
            const GpuMatrix batch = upload(*device, stored, batch_totals(features));
            const GpuBoundKernel kernel(KernelProvider::process().get(s, policy, device).kernel,
                                        batch.stored);
            with([&](const Operands& o) { kernel.enqueue(o, StreamRef{}); });
        }
    }

  private:
    std::size_t offset(std::size_t system, std::int64_t CsrView::* size) const {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < system; ++i) sum += systems_.views[i].*size;
        return static_cast<std::size_t>(sum);
    }
    Systems<Value, std::int64_t, std::int64_t> systems_;
};

std::vector<Row> wide_rows() {
    std::vector<Row> table;
    for (auto& entry : kernel_registry())
        if (entry.batch)
            for (const char* device : {"host", "simt:sm_90", "simt:gfx906"})
                if (entry.gpu == (std::string_view(device) != "host"))
                    table.push_back({std::string(entry.id), {}, ValueType::f64, device});
    return table;
}
INSTANTIATE_TEST_SUITE_P(, WideIndices, testing::ValuesIn(wide_rows()));

TEST_P(WideIndices, GiveTheRightProducts) {
    check_wide();
}

}  // namespace
}  // namespace spmvgen
