#include "matrix/reorder/reordering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "fixtures.hpp"
#include "matrix/reorder/graph.hpp"
#include "matrix/suites/gallery.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// A pattern in CSR, all values 1.
struct Pattern {
    std::int64_t n = 0;
    std::vector<std::int32_t> row_ptr{0}, col_idx;
    std::vector<double> values;

    void row(const std::vector<std::int32_t>& columns) {
        col_idx.insert(col_idx.end(), columns.begin(), columns.end());
        row_ptr.push_back(static_cast<std::int32_t>(col_idx.size()));
        values.resize(col_idx.size(), 1);
        ++n;
    }
    CsrView view() const { return csr_view(n, n, row_ptr.data(), col_idx.data(), values.data()); }
};

/// Edges of an undirected graph, each in one of its rows only.
Pattern graph(std::int32_t n, const std::vector<std::pair<std::int32_t, std::int32_t>>& edges) {
    Pattern p;
    for (std::int32_t i = 0; i < n; ++i) {
        std::vector<std::int32_t> columns;
        for (auto& [from, to] : edges)
            if (from == i) columns.push_back(to);
        p.row(columns);
    }
    return p;
}

Reordering random_order(std::int64_t n, std::uint64_t seed) {
    Reordering r;
    r.order.resize(static_cast<std::size_t>(n));
    std::iota(r.order.begin(), r.order.end(), 0);
    std::mt19937_64 engine(seed);
    for (std::size_t i = r.order.size(); i > 1; --i)
        std::swap(r.order[i - 1], r.order[engine() % i]);
    r.place.resize(r.order.size());
    for (std::size_t i = 0; i < r.order.size(); ++i)
        r.place[static_cast<std::size_t>(r.order[i])] = static_cast<std::int32_t>(i);
    return r;
}

constexpr auto both = {ReorderMethod::rcm, ReorderMethod::band_k};

void expect_groups(const std::vector<std::int32_t>& begins, std::int64_t items, int most) {
    ASSERT_FALSE(begins.empty());
    EXPECT_EQ(begins.front(), 0);
    EXPECT_EQ(begins.back(), items);
    for (std::size_t g = 1; g < begins.size(); ++g) {
        EXPECT_GT(begins[g], begins[g - 1]) << "group " << g - 1;
        EXPECT_LE(begins[g] - begins[g - 1], most) << "group " << g - 1;
    }
}

void expect_valid(const Reordering& r, std::int64_t n, const BandK& band = {}) {
    const auto size = static_cast<std::size_t>(n);
    ASSERT_EQ(r.order.size(), size);
    ASSERT_EQ(r.place.size(), size);
    for (std::size_t i = 0; i < size; ++i) {
        ASSERT_TRUE(r.order[i] >= 0 && r.order[i] < n) << i;
        EXPECT_EQ(r.place[static_cast<std::size_t>(r.order[i])], static_cast<std::int32_t>(i));
    }
    if (r.method != ReorderMethod::band_k) {
        EXPECT_TRUE(r.groups.empty());
        return;
    }
    ASSERT_EQ(r.groups.size(), static_cast<std::size_t>(band.k - 1));
    expect_groups(r.groups[0], n, band.super_row);
    if (band.k == 3)
        expect_groups(r.groups[1], static_cast<std::int64_t>(r.groups[0].size()) - 1,
                      band.super_super_row);
}

/// Entries of row i with the columns that they had in A, sorted.
std::vector<std::pair<std::int64_t, double>> entries(const CsrView& a, std::int64_t i,
                                                     const std::vector<std::int32_t>* order) {
    std::vector<std::pair<std::int64_t, double>> row;
    for (std::int64_t k = a.row_begin(i); k < a.row_begin(i + 1); ++k)
        row.emplace_back(order ? (*order)[static_cast<std::size_t>(a.col(k))] : a.col(k),
                         a.values_as<double>()[k]);
    std::ranges::sort(row);
    return row;
}

void expect_permuted(const CsrView& a, const CsrView& b, const Reordering& r) {
    for (std::int64_t i = 0; i < a.rows; ++i) {
        EXPECT_EQ(entries(b, i, &r.order),
                  entries(a, r.order[static_cast<std::size_t>(i)], nullptr))
            << "row " << i;
        for (std::int64_t k = b.row_begin(i) + 1; k < b.row_begin(i + 1); ++k)
            EXPECT_LE(b.col(k - 1), b.col(k)) << "row " << i;
    }
}

