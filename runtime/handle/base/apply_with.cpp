#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "handle/base/apply_memory.hpp"
#include "handle/base/handle_impl.hpp"
#include "kernel/refuse.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

std::string names_of(const EpilogueProgram& program) {
    std::string text;
    for (auto& n : program.names) text += (text.empty() ? "" : ", ") + n.name;
    return text;
}

std::size_t bytes_of(const EpilogueName& name, std::int64_t rows, ValueType type) {
    return (is_vector(name.role) ? static_cast<std::size_t>(rows) : 1) * size_of(type);
}

}  // namespace

void HandleImpl::check_named(const EpilogueOperand& given, const EpilogueName& name,
                             const Operands& o) const {
    if (given.type != signature_.value)
        refuse(fmt::format("apply_with: operand '{}' is of {}, but the vectors are of {}",
                           name.name, to_string(given.type), to_string(signature_.value)));
    if (given.data == nullptr && (info_.rows > 0 || !is_vector(name.role)))
        refuse(fmt::format("apply_with: operand '{}' is null", name.name));
    if (!is_written(name.role)) return;
    if (!given.writable)
        refuse(fmt::format("apply_with: operand '{}' is written ({}), but points to const",
                           name.name, to_string(name.role)));
    const std::size_t bytes = bytes_of(name, info_.rows, signature_.value);
    const auto rows_of = [&](std::int64_t rows) {
        return static_cast<std::size_t>(rows) * size_of(signature_.value);
    };
    for (const auto& [vector, data, size] :
         {std::tuple("x", o.x, rows_of(info_.cols)),
          std::tuple("y", static_cast<const void*>(o.y), rows_of(info_.rows))})
        if (data != nullptr && overlap(given.data, bytes, data, size))
            refuse(
                fmt::format("apply_with: operand '{}' is written, and overlaps {}; use memory of "
                            "its own",
                            name.name, vector));
}

void HandleImpl::check_overlaps(std::span<void* const> operands) const {
    const auto bytes = [&](std::size_t i) {
        return bytes_of(epilogue_.names[i], info_.rows, signature_.value);
    };
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (!is_written(epilogue_.names[i].role)) continue;
        for (std::size_t j = 0; j < operands.size(); ++j)
            if (i != j && overlap(operands[i], bytes(i), operands[j], bytes(j)))
                refuse(
                    fmt::format("apply_with: operand '{}' is written, and overlaps operand '{}'; "
                                "use memory of its own",
                                epilogue_.names[i].name, epilogue_.names[j].name));
    }
}

void HandleImpl::apply_with(ValueType type, const Operands& operands,
                            std::span<const EpilogueOperand> named, Stream stream) {
    if (epilogue_.names.empty())
        refuse("apply_with: options.epilogue names no operands: use apply");
    std::array<void*, most_operands> data{};
    std::array<bool, most_operands> is_given{};
    for (auto& given : named) {
        const int number = epilogue_.find(given.name);
        if (number < 0)
            refuse(fmt::format("apply_with: the epilogue has no operand '{}': it has {}",
                               given.name, names_of(epilogue_)));
        const auto at = static_cast<std::size_t>(number);
        if (is_given[at])
            refuse(fmt::format("apply_with: operand '{}' is given twice", given.name));
        is_given[at] = true;
        check_named(given, epilogue_.names[at], operands);
        data[at] = const_cast<void*>(given.data);
    }
    for (std::size_t i = 0; i < epilogue_.names.size(); ++i)
        if (!is_given[i])
            refuse(fmt::format("apply_with: operand '{}' is missing", epilogue_.names[i].name));
    const std::span<void* const> in_order(data.data(), epilogue_.names.size());
    check_overlaps(in_order);
    if (info_.rows == 0)
        for (std::size_t i = 0; i < epilogue_.names.size(); ++i)
            if (is_reduction(epilogue_.names[i].role)) set_zero(data[i], size_of(type));
    Operands all = operands;
    all.epilogue = in_order;
    apply(type, all, stream);
}

}  // namespace spmvgen
