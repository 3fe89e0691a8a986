// Handles of reordered matrices: for a caller who keeps his order, and for one who takes the new
// one; with the generator's kernels, on this CPU and on the SIMT executor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "counting_new.hpp"
#include "devices/device.hpp"
#include "fixtures.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "matrix/reorder/reordering.hpp"
#include "matrix/suites/gallery.hpp"
#include "modes.hpp"
#include "reordered.hpp"
#include "verify/reference.hpp"

namespace spmvgen {
namespace {

using reordered::Case;
using reordered::options_of;
using reordered::refusal;

/// Rows of k elements: to[i] = from[order[i]].
template <typename Array>
Array in_order(const Array& from, std::span<const std::int32_t> order, int num_rhs) {
    Array to(from.size());
    const auto k = static_cast<std::size_t>(num_rhs);
    for (std::size_t i = 0; i < order.size(); ++i)
        for (std::size_t rhs = 0; rhs < k; ++rhs)
            to[i * k + rhs] = from[static_cast<std::size_t>(order[i]) * k + rhs];
    return to;
}

/// Modes of α and β of one fixture, the caller's order and the matrix's. The SIMT executor's memory
/// is the host's.
template <typename Value>
void check_fixture(const fixtures::Fixture& f, Options options, int num_rhs,
                   fixtures::ModesByKernel& modes) {
    SCOPED_TRACE(f.name);
    const fixtures::TypedMatrix<Value, std::int32_t, std::int32_t> matrix(f);
    options.num_rhs = num_rhs;
    const Handle keeps(matrix.view(), options);
    options.permuted_vectors = true;
    const Handle takes(matrix.view(), options);
    const fixtures::Modes own = modes.of(f, keeps.info().kernel);
    const auto order = takes.row_order();
    ASSERT_EQ(static_cast<std::int64_t>(order.size()), f.rows);
    const auto x = fixtures::make_x<Value>(f, num_rhs);
    for (const float alpha_number : {1.0F, -1.5F, 0.0F})
        for (const float beta_number : {0.0F, 1.0F, 2.5F}) {
            if (!fixtures::has_mode(own, alpha_number, beta_number)) continue;
            const Value alpha(alpha_number), beta(beta_number);
            SCOPED_TRACE(testing::Message() << "α = " << alpha << ", β = " << beta);
            const auto before = fixtures::make_y<Value>(f, num_rhs, beta == Value(0));
            auto y = before;
            keeps.apply(alpha, x.data(), beta, y.data());
            CheckResult result = check_product(
                matrix.view(), {&alpha, x.data(), &beta, before.data(), y.data(), num_rhs});
            EXPECT_TRUE(result.passed) << "caller's order: " << result.message;

            auto y_there = in_order(before, order, num_rhs);
            takes.apply(alpha, in_order(x, order, num_rhs).data(), beta, y_there.data());
            const std::size_t k = static_cast<std::size_t>(num_rhs);
            for (std::size_t i = 0; i < order.size(); ++i)
                for (std::size_t rhs = 0; rhs < k; ++rhs)
                    y[static_cast<std::size_t>(order[i]) * k + rhs] = y_there[i * k + rhs];
            result = check_product(matrix.view(),
                                   {&alpha, x.data(), &beta, before.data(), y.data(), num_rhs});
            EXPECT_TRUE(result.passed) << "matrix's order: " << result.message;
        }
}

class ReorderedHandle : public testing::TestWithParam<Case> {};
std::string case_name(const testing::TestParamInfo<Case>& info) {
    std::string name = info.param.method + "_on_" + info.param.device;
    for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    return name;
}
INSTANTIATE_TEST_SUITE_P(, ReorderedHandle,
                         testing::Values(Case{"host", "rcm"}, Case{"host", "band-k"},
                                         Case{"simt:sm_90", "rcm"}, Case{"simt:gfx906", "band-k"}),
                         case_name);

TEST_P(ReorderedHandle, MultipliesEveryOddMatrix) {
    fixtures::ModesByKernel modes(fixtures::Modes::every);
    for (auto* fixture : fixtures::matrices_of(true))
        check_fixture<double>(fixtures::squared(*fixture), options_of(GetParam()), 1, modes);
}

TEST_P(ReorderedHandle, MultipliesInEveryTypeWithSeveralRightHandSides) {
    fixtures::ModesByKernel modes(fixtures::Modes::plain_and_general);
    for (const char* name : {"every_length", "nan_x", "duplicates", "one_by_one"}) {
        const fixtures::Fixture f = fixtures::squared(fixtures::find(name));
        check_fixture<float>(f, options_of(GetParam()), 8, modes);
        check_fixture<double>(f, options_of(GetParam()), 3, modes);
        check_fixture<std::complex<float>>(f, options_of(GetParam()), 1, modes);
        check_fixture<std::complex<double>>(f, options_of(GetParam()), 2, modes);
    }
}

TEST_P(ReorderedHandle, MultipliesInEveryFormat) {
    const fixtures::Fixture f = fixtures::squared(fixtures::find("every_length"));
    fixtures::ModesByKernel modes(fixtures::Modes::telling);
    for (const char* format : {"csr", "coo", "ell", "sell"}) {
        Options options = options_of(GetParam());
        options.format = format;
        check_fixture<double>(f, options, 1, modes);
    }
}

TEST_P(ReorderedHandle, TellsTheOrderAndItsCost) {
    const CsrMatrix a = make_gallery_matrix("fem_tri:nx=20,ny=20");
    Options options = options_of(GetParam());
    const Handle keeps(a.view(), options);
    options.permuted_vectors = true;
    const Handle takes(a.view(), options);
    const Reordering expected = reorder(a.view(), parse_reorder_method(GetParam().method));
    EXPECT_TRUE(std::ranges::equal(keeps.row_order(), expected.order));
    EXPECT_EQ(keeps.info().reorder, GetParam().method);
    EXPECT_EQ(keeps.info().bandwidth_before, bandedness(a.view()).bandwidth);
    EXPECT_EQ(keeps.info().bandwidth, bandedness(a.view(), expected).bandwidth);
    EXPECT_GT(keeps.info().reorder_ms, 0);
    EXPECT_LE(keeps.info().reorder_ms, keeps.info().prepare_ms);
    // Gather: x, the order, x in order. Scatter: the product, the order, y.
    EXPECT_EQ(keeps.info().permute_bytes, 400 * (8 + 4 + 8) + 400 * (8 + 4 + 8));
    EXPECT_EQ(keeps.info().bytes, takes.info().bytes + keeps.info().permute_bytes);
    EXPECT_EQ(takes.info().permute_bytes, 0);
    EXPECT_FALSE(keeps.info().permuted_vectors);
    EXPECT_TRUE(takes.info().permuted_vectors);
    EXPECT_EQ(keeps.info().launches, GetParam().device == "host" ? 0 : takes.info().launches + 2);
    const std::string text = to_string(keeps.info());
    EXPECT_NE(text.find("order:    " + GetParam().method + " in "), std::string::npos) << text;
    EXPECT_NE(text.find("; x and y in the caller's, which costs 16.0 kB a product\n"),
              std::string::npos)
        << text;
}

class ReorderedHandleOnAGpu : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(, ReorderedHandleOnAGpu, testing::Values("simt:sm_90", "simt:gfx906"),
                         [](auto& test) { return test.param.substr(5); });

// y = 2 · max(A x + y, 0) + row with A = -1, 1, -1, … on the diagonal and one entry that makes the
// order another one.
TEST_P(ReorderedHandleOnAGpu, AnEpilogueHasTheRowsOfY) {
    fixtures::Fixture f;
    for (std::int64_t i = 0; i < 50; ++i) f.row({(i * 7 + 3) % 50});
    f.cols = f.rows;
    fixtures::TypedMatrix<double, int, int> matrix(f);
    for (std::size_t i = 0; i < 50; ++i) matrix.values[i] = i % 2 == 0 ? -1 : 1;
    Options options = options_of({GetParam(), "rcm"});
    options.epilogue = "2 * fmax(value, 0) + row";
    std::vector<double> x(50), y(50, 1);
    for (std::size_t j = 0; j < 50; ++j) x[j] = static_cast<double>(j);
    const Handle handle(matrix.view(), options);
    EXPECT_FALSE(std::ranges::is_sorted(handle.row_order()));
    handle.apply(1.0, x.data(), 1.0, y.data());
    for (std::size_t i = 0; i < 50; ++i) {
        const double product = matrix.values[i] * x[(i * 7 + 3) % 50];
        EXPECT_EQ(y[i], 2 * std::max(product + 1, 0.0) + static_cast<double>(i)) << "row " << i;
    }
    y.assign(50, -1);
    handle.apply(0.0, x.data(), 1.0, y.data());
    for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(y[i], static_cast<double>(i));
    // With permuted vectors, rows are numbered as y is.
    options.permuted_vectors = true;
    const Handle takes(matrix.view(), options);
    y.assign(50, -1);
    takes.apply(0.0, x.data(), 1.0, y.data());
    for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(y[i], static_cast<double>(i));
}

/// Forwards to a device, and counts what an apply must not do.
class CountingDevice : public Device {
  public:
    explicit CountingDevice(std::shared_ptr<Device> device) : device_(std::move(device)) {}
    int allocations = 0, copies = 0, loads = 0, synchronisations = 0, launches = 0;

