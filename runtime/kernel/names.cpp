#include "spmvgen/types.hpp"

#include <array>
#include <utility>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

template <typename Enum, std::size_t n>
using Names = std::array<std::pair<Enum, const char*>, n>;

constexpr Names<ErrorCode, 6> error_codes{{{ErrorCode::invalid_argument, "invalid_argument"},
                                           {ErrorCode::invalid_input, "invalid_input"},
                                           {ErrorCode::unsupported, "unsupported"},
                                           {ErrorCode::io, "io"},
                                           {ErrorCode::compile, "compile"},
                                           {ErrorCode::internal, "internal"}}};
constexpr Names<ValueType, 6> value_types{{{ValueType::f32, "f32"},
                                           {ValueType::f64, "f64"},
                                           {ValueType::c32, "c32"},
                                           {ValueType::c64, "c64"},
                                           {ValueType::f16, "f16"},
                                           {ValueType::bf16, "bf16"}}};
constexpr Names<IndexType, 2> index_types{{{IndexType::i32, "i32"}, {IndexType::i64, "i64"}}};
constexpr Names<Scale, 4> scales{{{Scale::zero, "zero"},
                                  {Scale::one, "one"},
                                  {Scale::general, "general"},
                                  {Scale::device, "device"}}};
constexpr Names<VectorForm, 3> vector_forms{
    {{VectorForm::dense, "dense"}, {VectorForm::rows, "rows"}, {VectorForm::columns, "columns"}}};
constexpr Names<Op, 4> ops{
    {{Op::none, "N"}, {Op::transpose, "T"}, {Op::conj_transpose, "H"}, {Op::conjugate, "C"}}};

template <typename Enum, std::size_t n>
const char* name_of(const Names<Enum, n>& names, Enum e) {
    for (auto& [value, name] : names)
        if (value == e) return name;
    return "?";
}

template <typename Enum, std::size_t n>
std::string all_of(const Names<Enum, n>& names) {
    std::string all;
    for (auto& [value, name] : names) all += (all.empty() ? "" : ", ") + std::string(name);
    return all;
}

template <typename Enum, std::size_t n>
Enum parse(const Names<Enum, n>& names, std::string_view text, const std::string& what) {
    for (auto& [value, name] : names)
        if (text == name) return value;
    throw Error(ErrorCode::invalid_argument,
                "unknown " + what + " '" + std::string(text) + "': use one of " + all_of(names));
}

}  // namespace

const char* to_string(ErrorCode c) {
    return name_of(error_codes, c);
}
const char* to_string(ValueType t) {
    return name_of(value_types, t);
}
const char* to_string(IndexType t) {
    return name_of(index_types, t);
}
const char* to_string(Scale s) {
    return name_of(scales, s);
}
const char* to_string(VectorForm f) {
    return name_of(vector_forms, f);
}
const char* to_string(Format f) {
    return f.name();
}
const char* to_string(Op op) {
    return name_of(ops, op);
}

ValueType parse_value_type(std::string_view t) {
    return parse(value_types, t, "value type");
}
IndexType parse_index_type(std::string_view t) {
    return parse(index_types, t, "index type");
}
Scale parse_scale(std::string_view t) {
    return parse(scales, t, "scale mode");
}
VectorForm parse_vector_form(std::string_view t) {
    return parse(vector_forms, t, "form of vectors");
}
Op parse_op(std::string_view t) {
    return parse(ops, t, "op");
}

}  // namespace spmvgen
