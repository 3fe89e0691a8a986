#include <algorithm>
#include <string_view>

#include "emission/argument_text.hpp"
#include "emission/epilogue/reductions.hpp"
#include "emission/gpu_instructions.hpp"
#include "emission/kernel_file.hpp"
#include "registry_convert.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// How the specialiser begins a function; the attribute is the CPU dialect's.
constexpr std::string_view plain_function = "static inline ";
constexpr std::string_view inlined_function = "[[gnu::always_inline]] static inline ";
constexpr std::string_view device_function = "static __device__ __forceinline__ ";

/// Every function that begins with `head`, at the start of a line, as one of the device.
void mark_device(std::string& text, std::string_view head) {
    for (std::size_t at = 0; (at = text.find(head, at)) != text.npos; at += device_function.size())
        if (at == 0 || text[at - 1] == '\n') text.replace(at, head.size(), device_function);
}

std::string grid_text(const Step& step) {
    if (step.joins.step >= 0)
        return "grid (" + std::to_string(step.joins.blocks) + "), blocks of " +
               std::to_string(step.block) + " threads; left out where launch " +
               std::to_string(step.joins.step + 1) + " has at most " +
               std::to_string(step.joins.beyond_blocks) + " blocks";
    const GridRule& g = step.grid;
    std::string blocks = g.items_per_block == 1
                             ? g.items
                             : "ceil(" + g.items + " / " + std::to_string(g.items_per_block) + ")";
    if (g.blocks_per_unit > 0)
        blocks += ", at most " + std::to_string(g.blocks_per_unit) + " for each multiprocessor";
    return "grid (" + blocks + (g.groups > 1 ? "; " + std::to_string(g.groups) : "") +
           "), blocks of " + std::to_string(step.block) + " threads" +
           (step.shared_bytes > 0
                ? ", " + std::to_string(step.shared_bytes) + " bytes of dynamic shared memory"
                : "");
}

/// "256", or "256, 2" with a number of blocks that have to be resident.
std::string launch_bounds(const KernelFile& f, std::size_t index) {
    const std::string threads = std::to_string(f.launch.steps[index].block);
    const auto resident = f.steps[index].resident_blocks;
    // To AMD's compilers the second number means wavefronts.
    if (resident == nullptr || architecture(f.signature.target).kind != TargetKind::cuda)
        return threads;
    const std::int64_t blocks = resident(f.signature);
    return blocks > 0 ? threads + ", " + std::to_string(blocks) : threads;
}

/// What comes instead of "static inline void NAME(".
std::string kernel_head(const KernelFile& f, std::size_t index) {
    const Step& step = f.launch.steps[index];
    std::string text;
    if (f.launch.steps.size() > 1)
        text += "/// Launch " + std::to_string(index + 1) + " of " +
                std::to_string(f.launch.steps.size()) + ": ";
    else
        text += "/// Launch: ";
    text += grid_text(step) + ".\n";
    if (std::ranges::count(step.arguments, step.grid.items, &Argument::name) == 0)
        text += argument_lines(f, step.grid.items);
    for (auto& a : step.arguments) text += argument_lines(f, a.name);
    return text + "extern \"C\" __global__ void __launch_bounds__(" + launch_bounds(f, index) +
           ")\n" + step.symbol + "(";
}

/// `text` with the one place of `from` replaced.
void replace_once(std::string& text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    if (at == text.npos || text.find(from, at + 1) != text.npos)
        throw Error(ErrorCode::internal, "'" + from + "' is not once in the specialised text");
    text.replace(at, from.size(), to);
}

/// Compilers for GPUs know no pragmas of GCC.
void spell_unrolling(std::string& text) {
    constexpr std::string_view from = "#pragma GCC unroll ", to = "#pragma unroll ";
    for (auto at = text.find(from); at != text.npos; at = text.find(from, at))
        text.replace(at, from.size(), to);
}

/// Turns `__shared__ T name[n];` into `extern __shared__ T name[];`.
void make_dynamic(std::string& text, const std::string& name) {
    for (auto line = text.find("__shared__ "); line != text.npos;
         line = text.find("__shared__ ", line + 1)) {
        const auto at = text.find(" " + name + "[", line);
        if (at == text.npos || at > text.find(';', line)) continue;
        const auto size = at + name.size() + 2;
        text.erase(size, text.find(']', size) - size);
        text.insert(line, "extern ");
        return;
    }
    throw Error(ErrorCode::internal, "no shared array '" + name + "' in the specialised text");
}

/// Whether launches ahead may still write what an argument points to.
bool may_still_change(const KernelEntry& entry, const std::string& name) {
    return may_change(entry, name) || name.starts_with(operand_argument("")) || is_parts(name) ||
           name == block_parts_argument || name == ended_argument;
}

/// Takes the __restrict__ from such arguments when this launch has begun before those have ended:
/// compilers take what is const and restricted for unchanging. So they move its loads over waits,
/// too: where that may not be, with `all`, no argument keeps it.
void let_operands_change(std::string& text, const KernelEntry& entry, bool all) {
    constexpr std::string_view restricted = "__restrict__ ";
    for (auto at = text.find(restricted); at != text.npos; at = text.find(restricted, at + 1)) {
        const auto name = at + restricted.size();
        const auto end = text.find_first_of(",)", name);
        const bool last = text[end] == ')';
        const std::string argument = text.substr(name, end - name);
        if (all || (may_still_change(entry, argument) && (!last || !may_change(entry, argument))))
            text.erase(at, restricted.size());
    }
}

}  // namespace

std::string gpu_text(const KernelFile& f) {
    std::string text = f.specialized.text;
    for (std::size_t i = 0; i < f.launch.steps.size(); ++i)
        replace_once(text, "static inline void " + f.specialized.functions[i].name + "(",
                     kernel_head(f, i));
    spell_unrolling(text);
    for (std::size_t i = 0; i < f.launch.steps.size(); ++i)
        if (f.launch.steps[i].shared_bytes > 0)
            make_dynamic(text, std::string(f.steps[i].dynamic_array));
    if (std::ranges::any_of(f.launch.steps, &Step::overlaps)) {
        const bool loads = f.signature.num_rhs == 1 || rhs_lanes(f.signature) > 1;
        let_operands_change(text, f.entry,
                            loads && std::ranges::any_of(f.steps, &StepTemplate::loads_ahead));
    }
    mark_device(text, inlined_function);
    mark_device(text, plain_function);
    // Between the steps of a conversion the host allocates: there is no one launcher.
    if (is_conversion(f.entry.id)) return text;
    return instruction_texts(text) + text + gpu_launcher(f);
}

}  // namespace spmvgen
