#include "emission/argument_text.hpp"

#include <algorithm>

#include "emission/comment_lines.hpp"
#include "emission/epilogue/operands.hpp"

namespace spmvgen {
namespace {

/// Of a GPU kernel: how much the caller allocates, and what must be in it.
std::string gpu_workspace_text(const KernelFile& file, const WorkspaceTemplate& w) {
    const auto& used = file.launch.workspace;
    const auto space = std::ranges::find(used, w.name, &Workspace::name);
    const std::string content =
        w.zeroed ? "zeros when a launch begins, and again when it has ended" : "needs no content";
    return space->bytes > 0
               ? ": workspace of " + std::to_string(space->bytes) + " bytes; " + content
               : ": workspace of " + std::to_string(space->bytes_per_block) +
                     " bytes for each block of launch " + std::to_string(space->of_step + 1) +
                     "; " + content;
}

std::string workspace_text(const WorkspaceTemplate& w, const Signature& s) {
    const int count = w.elements * (w.per_rhs ? s.num_rhs : 1);
    return "[" + (count == 1 ? "" : std::to_string(count) + " * ") +
           "threads]: workspace, needs no content; threads = what omp_get_max_threads() gives";
}

}  // namespace

std::string argument_text(const KernelFile& file, const std::string& name) {
    for (auto& w : file.entry.workspace)
        if (w.name == name)
            return name + (file.entry.gpu ? gpu_workspace_text(file, w)
                                          : workspace_text(w, file.signature));
    if (auto text = operand_text(file.signature, file.launch, name); !text.empty()) return text;
    const ArgumentTemplate& argument = argument_of(file.entry, name);
    if (argument.described != nullptr) return name + argument.described(argument, file.signature);
    return name + std::string(argument.extent) + ": " + std::string(argument.sentence);
}

std::string argument_lines(const KernelFile& file, const std::string& name) {
    return comment_lines("/// ", "///     ", argument_text(file, name));
}

}  // namespace spmvgen