template <typename Index, typename Offset>
void check_fixture(const fixtures::Fixture& f) {
    const fixtures::TypedMatrix<double, Index, Offset> matrix(f);
    for (const ReorderMethod method : both) {
        const Reordering r = reorder(matrix.view(), method);
        expect_valid(r, f.rows);
        const CsrMatrix b = permute(matrix.view(), r);
        validate(b.view());
        expect_permuted(matrix.view(), b.view(), r);
        EXPECT_EQ(bandedness(matrix.view(), r), bandedness(b.view()));
        EXPECT_EQ(b.index_type, type_tag<Index>::value);
        EXPECT_EQ(b.offset_type, type_tag<Offset>::value);
    }
}

TEST(Reorder, EveryFixtureMadeSquareGetsAPermutation) {
    for (auto& fixture : fixtures::all()) {
        SCOPED_TRACE(fixture.name);
        const fixtures::Fixture f = fixtures::squared(fixture);
        check_fixture<std::int32_t, std::int32_t>(f);
        check_fixture<std::int64_t, std::int64_t>(f);
    }
}

TEST(Reorder, GalleryMatricesGetAPermutation) {
    const std::vector<std::string> specifications{"arrow:n=500",
                                                  "road:nx=30,ny=30",
                                                  "rmat:scale=9,symmetric=0",
                                                  "debruijn:k=8",
                                                  "diagonal:n=100",
                                                  "powerlaw:n=400,max_row=300",
                                                  "circuit:n=2000,dense_length=500",
                                                  "fem:nx=8,ny=8,dofs=3"};
    for (auto& text : specifications) {
        SCOPED_TRACE(text);
        const CsrMatrix a = make_gallery_matrix(text);
        for (const ReorderMethod method : both) expect_valid(reorder(a.view(), method), a.rows);
        for (const BandK band :
             {BandK{2, 96, 8}, BandK{3, 1, 1}, BandK{3, 5, 3}, BandK{3, 4096, 2}})
            expect_valid(reorder(a.view(), ReorderMethod::band_k, band), a.rows, band);
    }
}

TEST(Reorder, NoneKeepsTheOrder) {
    const Reordering r = reorder(graph(3, {{0, 2}}).view(), ReorderMethod::none);
    EXPECT_EQ(r.order, (std::vector<std::int32_t>{0, 1, 2}));
    EXPECT_EQ(r.place, r.order);
    EXPECT_TRUE(r.groups.empty());
}

// A path, whatever its numbers, has bandwidth 1 along itself; a ring has 2.
TEST(Reorder, RcmFindsPathsAndRings) {
    EXPECT_EQ(reorder(graph(5, {{3, 0}, {0, 4}, {4, 1}, {1, 2}}).view(), ReorderMethod::rcm).order,
              (std::vector<std::int32_t>{2, 1, 4, 0, 3}));
    Pattern ring;
    const std::int32_t n = 1001;
    for (std::int32_t i = 0; i < n; ++i) ring.row({i, (i + 1) % n});
    const CsrMatrix mixed = permute(ring.view(), random_order(n, 5));
    const Reordering r = reorder(mixed.view(), ReorderMethod::rcm);
    EXPECT_EQ(bandedness(mixed.view(), r).bandwidth, 2);
}

// Components {0, 2}, {1, 4} and {3}: none is between the rows of another.
TEST(Reorder, ComponentsStayTogether) {
    const Pattern p = graph(5, {{0, 2}, {4, 1}});
    for (const ReorderMethod method : both) {
        const Reordering r = reorder(p.view(), method);
        EXPECT_EQ(std::abs(r.place[0] - r.place[2]), 1) << to_string(method);
        EXPECT_EQ(std::abs(r.place[1] - r.place[4]), 1) << to_string(method);
    }
}

TEST(Reorder, ManyComponentsTakeNoLongerThanOne) {
    Pattern p;
    const std::int32_t n = 400000;  // a search of all vertices for each component would take hours
    for (std::int32_t i = 0; i < n; ++i) p.row(i % 2 == 0 ? std::vector{i, i + 1} : std::vector{i});
    for (const ReorderMethod method : both) expect_valid(reorder(p.view(), method), n);
}

// The hub takes one leaf; the other leaves, which have no free neighbour, are put together.
TEST(Reorder, BandKGroupsLeavesOfAHub) {
    Pattern star;
    std::vector<std::int32_t> all(1000);
    std::iota(all.begin(), all.end(), 0);
    star.row(all);
    for (int i = 1; i < 1000; ++i) star.row({});
    const Reordering r = reorder(star.view(), ReorderMethod::band_k, {.k = 2, .super_row = 8});
    expect_valid(r, 1000, {.k = 2, .super_row = 8});
    EXPECT_LE(r.groups[0].size(), 1 + 1000 / 6U);
}

