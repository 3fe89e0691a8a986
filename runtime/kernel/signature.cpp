#include "spmvgen/signature.hpp"

namespace spmvgen {
namespace {

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

std::string kernel_name(const Signature& s) {
    const std::string storage = s.storage ? std::string("_s") + to_string(*s.storage) : "";
    const std::string sums = s.accumulator ? std::string("_acc") + to_string(*s.accumulator) : "";
    std::string name = s.kernel + "_" + to_string(s.value) + storage + sums + "_i" + bits(s.index) +
                       "_o" + bits(s.offset) + "_a" + letter(s.alpha) + "_b" + letter(s.beta) +
                       "_k" + std::to_string(s.num_rhs) + part_of_form("_x", s.x_form) +
                       part_of_form("_y", s.y_form);
    for (auto& [param, value] : s.params) name += "_" + param + std::to_string(value);
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

}  // namespace spmvgen
