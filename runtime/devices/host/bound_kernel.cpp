#include "devices/host/bound_kernel.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <limits>

#include "devices/host/argument_type.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

constexpr std::size_t most_arguments = 96;  // of all steps together
constexpr std::size_t most_sources = 12;    // operands and workspaces

std::size_t padded(std::int64_t bytes) {
    return (static_cast<std::size_t>(bytes) + 63) / 64 * 64;
}

/// Whether `element` is the type that the array of this name has for the signature.
bool fits(const std::string& name, const std::string& element, const Signature& s) {
    if (name == "values") return spells(element, s.value);
    const bool indices = name == "col_idx" || name == "row_idx" || name == "row_order";
    return integer_type(element) == (indices ? s.index : s.offset);
}

}  // namespace

BoundKernel::BoundKernel(std::shared_ptr<const LoadedKernel> kernel, const StoredMatrix& matrix)
    : kernel_(std::move(kernel)) {
    for (auto& step : kernel_->launch().steps)
        for (auto& argument : step.arguments) bind(argument, matrix);
    if (arguments_.size() > most_arguments ||
        workspace + kernel_->launch().workspace.size() > most_sources)
        throw Error(ErrorCode::internal,
                    fmt::format("kernel {} has {} arguments and {} workspaces: more than the host "
                                "device takes",
                                to_string(kernel_->signature()), arguments_.size(),
                                kernel_->launch().workspace.size()));
}

void BoundKernel::refuse(const Argument& argument, const std::string& why) const {
    throw Error(ErrorCode::internal,
                fmt::format("kernel {}: argument '{}' of type '{}' {}",
                            to_string(kernel_->signature()), argument.name, argument.type, why));
}

void BoundKernel::bind(const Argument& argument, const StoredMatrix& matrix) {
    if (const int source = apply_source(argument); source >= 0) {
        patches_.push_back({arguments_.size(), source});
        arguments_.push_back(nullptr);
    } else if (auto array = matrix.arrays.find(argument.name); array != matrix.arrays.end()) {
        bind_array(argument, array->second);
    } else if (auto scalar = matrix.scalars.find(argument.name); scalar != matrix.scalars.end()) {
        bind_scalar(argument, scalar->second);
    } else {
        refuse(argument,
               fmt::format("is not part of a matrix in format {}", to_string(matrix.format)));
    }
}

int BoundKernel::apply_source(const Argument& argument) const {
    const ArgumentType type = parse_argument_type(argument.type);
    const ValueType value = kernel_->signature().value;
    const std::array operands{std::pair{"alpha", alpha}, std::pair{"beta", beta}, std::pair{"x", x},
                              std::pair{"y", y}};
    for (auto& [name, source] : operands) {
        if (argument.name != name) continue;
        const bool pointer = source == x || source == y;
        if (type.pointer != pointer || !spells(type.element, value))
            refuse(argument, pointer ? fmt::format("is not {} elements", to_string(value))
                                     : fmt::format("is not a {} number", to_string(value)));
        return source;
    }
    const auto& spaces = kernel_->launch().workspace;
    const auto space = std::ranges::find(spaces, argument.name, &Workspace::name);
    if (space == spaces.end()) return -1;
    if (!type.pointer) refuse(argument, "is not workspace");
    return workspace + static_cast<int>(space - spaces.begin());
}

void BoundKernel::bind_array(const Argument& argument, const void* array) {
    const ArgumentType type = parse_argument_type(argument.type);
    if (!type.pointer || !type.constant) refuse(argument, "is not an array to read from");
    if (!fits(argument.name, type.element, kernel_->signature()))
        refuse(argument, "has other elements than the matrix");
    arguments_.push_back(&arrays_.emplace_back(array));
}

void BoundKernel::bind_scalar(const Argument& argument, std::int64_t value) {
    const ArgumentType type = parse_argument_type(argument.type);
    const auto integer = integer_type(type.element);
    if (type.pointer || !integer) refuse(argument, "is not an integer");
    if (*integer == IndexType::i64) {
        arguments_.push_back(&scalars64_.emplace_back(value));
        return;
    }
    if (value > std::numeric_limits<std::int32_t>::max())
        refuse(argument, fmt::format("is too narrow for {}", value));
    arguments_.push_back(&scalars32_.emplace_back(static_cast<std::int32_t>(value)));
}

std::size_t BoundKernel::workspace_bytes(int threads) const {
    std::size_t bytes = 0;
    for (auto& space : kernel_->launch().workspace)
        bytes += padded(space.bytes_per_thread * threads);
    return bytes;
}

void BoundKernel::run(const Operands& operands, int threads, std::byte* scratch) const noexcept {
    std::array<const void*, most_sources> sources{operands.alpha, operands.beta, &operands.x,
                                                  &operands.y};
    std::array<std::byte*, most_sources> spaces{};
    const LaunchDescription& launch = kernel_->launch();
    for (std::size_t i = 0; i < launch.workspace.size(); ++i) {
        spaces[i] = scratch;
        scratch += padded(launch.workspace[i].bytes_per_thread * threads);
        sources[workspace + i] = &spaces[i];
    }
    std::array<void*, most_arguments> arguments;
    std::ranges::copy(arguments_, arguments.begin());
    for (auto& patch : patches_)
        arguments[patch.argument] =
            const_cast<void*>(sources[static_cast<std::size_t>(patch.source)]);
#pragma omp parallel num_threads(threads)
    {
        const int thread = omp_get_thread_num(), team = omp_get_num_threads();
        void* const* next = arguments.data();
        for (std::size_t i = 0; i < launch.steps.size(); ++i) {
            if (i > 0) {
#pragma omp barrier
            }
            if (launch.steps[i].rule == StepRule::per_thread)
                kernel_->function(i)(next, thread, team);
            else if (thread == 0)
                kernel_->function(i)(next, 0, team);
            next += launch.steps[i].arguments.size();
        }
    }
}

}  // namespace spmvgen