TEST(Reorder, BandKFillsGroupsOfAPath) {
    Pattern path;
    for (std::int32_t i = 0; i < 64; ++i) path.row({i, std::min(i + 1, 63)});
    const Reordering r = reorder(path.view(), ReorderMethod::band_k, {3, 4, 2});
    EXPECT_EQ(r.groups[0].size(), 1 + 64 / 4U);
    EXPECT_EQ(r.groups[1].size(), 1 + 16 / 2U);
    EXPECT_EQ(bandedness(path.view(), r).bandwidth, 1) << "groups follow the path, rows too";
}

TEST(Reorder, ShuffledMeshesGetTheirBandBack) {
    for (const char* text :
         {"stencil5:nx=60,ny=60", "fem_tri:nx=60,ny=60", "stencil7:nx=14,ny=14,nz=14"}) {
        SCOPED_TRACE(text);
        const CsrMatrix natural = make_gallery_matrix(text);
        const CsrMatrix shuffled = permute(natural.view(), random_order(natural.rows, 7));
        const Bandedness before = bandedness(natural.view());
        ASSERT_GT(bandedness(shuffled.view()).bandwidth, 5 * before.bandwidth);
        const Bandedness rcm =
            bandedness(shuffled.view(), reorder(shuffled.view(), ReorderMethod::rcm));
        EXPECT_LE(rcm.bandwidth, 2 * before.bandwidth);
        EXPECT_LE(rcm.profile, before.profile * 5 / 4);
        // Rows of a group stand together: the largest distance suffers more than the mean one.
        const Bandedness band_2 =
            bandedness(shuffled.view(), reorder(shuffled.view(), ReorderMethod::band_k, {.k = 2}));
        EXPECT_LE(band_2.profile, 2 * before.profile);
        const Bandedness band_3 =
            bandedness(shuffled.view(), reorder(shuffled.view(), ReorderMethod::band_k));
        EXPECT_LE(band_3.profile, 3 * before.profile);
    }
}

TEST(Reorder, EqualPatternsGetEqualOrders) {
    const CsrMatrix a = make_gallery_matrix("circuit:n=20000");
    CsrMatrix turned = convert_values(a.view(), ValueType::f32);  // rows the other way round
    for (std::int64_t i = 0; i < a.rows; ++i)
        std::reverse(turned.col_idx.as<std::int32_t>().data() + a.view().row_begin(i),
                     turned.col_idx.as<std::int32_t>().data() + a.view().row_begin(i + 1));
    for (const ReorderMethod method : both) {
        const Reordering one = reorder(a.view(), method, {}, 1);
        for (const int threads : {2, 7}) EXPECT_EQ(reorder(a.view(), method, {}, threads), one);
        EXPECT_EQ(reorder(turned.view(), method), one);
    }
}

// A = [ 1 2 0 ]   order 2, 0, 1:  B = [ 5 0 4 ]
//     [ 0 0 3 ]                       [ 0 1 2 ]
//     [ 0 4 5 ]                       [ 3 0 0 ]
TEST(Permute, HandWorked) {
    Pattern p;
    p.row({0, 1});
    p.row({2});
    p.row({1, 2});
    p.values = {1, 2, 3, 4, 5};
    Reordering r;
    r.order = {2, 0, 1};
    r.place = {1, 2, 0};
    const CsrMatrix b = permute(p.view(), r);
    const auto array = [](auto span) { return std::vector(span.begin(), span.end()); };
    EXPECT_EQ(array(b.row_ptr.as<std::int32_t>()), (std::vector<std::int32_t>{0, 2, 4, 5}));
    EXPECT_EQ(array(b.col_idx.as<std::int32_t>()), (std::vector<std::int32_t>{0, 2, 1, 2, 0}));
    EXPECT_EQ(array(b.values.as<double>()), (std::vector<double>{5, 4, 1, 2, 3}));
    EXPECT_EQ(bandedness(p.view()), (Bandedness{1, 1}));
    EXPECT_EQ(bandedness(b.view()), (Bandedness{2, 2}));
}

