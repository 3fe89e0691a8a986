// Values that are stored in another type than the matrix has them in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "format_cases.hpp"
#include "formats/narrow.hpp"

namespace spmvgen {
namespace {

using namespace format_cases;

std::uint16_t half(double v) {
    return stored_value<HalfBits>(v).bits;
}
std::uint16_t brain(double v) {
    return stored_value<BfloatBits>(v).bits;
}

TEST(Narrow, HalvesRoundToNearestEven) {
    EXPECT_EQ(half(0.0), 0x0000);
    EXPECT_EQ(half(-0.0), 0x8000);
    EXPECT_EQ(half(1.0), 0x3c00);
    EXPECT_EQ(half(-2.0), 0xc000);
    EXPECT_EQ(half(65504.0), 0x7bff) << "the largest";
    EXPECT_EQ(half(65519.999), 0x7bff);
    EXPECT_EQ(half(65520.0), 0x7c00) << "half way to the next: infinity is even";
    EXPECT_EQ(half(1e300), 0x7c00);
    EXPECT_EQ(half(-std::numeric_limits<double>::infinity()), 0xfc00);
    EXPECT_EQ(half(std::numeric_limits<double>::quiet_NaN()) & 0x7fff, 0x7e00);
    EXPECT_EQ(half(2049.0), 0x6800) << "between 2048 and 2050, down to even";
    EXPECT_EQ(half(2051.0), 0x6802) << "between 2050 and 2052, up to even";
    EXPECT_EQ(half(2049.0000001), 0x6801) << "not rounded by way of f32 first";
    EXPECT_EQ(half(0x1p-14), 0x0400) << "the smallest normal";
    EXPECT_EQ(half(0x1p-24), 0x0001) << "the smallest subnormal";
    EXPECT_EQ(half(0x1p-25), 0x0000);
    EXPECT_EQ(half(0x1.8p-25), 0x0001);
    EXPECT_EQ(half(0x1.8p-24), 0x0002);
    EXPECT_EQ(half(0x1.ff8p-15), 0x03ff);
    EXPECT_EQ(half(0x1.ffcp-15), 0x0400) << "half way: a subnormal that rounds to a normal";
    EXPECT_EQ(half(5e-324), 0x0000);
}

TEST(Narrow, BrainFloatsRoundToNearestEven) {
    EXPECT_EQ(brain(1.0), 0x3f80);
    EXPECT_EQ(brain(1.0 + 0x1p-8), 0x3f80);
    EXPECT_EQ(brain(1.0 + 0x1.8p-7), 0x3f82);
    EXPECT_EQ(brain(1.0 + 0x1.0001p-8), 0x3f81);
    EXPECT_EQ(brain(0x1.fep127), 0x7f7f) << "the largest";
    EXPECT_EQ(brain(0x1.ffp127), 0x7f80);
    EXPECT_EQ(brain(0x1p-133), 0x0001) << "the smallest subnormal";
    EXPECT_EQ(brain(-0x1p-126), 0x8080);
}

TEST(Narrow, StoredValuesAreConvertedInEveryFormat) {
    for (const char* kernel : {"ell_groups", "ell_shuffle", "sell_slices", "hyb", "hyb_fused"}) {
        Signature s = signature(kernel);
        if (s.params.contains("partition")) s.params["partition"] = 3;
        s.storage = ValueType::f16;
        const StoredMatrix m = convert(small(), s, true);
        EXPECT_EQ(static_cast<const HalfBits*>(m.arrays.at("values"))->bits, 0x3c00) << kernel;
        EXPECT_EQ(m.bytes % 2, 0) << kernel;
    }
    Signature s = signature("sell_slices");
    s.storage = ValueType::f32;
    EXPECT_EQ(array<float>(convert(small(), s, true), "values", 1)[0], 1.0F);
    s = signature("csr_classical");
    s.storage = ValueType::bf16;
    const StoredMatrix m = convert(small(), s, true);
    EXPECT_NE(m.arrays.at("values"), numbers.data()) << "not borrowed";
    EXPECT_EQ(static_cast<const BfloatBits*>(m.arrays.at("values"))[1].bits, 0x4000);
}

TEST(Narrow, ValuesKeepTheirTypeBesideWiderVectors) {
    const std::vector<float> floats(numbers.begin(), numbers.end());
    const CsrView matrix = csr_view<float>(5, 4, row_ptr.data(), col_idx.data(), floats.data());
    Signature s = signature("csr_rows");  // f64
    s.storage = ValueType::f32;
    const StoredMatrix m = convert(matrix, s, true);
    EXPECT_EQ(m.arrays.at("values"), floats.data()) << "borrowed";
    EXPECT_EQ(m.bytes, matrix.nnz * (4 + 4) + 6 * 4);
    s.storage = ValueType::bf16;
    EXPECT_EQ(static_cast<const BfloatBits*>(convert(matrix, s, true).arrays.at("values"))[1].bits,
              0x4000);
    s = signature("csr_rows");  // and a matrix that is wider than its vectors
    s.value = ValueType::f32;
    EXPECT_EQ(array<float>(convert(small(), s, true), "values", 1)[0], 1.0F);
}

TEST(Narrow, ComplexValuesAreRoundedAndChecked) {
    std::vector<std::complex<double>> values(numbers.begin(), numbers.end());
    values[4] = {1, -1e39};
    const CsrView matrix =
        csr_view<std::complex<double>>(5, 4, row_ptr.data(), col_idx.data(), values.data());
    Signature s = signature("csr_rows");
    s.value = ValueType::c64;
    s.storage = ValueType::c32;
    EXPECT_EQ(refusal(matrix, s),
              "value (1, -1e+39) in row 2, column 3 (counted from 0) is too large for storage type "
              "c32: use a wider one");
    values[4] = {0.1, -0.1};
    EXPECT_EQ(array<std::complex<float>>(convert(matrix, s, true), "values", 5)[4],
              (std::complex<float>{0.1F, -0.1F}));
}

TEST(Narrow, AValueThatWouldBecomeInfiniteIsRefused) {
    std::vector<double> values = numbers;
    values[4] = -70000;
    const CsrView matrix = csr_view<double>(5, 4, row_ptr.data(), col_idx.data(), values.data());
    Signature s = signature("csr_classical");
    s.storage = ValueType::f16;
    EXPECT_EQ(refusal(matrix, s),
              "value -70000 in row 2, column 3 (counted from 0) is too large for storage type f16: "
              "use a wider one");
    s.storage = ValueType::bf16;
    EXPECT_EQ(refusal(matrix, s), "accepted");
    values[4] = 1e39;
    EXPECT_EQ(refusal(matrix, s),
              "value 1e+39 in row 2, column 3 (counted from 0) is too large for storage type bf16: "
              "use a wider one");
    s.storage = ValueType::f32;
    EXPECT_EQ(refusal(matrix, s),
              "value 1e+39 in row 2, column 3 (counted from 0) is too large for storage type f32: "
              "use a wider one");
    values[4] = std::numeric_limits<double>::infinity();
    EXPECT_EQ(refusal(matrix, s), "accepted") << "infinite before";
}

}  // namespace
}  // namespace spmvgen
