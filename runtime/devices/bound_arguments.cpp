#include "devices/bound_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
/// Puts one argument after another to what it gets.
struct BoundArguments::Binder {
    BoundArguments& bound;
    const Signature& signature;
    const LaunchDescription& launch;
    const StoredMatrix& matrix;
    const EpilogueProgram epilogue = parse_epilogue(signature.epilogue);

    void bind(const Argument& argument) {
        int source = leading_dimension(argument);
        if (source < 0) source = apply_source(argument);
        if (source >= 0) {
            bound.patches_.push_back({bound.arguments_.size(), source});
            bound.arguments_.push_back(nullptr);
        } else if (auto array = matrix.arrays.find(argument.name); array != matrix.arrays.end()) {
            bind_array(argument, array->second);
        } else if (auto scalar = matrix.scalars.find(argument.name);
                   scalar != matrix.scalars.end()) {
            bind_scalar(argument, scalar->second);
        } else {
            refuse(argument,
                   fmt::format("is not part of a matrix in format {}", to_string(matrix.format)));
        }
    }

  private:
    [[noreturn]] void refuse(const Argument& argument, const std::string& why) const {
        throw Error(ErrorCode::internal,
                    fmt::format("kernel {}: argument '{}' of type '{}' {}", to_string(signature),
                                argument.name, argument.type, why));
    }

    int leading_dimension(const Argument& argument) const {
        if (argument.name != "ld_x" && argument.name != "ld_y") return -1;
        const ArgumentType type = parse_argument_type(argument.type);
        if (type.pointer || integer_type(type.element) != IndexType::i64)
            refuse(argument, "is not an integer of 64 bits");
        return argument.name == "ld_x" ? ld_x : ld_y;
    }

    int apply_source(const Argument& argument) const {
        const ArgumentType type = parse_argument_type(argument.type);
        const ValueType value = signature.value;
        const std::array operands{
            std::pair{"alpha", alpha},     std::pair{"beta", beta}, std::pair{"alpha_at", alpha_at},
            std::pair{"beta_at", beta_at}, std::pair{"x", x},       std::pair{"y", y}};
        for (auto& [name, source] : operands) {
            if (argument.name != name) continue;
            const bool pointer = source >= alpha_at;
            if (type.pointer != pointer || !spells(type.element, value))
                refuse(argument, pointer ? fmt::format("is not {} elements", to_string(value))
                                         : fmt::format("is not a {} number", to_string(value)));
            return source;
        }
        for (std::size_t i = 0; i < epilogue.names.size(); ++i) {
            if (argument.name != operand_argument(epilogue.names[i].name)) continue;
            if (!type.pointer || !spells(type.element, value))
                refuse(argument, fmt::format("is not {} elements", to_string(value)));
            return named + static_cast<int>(i);
        }
        const auto space = std::ranges::find(launch.workspace, argument.name, &Workspace::name);
        if (space == launch.workspace.end()) return -1;
        if (!type.pointer) refuse(argument, "is not workspace");
        return workspace + static_cast<int>(space - launch.workspace.begin());
    }

    void bind_array(const Argument& argument, const void* array) {
        const ArgumentType type = parse_argument_type(argument.type);
        if (!type.pointer || !type.constant) refuse(argument, "is not an array to read from");
        const ArgumentTemplate& known = argument_of(kernel_entry(signature.kernel), argument.name);
        if (!spells(type.element, known.element, signature))
            refuse(argument, "has other elements than the matrix");
        bound.arguments_.push_back(&bound.arrays_.emplace_back(array, argument.name).data);
    }

    void bind_scalar(const Argument& argument, std::int64_t value) {
        const ArgumentType type = parse_argument_type(argument.type);
        const auto integer = integer_type(type.element);
        if (type.pointer || !integer) refuse(argument, "is not an integer");
        if (*integer == IndexType::i64) {
            bound.arguments_.push_back(&bound.scalars64_.emplace_back(value));
            return;
        }
        if (value > std::numeric_limits<std::int32_t>::max())
            refuse(argument, fmt::format("is too narrow for {}", value));
        bound.arguments_.push_back(
            &bound.scalars32_.emplace_back(static_cast<std::int32_t>(value)));
    }
};

BoundArguments::BoundArguments(const Signature& signature, const LaunchDescription& launch,
                               const StoredMatrix& matrix) {
    Binder binder{*this, signature, launch, matrix};
    for (auto& step : launch.steps) {
        first_.push_back(arguments_.size());
        for (auto& argument : step.arguments) binder.bind(argument);
    }
    if (arguments_.size() > most_arguments || launch.workspace.size() > most_workspaces)
        throw Error(ErrorCode::internal,
                    fmt::format("kernel {} has {} arguments and {} workspaces: more than the "
                                "runtime takes",
                                to_string(signature), arguments_.size(), launch.workspace.size()));
}

void BoundArguments::replace_array(std::string_view name, const void* array) {
    for (Array& bound : arrays_)
        if (bound.name == name) bound.data = array;
}

void BoundArguments::fill(const Operands& operands, const Workspaces& workspaces,
                          Filled& filled) const noexcept {
    std::ranges::copy(arguments_, filled.begin());
    const std::array<const void*, named> sources{operands.alpha, operands.beta,   &operands.ld_x,
                                                 &operands.ld_y, &operands.alpha, &operands.beta,
                                                 &operands.x,    &operands.y};
    for (auto& patch : patches_) {
        const void* source =
            patch.source >= workspace
                ? static_cast<const void*>(
                      &workspaces[static_cast<std::size_t>(patch.source - workspace)])
            : patch.source >= named
                ? &operands.epilogue[static_cast<std::size_t>(patch.source - named)]
                : sources[static_cast<std::size_t>(patch.source)];
        filled[patch.argument] = const_cast<void*>(source);
    }
}

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