TEST(Permute, KeepsTheOrderOfEntriesAtTheSamePlace) {
    Pattern p;
    p.row({1, 0, 1, 1});
    p.row({});
    p.values = {3, 9, 1, 2};
    Reordering r;
    r.order = r.place = {1, 0};
    const CsrMatrix b = permute(p.view(), r);
    const auto values = b.values.as<double>();
    EXPECT_EQ(std::vector(values.begin(), values.end()), (std::vector<double>{3, 1, 2, 9}));
}

// Rows alone: one that ascends is copied, one that does not is sorted.
TEST(Permute, MovesRowsAlone) {
    Pattern p;
    p.row({0, 2, 2});
    p.row({2, 0, 2});
    p.row({});
    p.values = {1, 2, 3, 4, 5, 6};
    Reordering r;
    r.method = ReorderMethod::rows;
    r.order = {1, 0, 2};
    r.place = {0, 1, 2};
    ValueOrder from;
    const CsrMatrix b = permute(p.view(), r, 1, &from);
    const auto array = [](auto span) { return std::vector(span.begin(), span.end()); };
    EXPECT_EQ(array(b.col_idx.as<std::int32_t>()), (std::vector<std::int32_t>{0, 2, 2, 0, 2, 2}));
    EXPECT_EQ(array(b.values.as<double>()), (std::vector<double>{5, 4, 6, 1, 2, 3}));
    EXPECT_EQ(array(from.from.as<std::int32_t>()), (std::vector<std::int32_t>{4, 3, 5, 0, 1, 2}));
}

// Many keys, so that there are several parts, each with keys of all buckets.
TEST(Buckets, ListWhatHasAKeyForAnyNumberOfThreads) {
    constexpr std::int32_t count = 70;
    std::vector<std::int32_t> keys(100'000);
    for (std::size_t i = 0; i < keys.size(); ++i)
        keys[i] = static_cast<std::int32_t>(i * 2654435761U % count);
    const reordering::Buckets one = reordering::bucket(keys, count, 1);
    const reordering::Buckets three = reordering::bucket(keys, count, 3);
    EXPECT_EQ(one.first, three.first);
    EXPECT_EQ(one.items, three.items);
    ASSERT_EQ(one.first.back(), std::ssize(keys));
    for (std::int32_t key = 0; key < count; ++key) {
        EXPECT_TRUE(std::ranges::is_sorted(one.of(key)));
        for (const std::int32_t item : one.of(key))
            EXPECT_EQ(keys[static_cast<std::size_t>(item)], key);
    }
}

template <typename Work>
std::string refusal(Work work) {
    try {
        work();
    } catch (const Error& error) {
        return std::string(to_string(error.code())) + ": " + error.what();
    }
    return "no error";
}

TEST(Reorder, RefusesWhatItCannotOrder) {
    const std::vector<int> row_ptr{0, 0, 0}, broken{0, 1, 1};
    const int column = 5;
    const double value = 1;
    const CsrView wide = csr_view<double, int, int>(2, 3, row_ptr.data(), nullptr, nullptr);
    EXPECT_EQ(
        refusal([&] { reorder(wide, ReorderMethod::rcm); }),
        "invalid_argument: reordering rcm gives rows and columns one order, but the matrix is 2 x "
        "3: use it for square matrices, and none for this one");
    EXPECT_EQ(refusal([&] {
                  reorder(csr_view(2, 2, broken.data(), &column, &value), ReorderMethod::band_k);
              }),
              "invalid_argument: broken CSR matrix: entry 0 (row 0) has column 5, outside 0…1");
    const CsrView square = csr_view<double, int, int>(2, 2, row_ptr.data(), nullptr, nullptr);
    const auto band = [&](BandK b) {
        return refusal([&] { reorder(square, ReorderMethod::band_k, b); });
    };
    EXPECT_EQ(band({.k = 4}), "invalid_argument: band-k: k is 4: use 2 or 3");
    EXPECT_EQ(band({.super_row = 0}),
              "invalid_argument: band-k: 0 rows of a super-row: use 1…4096");
    EXPECT_EQ(band({.super_super_row = 5000}),
              "invalid_argument: band-k: 5000 super-rows of a super-super-row: use 1…4096");
    EXPECT_EQ(refusal([] { parse_reorder_method("amd"); }),
              "invalid_argument: unknown reordering 'amd': use one of none, rcm, band-k, rows");
    Reordering other;
    other.order = other.place = {0};
    EXPECT_EQ(
        refusal([&] { permute(square, other); }),
        "invalid_argument: the reordering is of 1 rows, but the matrix is 2 x 2: reorder this "
        "matrix");
}

}  // namespace
}  // namespace spmvgen
