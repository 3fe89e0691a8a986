// What a handle may be made of: entries in any order, arrays that it takes over or borrows, arrays
// on a device; and how much memory it may take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "any_matrix.hpp"
#include "devices/device.hpp"
#include "fake_device.hpp"
#include "fakes.hpp"
#include "matrix/coo_matrix.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Options options_for(const std::string& device) {
    Options o;
    o.device = device;
    o.cache = CacheMode::memory;
    o.strict = true;
    o.threads = device == "host" ? 2 : 0;
    return o;
}
Options off_options() {
    Options o;
    o.cache = CacheMode::off;
    return o;
}

// [ 5 . 2 ]   entry 0 and 3 at the same place, rows and columns in no order
// [ . . . ]
// [ . 7 . ]
struct List {
    std::vector<std::int64_t> rows{0, 2, 0, 0}, cols{0, 1, 2, 0};
    std::vector<double> values{1, 7, 2, 4};
    CooView view() const { return coo_view(3, 3, 4, rows.data(), cols.data(), values.data()); }
};

TEST(SortedEntries, AreCsrWithSumsInTheGivenOrder) {
    const List list;
    const SortedCoo sorted = sort_entries(list.view(), 2);
    const CsrMatrix& a = sorted.matrix;
    EXPECT_EQ(a.nnz, 3);
    EXPECT_EQ(a.index_type, IndexType::i32) << "narrow columns do";
    EXPECT_THAT(a.row_ptr.as<std::int32_t>(), testing::ElementsAre(0, 2, 2, 3));
    EXPECT_THAT(a.col_idx.as<std::int32_t>(), testing::ElementsAre(0, 2, 1));
    EXPECT_THAT(a.values.as<double>(), testing::ElementsAre(5, 2, 7));
    EXPECT_FALSE(sorted.in_order);
    EXPECT_THAT(sorted.order.from.as<std::int32_t>(), testing::ElementsAre(0, 3, 2, 1));
    EXPECT_THAT(sorted.order.begins.as<std::int32_t>(), testing::ElementsAre(0, 2, 3, 4));
}

TEST(SortedEntries, KeepNoOrderThatIsTheGivenOne) {
    const std::vector<int> rows{0, 0, 2}, cols{1, 2, 0};
    const std::vector<float> values{1, 2, 3};
    const SortedCoo sorted =
        sort_entries(coo_view(3, 3, 3, rows.data(), cols.data(), values.data()), 1);
    EXPECT_TRUE(sorted.in_order);
    EXPECT_EQ(sorted.order.bytes(), 0);
    EXPECT_THAT(sorted.matrix.values.as<float>(), testing::ElementsAre(1, 2, 3));
}

// 1 + 2^53 - 2^53 is 1 or 0: the sum tells the order.
TEST(SortedEntries, AreTheSameBitsForAnyNumberOfThreads) {
    AnyMatrix<double> a(400, 3);
    a.shuffle(5);
    for (std::size_t k = 0; k < a.values.size(); ++k)
        a.values[k] = 1.0 / (1.0 + static_cast<double>(k));
    const SortedCoo one = sort_entries(a.entries(), 1);
    for (const int threads : {2, 3, 8}) {
        const SortedCoo more = sort_entries(a.entries(), threads);
        EXPECT_TRUE(
            std::ranges::equal(one.matrix.row_ptr.as<int>(), more.matrix.row_ptr.as<int>()));
        EXPECT_TRUE(
            std::ranges::equal(one.matrix.col_idx.as<int>(), more.matrix.col_idx.as<int>()));
        EXPECT_TRUE(
            std::ranges::equal(one.matrix.values.as<double>(), more.matrix.values.as<double>()));
        EXPECT_TRUE(std::ranges::equal(one.order.from.as<int>(), more.order.from.as<int>()));
    }
}

