// Enumerations and kernels as text, and back.
#include <array>
#include <cstdint>
#include <utility>

#include "spmvgen/error.hpp"
#include "spmvgen/kernel.hpp"
#include "spmvgen/signature.hpp"
#include "spmvgen/types.hpp"

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

constexpr Names<BinaryKind, 8> binary_kinds{{{BinaryKind::shared_object, "shared_object"},
                                             {BinaryKind::object, "object"},
                                             {BinaryKind::assembly, "assembly"},
                                             {BinaryKind::llvm_ir, "llvm_ir"},
                                             {BinaryKind::ptx, "ptx"},
                                             {BinaryKind::cubin, "cubin"},
                                             {BinaryKind::hsaco, "hsaco"},
                                             {BinaryKind::simt, "simt"}}};
constexpr Names<Compiler, 4> compilers{{{Compiler::automatic, "automatic"},
                                        {Compiler::nvrtc, "NVRTC"},
                                        {Compiler::hiprtc, "hiprtc"},
                                        {Compiler::clang, "Clang"}}};
constexpr Names<StepRule, 3> step_rules{
    {{StepRule::per_thread, "per_thread"}, {StepRule::once, "once"}, {StepRule::grid, "grid"}}};

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

const char* letter(Scale s) {
    switch (s) {
        case Scale::zero:
            return "0";
        case Scale::one:
            return "1";
        case Scale::general:
            return "x";
        case Scale::device:
            return "d";
    }
    return "?";
}
const char* bits(IndexType t) {
    return t == IndexType::i32 ? "32" : "64";
}

std::string part_of_form(const char* prefix, VectorForm form) {
    return form == VectorForm::dense ? "" : std::string(prefix) + to_string(form);
}

/// FNV-1a of 64 bits, in hex.
std::string hash_text(const std::string& text) {
    std::uint64_t hash = 14695981039346656037u;
    for (const unsigned char c : text) hash = (hash ^ c) * 1099511628211u;
    constexpr auto digits = "0123456789abcdef";
    std::string hex;
    for (int shift = 60; shift >= 0; shift -= 4) hex += digits[hash >> shift & 15];
    return hex;
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
const char* to_string(BinaryKind kind) {
    return name_of(binary_kinds, kind);
}
const char* to_string(Compiler compiler) {
    return name_of(compilers, compiler);
}
const char* to_string(StepRule rule) {
    return name_of(step_rules, rule);
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

std::string kernel_name(const Signature& s) {
    const std::string storage = s.storage ? std::string("_s") + to_string(*s.storage) : "";
    const std::string sums = s.accumulator ? std::string("_acc") + to_string(*s.accumulator) : "";
    std::string name = s.kernel + "_" + to_string(s.value) + storage + sums + "_i" + bits(s.index) +
                       "_o" + bits(s.offset) + "_a" + letter(s.alpha) + "_b" + letter(s.beta) +
                       "_k" + std::to_string(s.num_rhs) + part_of_form("_x", s.x_form) +
                       part_of_form("_y", s.y_form);
    for (auto& [param, value] : s.params) name += "_" + param.str() + std::to_string(value);
    if (!s.epilogue.empty()) name += "_e" + hash_text(s.epilogue);
    return name;
}

std::string kernel_symbol(const Signature& s) {
    std::string name = kernel_name(s);
    constexpr std::size_t readable = 40, digits = 8;
    if (name.size() <= readable) return name;
    const auto part = [](const char* prefix, const auto& type) {
        return type ? prefix + std::string(to_string(*type)) : std::string();
    };
    return s.kernel + "_" + to_string(s.value) + part("_s", s.storage) +
           part("_acc", s.accumulator) + "_i" + bits(s.index) + "_a" + letter(s.alpha) + "_b" +
           letter(s.beta) + (s.num_rhs > 1 ? "_k" + std::to_string(s.num_rhs) : "") + "_" +
           hash_text(name).substr(0, digits);
}

std::string to_string(const Signature& s) {
    return kernel_name(s) + "@" + to_string(s.target);
}

std::string to_string(const KernelFacts& facts) {
    const auto number = [](int value) { return std::to_string(value); };
    return "registers " + number(facts.registers) + ", scalar registers " +
           number(facts.scalar_registers) + ", spilled " +
           (facts.spilled_bytes ? number(*facts.spilled_bytes) + " B" : "unknown") + ", shared " +
           number(facts.shared_bytes) + " B, stack " + number(facts.stack_bytes) +
           " B, wavefront " + number(facts.wavefront);
}

}  // namespace spmvgen
