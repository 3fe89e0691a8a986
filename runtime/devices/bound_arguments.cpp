#include "devices/bound_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "devices/argument_type.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// Endings of the names of arrays that hold row or column numbers.
constexpr std::array<std::string_view, 8> index_arrays{"_idx",  "_order", "_row", "_col",
                                                       "_rows", "_cols",  "_run", "sr_ptr"};

/// Arrays whose elements are the same for every signature.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> fixed_arrays{
    {{"coded_values", "unsigned char"},
     {"row_marks", "unsigned char"},
     {"deltas", "unsigned char"},
     {"slice_info", "int"},
     {"lengths", "unsigned short"},
     {"places", "unsigned short"}}};

/// Whether `element` is the type that the array of this name has for the signature.
bool fits(const std::string& name, const std::string& element, const Signature& s) {
    for (auto& [array, type] : fixed_arrays)
        if (name == array) return element == type;
    if (name.ends_with("values")) return spells(element, storage_type(s));
    if (name.ends_with("_masks")) return integer_type(element) == IndexType::i64;
    const bool indices =
        name == "bases" || std::ranges::any_of(index_arrays, [&](std::string_view ending) {
            return name.ends_with(ending);
        });
    return integer_type(element) == (indices ? s.index : s.offset);
}

}  // namespace

/// Puts one argument after another to what it gets.
struct BoundArguments::Binder {
    BoundArguments& bound;
    const Signature& signature;
    const LaunchDescription& launch;
    const StoredMatrix& matrix;

    void bind(const Argument& argument) {
        if (const int source = apply_source(argument); source >= 0) {
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

    int apply_source(const Argument& argument) const {
        const ArgumentType type = parse_argument_type(argument.type);
        const ValueType value = signature.value;
        const std::array operands{std::pair{"alpha", alpha}, std::pair{"beta", beta},
                                  std::pair{"x", x}, std::pair{"y", y}};
        for (auto& [name, source] : operands) {
            if (argument.name != name) continue;
            const bool pointer = source == x || source == y;
            if (type.pointer != pointer || !spells(type.element, value))
                refuse(argument, pointer ? fmt::format("is not {} elements", to_string(value))
                                         : fmt::format("is not a {} number", to_string(value)));
            return source;
        }
        const auto space = std::ranges::find(launch.workspace, argument.name, &Workspace::name);
        if (space == launch.workspace.end()) return -1;
        if (!type.pointer) refuse(argument, "is not workspace");
        return workspace + static_cast<int>(space - launch.workspace.begin());
    }

    void bind_array(const Argument& argument, const void* array) {
        const ArgumentType type = parse_argument_type(argument.type);
        if (!type.pointer || !type.constant) refuse(argument, "is not an array to read from");
        if (!fits(argument.name, type.element, signature))
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
    const std::array<const void*, workspace> sources{operands.alpha, operands.beta, &operands.x,
                                                     &operands.y};
    for (auto& patch : patches_) {
        const void* source = patch.source < workspace
                                 ? sources[static_cast<std::size_t>(patch.source)]
                                 : &workspaces[static_cast<std::size_t>(patch.source - workspace)];
        filled[patch.argument] = const_cast<void*>(source);
    }
}

}  // namespace spmvgen
