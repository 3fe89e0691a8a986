#include "emission/epilogue/operands.hpp"

#include <algorithm>

#include "emission/epilogue/reductions.hpp"

namespace spmvgen {
namespace {

std::int64_t count_reductions(const Signature& s) {
    return static_cast<std::int64_t>(reductions_of(s).size());
}

const Argument* parts_of(const Step& step) {
    const auto found =
        std::ranges::find_if(step.arguments, [](const Argument& a) { return is_parts(a.name); });
    return found == step.arguments.end() ? nullptr : &*found;
}

}  // namespace

std::vector<Reduction> reductions_of(const Signature& signature) {
    std::vector<Reduction> found;
    for (auto& [name, role] : parse_epilogue(signature.epilogue).names)
        if (is_reduction(role)) found.push_back({name, role == OperandRole::maximum});
    return found;
}

std::string part_declarations(const std::vector<Reduction>& reductions) {
    std::string text;
    for (auto& r : reductions)
        text += "double " + r.part() + " = " + std::string(r.neutral()) + ";\n";
    return text;
}

void add_operands(specializer::TemplateUse& use, const Signature& signature, bool gpu) {
    use.variables = epilogue_variables(signature);
    if (use.variables.empty()) return;
    use.rewrite = [signature, gpu, steps = use.functions](std::string& text) {
        return gpu ? join_on_gpu(text, steps, signature) : join_on_cpu(text, steps, signature);
    };
    if (!gpu) return;
    use.callees_file = "dialect/operands/gpu_epilogue.hpp";
    use.callees = {"prefetch_share"};
    for (auto& r : reductions_of(signature))
        for (const char* call : {"finish_", "join_"}) {
            const std::string callee = call + std::string(r.maximum ? "maximum" : "sum");
            if (std::ranges::count(use.callees, callee) == 0) use.callees.push_back(callee);
        }
}

void place_added_steps(std::vector<StepTemplate>& steps, specializer::Specialized& specialized,
                       bool gpu) {
    auto& functions = specialized.functions;
    if (!gpu && functions.size() > steps.size()) {
        steps.push_back({"join_reductions", StepRule::once});
        return;
    }
    for (std::size_t last = steps.size(); last < functions.size(); ++last) {
        const auto added = functions[last];
        const auto joined = std::ranges::find_if(
            functions, [&](auto& f) { return added.name == f.name + "_join"; });
        const auto at = joined - functions.begin();
        functions.erase(functions.begin() + static_cast<std::ptrdiff_t>(last));
        functions.insert(functions.begin() + at + 1, added);
        StepTemplate step = steps[static_cast<std::size_t>(at)];
        step.joins = true;
        step.dynamic_array = {};
        step.dynamic_bytes = nullptr;
        step.resident_blocks = nullptr;
        steps.insert(steps.begin() + at + 1, step);
    }
}

void add_reduction_workspaces(LaunchDescription& launch, const Signature& signature, bool gpu) {
    const std::int64_t count = count_reductions(signature);
    if (count == 0) return;
    for (std::size_t i = 0; i < launch.steps.size(); ++i) {
        const Argument* const parts = parts_of(launch.steps[i]);
        if (parts == nullptr ||
            std::ranges::count(launch.workspace, parts->name, &Workspace::name) > 0)
            continue;
        if (!gpu) {
            launch.workspace.push_back({.name = parts->name, .bytes_per_thread = 8 * count});
            continue;
        }
        // The first block has one number more, how many warps there are.
        const std::int64_t warps = launch.steps[i].block / signature.target.wavefront;
        launch.workspace.push_back({.name = parts->name,
                                    .bytes_per_thread = 0,
                                    .bytes_per_block = 8 * (count * warps + 1),
                                    .of_step = static_cast<int>(i)});
    }
    if (gpu) {
        launch.workspace.push_back({.name = block_parts_argument,
                                    .bytes_per_thread = 0,
                                    .bytes_per_block = 0,
                                    .of_step = 0,
                                    .bytes = 8 * count * joining_blocks});
        launch.workspace.push_back({.name = ended_argument,
                                    .bytes_per_thread = 0,
                                    .bytes_per_block = 0,
                                    .of_step = 0,
                                    .bytes = 4 * count,
                                    .zeroed = true});
    }
}

std::string operand_text(const Signature& signature, const LaunchDescription& launch,
                         const std::string& argument) {
    for (auto& [name, role] : parse_epilogue(signature.epilogue).names) {
        if (operand_argument(name) != argument) continue;
        const std::string what = std::string(to_string(role)) + " '" + name + "' of the epilogue";
        return argument + (is_vector(role) ? "[as y]: " : "[1]: ") + what;
    }
    const auto space = std::ranges::find(launch.workspace, argument, &Workspace::name);
    if (space == launch.workspace.end() ||
        !(is_parts(argument) || argument == block_parts_argument || argument == ended_argument))
        return "";
    const std::string count = std::to_string(count_reductions(signature));
    if (space->zeroed)
        return argument + "[" + count +
               "]: blocks that have ended; zeros when a launch begins, and again when it has ended";
    const bool by_threads = space->bytes == 0 && space->bytes_per_block == 0;
    return argument + "[" +
           (space->bytes > 0 ? std::to_string(space->bytes / 8)
            : space->bytes_per_block > 0
                ? std::to_string(space->bytes_per_block / 8) + " * blocks of launch " +
                      std::to_string(space->of_step + 1)
                : count + " * threads") +
           "]: workspace, needs no content" +
           (by_threads ? "; threads: omp_get_max_threads()" : "");
}

}  // namespace spmvgen
