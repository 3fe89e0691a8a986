// Arrays that a handle takes over or borrows, and how much memory it may take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "any_matrix.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

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

// Of what counts from 1 the indices are copies, which the handle has beside the vectors; plain CSR
// that is planned later reads the vectors, too.
TEST(Vectors, AreTakenOver) {
    const AnyMatrix<double> a;
    struct How {
        const char *format, *level, *compile;
    };
    for (const char* device : {"host", "simt:sm_90"})
        for (const int base : {0, 1})
            for (const How& how : {How{"csr", "rule", "now"}, How{"sell", "rule", "now"},
                                   How{"auto", "lazy", "now"}, How{"auto", "rule", "behind"}}) {
                SCOPED_TRACE(testing::Message()
                             << device << " " << base << how.format << how.level << how.compile);
                Options options = options_for(device);
                options.index_base = base;
                options.format = how.format;
                options.level = how.level;
                options.compile = how.compile;
                auto row_ptr = base == 1 ? from_one<std::int32_t>(a.row_ptr) : a.row_ptr;
                auto col_idx = base == 1 ? from_one<std::int32_t>(a.col_idx) : a.col_idx;
                auto values = a.values;
                Handle handle(a.n, a.n, std::move(row_ptr), std::move(col_idx), std::move(values),
                              options);
                EXPECT_EQ(product_of(handle, a), a.product(a.values));
                auto fresh = a.numbers(1);
                const auto expected = a.product(fresh);
                handle.update_values(fresh.data());
                std::ranges::fill(fresh, 0.0);
                EXPECT_EQ(product_of(handle, a), expected) << "the new array is the caller's";
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
              "invalid_argument: broken CSR matrix: row_ptr ends at 2, but there are 1 entries");
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

// A legal matrix: the columns that have entries are few, and fit the narrow type that they have.
TEST(ManyColumns, OfANarrowTypeAreMultiplied) {
    constexpr std::int64_t cols = (std::int64_t{1} << 31) + 1000;
    const std::vector<int> row_ptr{0, 1, 2}, col_idx{2, 0};
    const std::vector<double> values{3, 4};
    const CsrView a = csr_view(2, cols, row_ptr.data(), col_idx.data(), values.data());
    // y, and all of x that is read: what is behind it counts as x, and must not be y.
    std::vector<double> y_and_x{-1, -1, 1, 10, 100};
    for (const CacheMode cache : {CacheMode::off, CacheMode::memory})
        for (const bool copy : {false, true}) {
            Options options = options_for("host");
            options.cache = cache;
            options.copy = copy;
            if (cache != CacheMode::off) options.kernel = "csr_rows";
            const Handle handle(a, options);
            handle.apply(1.0, y_and_x.data() + 2, 0.0, y_and_x.data());
            EXPECT_EQ(y_and_x, (std::vector<double>{300, 4, 1, 10, 100}));
        }
}

// A transposed or sorted copy is made of A, and its arrays are what the kernel reads.
TEST(MemoryLimit, CountsCopiesThatKernelsRead) {
    const AnyMatrix<double> a;
    const auto nnz = static_cast<std::int64_t>(a.values.size());
    const auto limited = [&](const auto& view, const std::string& op, CacheMode cache,
                             std::int64_t limit) {
        Options options = options_for("host");
        options.cache = cache;
        options.op = op;
        options.copy = false;
        options.memory_limit = limit;
        if (cache != CacheMode::off) options.format = "csr";
        return code_and_text([&] { const Handle handle(view, options); });
    };
    const std::int64_t exactly = 12 * nnz + 4 * (a.n + 1);
    // Entries at the same place are added up.
    const std::int64_t sorted = Handle(a.entries(), off_options()).info().matrix_bytes;
    for (const CacheMode cache : {CacheMode::memory, CacheMode::off}) {
        for (const char* op : {"T", "H"}) {
            EXPECT_EQ(limited(a.view(), op, cache, exactly), "no error");
            EXPECT_THAT(
                limited(a.view(), op, cache, exactly - 1),
                testing::MatchesRegex("invalid_argument: format csr would take at least .*, "
                                      "more than options.memory_limit, .*: use a format "
                                      "that takes less, or raise the limit"));
        }
        EXPECT_EQ(limited(a.entries(), "N", cache, sorted), "no error");
        EXPECT_THAT(limited(a.entries(), "N", cache, sorted - 1),
                    HasSubstr("format csr would take at least"));
        EXPECT_EQ(limited(a.view(), "N", cache, 1), "no error") << "the caller's own";
    }
}

TEST(MemoryLimit, KeepsFormatsFromBeingMadeThatTakeMore) {
    const AnyMatrix<double> a;
    const auto nnz = static_cast<std::int64_t>(a.values.size());
    Options options = options_for("host");
    options.format = "ell";
    options.memory_limit = 16 * nnz;  // one row is far longer than the others
    EXPECT_THAT(code_and_text([&] { const Handle handle(a.view(), options); }),
                testing::MatchesRegex("invalid_argument: format ell would take at least .* KiB, "
                                      "more than options.memory_limit, .* KiB: use a format that "
                                      "takes less, or raise the limit"));
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
            a.col_idx.push_back((7 * row + k * (row % 191 + 1)) % 193);  // no diagonals
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
    options.params = {{"sigma", 1}, {"unroll", 1}};  // of SELL alone
    EXPECT_THAT(code_and_text([&] { const Handle none(a.view(), options); }),
                StartsWith("invalid_argument: format sell would take at least "));
    options.params.clear();
    options.memory_limit = 1000;
    EXPECT_THAT(code_and_text([&] { const Handle none(a.view(), options); }),
                StartsWith("invalid_argument: format csr would take at least "));
}

}  // namespace
}  // namespace spmvgen