    const DeviceFacts& facts() const override { return device_->facts(); }
    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        ++allocations;
        return device_->allocate(bytes);
    }
    void copy_to_device(void* device, const void* host, std::size_t bytes) override {
        ++copies;
        device_->copy_to_device(device, host, bytes);
    }
    void copy_to_host(void* host, const void* device, std::size_t bytes) override {
        ++copies;
        device_->copy_to_host(host, device, bytes);
    }
    void zero(void* device, std::size_t bytes) override {
        ++copies;
        device_->zero(device, bytes);
    }
    std::size_t free_bytes() override { return device_->free_bytes(); }
    std::unique_ptr<DeviceKernel> load(const KernelBinary& binary) override {
        ++loads;
        return device_->load(binary);
    }
    void launch(const DeviceKernel& kernel, std::size_t step, const GridLaunch& launch,
                void* const* arguments, StreamRef stream) override {
        ++launches;
        device_->launch(kernel, step, launch, arguments, stream);
    }
    void synchronize(StreamRef stream) override {
        ++synchronisations;
        device_->synchronize(stream);
    }
    int forbidden() const { return allocations + copies + loads + synchronisations; }

  private:
    std::shared_ptr<Device> device_;
};

TEST_P(ReorderedHandleOnAGpu, APreparedApplyOnlyLaunches) {
    const auto device = std::make_shared<CountingDevice>(open_device(GetParam()));
    const CsrMatrix a = make_gallery_matrix("powerlaw:n=300,max_row=250,seed=4");
    Options options = options_of({GetParam(), "band-k"});
    options.kernel = "csr_load_balance";
    options.deterministic = true;  // has a workspace of its own
    const Handle handle = make_handle(a.view(), options, KernelProvider::process(), device);
    handle.prepare(Scale::general, Scale::general);
    const int before = device->forbidden();
    std::vector<double> x(300, 1), y(300, 1);
    const int launches_before = device->launches;
    handle.apply(2.0, x.data(), 3.0, y.data());
    EXPECT_EQ(device->forbidden(), before);
    EXPECT_EQ(device->launches - launches_before, handle.info().launches);
    handle.apply(0.0, x.data(), 1.0, y.data());
    EXPECT_EQ(device->launches - launches_before, handle.info().launches) << "y = y is nothing";
}

TEST(ReorderedHandleOnTheHost, ASecondApplyAllocatesNothing) {
    const CsrMatrix a = make_gallery_matrix("fem_tri:nx=30,ny=30");
    const Handle handle(a.view(), options_of({"host", "band-k"}));
    std::vector<double> x(900, 1), y(900, 1);
    handle.apply(2.0, x.data(), 3.0, y.data());
    const int before = allocations_so_far();
    handle.apply(2.0, x.data(), 3.0, y.data());
    EXPECT_EQ(allocations_so_far(), before);
}

TEST(ReorderedHandleOnTheHost, TheGenericKernelServesToo) {
    Options options = options_of({"host", "rcm"});
    options.strict = false;
    options.cache = CacheMode::off;
    fixtures::ModesByKernel modes(fixtures::Modes::every);
    check_fixture<double>(fixtures::squared(fixtures::find("every_length")), options, 3, modes);
}

TEST(ReorderedHandleOnTheHost, DoesNotNeedTheCallersArrays) {
    CsrMatrix a = make_gallery_matrix("stencil5:nx=20,ny=20");
    Options options = options_of({"host", "rcm"});
    options.copy = false;
    const Handle handle(a.view(), options);
    a = {};
    std::vector<double> x(400, 1), y(400);
    handle.apply(1.0, x.data(), 0.0, y.data());
    EXPECT_EQ(y[0], 2) << "a corner of the 5-point Laplacian: 4 - 1 - 1";
}

TEST(ReorderedHandleOnTheHost, WithoutAReorderingThereIsNoOrder) {
    const CsrMatrix a = make_gallery_matrix("stencil5:nx=5,ny=5");
    const Handle handle(a.view());
    EXPECT_TRUE(handle.row_order().empty());
    EXPECT_EQ(handle.info().reorder, "none");
    EXPECT_EQ(to_string(handle.info()).find("order:"), std::string::npos);
}

TEST(ReorderedHandleOnTheHost, RefusesWrongOptions) {
    const CsrMatrix a = make_gallery_matrix("stencil5:nx=5,ny=5");
    Options options;
    options.reorder = "amd";
    EXPECT_EQ(
        refusal(a.view(), options),
        "invalid_argument: options.reorder: unknown reordering 'amd': use one of auto, none, rcm, "
        "band-k, rows");
    options.reorder = "none";
    options.permuted_vectors = true;
    EXPECT_EQ(refusal(a.view(), options),
              "invalid_argument: options.permuted_vectors is for reordered matrices: set "
              "options.reorder to rcm or band-k, or leave it false");
    options.permuted_vectors = false;
    options.reorder = "rcm";
    options.epilogue = "value";
    EXPECT_EQ(refusal(a.view(), options),
              "invalid_argument: options.epilogue with options.reorder on the host is for vectors "
              "in the matrix's order, whose rows it gets: set options.permuted_vectors, or leave "
              "one of them out");
    options.epilogue = "";
    options.device = "simt:sm_90";
    options.kernel = "gather_rows";
    EXPECT_EQ(refusal(a.view(), options),
              "invalid_argument: options.kernel gather_rows is no product: it runs around one when "
              "options.reorder or apply_many asks for that; leave it auto");
    options.kernel = "put_values";
    EXPECT_EQ(refusal(a.view(), options),
              "invalid_argument: options.kernel put_values is no product: it converts a matrix on "
              "its device, when a handle needs that; leave it auto");
    options.kernel = "auto";
    EXPECT_EQ(
        refusal(make_gallery_matrix("random:rows=4,cols=5,per_row=2").view(), options),
        "invalid_argument: reordering rcm gives rows and columns one order, but the matrix is 4 x "
        "5: use it for square matrices, and none for this one");
}

TEST(ReorderedHandleOnTheHost, RefusesWrongOperandsBeforeItWritesY) {
    const CsrMatrix a = make_gallery_matrix("stencil5:nx=5,ny=5");
    const Handle handle(a.view(), options_of({"host", "rcm"}));
    std::vector<double> x(25, 1), y(25, 7);
    const auto refused = [&](const double* x_at, double* y_at, Stream stream) {
        try {
            handle.apply(1.0, x_at, 1.0, y_at, stream);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    EXPECT_EQ(refused(nullptr, y.data(), {}), "apply: x is null, but has 25 elements");
    EXPECT_EQ(refused(y.data(), y.data(), {}), "apply: x and y overlap; use different arrays");
    EXPECT_EQ(refused(x.data(), y.data(), {&x}),
              "apply: a stream is for GPUs only, but the handle's device is host");
    EXPECT_EQ(y, std::vector<double>(25, 7));
}

}  // namespace
}  // namespace spmvgen
