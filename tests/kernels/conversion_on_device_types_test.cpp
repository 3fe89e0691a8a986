// Conversions of CSR on the device in every type of values and indices.
#include "conversion_on_device_fixture.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/suites/gallery.hpp"

namespace spmvgen {
namespace {

template <typename Value>
std::vector<Value> few_values(std::size_t count) {
    std::vector<Value> values;
    for (std::size_t k = 0; k < count; ++k) {
        const auto part = [&](std::size_t of) {
            return static_cast<typename RealOf<Value>::Type>(0.3 * static_cast<double>(of) - 1);
        };
        if constexpr (std::is_floating_point_v<Value>)
            values.push_back(part(k % 17));
        else
            values.push_back({part(k % 5), part(k % 3)});
    }
    return values;
}

TEST_P(ConversionOnDeviceTest, DictionariesOfEveryType) {
    const auto test = [&]<typename Value>(Value) {
        fixtures::TypedMatrix<Value, int, int> a(fixtures::find("every_length"));
        const auto values = few_values<Value>(a.values.size());
        std::ranges::copy(values, a.values.data());
        const Signature s = signature_of(*device_, a.view(), "tiles", {{"value_code", 3}});
        expect_equal(a.view(), s);
        for (std::size_t k = 0; k < 257; ++k)
            a.values[k] = static_cast<typename RealOf<Value>::Type>(k);
        EXPECT_EQ(fault(a.view(), s), "values that the value code has not");
    };
    test(float{});
    test(double{});
    test(std::complex<float>{});
    test(std::complex<double>{});
}

/// Ties, the smallest and the largest numbers, and those that are too small.
TEST_P(ConversionOnDeviceTest, ValuesOf16Bits) {
    const auto test = [&]<typename Value>(Value) {
        fixtures::TypedMatrix<Value, int, int> a(sorted(fixtures::find("every_length")));
        const std::vector<double> numbers{0.0,
                                          -0.0,
                                          1,
                                          -2.5,
                                          1.0 / 3,
                                          -1e4 / 7,
                                          65504,
                                          65519.996,
                                          1 + 0x1p-11,
                                          1 + 3 * 0x1p-11,
                                          1 + 0x1p-8,
                                          1 + 3 * 0x1p-8,
                                          1 + 0x1p-8 + 0x1p-20,
                                          0x1p-14,
                                          0x1.ffcp-15,
                                          0x1p-24,
                                          0x1p-25,
                                          0x1.8p-24,
                                          -0x1p-26,
                                          0x1p-126,
                                          0x1p-133,
                                          0x1p-134,
                                          1e-300,
                                          std::numeric_limits<double>::infinity(),
                                          -std::numeric_limits<double>::infinity(),
                                          std::numeric_limits<double>::quiet_NaN()};
        for (std::size_t k = 0; k < a.values.size(); ++k)
            a.values[k] = static_cast<Value>(numbers[k % numbers.size()]);
        for (const ValueType storage : {ValueType::f16, ValueType::bf16}) {
            for (auto& [kernel, params] : every_format)
                expect_equal(a.view(), kernel, params, storage);
            const double least = storage == ValueType::f16 ? 65520 : 0x1.ffp127;
            a.values[40] = static_cast<Value>(-least);
            EXPECT_EQ(fault(a.view(), signature_of(*device_, a.view(), "coo", {}, storage)),
                      "values too large for their type");
            a.values[40] = 1;
        }
    };
    test(double{});
    test(float{});
}

TEST_P(ConversionOnDeviceTest, OtherTypes) {
    const fixtures::Fixture fixture = sorted(fixtures::find("every_length"));
    const fixtures::TypedMatrix<float, int, long> a(fixture);
    const fixtures::TypedMatrix<std::complex<double>, long, long> b(fixture);
    const fixtures::TypedMatrix<double, long, int> c(fixture);
    for (auto& [kernel, params] : every_format) {
        expect_equal(a.view(), kernel, params);
        expect_equal(b.view(), kernel, params);
        expect_equal(b.view(), kernel, params, ValueType::c32);
        expect_equal(c.view(), kernel, params, ValueType::f32);
    }
}

/// Arrays of 64 bits for kernels that take 32, of columns, of offsets, and of both.
TEST_P(ConversionOnDeviceTest, NarrowerIndices) {
    const fixtures::Fixture fixture = sorted(fixtures::find("every_length"));
    const fixtures::TypedMatrix<double, int, int> narrow(fixture);
    const fixtures::TypedMatrix<double, long, long> both(fixture);
    const fixtures::TypedMatrix<double, long, int> columns(fixture);
    const fixtures::TypedMatrix<double, int, long> offsets(fixture);
    for (auto& [kernel, params] : every_format) {
        const Signature s = signature_of(*device_, narrow.view(), kernel, params);
        for (const CsrView& a : {both.view(), columns.view(), offsets.view()}) expect_equal(a, s);
    }
    fixtures::TypedMatrix<double, long, long> wrong(fixture);
    for (const long column : {-1l, long{fixture.cols}, 1l << 32}) {
        wrong.col_idx[20] = column;
        for (auto& [kernel, params] : every_format)
            EXPECT_EQ(fault(wrong.view(), signature_of(*device_, narrow.view(), kernel, params)),
                      "columns that the matrix has not");
    }
}

}  // namespace
}  // namespace spmvgen