template <typename Value, typename Index>
void check_list() {
    AnyMatrix<Value> a;
    a.shuffle(9);
    const std::vector<Index> rows(a.row_idx.begin(), a.row_idx.end()),
        cols(a.col_idx.begin(), a.col_idx.end());
    const Handle handle(coo_view(a.n, a.n, static_cast<std::int64_t>(rows.size()), rows.data(),
                                 cols.data(), a.values.data()),
                        off_options());
    EXPECT_EQ(product_of(handle, a), a.product(a.values));
    EXPECT_EQ(handle.info().warning, "");
}

TEST(EntriesInAnyOrder, OfEveryTypeAreMultiplied) {
    check_list<float, std::int32_t>();
    check_list<double, std::int64_t>();
    check_list<std::complex<float>, std::int64_t>();
    check_list<std::complex<double>, std::int32_t>();
}

TEST(EntriesInAnyOrder, AreNotReadAfterwards) {
    for (const bool copy : {true, false}) {
        Options options = options_for("host");
        options.format = "csr";
        options.copy = copy;
        List list;
        const Handle handle(list.view(), options);
        list = {{9, 9, 9, 9}, {9, 9, 9, 9}, {9, 9, 9, 9}};
        const std::vector<double> x{1, 10, 100};
        std::vector<double> y(3);
        handle.apply(1.0, x.data(), 0.0, y.data());
        EXPECT_EQ(y, (std::vector<double>{205, 0, 70}));
    }
}

std::string refusal(const CooView& list) {
    return code_and_text([&] { const Handle handle(list, off_options()); });
}

TEST(EntriesInAnyOrder, WrongOnesAreNamed) {
    List list;
    const std::string broken = "invalid_argument: broken COO matrix: ";
    list.rows[2] = 3;
    EXPECT_EQ(refusal(list.view()),
              broken + "entry 2 has row 3, outside the 3 rows (counted from 0)");
    list.rows[1] = -1;
    EXPECT_EQ(refusal(list.view()),
              broken + "entry 1 has row -1, outside the 3 rows (counted from 0)");
    list = {};
    list.cols[3] = std::int64_t{1} << 40;
    EXPECT_EQ(refusal(list.view()), broken +
                                        "entry 3 (row 0) has column 1099511627776, outside the "
                                        "3 columns (counted from 0)");
    list.cols[1] = -5;
    EXPECT_EQ(refusal(list.view()),
              broken + "entry 1 (row 2) has column -5, outside the 3 columns (counted from 0)");
    list = {};
    CooView view = list.view();
    view.nnz = -1;
    EXPECT_EQ(refusal(view), broken + "negative size (3 rows, 3 columns, -1 entries)");
    view = list.view();
    view.row_idx = nullptr;
    EXPECT_EQ(refusal(view), broken + "row_idx is null");
    view = list.view();
    view.col_idx = nullptr;
    EXPECT_EQ(refusal(view), broken + "col_idx is null");
    view = list.view();
    view.values = nullptr;
    EXPECT_EQ(refusal(view), broken + "values is null");
    view = list.view();
    view.rows = 0;
    EXPECT_EQ(refusal(view), broken + "entry 0 has row 0, outside the 0 rows (counted from 0)");
}

// An owner is held while borrowed arrays are read, and not a moment longer.
TEST(Owner, IsHeldAsLongAsArraysAreRead) {
    const AnyMatrix<double> a;
    const auto held_with = [&](const char* format, const char* op) {
        Options options = options_for("host");
        options.format = format;
        options.op = op;
        options.copy = false;
        options.owner = std::make_shared<int>();
        const std::weak_ptr<const void> watched = options.owner;
        auto handle = std::make_unique<Handle>(a.view(), options);
        options.owner = nullptr;
        const bool held = !watched.expired();
        handle = nullptr;
        EXPECT_TRUE(watched.expired());
        return held;
    };
    EXPECT_TRUE(held_with("csr", "N"));
    EXPECT_TRUE(held_with("csr-k", "N"));
    EXPECT_FALSE(held_with("sell", "N"));
    EXPECT_FALSE(held_with("csr", "T")) << "the transpose is the handle's own";
}

