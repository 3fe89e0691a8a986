// Matrices cut into parts, on the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "../errors.hpp"
#include "matrix/suites/gallery.hpp"
#include "spmvgen/distributed.hpp"

namespace spmvgen {
namespace {

using testing::ElementsAre;

// . a b . | 4 rows, of which parts have 2 and 2
// . . . c
// d . e .
// . . f .
struct Four {
    std::vector<std::int64_t> row_ptr{0, 2, 3, 5, 6};
    std::vector<std::int64_t> col_idx{1, 2, 3, 0, 2, 2};
    std::vector<float> values{1, 2, 3, 4, 5, 6};
    CsrView view() const { return csr_view(4, 4, row_ptr.data(), col_idx.data(), values.data()); }
};
const RowPartition halves{{0, 2, 4}, {0, 2, 4}};

template <typename T>
std::vector<T> as(const std::vector<std::byte>& bytes) {
    const T* const first = reinterpret_cast<const T*>(bytes.data());
    return {first, first + bytes.size() / sizeof(T)};
}

TEST(Parts, HaveTheirOwnColumnsAndThoseOfOthers) {
    const auto parts = make_parts(Four().view(), halves);
    ASSERT_EQ(parts.size(), 2u);
    const Part& a = parts[0];
    EXPECT_EQ(a.rows(), 2);
    EXPECT_EQ(a.cols(), 2);
    EXPECT_EQ(a.local.offset_type, IndexType::i32);
    EXPECT_THAT(as<std::int32_t>(a.local.row_ptr), ElementsAre(0, 1, 1));
    EXPECT_THAT(a.local.col_idx, ElementsAre(1));
    EXPECT_THAT(as<float>(a.local.values), ElementsAre(1.0f));
    EXPECT_THAT(a.halo_rows, ElementsAre(0, 1));
    EXPECT_THAT(a.halo_columns, ElementsAre(2, 3));
    EXPECT_THAT(a.halo_elements, ElementsAre(0, 1));
    EXPECT_THAT(as<std::int32_t>(a.halo.row_ptr), ElementsAre(0, 1, 2));
    EXPECT_THAT(a.halo.col_idx, ElementsAre(0, 1));
    EXPECT_THAT(as<float>(a.halo.values), ElementsAre(2.0f, 3.0f));
    EXPECT_THAT(a.receives, ElementsAre(Exchange{1, 0, 2}));
    EXPECT_THAT(a.sends, ElementsAre(Exchange{1, 0, 1}));
    EXPECT_THAT(a.send_elements, ElementsAre(0));
    const Part& b = parts[1];
    EXPECT_EQ(b.first_row, 2);
    EXPECT_EQ(b.first_col, 2);
    EXPECT_THAT(b.local.col_idx, ElementsAre(0, 0));
    EXPECT_THAT(b.halo_rows, ElementsAre(0));
    EXPECT_THAT(b.halo_columns, ElementsAre(0));
    EXPECT_THAT(b.sends, ElementsAre(Exchange{0, 0, 2}));
    EXPECT_THAT(b.send_elements, ElementsAre(0, 1));
}

/// The entries of all parts where they were.
std::vector<std::tuple<std::int64_t, std::int64_t, double>> entries_of(
    const std::vector<Part>& parts) {
    std::vector<std::tuple<std::int64_t, std::int64_t, double>> all;
    for (const Part& part : parts) {
        const auto add = [&](const CsrArrays& a, const auto& row_of, const auto& col_of) {
            const CsrView view = a.view();
            for (std::int64_t i = 0; i < a.rows; ++i)
                for (std::int64_t k = view.row_begin(i); k < view.row_begin(i + 1); ++k)
                    all.emplace_back(part.first_row + row_of(i), col_of(view.col(k)),
                                     view.values_as<double>()[k]);
        };
        add(part.local, [](auto i) { return i; }, [&](auto j) { return part.first_col + j; });
        add(
            part.halo, [&](auto i) { return part.halo_rows[static_cast<std::size_t>(i)]; },
            [&](auto j) { return part.halo_columns[static_cast<std::size_t>(j)]; });
    }
    std::ranges::sort(all);
    return all;
}

TEST(Parts, HaveEveryEntryOnce) {
    for (const char* name : {"random:rows=2000,cols=900", "stencil7:nx=10,ny=9,nz=8"}) {
        const CsrMatrix matrix = make_gallery_matrix(name);
        const CsrView a = matrix.view();
        RowPartition whole{{0, a.rows}, {0, a.cols}};
        const auto expected = entries_of(make_parts(a, whole));
        ASSERT_EQ(static_cast<std::int64_t>(expected.size()), a.nnz) << name;
        for (const int count : {2, 3, 8}) {
            const auto parts = make_parts(a, partition_by_entries(a, count));
            EXPECT_EQ(entries_of(parts), expected) << name << " " << count;
            for (const Part& part : parts)
                for (const Exchange& r : part.receives) {
                    const Part& other = parts[static_cast<std::size_t>(r.part)];
                    const auto send = std::ranges::find(other.sends, part.number, &Exchange::part);
                    ASSERT_NE(send, other.sends.end());
                    ASSERT_EQ(send->count, r.count);
                    std::vector<std::int64_t> sent, wanted, columns;
                    for (std::int64_t i = 0; i < r.count; ++i) {
                        const auto at = static_cast<std::size_t>(r.first + i);
                        sent.push_back(
                            other.send_elements[static_cast<std::size_t>(send->first + i)]);
                        wanted.push_back(part.halo_elements[at]);
                        columns.push_back(part.halo_columns[at] - other.first_col);
                    }
                    EXPECT_EQ(sent, wanted);
                    EXPECT_EQ(sent, columns);
                }
        }
    }
}

// A process that has its rows alone gets the same, once it was told what others want.
TEST(Parts, AreTheSameMadeOneByOne) {
    const CsrMatrix matrix = make_gallery_matrix("stencil9:nx=40,ny=50");
    const CsrView a = matrix.view();
    const RowPartition partition{{0, 500, 500, 1300, 2000}, {0, 600, 600, 1300, 2000}};
    const auto together = make_parts(a, partition);
    std::vector<Part> alone;
    for (int p = 0; p < 4; ++p) {
        const std::int64_t begin = partition.rows[static_cast<std::size_t>(p)];
        const std::int64_t end = partition.rows[static_cast<std::size_t>(p) + 1];
        std::vector<std::int32_t> row_ptr;
        const std::int64_t first = a.row_begin(begin);
        for (std::int64_t i = begin; i <= end; ++i)
            row_ptr.push_back(static_cast<std::int32_t>(a.row_begin(i) - first));
        alone.push_back(
            make_part(csr_view(end - begin, a.cols, row_ptr.data(),
                               a.col_idx_as<std::int32_t>() + first, a.values_as<double>() + first),
                      partition, p));
    }
    for (Part& part : alone) {
        std::vector<std::vector<std::int64_t>> wanted(4);
        for (const Part& other : alone)
            for (const Exchange& r : other.receives)
                if (r.part == part.number) {
                    const auto columns = columns_of(other, r);
                    wanted[static_cast<std::size_t>(other.number)].assign(columns.begin(),
                                                                          columns.end());
                }
        set_sends(part, wanted);
    }
    EXPECT_EQ(alone, together);
    EXPECT_EQ(together[1].rows(), 0);
    EXPECT_TRUE(together[1].receives.empty());
    EXPECT_TRUE(together[1].sends.empty());
}

TEST(Parts, AreCutWhereEntriesAre) {
    // One row of 1000 entries, then 1000 without any.
    std::vector<std::int32_t> row_ptr(1002, 1000), col_idx(1000);
    row_ptr[0] = 0;
    const std::vector<double> values(1000, 1);
    const CsrView a = csr_view(1001, 50, row_ptr.data(), col_idx.data(), values.data());
    EXPECT_EQ(partition_by_entries(a, 2), (RowPartition{{0, 1, 1001}, {0, 25, 50}}));
    const Four four;
    EXPECT_EQ(partition_by_entries(four.view(), 1), (RowPartition{{0, 4}, {0, 4}}));
    const auto more = partition_by_entries(four.view(), 7);
    EXPECT_EQ(more.parts(), 7);
    EXPECT_EQ(make_parts(four.view(), more).size(), 7u);
}

TEST(Parts, SayWhatIsWrong) {
    const Four four;
    const CsrView a = four.view();
    const auto with = [&](const RowPartition& p) {
        return code_and_text([&] { make_parts(a, p); });
    };
    EXPECT_EQ(with({{0, 2}, {0, 4}}),
              "invalid_argument: partition.rows ends with 2, but the matrix has 4");
    EXPECT_EQ(with({{0, 4}, {0, 5}}),
              "invalid_argument: partition.cols ends with 5, but the matrix has 4");
    EXPECT_EQ(with({{1, 4}, {0, 4}}), "invalid_argument: partition.rows does not begin with 0");
    EXPECT_EQ(with({{}, {}}), "invalid_argument: partition.rows does not begin with 0");
    EXPECT_EQ(with({{0, 3, 2, 4}, {0, 4}}),
              "invalid_argument: partition.rows[2] is 2, less than 3 before it");
    EXPECT_EQ(with({{0, 2, 4}, {0, 4}}),
              "invalid_argument: partition.rows is of 2 parts, but partition.cols of 1");
    EXPECT_EQ(code_and_text([&] { make_part(a, {{0, 4}, {0, 4}}, 1); }),
              "invalid_argument: there is no part 1: the partition has 1");
    EXPECT_EQ(code_and_text([&] { make_part(a, halves, 1); }),
              "invalid_argument: part 1 has 2 rows, but 4 are given");
    EXPECT_EQ(code_and_text([&] { partition_by_entries(a, 0); }),
              "invalid_argument: parts is 0: use 1 or more");
    auto parts = make_parts(a, halves);
    const std::vector<std::vector<std::int64_t>> wanted{{1}, {}};
    EXPECT_EQ(code_and_text([&] { set_sends(parts[1], wanted); }),
              "invalid_argument: part 0 wants column 1 of part 1, which has columns 2…3");
    Four broken;
    broken.col_idx[3] = 7;
    EXPECT_EQ(code_and_text([&] { make_parts(broken.view(), halves); }),
              code_and_text([&] { Handle handle(broken.view()); }));
}

// More than 2³¹ rows or columns are nobody's to number.
TEST(Parts, AreNumberedIn31Bits) {
    const std::vector<std::int64_t> row_ptr{0};
    const auto many = std::int64_t{1} << 33;
    const CsrView a = csr_view(0, many, row_ptr.data(), static_cast<const std::int64_t*>(nullptr),
                               static_cast<const double*>(nullptr));
    EXPECT_EQ(code_and_text([&] { make_parts(a, {{0, 0}, {0, many}}); }),
              "invalid_argument: part 0 has 8589934592 columns, but at most 2147483647 can be "
              "numbered: use more parts");
    // Nor are elements that come from such a part.
    const std::vector<std::int64_t> one_entry{0, 1}, far{many};
    const std::vector<double> values{1};
    for (const std::int64_t cols : {many + 1, std::numeric_limits<std::int64_t>::max()}) {
        const CsrView own = csr_view(1, cols, 1, one_entry.data(), far.data(), values.data());
        EXPECT_EQ(code_and_text([&] { make_part(own, {{0, 1, 1}, {0, 1, cols}}, 0); }),
                  "invalid_argument: part 1 has " + std::to_string(cols - 1) +
                      " columns, but at most 2147483647 can be numbered: use more parts");
    }
}

}  // namespace
}  // namespace spmvgen
