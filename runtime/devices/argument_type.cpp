#include "devices/argument_type.hpp"

#include <algorithm>
#include <array>

namespace spmvgen {

ArgumentType parse_argument_type(std::string_view text) {
    constexpr std::string_view space = " \t\n", ends = " \t\n*";
    ArgumentType type;
    for (std::size_t at = text.find_first_not_of(space); at < text.size();
         at = text.find_first_not_of(space, at)) {
        const std::size_t end = text[at] == '*' ? at + 1 : text.find_first_of(ends, at);
        const std::string_view word = text.substr(at, end - at);
        at = std::min(end, text.size());
        if (word == "*") {
            type.pointer = true;
        } else if (word == "const") {
            type.constant = true;
        } else if (!word.starts_with("__restrict")) {
            if (!type.element.empty()) type.element += ' ';
            type.element += word;
        }
    }
    return type;
}

std::optional<IndexType> integer_type(std::string_view element) {
    constexpr std::array narrow{"int", "std::int32_t", "int32_t"};
    constexpr std::array wide{"long", "long long", "long int", "std::int64_t", "int64_t"};
    if (std::ranges::find(narrow, element) != narrow.end()) return IndexType::i32;
    if (std::ranges::find(wide, element) != wide.end()) return IndexType::i64;
    return std::nullopt;
}

bool spells(std::string_view element, ValueType type) {
    switch (type) {
        case ValueType::f32:
            return element == "float";
        case ValueType::f64:
            return element == "double";
        case ValueType::c32:
            return element == "complex_f32";
        case ValueType::c64:
            return element == "complex_f64";
        case ValueType::f16:
            return element == "f16";
        case ValueType::bf16:
            return element == "bf16";
    }
    return false;
}

bool spells(std::string_view element, Element kind, const Signature& s) {
    switch (kind) {
        case Element::count:
        case Element::number:
            return false;
        case Element::vector:
            return spells(element, s.value);
        case Element::storage:
            return spells(element, storage_type(s));
        case Element::index:
            return integer_type(element) == s.index;
        case Element::offset:
            return integer_type(element) == s.offset;
        case Element::u8:
            return element == "unsigned char";
        case Element::u16:
            return element == "unsigned short";
        case Element::u32:
            return element == "unsigned" || element == "unsigned int";
        case Element::i32:
            return integer_type(element) == IndexType::i32;
        case Element::i64:
            return integer_type(element) == IndexType::i64;
        case Element::u64:
            return element == "unsigned long long";
    }
    return false;
}

}  // namespace spmvgen
