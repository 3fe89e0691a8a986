#include "devices/gpu/kernel_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "devices/bound_arguments.hpp"
#include "devices/gpu/grid.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// The values of a step's arguments, in their order, as a launch wants them.
class Packed {
  public:
    void add_array(const void* array) { point_to(arrays_.emplace_back(array)); }
    void add_scalar(std::int64_t value, IndexType type) {
        if (type == IndexType::i64)
            point_to(longs_.emplace_back(value));
        else
            point_to(ints_.emplace_back(static_cast<std::int32_t>(value)));
    }
    void* const* data() const { return arguments_.data(); }

  private:
    template <typename Value>
    void point_to(Value& value) {
        arguments_.push_back(&value);
    }

    std::vector<void*> arguments_;
    std::deque<const void*> arrays_;  // elements never move
    std::deque<std::int64_t> longs_;
    std::deque<std::int32_t> ints_;
};

void add(const Argument& argument, const StepValues& values, const std::string& kernel,
         Packed& packed) {
    const ArgumentType type = parse_argument_type(argument.type);
    const auto array = values.arrays.find(argument.name);
    if (type.pointer && array != values.arrays.end()) return packed.add_array(array->second);
    const auto scalar = values.scalars.find(argument.name);
    const auto integer = integer_type(type.element);
    if (!type.pointer && integer && scalar != values.scalars.end() &&
        (*integer == IndexType::i64 || scalar->second == static_cast<std::int32_t>(scalar->second)))
        return packed.add_scalar(scalar->second, *integer);
    throw Error(ErrorCode::internal,
                fmt::format("kernel {}: argument '{}' of type '{}' has no value", kernel,
                            argument.name, argument.type));
}

}  // namespace

void launch_step(Device& device, const DeviceKernel& kernel, std::string_view function,
                 const StepValues& values) {
    const auto& steps = kernel.launch().steps;
    const std::string name = kernel_name(kernel.signature());
    const auto step = std::ranges::find_if(
        steps, [&](const Step& s) { return s.symbol.ends_with(fmt::format("_{}", function)); });
    if (step == steps.end())
        throw Error(ErrorCode::internal, fmt::format("kernel {} has no step {}", name, function));
    Packed packed;
    for (auto& argument : step->arguments) add(argument, values, name, packed);
    const DeviceFacts& facts = device.facts();
    const GridLaunch grid =
        grid_of(*step, values.scalars, facts.units, architecture(facts.target).kind);
    device.launch(kernel, static_cast<std::size_t>(step - steps.begin()), grid, packed.data(), {});
}

}  // namespace spmvgen
