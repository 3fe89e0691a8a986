#include <algorithm>

#include "emission/epilogue/operands.hpp"
#include "emission/epilogue/reductions.hpp"
#include "emission/kernel_file.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

std::int64_t workspace_bytes(const WorkspaceTemplate& w, const Signature& s) {
    const auto element =
        w.element == "value" ? static_cast<std::int64_t>(size_of(accumulator_type(s))) : 8;
    return element * w.elements * (w.per_rhs ? s.num_rhs : 1);
}

/// Of a GPU kernel, the kernel's name, and behind it what tells the step from the others; of a CPU
/// kernel, the name of the function that takes the arguments apart.
std::string symbol(const KernelFile& f, std::size_t index) {
    const std::string name = kernel_symbol(f.signature);
    if (!f.entry.gpu) return name + "_step" + std::to_string(index);
    const std::string function(f.steps[index].function);
    const std::string id(f.entry.id);
    if (function == id) return name;
    return name + "_" +
           (function.starts_with(id + "_") ? function.substr(id.size() + 1) : function);
}

/// For what the step before leaves to be joined.
void make_joining(Step& step, std::size_t index) {
    step.symbol += "_join";
    step.block = joining_threads;
    step.shared_bytes = 0;
    step.joins = {static_cast<int>(index) - 1, most_joining_blocks, joining_blocks};
}

Step step_of(const KernelFile& f, std::size_t index) {
    const StepTemplate& from = f.steps[index];
    const auto& function = f.specialized.functions[index];
    Step step{.symbol = symbol(f, index), .rule = from.rule, .arguments = {}};
    for (auto& p : function.parameters) {
        if (from.rule == StepRule::once && p.name == "thread")
            throw Error(ErrorCode::internal, "templates/" + std::string(f.entry.file) + ": step " +
                                                 function.name +
                                                 " runs once and has no thread number");
        if (!is_share(p.name)) step.arguments.push_back({p.name, p.type});
    }
    if (!f.entry.gpu) return step;
    if (from.grid == nullptr || from.block == nullptr)
        throw Error(ErrorCode::internal, "kernel " + std::string(f.entry.id) + ": step " +
                                             function.name + " has no grid or block");
    step.grid = from.grid(f.signature);
    const int together = rhs_group(f.signature) * rhs_lanes(f.signature);
    step.grid.groups = (f.signature.num_rhs + together - 1) / together;
    step.block = from.block(f.signature);
    if (from.dynamic_bytes != nullptr && architecture(f.signature.target).kind == TargetKind::cuda)
        step.shared_bytes = from.dynamic_bytes(f.signature);
    step.overlaps = overlaps_launches(from, f.signature);
    if (from.joins) make_joining(step, index);
    return step;
}

bool used(const LaunchDescription& launch, std::string_view name) {
    return std::ranges::any_of(launch.steps, [&](const Step& step) {
        return std::ranges::any_of(step.arguments,
                                   [&](const Argument& a) { return a.name == name; });
    });
}

Workspace workspace_of(const KernelFile& f, const WorkspaceTemplate& w) {
    const std::int64_t bytes = workspace_bytes(w, f.signature);
    if (!f.entry.gpu) return {.name = std::string(w.name), .bytes_per_thread = bytes};
    if (w.per_launch != nullptr)
        return {.name = std::string(w.name),
                .bytes = bytes * w.per_launch(f.signature),
                .zeroed = w.zeroed};
    const auto step = std::ranges::find(f.steps, w.of_step, &StepTemplate::function);
    if (step == f.steps.end())
        throw Error(ErrorCode::internal, "kernel " + std::string(f.entry.id) + ": workspace " +
                                             std::string(w.name) + " counts blocks of no step");
    return {.name = std::string(w.name),
            .bytes_per_thread = 0,
            .bytes_per_block = bytes * (w.per_block != nullptr ? w.per_block(f.signature) : 1),
            .of_step = static_cast<int>(step - f.steps.begin()),
            .bytes = 0,
            .zeroed = w.zeroed};
}

}  // namespace

bool is_share(const std::string& name) {
    return name == "thread" || name == "threads";
}

LaunchDescription launch_description(const KernelFile& f) {
    LaunchDescription launch;
    for (std::size_t i = 0; i < f.steps.size(); ++i) launch.steps.push_back(step_of(f, i));
    for (auto& w : f.entry.workspace)
        if (used(launch, w.name)) launch.workspace.push_back(workspace_of(f, w));
    add_reduction_workspaces(launch, f.signature, f.entry.gpu);
    return launch;
}

}  // namespace spmvgen
