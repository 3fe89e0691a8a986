// Exact narrow values: which encoding is found, and what the arrays then hold.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "format_cases.hpp"
#include "formats/value_encoding.hpp"

namespace spmvgen {
namespace {

using format_cases::signature;

constexpr EncodingChoice everything{.small_integers = true, .one_value = true, .dictionary = true};
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// One row with these values.
template <typename Value>
struct Row {
    explicit Row(std::vector<Value> given)
        : values(std::move(given)),
          row_ptr{0, static_cast<int>(values.size())},
          col_idx(values.size()) {
        for (std::size_t k = 0; k < col_idx.size(); ++k) col_idx[k] = static_cast<int>(k);
    }
    CsrView view() const {
        return csr_view<Value>(1, static_cast<std::int64_t>(values.size()), row_ptr.data(),
                               col_idx.data(), values.data());
    }
    std::vector<Value> values;
    std::vector<int> row_ptr, col_idx;
};

template <typename Value>
ValueEncoding found(std::vector<Value> values, const EncodingChoice& allowed = everything) {
    const Row<Value> row(std::move(values));
    const ValueEncoding one = encode_values(row.view(), allowed, 1);
    EXPECT_EQ(one, encode_values(row.view(), allowed, 4)) << "whatever the threads";
    return one;
}

/// So many values, each from its number.
template <typename F>
std::vector<double> many(int count, F of) {
    std::vector<double> values;
    for (int k = 0; k < count; ++k) values.push_back(of(k));
    return values;
}

constexpr EncodingChoice storage_only{};

TEST(ValueEncoding, NarrowStorageIsFoundWhereEveryValueFits) {
    const auto storage = [](std::vector<double> values) {
        const ValueEncoding e = found(std::move(values), storage_only);
        EXPECT_EQ(e.code, ValueCode::plain);
        return e.storage;
    };
    EXPECT_EQ(storage({1, -2.5, -0.0, infinity, -infinity}), ValueType::bf16);
    EXPECT_EQ(storage({1, 1.0 + 0x1p-10, 65504, 0x1p-24}), ValueType::f16);
    EXPECT_EQ(storage({1, 1.0 + 0x1p-10, 65536}), ValueType::f32) << "beyond f16, between bf16";
    EXPECT_EQ(storage({1, 0x1p-149}), ValueType::f32);
    EXPECT_EQ(storage({1, 0x1p-150}), ValueType::f64);
    EXPECT_EQ(storage({1, 0.1}), ValueType::f64);
    EXPECT_EQ(storage({1, 1e300}), ValueType::f64);
    EXPECT_EQ(storage({1, nan}), ValueType::f64) << "a conversion may change a NaN's payload";
    EXPECT_EQ(storage({nan}), ValueType::f64);
    EXPECT_EQ(storage({}), ValueType::f64);
    EXPECT_EQ(found<float>({1.0F, 0.1F}, storage_only).storage, ValueType::f32);
    EXPECT_EQ(found<float>({1.0F, 2.0F}, storage_only).storage, ValueType::bf16);
}

TEST(ValueEncoding, ComplexValuesHaveComplexStorage) {
    using c64 = std::complex<double>;
    using c32 = std::complex<float>;
    EXPECT_EQ(found<c64>({{1, 2}, {0.5, -0.0}}, storage_only).storage, ValueType::c32);
    EXPECT_EQ(found<c64>({{1, 2}, {0.5, 0.1}}, storage_only).storage, ValueType::c64);
    EXPECT_EQ(found<c32>({{1, 2}}, storage_only).storage, ValueType::c32) << "no narrower one";
    EXPECT_EQ(found<c64>({{1, 0}, {-7, 0}}).code, ValueCode::small_integers);
    EXPECT_EQ(found<c64>({{1, 0}, {-7, -0.0}}).code, ValueCode::dictionary);
    EXPECT_EQ(found<c64>({{1, 2}, {1, 2}}).code, ValueCode::one_value);
    EXPECT_EQ(found<c64>({{1, 2}, {1, 3}}).code, ValueCode::dictionary);
}

TEST(ValueEncoding, TheFewestBytesAreTaken) {
    EXPECT_EQ(found<double>({0.1, 0.1, 0.1}).code, ValueCode::one_value);
    EXPECT_EQ(found<double>({nan, nan}).code, ValueCode::one_value) << "one payload";
    EXPECT_EQ(found<double>({0.0, -0.0}).code, ValueCode::dictionary) << "-0 is no integer";
    EXPECT_EQ(found<double>({127, -128, 0}).code, ValueCode::small_integers);
    EXPECT_EQ(found<double>({128, -128, 0}).code, ValueCode::dictionary);
    EXPECT_EQ(found(many(1000, [](int k) { return 0.1 * (k % 255); })).code, ValueCode::dictionary);
    EXPECT_EQ(found(many(1000, [](int k) { return 0.1 * (k % 256); })),
              (ValueEncoding{ValueType::f64}));
    const std::vector<double> halves = many(1000, [](int k) { return 0.5 * k; });
    EXPECT_EQ(found(halves), (ValueEncoding{ValueType::f16}));
    EXPECT_EQ(found(halves, {.half = false}), (ValueEncoding{ValueType::f32}));
    EXPECT_EQ(found<double>({1, 2.5}).storage, ValueType::bf16) << "beside a dictionary";
    const std::vector<double> few{1, 0.5};
    EXPECT_EQ(found(few, {.small_integers = true, .one_value = true}).storage, ValueType::bf16);
    EXPECT_EQ(found(few, {.narrow_storage = false, .one_value = true}),
              (ValueEncoding{ValueType::f64}));
    EXPECT_EQ(value_bytes(found<double>({0.1, 0.1})), 0);
    EXPECT_EQ(value_bytes(found<double>({0.1, 0.2})), 1);
    EXPECT_EQ(value_bytes(found(many(300, [](int k) { return 0.1 * k; }))), 8);
}

// One value far into the matrix decides: parts are looked at by many threads.
TEST(ValueEncoding, ASingleValueAnywhereCounts) {
    constexpr int count = 100'000;
    for (const int odd : {0, 1, 8191, 8192, 50'000, count - 1}) {
        std::vector<double> values(count, 3.0);
        const auto with = [&](double value) {
            values[static_cast<std::size_t>(odd)] = value;
            return found(values);
        };
        EXPECT_EQ(with(3.0).code, ValueCode::one_value) << odd;
        EXPECT_EQ(with(4.0).code, ValueCode::small_integers) << odd;
        EXPECT_EQ(with(0.1).code, ValueCode::dictionary) << odd;
        EXPECT_EQ(with(-0.0).code, ValueCode::dictionary) << odd;
        values = many(count, [](int k) { return k % 1000; });
        EXPECT_EQ(with(0.5).storage, ValueType::f16) << odd;
        EXPECT_EQ(with(1.0 + 0x1p-23).storage, ValueType::f32) << odd;
        EXPECT_EQ(with(1.0 + 0x1p-24).storage, ValueType::f64) << odd;
        EXPECT_EQ(with(nan).storage, ValueType::f64) << odd;
    }
}

TEST(ValueEncoding, ADictionaryKeepsEveryBit) {
    const double other_nan =
        std::bit_cast<double>(std::bit_cast<std::uint64_t>(nan) | std::uint64_t{5});
    const ValueEncoding e = found<double>({nan, other_nan, -0.0, 0.0, infinity, 0.1, nan, 0.1});
    ASSERT_EQ(e.code, ValueCode::dictionary);
    ASSERT_EQ(e.dictionary.size(), 6U);
    EXPECT_TRUE(std::ranges::is_sorted(e.dictionary));
    EXPECT_EQ(e.dictionary.front(), bits_of(0.0));
    EXPECT_EQ(e.dictionary.back(), bits_of(-0.0));
    EXPECT_EQ(bits_of(value_of<double>(bits_of(other_nan))), bits_of(other_nan));
}

/// A signature with a value code, of a kernel that has none: conversions see it as their own.
Signature coded(ValueCode code) {
    Signature s = signature("csr_rows");
    s.params["value_code"] = static_cast<int>(code);
    return s;
}

template <typename From, typename To = From>
StoredMatrix stored(const Row<From>& row, const Signature& s) {
    StoredMatrix m;
    const auto count = static_cast<std::int64_t>(row.values.size());
    const ValueArrays<From, To> values(row.view(), s, m, count + 1);
    for (std::int64_t k = 0; k < count; ++k)
        values.put(count - k, row.values[static_cast<std::size_t>(k)]);
    values.pad(0);
    m.bytes = values.bytes();
    return m;
}

template <typename T>
T element(const StoredMatrix& m, const char* name, int place) {
    return static_cast<const T*>(m.arrays.at(name))[place];
}

TEST(ValueEncoding, ValuesAreStoredPlain) {
    const StoredMatrix m = stored(Row<double>({1, 2, 3}), coded(ValueCode::plain));
    EXPECT_EQ(element<double>(m, "values", 0), 0);
    EXPECT_EQ(element<double>(m, "values", 1), 3);
    EXPECT_EQ(element<double>(m, "values", 3), 1);
    EXPECT_NE(m.arrays.at("coded_values"), nullptr);
    EXPECT_EQ(m.bytes, 4 * 8);
}

TEST(ValueEncoding, ValuesAreStoredAsSmallIntegers) {
    const StoredMatrix m = stored(Row<double>({-128, 127, 3}), coded(ValueCode::small_integers));
    EXPECT_EQ(element<unsigned char>(m, "coded_values", 0), 0);
    EXPECT_EQ(element<unsigned char>(m, "coded_values", 1), 3);
    EXPECT_EQ(element<unsigned char>(m, "coded_values", 2), 127);
    EXPECT_EQ(element<unsigned char>(m, "coded_values", 3), 128);
    EXPECT_EQ(m.bytes, 4);
}

TEST(ValueEncoding, OneValueIsStoredOnce) {
    const StoredMatrix m = stored(Row<double>({0.1, 0.1, 0.1}), coded(ValueCode::one_value));
    EXPECT_EQ(element<double>(m, "values", 0), 0.1);
    EXPECT_EQ(m.bytes, 8);
    Signature narrow = coded(ValueCode::one_value);
    narrow.storage = ValueType::f32;
    EXPECT_EQ(element<float>(stored<double, float>(Row<double>({0.1, 0.1}), narrow), "values", 0),
              0.1F)
        << "a storage type that the caller named rounds";
}

TEST(ValueEncoding, ADictionaryIsStoredWithItsNumbers) {
    const StoredMatrix m = stored(Row<double>({0.3, -0.0, 0.1, 0.3}), coded(ValueCode::dictionary));
    EXPECT_EQ(element<double>(m, "values", 0), 0.1);
    EXPECT_EQ(element<double>(m, "values", 1), 0.3);
    EXPECT_EQ(bits_of(element<double>(m, "values", 2)), bits_of(-0.0));
    EXPECT_EQ(bits_of(element<double>(m, "values", 3)), bits_of(0.0)) << "beyond its end";
    EXPECT_EQ(bits_of(element<double>(m, "values", 255)), bits_of(0.0));
    const std::vector<int> numbers{255, 1, 0, 2, 1};  // the first stands where no entry is
    for (int k = 0; k < 5; ++k)
        EXPECT_EQ(element<unsigned char>(m, "coded_values", k), numbers[k]) << k;
    EXPECT_EQ(m.bytes, 5 + 256 * 8);
}

TEST(ValueEncoding, AMatrixWithoutEntriesHasAnyCode) {
    for (const auto code : {ValueCode::plain, ValueCode::small_integers, ValueCode::one_value,
                            ValueCode::dictionary}) {
        const StoredMatrix m = stored(Row<double>({}), coded(code));
        EXPECT_NE(m.arrays.at("values"), nullptr);
        EXPECT_NE(m.arrays.at("coded_values"), nullptr);
        EXPECT_TRUE(holds_exactly(Row<double>({}).view(), coded(code)));
    }
}

TEST(ValueEncoding, ACodeThatAMatrixDoesNotHaveIsRefused) {
    const auto why = [](std::vector<double> values, ValueCode code) -> std::string {
        const Row<double> row(std::move(values));
        EXPECT_FALSE(holds_exactly(row.view(), coded(code)));
        try {
            required_encoding(row.view(), coded(code));
        } catch (const Error& e) {
            EXPECT_EQ(e.code(), ErrorCode::invalid_argument);
            return e.what();
        }
        return "accepted";
    };
    EXPECT_EQ(why({1, 2, 2.5}, ValueCode::small_integers),
              "value 2.5 in row 0, column 2 (counted from 0) is no integer of 8 bits: value_code=1 "
              "does not fit this matrix, use value_code=0");
    EXPECT_EQ(why({1, 1, 2}, ValueCode::one_value),
              "value 2 in row 0, column 2 (counted from 0) differs from the first, but all must be "
              "equal: value_code=2 does not fit this matrix, use value_code=0");
    EXPECT_EQ(why(many(300, [](int k) { return k; }), ValueCode::dictionary),
              "value 255 in row 0, column 255 (counted from 0) is the 256th different one, but at "
              "most 255 can be listed: value_code=3 does not fit this matrix, use value_code=0");
}

TEST(ValueEncoding, WhatASignatureHoldsExactlyIsKnown) {
    const auto holds = [](std::vector<double> values, const Signature& s) {
        return holds_exactly(Row<double>(std::move(values)).view(), s);
    };
    Signature s = signature("csr_rows");
    EXPECT_TRUE(holds({0.1, nan}, s));
    s.storage = ValueType::f32;
    EXPECT_TRUE(holds({0.5, infinity, -0.0}, s));
    EXPECT_FALSE(holds({0.1}, s));
    EXPECT_FALSE(holds({nan}, s));
    s.storage = ValueType::f16;
    EXPECT_TRUE(holds({0.5, 0.5}, s));
    EXPECT_FALSE(holds({0.5, 65536}, s));
    s.storage = ValueType::bf16;
    EXPECT_TRUE(holds({0.5, 65536}, s));
    EXPECT_TRUE(holds({0.1, 0.2}, coded(ValueCode::dictionary)));
    EXPECT_TRUE(holds({1, 1}, coded(ValueCode::small_integers))) << "equal ones too";
    EXPECT_TRUE(holds({1, 1}, coded(ValueCode::dictionary)));
}

}  // namespace
}  // namespace spmvgen