TEST(Owner, OfCopiesIsRefused) {
    const AnyMatrix<double> a;
    Options options = off_options();
    options.owner = std::make_shared<int>();
    EXPECT_EQ(code_and_text([&] { const Handle handle(a.view(), options); }),
              "invalid_argument: options.owner is for borrowed arrays, but options.copy is true: "
              "make that false, or leave owner out");
}

TEST(Vectors, AreTakenOver) {
    const AnyMatrix<double> a;
    for (const char* format : {"csr", "sell"}) {
        Options options = options_for("host");
        options.format = format;
        auto row_ptr = a.row_ptr;
        auto col_idx = a.col_idx;
        auto values = a.values;
        Handle handle(a.n, a.n, std::move(row_ptr), std::move(col_idx), std::move(values), options);
        EXPECT_EQ(product_of(handle, a), a.product(a.values));
        auto fresh = a.numbers(1);
        const auto expected = a.product(fresh);
        handle.update_values(fresh.data());
        std::ranges::fill(fresh, 0.0);
        EXPECT_EQ(product_of(handle, a), expected) << "the handle's own array was written to";
    }
}

TEST(Vectors, AreReadAsTheyAre) {
    const AnyMatrix<double> a;
    Options options = options_for("host");
    options.format = "csr";
    options.memory_limit = 16;  // a copy would be beyond it
    auto row_ptr = a.row_ptr;
    auto col_idx = a.col_idx;
    auto values = a.values;
    const Handle handle(a.n, a.n, std::move(row_ptr), std::move(col_idx), std::move(values),
                        options);
    EXPECT_EQ(product_of(handle, a), a.product(a.values));
}

TEST(Vectors, OfWrongSizesAreRefused) {
    const auto with = [](std::int64_t rows, std::vector<int> row_ptr, std::vector<int> col_idx,
                         std::vector<double> values, const Options& options = off_options()) {
        return code_and_text([&] {
            const Handle handle(rows, 3, std::move(row_ptr), std::move(col_idx), std::move(values),
                                options);
        });
    };
    EXPECT_EQ(with(2, {0, 1}, {0}, {1}),
              "invalid_argument: broken CSR matrix: row_ptr has 2 elements, but 2 rows need 3");
    EXPECT_EQ(with(1, {0, 1}, {0, 1}, {1}),
              "invalid_argument: broken CSR matrix: col_idx has 2 elements, but values has 1");
    EXPECT_EQ(with(1, {0, 2}, {0}, {1}),
              "invalid_argument: broken CSR matrix: row_ptr[1] = 2 is beyond the 1 entries");
    EXPECT_EQ(with(-1, {0}, {}, {}),
              "invalid_argument: broken CSR matrix: negative size (-1 rows, 3 columns, 0 entries)");
    EXPECT_EQ(with(0, {}, {}, {}), "no error");
    EXPECT_EQ(with(1, {0, 1}, {0}, {1}), "no error");
    Options options = off_options();
    options.copy = false;
    options.owner = std::make_shared<int>();
    EXPECT_EQ(with(1, {0, 1}, {0}, {1}, options),
              "invalid_argument: options.owner is for borrowed arrays, but this handle takes the "
              "vectors over: leave it out");
    options = off_options();
    options.device = "simt:sm_90";
    options.device_arrays = true;
    EXPECT_EQ(
        with(1, {0, 1}, {0}, {1}, options),
        "invalid_argument: options.device_arrays: vectors are in host memory: leave it false");
}

