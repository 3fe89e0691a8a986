// Handles of blocks, and of numbers that begin at 1.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "any_matrix.hpp"
#include "arrays_on_device.hpp"
#include "matrix/layouts/block_matrix.hpp"

namespace spmvgen {
namespace {

// Sorted entries keep no order, so that new numbers of a device come as they are.
TEST(EntriesOnADevice, TakeNewNumbersFromItBeforeAndAfterPlanning) {
    const std::vector<int> rows{0, 0, 1}, cols{0, 1, 1};
    const std::vector<double> values{1, 2, 3}, fresh{4, 5, 6}, x{1, 10};
    Options options = options_for("simt:sm_90");
    options.device_arrays = true;
    options.level = "lazy";
    Handle handle(coo_view(2, 2, 3, rows.data(), cols.data(), values.data()), options);
    for (const bool planned : {false, true}) {
        if (planned) handle.prepare(Scale::one, Scale::zero);
        handle.update_values(fresh.data());
        std::vector<double> y(2);
        handle.apply(1.0, x.data(), 0.0, y.data());
        EXPECT_EQ(y, (std::vector<double>{54, 60}));
    }
}

// [  1  2  3  .  .  . ]
// [  4  5  6  .  .  . ]   blocks of 2 x 3: one in the first row of blocks,
// [  7  8  9 10 11 12 ]   two in the second, the right one first
// [ 13 14 15  1  1  1 ]
struct Blocks {
    std::vector<std::int32_t> row_ptr{0, 1, 3}, col_idx{0, 1, 0};
    std::vector<double> by_rows{1, 2, 3, 4, 5, 6, 10, 11, 12, 1, 1, 1, 7, 8, 9, 13, 14, 15};
    std::vector<double> by_columns{1, 4, 2, 5, 3, 6, 10, 1, 11, 1, 12, 1, 7, 13, 8, 14, 9, 15};

