#include "spmvgen/types.hpp"

#include <gtest/gtest.h>

#include "refusal.hpp"

namespace spmvgen {
namespace {

TEST(Types, ParseIsTheInverseOfPrint) {
    for (auto t : {ValueType::f32, ValueType::f64, ValueType::c32, ValueType::c64})
        EXPECT_EQ(parse_value_type(to_string(t)), t);
    for (auto t : {IndexType::i32, IndexType::i64}) EXPECT_EQ(parse_index_type(to_string(t)), t);
    for (auto s : {Scale::zero, Scale::one, Scale::general, Scale::device})
        EXPECT_EQ(parse_scale(to_string(s)), s);
    for (auto op : {Op::none, Op::transpose, Op::conj_transpose})
        EXPECT_EQ(parse_op(to_string(op)), op);
}

TEST(Types, Names) {
    EXPECT_STREQ(to_string(ValueType::f32), "f32");
    EXPECT_STREQ(to_string(ValueType::f64), "f64");
    EXPECT_STREQ(to_string(ValueType::c32), "c32");
    EXPECT_STREQ(to_string(ValueType::c64), "c64");
    EXPECT_STREQ(to_string(IndexType::i32), "i32");
    EXPECT_STREQ(to_string(IndexType::i64), "i64");
    EXPECT_STREQ(to_string(Scale::zero), "zero");
    EXPECT_STREQ(to_string(Scale::one), "one");
    EXPECT_STREQ(to_string(Scale::general), "general");
    EXPECT_STREQ(to_string(Scale::device), "device");
    EXPECT_STREQ(to_string(Format::csr), "csr");
    EXPECT_STREQ(to_string(Format::coo), "coo");
    EXPECT_STREQ(to_string(Format::ell), "ell");
    EXPECT_STREQ(to_string(Format::sell), "sell");
    EXPECT_STREQ(to_string(Format::hyb), "hyb");
    EXPECT_STREQ(to_string(Format::csr_k), "csr-k");
    EXPECT_STREQ(to_string(Format::bcsr), "bcsr");
    EXPECT_STREQ(to_string(Op::none), "N");
    EXPECT_STREQ(to_string(Op::transpose), "T");
    EXPECT_STREQ(to_string(Op::conj_transpose), "H");
}

TEST(Types, ErrorCodes) {
    EXPECT_STREQ(to_string(ErrorCode::invalid_argument), "invalid_argument");
    EXPECT_STREQ(to_string(ErrorCode::invalid_input), "invalid_input");
    EXPECT_STREQ(to_string(ErrorCode::unsupported), "unsupported");
    EXPECT_STREQ(to_string(ErrorCode::io), "io");
    EXPECT_STREQ(to_string(ErrorCode::compile), "compile");
    EXPECT_STREQ(to_string(ErrorCode::internal), "internal");
}

TEST(Types, WrongNamesAreRefused) {
    EXPECT_EQ(
        refusal([] { parse_value_type("double"); }),
        "invalid_argument: unknown value type 'double': use one of f32, f64, c32, c64, f16, bf16");
    EXPECT_EQ(refusal([] { parse_index_type(""); }),
              "invalid_argument: unknown index type '': use one of i32, i64");
    EXPECT_EQ(refusal([] { parse_scale("One"); }),
              "invalid_argument: unknown scale mode 'One': use one of zero, one, general, device");
    EXPECT_EQ(refusal([] { parse_format("csr "); }),
              "invalid_argument: unknown format 'csr ': use one of " + format_names());
}

TEST(Types, SizesAreThoseOfTheCppTypes) {
    for (auto t : {ValueType::f32, ValueType::f64, ValueType::c32, ValueType::c64})
        dispatch(t, [t](auto value) {
            EXPECT_EQ(size_of(t), sizeof value);
            EXPECT_EQ(type_tag<decltype(value)>::value, t);
        });
    for (auto t : {IndexType::i32, IndexType::i64})
        dispatch(t, [t](auto value) {
            EXPECT_EQ(size_of(t), sizeof value);
            EXPECT_EQ(type_tag<decltype(value)>::value, t);
        });
    EXPECT_TRUE(is_complex(ValueType::c32) && is_complex(ValueType::c64));
    EXPECT_FALSE(is_complex(ValueType::f32) || is_complex(ValueType::f64));
}

}  // namespace
}  // namespace spmvgen
