// The arrays of batches, worked out by hand.
#include <gtest/gtest.h>

#include "formats/batch.hpp"

namespace spmvgen {
namespace {

const std::vector<std::int32_t> a_ptr{0, 2, 3}, a_col{0, 2, 1}, b_ptr{0, 0, 1, 3}, b_col{0, 0, 1};
const std::vector<double> a_values{1, 2, 3}, b_values{4, 5, 6}, c_values{7, 8, 9};

/// 2×3 with rows of 2 and 1 entries.
CsrView a() {
    return csr_view(2, 3, a_ptr.data(), a_col.data(), a_values.data());
}
/// a's pattern.
CsrView c() {
    return csr_view(2, 3, a_ptr.data(), a_col.data(), c_values.data());
}
/// 3×2 with rows of 0, 1 and 2 entries.
CsrView b() {
    return csr_view(3, 2, b_ptr.data(), b_col.data(), b_values.data());
}

StoredMatrix store(const std::vector<CsrView>& systems, const char* kernel, const char* target,
                   const Params& params = {}) {
    Signature s;
    s.kernel = kernel;
    s.target = parse_target(target);
    s.params = params;
    return store_batch(BatchSystems(systems), analyse_batch(systems), s);
}

template <typename T>
std::vector<T> array(const StoredMatrix& stored, const char* name, std::size_t count) {
    const T* data = static_cast<const T*>(stored.arrays.at(name));
    return {data, data + count};
}
using Ints = std::vector<int>;
using Numbers = std::vector<double>;

TEST(BatchFormat, CsrHasRowPointersOfEachSystem) {
    const StoredMatrix m = store({a(), b()}, "batch_csr_rows", "x86-64-v3", {{"lanes", 1}});
    EXPECT_EQ(array<int>(m, "systems", 16),
              (Ints{0, 2, 0, 3, 0, 0, 3, 0, /**/ 2, 3, 3, 2, 3, 3, 3, 3}));
    EXPECT_EQ(array<int>(m, "row_ptr", 7), (Ints{0, 2, 3, 0, 0, 1, 3}));
    EXPECT_EQ(array<int>(m, "col_idx", 6), (Ints{0, 2, 1, 0, 0, 1}));
    EXPECT_EQ(array<double>(m, "values", 6), (Numbers{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(array<int>(m, "work_ptr", 3), (Ints{0, 5, 11}));
    EXPECT_EQ(m.scalars.at("num_systems"), 2);
    EXPECT_EQ(m.scalars.at("num_rows"), 5);
}

TEST(BatchFormat, CooCountsRowsWithinTheSystem) {
    const StoredMatrix m = store({a(), b()}, "batch_coo", "sm_90");
    EXPECT_EQ(array<int>(m, "row_idx", 6), (Ints{0, 0, 1, 1, 2, 2}));
    EXPECT_EQ(array<int>(m, "systems", 16),
              (Ints{0, 2, 0, 3, 0, 0, 3, 0, /**/ 2, 3, 3, 2, 3, 3, 3, 0}));
    EXPECT_FALSE(m.arrays.contains("work_ptr")) << "a block has a system";
}

TEST(BatchFormat, EllPadsEachSystemToItsOwnWidth) {
    const StoredMatrix m = store({a(), b()}, "batch_ell_rows", "x86-64-v3", {{"lanes", 2}});
    // a: 2 rows, 2 columns; the last field is how many have no padding. b: 3 rows padded to 4.
    EXPECT_EQ(array<int>(m, "systems", 16),
              (Ints{0, 2, 0, 3, 0, 0, 2, 1, /**/ 2, 3, 3, 2, 4, 4, 2, 0}));
    EXPECT_EQ(array<int>(m, "col_idx", 12), (Ints{0, 1, 2, -1, /**/ -1, 0, 0, -1, -1, -1, 1, -1}));
    EXPECT_EQ(array<double>(m, "values", 12), (Numbers{1, 3, 2, 0, /**/ 0, 4, 5, 0, 0, 0, 6, 0}));
    EXPECT_EQ(m.stored, 12);
}

TEST(BatchFormat, TheTableOfAGpuFallsWithTheSize) {
    const std::vector<std::int32_t> one_ptr{0, 1}, one_col{0};
    const std::vector<double> one{10};
    const CsrView small = csr_view(1, 1, one_ptr.data(), one_col.data(), one.data());
    const StoredMatrix m = store({small, a()}, "batch_csr", "sm_90");
    EXPECT_EQ(array<int>(m, "systems", 16),
              (Ints{1, 2, 1, 3, 1, 1, 3, 2, /**/ 0, 1, 0, 1, 0, 0, 1, 0}));
    EXPECT_EQ(array<double>(m, "values", 4), (Numbers{10, 1, 2, 3})) << "arrays as given";
}

TEST(BatchFormat, OnePatternIsStoredOnce) {
    const StoredMatrix m = store({a(), c()}, "batch_csr", "sm_90");
    EXPECT_EQ(array<int>(m, "systems", 16),
              (Ints{0, 2, 0, 3, 0, 0, 3, 0, /**/ 2, 2, 3, 3, 0, 3, 3, 0}));
    EXPECT_EQ(array<double>(m, "values", 6), (Numbers{1, 2, 3, 7, 8, 9}));
    EXPECT_EQ(m.bytes, 6 * 8 + 3 * 4 + 3 * 4 + 2 * 32);
    const StoredMatrix same = store({a(), a()}, "batch_csr", "sm_90");
    EXPECT_EQ(array<int>(same, "systems", 16),
              (Ints{0, 2, 0, 3, 0, 0, 3, 0, /**/ 2, 2, 3, 3, 0, 0, 3, 0}));
    EXPECT_EQ(same.stored, 3);
}

}  // namespace
}  // namespace spmvgen