    BsrView view(bool columns = false) const {
        return {.rows = 4,
                .cols = 6,
                .blocks = 3,
                .height = 2,
                .width = 3,
                .by_columns = columns,
                .row_ptr = row_ptr.data(),
                .col_idx = col_idx.data(),
                .values = columns ? by_columns.data() : by_rows.data()};
    }
};

std::vector<double> product_of(const Handle& handle) {
    const std::vector<double> x{1, 10, 100, 1000, 10000, 100000};
    std::vector<double> y(4);
    handle.apply(1.0, x.data(), 0.0, y.data());
    return y;
}

TEST(DenseBlocks, AreEntriesRowByRowOrColumnByColumn) {
    const Blocks blocks;
    const std::vector<double> right{1 + 20 + 300, 4 + 50 + 600,
                                    7 + 80 + 900 + 10000 + 110000 + 1200000,
                                    13 + 140 + 1500 + 1000 + 10000 + 100000};
    for (const char* device : {"host", "simt:sm_90"})
        for (const bool columns : {false, true}) {
            Handle handle(blocks.view(columns), options_for(device));
            EXPECT_EQ(product_of(handle), right) << device;
            auto fresh = columns ? blocks.by_columns : blocks.by_rows;
            for (double& value : fresh) value *= 2;
            handle.update_values(fresh.data());
            auto twice = right;
            for (double& value : twice) value *= 2;
            EXPECT_EQ(product_of(handle), twice) << device;
            EXPECT_EQ(handle.info().nnz, 18);
        }
    const CsrMatrix entries = expand_blocks(blocks.view(), 2).matrix;
    EXPECT_THAT(entries.row_ptr.as<std::int32_t>(), testing::ElementsAre(0, 3, 6, 12, 18));
}

TEST(DenseBlocks, WrongOnesAreNamed) {
    const auto refusal = [](auto change) {
        Blocks blocks;
        BsrView view = blocks.view();
        change(blocks, view);
        return code_and_text([&] { const Handle handle(view, options_for("host")); });
    };
    const std::string broken = "invalid_argument: broken BSR matrix: ";
    EXPECT_EQ(refusal([](auto&, BsrView& v) { v.blocks = -1; }),
              broken + "negative size (4 rows, 6 columns, -1 blocks)");
    EXPECT_EQ(refusal([](auto&, BsrView& v) { v.height = 0; }),
              broken + "blocks of 0 x 3: use 1 x 1 or more");
    EXPECT_EQ(refusal([](auto&, BsrView& v) { v.rows = 5; }),
              broken + "5 rows are no multiple of the blocks' 2");
    EXPECT_EQ(refusal([](auto&, BsrView& v) { v.cols = 7; }),
              broken + "7 columns are no multiple of the blocks' 3");
    EXPECT_EQ(refusal([](auto&, BsrView& v) {
                  v.rows = v.height = v.cols = v.width = std::int64_t{1} << 40;
              }),
              broken + "3 blocks of 1099511627776 x 1099511627776 are too many numbers");
    EXPECT_THAT(refusal([](Blocks& b, auto&) { b.col_idx[1] = 2; }),
                testing::AllOf(
                    testing::StartsWith("invalid_argument: broken BSR matrix, its blocks taken for "
                                        "entries: broken CSR matrix: "),
                    testing::HasSubstr("has column 2")));
    Options options = options_for("simt:sm_90");
    options.device_arrays = true;
    EXPECT_EQ(code_and_text([&] { const Handle handle(Blocks().view(), options); }),
              "invalid_argument: options.device_arrays: blocks are taken from host memory: leave "
              "it false");
}

TEST(NumbersFromOne, OfEveryLayoutAreMultiplied) {
    const AnyMatrix<double> a;
    const auto ptr = from_one<std::int64_t>(a.row_ptr);
    const auto rows = from_one<std::int32_t>(a.row_idx), cols = from_one<std::int32_t>(a.col_idx);
    const auto nnz = static_cast<std::int64_t>(a.values.size());
    for (const char* device : {"host", "simt:sm_90"})
        for (const bool copy : {true, false}) {
            Options options = options_for(device);
            options.index_base = 1;
            options.copy = copy;
            Handle handle(a.n, a.n, ptr.data(), cols.data(), a.values.data(), options);
            EXPECT_EQ(product_of(handle, a), a.product(a.values)) << device;
            const auto fresh = a.numbers(2);
            handle.update_values(fresh.data());
            EXPECT_EQ(product_of(handle, a), a.product(fresh)) << device;
            EXPECT_EQ(product_of(
                          Handle(coo_view(a.n, a.n, nnz, rows.data(), cols.data(), a.values.data()),
                                 options),
                          a),
                      a.product(a.values));
            EXPECT_EQ(
                product_of(Handle(csc_view(a.n, a.n, nnz, ptr.data(), cols.data(), a.values.data()),
                                  options),
                           a),
                a.product(a.values, "T"));
            Blocks blocks;
            const auto right = product_of(Handle(blocks.view(), options_for(device)));
            for (auto& number : blocks.row_ptr) ++number;
            for (auto& number : blocks.col_idx) ++number;
            EXPECT_EQ(product_of(Handle(blocks.view(), options)), right);
        }
}

// Borrowed values are read where they are; the numbers are copies that live with the handle.
TEST(NumbersFromOne, OwnersAreKept) {
    auto values = std::make_shared<std::vector<double>>(std::vector<double>{2, 3});
    const std::weak_ptr<std::vector<double>> kept = values;
    std::vector<int> ptr{1, 2, 3}, cols{1, 2};
    Options options = options_for("host");
    options.format = "csr";
    options.index_base = 1;
    options.copy = false;
    options.owner = values;
    {
        const Handle handle(2, 2, ptr.data(), cols.data(), values->data(), options);
        options.owner = nullptr;
        values = nullptr;
        ptr = cols = {9, 9, 9};
        EXPECT_FALSE(kept.expired());
        const std::vector<double> x{1, 10};
        std::vector<double> y(2);
        handle.apply(1.0, x.data(), 0.0, y.data());
        EXPECT_EQ(y, (std::vector<double>{2, 30}));
    }
    EXPECT_TRUE(kept.expired());
}

TEST(NumbersFromOne, WrongOnesAreNamed) {
    const std::vector<double> values{2, 3};
    const auto refusal = [&](std::vector<int> ptr, std::vector<int> cols, int base) {
        Options options = options_for("host");
        options.index_base = base;
        return code_and_text([&] {
            const Handle handle(csr_view(2, 2, 2, ptr.data(), cols.data(), values.data()), options);
        });
    };
    EXPECT_EQ(refusal({1, 2, 3}, {1, 2}, 2),
              "invalid_argument: options.index_base is 2: use 0 or 1");
    for (const auto& wrong : {std::vector<int>{1, 3}, {1, 0}, {1, std::numeric_limits<int>::min()}})
        EXPECT_THAT(refusal({1, 2, 3}, wrong, 1),
                    testing::AllOf(testing::StartsWith("invalid_argument: broken CSR matrix: "),
                                   testing::EndsWith("; options.index_base is 1: in the given "
                                                     "arrays all numbers are one larger")));
    EXPECT_THAT(refusal({0, 1, 2}, {1, 2}, 1), testing::HasSubstr("broken CSR matrix"));
    Options options = options_for("simt:sm_90");
    options.index_base = 1;
    options.device_arrays = true;
    EXPECT_EQ(code_and_text([&] {
                  const Handle handle(
                      csr_view<double, int, int>(0, 0, 0, nullptr, nullptr, nullptr), options);
              }),
              "invalid_argument: options.index_base is 1, but options.device_arrays: give device "
              "arrays that count from 0");
}

// A wrong number of entries is found out before as many columns are read.
TEST(NumbersFromOne, EndsAreCheckedBeforeColumnsAreRead) {
    const std::vector<int> ptr{1, 2, 3}, cols{1, 2};
    const std::vector<double> values{2, 3};
    Options options = options_for("host");
    options.index_base = 1;
    const std::string right =
        "invalid_argument: broken CSR matrix: row_ptr ends at 2, but there are 1000000000 entries; "
        "options.index_base is 1: in the given arrays all numbers are one larger";
    const auto refusal = [&](const auto& view) {
        return code_and_text([&] { const Handle handle(view, options); });
    };
    constexpr std::int64_t many = 1000000000;
    EXPECT_EQ(refusal(csr_view(2, 2, many, ptr.data(), cols.data(), values.data())), right);
    EXPECT_EQ(refusal(csc_view(2, 2, many, ptr.data(), cols.data(), values.data())),
              "invalid_argument: broken CSC matrix: col_ptr ends at 2, but there are 1000000000 "
              "entries; options.index_base is 1: in the given arrays all numbers are one larger");
    Blocks blocks;
    for (auto& number : blocks.row_ptr) ++number;
    BsrView view = blocks.view();
    view.blocks = many;
    EXPECT_THAT(refusal(view), testing::HasSubstr("row_ptr ends at 3, but there are 1000000000"));
    view.row_ptr = nullptr;
    EXPECT_THAT(refusal(view), testing::HasSubstr("row_ptr is null"));
}

TEST(NumbersFromOne, AreTold) {
    const std::vector<int> ptr{1, 2, 3}, cols{1, 2};
    const std::vector<double> values{2, 3};
    Options options = options_for("host");
    options.index_base = 1;
    const Handle handle(csr_view(2, 2, 2, ptr.data(), cols.data(), values.data()), options);
    EXPECT_THAT(handle.info().reason,
                testing::StartsWith("indices are copies that count from 0; "));
}

// Plain CSR of the same matrix, and what is planned later, take the same numbers.
class PlannedLater : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, PlannedLater, testing::Values("lazy", "behind"));

TEST_P(PlannedLater, EveryLayoutTakesNewNumbers) {
    const AnyMatrix<double> a;
    const auto ptr = from_one<std::int32_t>(a.row_ptr), cols = from_one<std::int32_t>(a.col_idx);
    const auto nnz = static_cast<std::int64_t>(a.values.size());
    const BsrView blocks{.rows = a.n,
                         .cols = a.n,
                         .blocks = nnz,
                         .row_ptr = a.row_ptr.data(),
                         .col_idx = a.col_idx.data(),
                         .values = a.values.data()};
    const auto check = [&](const auto& view, int base, const char* op) {
        for (const bool copy : {true, false}) {
            Options options = options_for("host");
            options.index_base = base;
            options.copy = copy;
            if (GetParam() == std::string("lazy"))
                options.level = "lazy";
            else
                options.compile = "behind";
            Handle handle(view, options);
            EXPECT_EQ(product_of(handle, a), a.product(a.values, op));
            const auto first = a.numbers(1), second = a.numbers(2);
            handle.update_values(first.data());
            EXPECT_EQ(product_of(handle, a), a.product(first, op));
            handle.prepare(Scale::one, Scale::zero);
            EXPECT_EQ(product_of(handle, a), a.product(first, op));
            handle.update_values(second.data());
            EXPECT_EQ(product_of(handle, a), a.product(second, op));
        }
    };
    check(columns_of(a), 0, "T");
    check(blocks, 0, "N");
    check(csr_view(a.n, a.n, nnz, ptr.data(), cols.data(), a.values.data()), 1, "N");
    check(csc_view(a.n, a.n, nnz, ptr.data(), cols.data(), a.values.data()), 1, "T");
}

}  // namespace
}  // namespace spmvgen
