// Handles of matrices whose arrays are in a device's memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "any_matrix.hpp"
#include "arrays_on_device.hpp"
#include "devices/device.hpp"
#include "errors.hpp"
#include "fake_device.hpp"
#include "fakes.hpp"
#include "handle/conversion/conversion_steps.hpp"
#include "matrix/suites/gallery.hpp"
#include "verify/reference.hpp"

namespace spmvgen {
namespace {

using testing::StartsWith;

// Every format, op and order; copied or borrowed; then new numbers from the device.
TEST(DeviceArrays, AreMultipliedAndTakeNewNumbers) {
    const auto device = open_device("simt:sm_90");
    AnyMatrix<double> a;
    const There there(*device, a);
    const auto fresh = a.numbers(1);
    const auto fresh_there = There::put(*device, fresh);
    for (const char* format : {"csr", "coo", "ell", "sell", "hyb", "csr-k", "bcsr"})
        for (const char* op : {"N", "T"})
            for (const std::string reorder : {"none", "rcm"})
                for (const bool copy : {true, false})
                    for (const bool list : {true, false}) {
                        const bool usual = std::string(format) == "csr";
                        if (!usual && (reorder != "none" || list)) continue;
                        SCOPED_TRACE(testing::Message()
                                     << format << ", op " << op << ", reorder " << reorder
                                     << ", copy " << copy << ", list " << list);
                        Options options = options_for("simt:sm_90");
                        options.device_arrays = true;
                        options.format = format;
                        options.op = op;
                        options.reorder = reorder;
                        options.copy = copy;
                        Handle handle =
                            list ? Handle(there.list, options) : Handle(there.view, options);
                        EXPECT_EQ(product_of(handle, a), a.product(a.values, op));
                        handle.update_values(static_cast<const double*>(fresh_there->data()));
                        EXPECT_EQ(product_of(handle, a), a.product(fresh, op));
                    }
}

TEST(DeviceArrays, WithStorageTypesAreRounded) {
    const auto device = open_device("simt:gfx906");
    const AnyMatrix<float> a;
    const There there(*device, a);
    const auto fresh = There::put(*device, a.numbers(1));
    auto large = a.numbers(2);
    large[5] = 1e6F;
    const auto large_there = There::put(*device, large);
    Options options = options_for("simt:gfx906");
    options.device_arrays = true;
    options.storage = "f16";
    options.format = "csr";
    Handle handle(there.view, options);
    handle.update_values(static_cast<const float*>(fresh->data()));
    EXPECT_EQ(product_of(handle, a), a.product(a.numbers(1)));
    EXPECT_EQ(
        code_and_text(
            [&] { handle.update_values(static_cast<const float*>(large_there->data())); }),
        "invalid_argument: update_values: entry 5 is 1000000, too large for storage type f16: "
        "use a wider one; the old numbers stay");
    EXPECT_EQ(product_of(handle, a), a.product(a.numbers(1)));
}

// What a handle of borrowed device arrays allocates: nothing; and what it launches with: the
// caller's arrays. New numbers are a new pointer.
TEST(DeviceArrays, BorrowedOnesAreNotCopied) {
    FakeKernels fake;
    const auto device = std::make_shared<FakeDevice>();
    const AnyMatrix<double> a;
    const There there(*device, a);
    const auto fresh = There::put(*device, a.numbers(1));
    Options options;
    options.device = "cuda:0";
    options.kernel = "csr_classical";
    options.device_arrays = true;
    options.copy = false;
    options.owner = std::make_shared<int>();
    const std::weak_ptr<const void> owner = options.owner;
    const int allocated = device->log->allocations;
    {
        Handle handle = make_handle(there.view, options, fake.provider, device);
        options.owner = nullptr;
        EXPECT_EQ(device->log->allocations, allocated);
        EXPECT_FALSE(owner.expired());
        EXPECT_EQ(product_of(handle, a), a.product(a.values));
        EXPECT_EQ(device->log->launches.back().pointers.at("row_ptr"), there.row_ptr->data());
        EXPECT_EQ(device->log->launches.back().pointers.at("values"), there.values->data());
        EXPECT_EQ(product_of(handle, a, 2.0), a.product(a.values, "N", 2.0));
        const int synchronised = device->log->synchronisations;
        handle.update_values(static_cast<const double*>(fresh->data()));
        EXPECT_EQ(device->log->synchronisations, synchronised) << "a pointer needs no wait";
        for (const double alpha : {1.0, 2.0}) {
            EXPECT_EQ(product_of(handle, a, alpha), a.product(a.numbers(1), "N", alpha));
            EXPECT_EQ(device->log->launches.back().pointers.at("values"), fresh->data());
        }
    }
    EXPECT_TRUE(owner.expired());
}

TEST(DeviceArrays, CopiedOnesStayOnTheDevice) {
    struct Copying : FakeDevice {
        int within = 0;
        void copy_on_device(void* to, const void* from, std::size_t bytes) override {
            ++within;
            FakeDevice::copy_on_device(to, from, bytes);
        }
    };
    FakeKernels fake;
    const auto device = std::make_shared<Copying>();
    const AnyMatrix<double> a;
    const There there(*device, a);
    const auto fresh = There::put(*device, a.numbers(1));
    Options options;
    options.device = "cuda:0";
    options.kernel = "csr_classical";
    options.device_arrays = true;
    Handle handle = make_handle(there.view, options, fake.provider, device);
    EXPECT_EQ(device->within, 3);
    const int synchronised = device->log->synchronisations;
    handle.update_values(static_cast<const double*>(fresh->data()));
    EXPECT_EQ(device->within, 4);
    EXPECT_EQ(device->log->synchronisations, synchronised + 1) << "the stream, before the copy";
    EXPECT_EQ(product_of(handle, a), a.product(a.numbers(1)));
}

Options strips_options(const std::string& device) {
    Options options = options_for(device);
    options.device_arrays = true;
    options.kernel = "strips";
    options.params = {{"block_rows", 1}, {"block_cols", 1}, {"value_code", 0}, {"long_from", 32}};
    return options;
}

TEST(DeviceArrays, StripsAreMadeWhereTheMatrixIs) {
    for (const char* text : {"simt:sm_90", "simt:gfx906"})
        for (const std::int64_t sigma : {1, 64}) {
            SCOPED_TRACE(testing::Message() << text << ", sigma " << sigma);
            const auto device = std::make_shared<CountingDevice>(text);
            const AnyMatrix<double> a(200);
            const There there(*device, a);
            Options options = strips_options(text);
            options.params["sigma"] = sigma;
            Handle handle = make_handle(there.view, options, KernelProvider::process(), device);
            const std::size_t offsets = a.row_ptr.size() * sizeof(int);
            EXPECT_LT(device->came_here, offsets + 300) << "row offsets, and the counts twice";
            EXPECT_THAT(handle.info().reason, testing::EndsWith("; converted on the device"));
            EXPECT_THAT(handle.info().kernel, testing::HasSubstr("_long_rows1_"));
            EXPECT_GT(handle.info().convert_ms, 0);
            EXPECT_EQ(product_of(handle, a), a.product(a.values));
            const auto fresh = a.numbers(1);
            const auto fresh_there = There::put(*device, fresh);
            handle.update_values(static_cast<const double*>(fresh_there->data()));
            EXPECT_EQ(product_of(handle, a), a.product(fresh));
        }
}

TEST(DeviceArrays, MeasuringCopiesThemNowhere) {
    const auto device = std::make_shared<CountingDevice>("simt:sm_90");
    const AnyMatrix<double> a(1000);
    const There there(*device, a);
    for (const std::string kernel : {"strips", "csr_classical"}) {
        SCOPED_TRACE(kernel);
        Options options = options_for("simt:sm_90");
        options.device_arrays = true;
        options.copy = false;
        options.kernel = kernel;
        options.encodings = "none";
        options.level = "measure";
        options.budget_ms = 1e5;
        options.params = {{"block", 128}, {"unroll", 4}};
        if (kernel == "strips") {
            options.params = strips_options("").params;
            // All that decides what is stored: of what is left every kernel reads the same.
            options.params.insert({{"threads_per_row", 1},
                                   {"slice", 32},
                                   {"sigma", 1},
                                   {"period", 1},
                                   {"fill", 0},
                                   {"codes", 15}});
        }
        device->went_there = 0;
        const Handle handle = make_handle(there.view, options, KernelProvider::process(), device);
        ASSERT_GE(handle.info().measured.size(), 2u) << handle.info().reason;
        EXPECT_EQ(product_of(handle, a), a.product(a.values));
        // x once, and where long rows are for each.
        EXPECT_LT(device->went_there,
                  handle.info().measured.size() * a.values.size() * sizeof(double) / 2);
    }
}

// What the host has is copied as CSR once and converted there, where the kernel for that is there.
TEST(DeviceArrays, LargeOnesOfTheHostsAreConvertedThere) {
    const auto device = std::make_shared<CountingDevice>("simt:sm_90");
    const CsrMatrix a = make_gallery_matrix("stencil5:nx=240,ny=240,random_values=1");
    ASSERT_GT(a.nnz, 1 << 18);
    Options options = strips_options("simt:sm_90");
    options.device_arrays = false;
    options.params["threads_per_row"] = 1;
    options.params.insert({{"fill", 0}, {"sigma", 1}, {"period", 1}});
    options.memory_limit = 1 << 30;  // then the host converts
    const auto make = [&] {
        return make_handle(a.view(), options, KernelProvider::process(), device);
    };
    const Handle here = make();
    EXPECT_THAT(here.info().reason, testing::Not(testing::HasSubstr("converted on")));
    const AnyMatrix<double> small(200);
    const There there(*device, small);
    Options of_small = strips_options("simt:sm_90");
    of_small.params = options.params;
    const Handle loads = make_handle(there.view, of_small, KernelProvider::process(), device);
    options.memory_limit = 0;
    device->went_there = 0;
    const Handle made_there = make();
    EXPECT_THAT(made_there.info().reason, testing::EndsWith("; converted on the device"));
    EXPECT_EQ(made_there.info().kernel, here.info().kernel);
    EXPECT_EQ(made_there.info().bytes, here.info().bytes);
    const std::size_t csr = static_cast<std::size_t>(a.nnz) * 12;
    EXPECT_GE(device->went_there, csr);
    EXPECT_LT(device->went_there, csr + csr / 5) << "once";
    const std::vector<double> x(static_cast<std::size_t>(a.cols), 1.0);
    std::vector<double> y(static_cast<std::size_t>(a.rows)), z(y.size());
    here.apply(1.0, x.data(), 0.0, y.data());
    made_there.apply(1.0, x.data(), 0.0, z.data());
    EXPECT_EQ(y, z);
    device->most_free = 3 * csr;
    EXPECT_THAT(make().info().reason, testing::Not(testing::HasSubstr("converted on")))
        << "there is no room for both";
}

// A device that has 1000 bytes free; allocating small arrays would say so.
TEST(DeviceArrays, LargePaddingBeyondHalfOfTheFreeMemoryIsRefused) {
    FakeDevice device;
    CsrView a;
    a.nnz = 4'000'000;
    StoredMatrix stored;
    stored.format = Format::ell;
    const auto refusal = [&](std::int64_t bytes) {
        return code_and_text([&] { check_padding(device, a, stored, 6'000'000, bytes); });
    };
    EXPECT_EQ(refusal(64 << 20), "no error");
    EXPECT_EQ(
        refusal(72'000'000),
        "invalid_argument: format ell would store 6000000 entries for 4000000 nonzeros (1.5 "
        "times as many): 68.7 MiB, more than half of the 1000 bytes that the device has free; "
        "use csr or coo");
}

/// A handle of a matrix whose arrays are on the device, made there with a kernel of such a name;
/// multiplies, and again with new values.
void expect_made_there(const CsrMatrix& a, const Options& options, const char* kernel) {
    const auto device = open_device("simt:sm_90");
    const auto put = [&](const void* from, std::int64_t count, std::size_t element) {
        auto memory = device->allocate(static_cast<std::size_t>(count) * element);
        device->copy_to_device(memory->data(), from, memory->bytes());
        return memory;
    };
    CsrView there = a.view();
    const auto row_ptr = put(there.row_ptr, a.rows + 1, size_of(there.offset_type));
    const auto col_idx = put(there.col_idx, a.nnz, size_of(there.index_type));
    const auto values = put(there.values, a.nnz, sizeof(double));
    there.row_ptr = row_ptr->data();
    there.col_idx = col_idx->data();
    there.values = values->data();
    std::vector<double> fresh(static_cast<std::size_t>(a.nnz));
    for (std::size_t k = 0; k < fresh.size(); ++k) fresh[k] = 1 + static_cast<double>(k % 3);
    const auto fresh_there = put(fresh.data(), a.nnz, sizeof(double));
    Handle handle(there, options);
    EXPECT_THAT(handle.info().kernel, testing::HasSubstr(kernel));
    EXPECT_THAT(handle.info().reason, testing::EndsWith("; converted on the device"));
    const std::vector<double> x(static_cast<std::size_t>(a.cols), 1.0);
    std::vector<double> y(static_cast<std::size_t>(a.rows), 0.0);
    const auto check = [&](const CsrView& matrix) {
        handle.apply(1.0, x.data(), 0.0, y.data());
        const double one = 1, zero = 0;
        const CheckResult found =
            check_product(matrix, {&one, x.data(), &zero, y.data(), y.data(), 1});
        EXPECT_TRUE(found.passed) << found.message;
    };
    check(a.view());
    handle.update_values(static_cast<const double*>(fresh_there->data()));
    CsrView updated = a.view();
    updated.values = fresh.data();
    check(updated);
}

/// Holes are chosen where the columns come here, and made there; `fill` asked for is, and blocks
/// are, too. New values find their places by the columns.
TEST(DeviceArrays, StripsWithFillAreMadeWhereTheMatrixIs) {
    const CsrMatrix a = make_gallery_matrix("stencil7:nx=9,ny=8,nz=7");
    for (const int asked : {0, 1, 2}) {
        SCOPED_TRACE(asked);
        Options options = strips_options("simt:sm_90");
        options.params["threads_per_row"] = 1;
        if (asked == 0) options.params.erase("block_rows");
        if (asked == 1) options.params["fill"] = 1;
        if (asked == 2) options.params["block_rows"] = 2;
        options.memory_limit = 1 << 30;
        expect_made_there(a, options, "_fill1_");
    }
}

/// The sample has whole diagonals alone, so holes are looked for, and there are none.
TEST(DeviceArrays, StripsOfDiagonalsThatEndNowhereHaveNoFill) {
    Options options = strips_options("simt:sm_90");
    options.params["threads_per_row"] = 1;
    options.params.erase("block_rows");
    expect_made_there(make_gallery_matrix("banded:n=20000,lower=3,upper=3"), options, "_fill0_");
}

/// Two of these rows may have more blocks than a row that is long, but the sample has none that do.
TEST(DeviceArrays, StripsOfBlocksAreMadeThereWhereRowsAreHardlyLong) {
    Options options = strips_options("simt:sm_90");
    options.params["threads_per_row"] = 1;
    options.params["block_rows"] = options.params["block_cols"] = 2;
    options.params.erase("value_code");  // which only a sample tells
    const CsrMatrix a = make_gallery_matrix("delaunay:n=900,dofs=2");
    const std::int64_t longest = analyse_row_lengths(a.view()).max_row;
    ASSERT_GT(2 * longest, 32);
    ASSERT_LE(longest, 32);
    expect_made_there(a, options, "_long_rows0_");
}

TEST(DeviceArrays, StripsOfRowsThatTakeTurnsAreMadeWhereTheMatrixIs) {
    Options options = strips_options("simt:sm_90");
    options.params["threads_per_row"] = 1;
    options.params.erase("block_rows");
    expect_made_there(make_gallery_matrix("curl_curl:nx=12,ny=11,nz=10,keep=0.85"), options,
                      "_period3_");
}

TEST(DeviceArrays, StripsOfColumnsAloneAreMadeWhereTheMatrixIs) {
    Options options = strips_options("simt:sm_90");
    options.params["threads_per_row"] = 1;
    options.params["value_code"] = 2;
    options.params.erase("block_rows");
    expect_made_there(make_gallery_matrix("debruijn:k=11,random_values=0"), options, "_codes8_");
}

TEST(DeviceArrays, StripsThatTheDeviceCannotMakeAreTheHosts) {
    const auto device = open_device("simt:sm_90");
    AnyMatrix<double> a;
    There there(*device, a);
    Options options = strips_options("simt:sm_90");
    options.params["block_rows"] = 2;
    const Handle blocks(there.view, options);
    EXPECT_THAT(blocks.info().reason,
                testing::EndsWith("; converted on the host: the device makes no blocks of "
                                  "rows of 45 entries"));
    EXPECT_EQ(product_of(blocks, a), a.product(a.values));
    options = strips_options("simt:sm_90");
    options.params["codes"] = 1;
    EXPECT_THAT(code_and_text([&] { const Handle handle(there.view, options); }),
                StartsWith("invalid_argument: slice 0 of format strips needs "));
    CsrView wrong = there.view;
    wrong.cols = 2;
    EXPECT_THAT(code_and_text([&] { const Handle handle(wrong, strips_options("simt:sm_90")); }),
                StartsWith("invalid_argument: broken CSR matrix: entry "));
}

TEST(DeviceArrays, WrongOnesAreRefused) {
    const auto device = open_device("simt:sm_90");
    AnyMatrix<double> a;
    const There there(*device, a);
    Options options = options_for("simt:sm_90");
    options.device_arrays = true;
    const auto refused = [&](const auto& view) {
        return code_and_text([&] { const Handle handle(view, options); });
    };
    CsrView wrong = there.view;
    wrong.nnz = 1000000000;
    EXPECT_EQ(refused(wrong), "invalid_argument: broken CSR matrix: row_ptr ends at " +
                                  std::to_string(a.values.size()) +
                                  ", but there are 1000000000 entries");
    wrong = there.view;
    wrong.values = nullptr;
    EXPECT_EQ(refused(wrong), "invalid_argument: broken CSR matrix: values is null");
    wrong = there.view;
    wrong.cols = 2;
    EXPECT_THAT(refused(wrong), StartsWith("invalid_argument: broken CSR matrix: entry "));
    CooView list = there.list;
    list.rows = 0;
    EXPECT_EQ(refused(list),
              "invalid_argument: broken COO matrix: entry 0 has row 0, outside the 0 rows (counted "
              "from 0)");
    options.device = "host";
    EXPECT_EQ(refused(there.view),
              "invalid_argument: options.device_arrays is for GPUs, but options.device is host: "
              "leave it false, or name the device that has the arrays");
    EXPECT_EQ(refused(there.list), refused(there.view));
    options.device = "simt:sm_90";
    EXPECT_EQ(
        code_and_text([&] {
            const Handle handle(a.n, a.n, a.row_ptr.data(), a.col_idx.data(), a.values.data(),
                                options);
        }),
        "invalid_argument: options.device_arrays: the number of entries cannot be read from a "
        "device's row_ptr: give it, behind the columns");
    const Handle typed(a.n, a.n, static_cast<std::int64_t>(a.values.size()),
                       static_cast<const int*>(there.view.row_ptr),
                       static_cast<const int*>(there.view.col_idx),
                       static_cast<const double*>(there.view.values), options);
    EXPECT_EQ(product_of(typed, a), a.product(a.values));
}

TEST(MemoryLimit, OfAGpuCountsWhatIsOnIt) {
    const AnyMatrix<double> a;
    const auto nnz = static_cast<std::int64_t>(a.values.size());
    const auto device = open_device("simt:sm_90");
    const There there(*device, a);
    Options options = options_for("simt:sm_90");
    options.kernel = "csr_classical";
    options.memory_limit = 12 * nnz + 4 * (a.n + 1);
    EXPECT_EQ(product_of(Handle(a.view(), options), a), a.product(a.values)) << "exactly enough";
    --options.memory_limit;
    EXPECT_THAT(code_and_text([&] { const Handle handle(a.view(), options); }),
                testing::MatchesRegex(
                    "invalid_argument: format csr would take .* KiB on the device, more than "
                    "options.memory_limit, .* KiB: use a format that takes less, or raise the "
                    "limit"));
    options.device_arrays = true;
    options.copy = false;
    EXPECT_EQ(product_of(Handle(there.view, options), a), a.product(a.values)) << "borrowed";
}

}  // namespace
}  // namespace spmvgen
