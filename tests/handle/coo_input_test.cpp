// Handles of entries in any order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "any_matrix.hpp"
#include "matrix/coo_matrix.hpp"

namespace spmvgen {
namespace {

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

// 2^24 + 1 is no float: the sum of floats stays 2^24 each time.
TEST(SortedEntries, AreAddedInTheTypeOfTheMatrix) {
    const std::vector<int> rows(3, 0), cols(3, 0);
    const std::vector<float> narrow{16777216.0F, 1, 1};
    const std::vector<double> wide{16777216.0, 1, 1};
    const SortedCoo f32 =
        sort_entries(coo_view(1, 1, 3, rows.data(), cols.data(), narrow.data()), 1);
    EXPECT_THAT(f32.matrix.values.as<float>(), testing::ElementsAre(16777216.0F));
    const SortedCoo f64 = sort_entries(coo_view(1, 1, 3, rows.data(), cols.data(), wide.data()), 1);
    EXPECT_THAT(f64.matrix.values.as<double>(), testing::ElementsAre(16777218.0));
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

}  // namespace
}  // namespace spmvgen