/// The arrays of a matrix in a device's memory.
struct There {
    template <typename Value>
    There(Device& device, const AnyMatrix<Value>& a)
        : row_ptr(put(device, a.row_ptr)),
          row_idx(put(device, a.row_idx)),
          col_idx(put(device, a.col_idx)),
          values(put(device, a.values)) {
        view = a.view();
        view.row_ptr = row_ptr->data();
        view.col_idx = col_idx->data();
        view.values = values->data();
        list = a.entries();
        list.row_idx = row_idx->data();
        list.col_idx = col_idx->data();
        list.values = values->data();
    }
    template <typename T>
    static std::unique_ptr<DeviceMemory> put(Device& device, const std::vector<T>& from) {
        auto memory = device.allocate(from.size() * sizeof(T));
        device.copy_to_device(memory->data(), from.data(), memory->bytes());
        return memory;
    }
    std::unique_ptr<DeviceMemory> row_ptr, row_idx, col_idx, values;
    CsrView view;
    CooView list;
};

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

TEST(MemoryLimit, KeepsFormatsFromBeingMadeThatTakeMore) {
    const AnyMatrix<double> a;
    const auto nnz = static_cast<std::int64_t>(a.values.size());
    Options options = options_for("host");
    options.format = "ell";
    options.memory_limit = 16 * nnz;  // one row is far longer than the others
    EXPECT_THAT(
        code_and_text([&] { const Handle handle(a.view(), options); }),
        testing::MatchesRegex("invalid_argument: format ell would take at least .* KiB, "
                              "more than options.memory_limit, .* KiB: use a format that "
                              "takes less, borrow CSR arrays \\(options.copy = false\\), or "
                              "raise the limit"));
    options.format = "csr";
    EXPECT_EQ(product_of(Handle(a.view(), options), a), a.product(a.values));
    options.memory_limit = 12 * nnz + 4 * (a.n + 1);
    EXPECT_EQ(product_of(Handle(a.view(), options), a), a.product(a.values)) << "exactly enough";
    --options.memory_limit;
    EXPECT_THAT(code_and_text([&] { const Handle handle(a.view(), options); }),
                HasSubstr("format csr would take at least"));
    options.copy = false;
    EXPECT_EQ(product_of(Handle(a.view(), options), a), a.product(a.values));
    options.memory_limit = -1;
    EXPECT_EQ(code_and_text([&] { const Handle handle(a.view(), options); }),
              "invalid_argument: options.memory_limit is -1: use 0 (padded formats at most half of "
              "the free memory) or a number of bytes");
}

// 193 rows of 40 entries: the rule takes SELL, which pads the last slice by more than CSR's offsets
// take.
TEST(MemoryLimit, LetsTheRuleFallBackToCsr) {
    AnyMatrix<double> a(0);
    a.n = 193;
    for (int row = 0; row < 193; ++row) {
        for (int k = 0; k < 40; ++k) {
            a.row_idx.push_back(row);
            a.col_idx.push_back((row + k * 3) % 193);
        }
        a.row_ptr.push_back(static_cast<int>(a.col_idx.size()));
    }
    a.values = a.numbers(0);
    Options options = options_for("host");
    options.threads = 1;
    EXPECT_EQ(Handle(a.view(), options).info().format, "sell");
    options.memory_limit = 193 * 40 * 12 + 194 * 4;
    const Handle handle(a.view(), options);
    EXPECT_EQ(handle.info().format, "csr");
    EXPECT_THAT(handle.info().reason,
                testing::MatchesRegex("format sell would take at least 9.* KiB, more than "
                                      "options.memory_limit, 91.2 KiB; .*"));
    EXPECT_EQ(product_of(handle, a), a.product(a.values));
    options.params = {{"sigma", 1}};
    EXPECT_THAT(code_and_text([&] { const Handle none(a.view(), options); }),
                StartsWith("invalid_argument: format sell would take at least "));
    options.params.clear();
    options.memory_limit = 1000;
    EXPECT_THAT(code_and_text([&] { const Handle none(a.view(), options); }),
                StartsWith("invalid_argument: format csr would take at least "));
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
