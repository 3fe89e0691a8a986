#include <algorithm>

#include "emission/argument_text.hpp"
#include "emission/comment_lines.hpp"
#include "emission/kernel_file.hpp"

namespace spmvgen {
namespace {

/// What the launcher takes: every argument of the steps once, what only the grids need, and where.
std::vector<Argument> launcher_parameters(const KernelFile& f) {
    std::vector<Argument> all;
    const auto add = [&](const Argument& a) {
        const auto known = std::ranges::find(all, a.name, &Argument::name);
        if (known == all.end())
            all.push_back(a);
        else if (known->type == "const " + a.type)
            known->type = a.type;  // read by one step, written by another
    };
    for (auto& step : f.launch.steps)
        for (auto& a : step.arguments) add(a);
    for (auto& step : f.launch.steps) add({step.grid.items, "long"});
    if (std::ranges::any_of(f.launch.steps, [](auto& s) { return s.grid.blocks_per_unit > 0; }))
        all.push_back({"units", "int"});
    all.push_back({"stream", architecture(f.signature.target).kind == TargetKind::cuda
                                 ? "cudaStream_t"
                                 : "hipStream_t"});
    return all;
}

/// The scalars that only grids are made of, each once.
std::vector<std::string> scalars_of_grids(const KernelFile& f) {
    std::vector<std::string> names;
    for (auto& step : f.launch.steps) {
        const auto takes = [&](const Step& other) {
            return std::ranges::count(other.arguments, step.grid.items, &Argument::name) > 0;
        };
        if (std::ranges::none_of(f.launch.steps, takes) &&
            std::ranges::find(names, step.grid.items) == names.end())
            names.push_back(step.grid.items);
    }
    return names;
}

std::string listed(const std::vector<Argument>& arguments, bool types) {
    std::string text;
    for (auto& a : arguments)
        text += (text.empty() ? "" : ", ") + (types ? a.type + " " + a.name : a.name);
    return text;
}

/// How large a workspace is, and what must be in it.
std::string size_text(const Workspace& w) {
    std::string text = "workspace of ";
    if (w.bytes > 0)
        text += std::to_string(w.bytes) + " bytes";
    else
        text += std::to_string(w.bytes_per_block) + " bytes for each block of launch " +
                std::to_string(w.of_step + 1);
    return text + (w.zeroed ? ": zeros before the first call, which every call leaves behind; "
                              "calls that may run at once need one each"
                            : "");
}

std::string joining_text(const Step& step) {
    return "if (blocks" + std::to_string(step.joins.step + 1) + " > " +
           std::to_string(step.joins.beyond_blocks) + ")\n" + step.symbol + "<<<" +
           std::to_string(step.joins.blocks) + ", " + std::to_string(step.block) +
           ", 0, stream>>>(" + listed(step.arguments, false) + ");\n";
}

std::string launch_text(const Step& step, std::size_t index) {
    if (step.joins.step >= 0) return joining_text(step);
    const std::string blocks = "blocks" + std::to_string(index + 1);
    const std::string& items = step.grid.items;
    const std::string rounded = "(" + items + " + " +
                                std::to_string(step.grid.items_per_block - 1) + ") / " +
                                std::to_string(step.grid.items_per_block);
    std::string text = "long " + blocks + " = " + items +
                       " < 1 ? 1 : " + (step.grid.items_per_block == 1 ? items : rounded) + ";\n";
    if (step.grid.blocks_per_unit > 0) {
        const std::string most = std::to_string(step.grid.blocks_per_unit) + "L * units";
        text += "if (" + blocks + " > " + most + ") " + blocks + " = " + most + ";\n";
    }
    if (step.shared_bytes > 0)  // beyond 48 KiB it must be asked for
        text += "cudaFuncSetAttribute(" + step.symbol +
                ", cudaFuncAttributeMaxDynamicSharedMemorySize, " +
                std::to_string(step.shared_bytes) + ");\n";
    return text + step.symbol + "<<<dim3(static_cast<unsigned>(" + blocks + "), " +
           std::to_string(step.grid.groups) + "), " + std::to_string(step.block) + ", " +
           std::to_string(step.shared_bytes) + ", stream>>>(" + listed(step.arguments, false) +
           ");\n";
}

}  // namespace

std::string gpu_launcher(const KernelFile& f) {
    std::string text = "\n#ifdef SPMVGEN_LAUNCHER\n/// Enqueues y = " + product_text(f.signature) +
                       " on `stream`. Pointers are the device's.\n";
    for (auto& w : f.launch.workspace)
        text += comment_lines("/// ", "///     ", w.name + ": " + size_text(w) + ".");
    for (auto& name : scalars_of_grids(f)) text += argument_lines(f, name);
    const auto parameters = launcher_parameters(f);
    if (std::ranges::count(parameters, "units", &Argument::name) > 0)
        text += "/// units: multiprocessors (compute units) of the device.\n";
    text += "static inline void " + kernel_symbol(f.signature) + "_launch(" +
            listed(parameters, true) + ") {\n";
    for (std::size_t i = 0; i < f.launch.steps.size(); ++i)
        text += launch_text(f.launch.steps[i], i);
    return text + "}\n#endif\n";
}

}  // namespace spmvgen
