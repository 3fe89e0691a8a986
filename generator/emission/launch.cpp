#include <algorithm>

#include "emission/kernel_file.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

std::int64_t bytes_per_thread(const WorkspaceTemplate& w, const Signature& s) {
    const auto element = w.element == "value" ? static_cast<std::int64_t>(size_of(s.value)) : 8;
    return element * w.elements * (w.per_rhs ? s.num_rhs : 1);
}

}  // namespace

bool is_share(const std::string& name) {
    return name == "thread" || name == "threads";
}

LaunchDescription launch_description(const Signature& signature, const KernelEntry& entry,
                                     const std::vector<specializer::FunctionSignature>& functions) {
    LaunchDescription launch;
    for (std::size_t i = 0; i < functions.size(); ++i) {
        Step step{kernel_name(signature) + "_step" + std::to_string(i), entry.steps[i].rule, {}};
        for (auto& p : functions[i].parameters) {
            if (entry.steps[i].rule == StepRule::once && p.name == "thread")
                throw Error(ErrorCode::internal, "templates/" + std::string(entry.file) +
                                                     ": step " + functions[i].name +
                                                     " runs once and has no thread number");
            if (!is_share(p.name)) step.arguments.push_back({p.name, p.type});
        }
        launch.steps.push_back(std::move(step));
    }
    for (auto& w : entry.workspace) {
        const bool used = std::ranges::any_of(launch.steps, [&](const Step& step) {
            return std::ranges::any_of(step.arguments,
                                       [&](const Argument& a) { return a.name == w.name; });
        });
        if (used) launch.workspace.push_back({std::string(w.name), bytes_per_thread(w, signature)});
    }
    return launch;
}

}  // namespace spmvgen
