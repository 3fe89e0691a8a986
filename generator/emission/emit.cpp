#include "emission/emit.hpp"

#include <algorithm>
#include <cassert>

#include "emission/device_scalars.hpp"
#include "emission/epilogue/expression.hpp"
#include "emission/epilogue/number_type.hpp"
#include "emission/epilogue/operands.hpp"
#include "emission/epilogue/reductions.hpp"
#include "emission/kernel_file.hpp"
#include "specializer/syntax/formatter.hpp"
#include "spmvgen/error.hpp"
#include "template_texts.hpp"

namespace spmvgen {
namespace {

const char* integer_type(IndexType t) {
    return t == IndexType::i32 ? "int" : "long";
}

std::string scale_constant(Scale s) {
    // Read from memory or not, a template takes any number.
    return std::string("scale::") + to_string(s == Scale::device ? Scale::general : s);
}

/// What every kernel may use, but need not.
specializer::Bindings common_bindings(const Signature& s) {
    specializer::Bindings b;
    b.types = {{"Value", number_type(accumulator_type(s))},
               {"Vector", number_type(s.value)},
               {"Storage", number_type(storage_type(s))},
               {"Index", integer_type(s.index)},
               {"Offset", integer_type(s.offset)}};
    b.constants = {{"alpha_mode", scale_constant(s.alpha)},
                   {"beta_mode", scale_constant(s.beta)},
                   {"num_rhs", std::to_string(s.num_rhs)},
                   {"x_form", std::string("vector_form::") + to_string(s.x_form)},
                   {"y_form", std::string("vector_form::") + to_string(s.y_form)},
                   {"has_epilogue", s.epilogue.empty() ? "false" : "true"}};
    if (architecture(s.target).kind != TargetKind::host) {
        b.constants["rhs_group"] = std::to_string(rhs_group(s));
        b.constants["rhs_lanes"] = std::to_string(rhs_lanes(s));
    }
    for (auto& [name, spelling] : b.types) b.optional.insert(name);
    for (auto& [name, spelling] : b.constants) b.optional.insert(name);
    return b;
}

/// Every parameter of the kernel must be of use, unless steps that may be its users are left out.
specializer::Bindings bindings(const Signature& s, const KernelEntry& entry, bool all_steps) {
    specializer::Bindings b = common_bindings(s);
    for (auto& p : entry.params) {
        if (p.launch_only) continue;
        b.constants[p.name.str()] = std::to_string(s.params.at(p.name));
        if (!all_steps) b.optional.insert(p.name.str());
    }
    return b;
}

std::string target_text(const Target& target, bool launches_overlap) {
    const bool nvidia = architecture(target).kind == TargetKind::cuda;
    return std::string("#pragma once\nconstexpr bool nvidia = ") + (nvidia ? "true" : "false") +
           ";\nconstexpr int warp_size = " + std::to_string(target.wavefront) +
           ";\nconstexpr bool launches_overlap = " + (launches_overlap ? "true" : "false") +
           ";\nconstexpr bool prefetches_ranges = " +
           (architecture(target).gpu.overlaps_launches ? "true" : "false") +
           ";\nconstexpr unsigned most_joining_blocks = " + std::to_string(most_joining_blocks) +
           ";\n";
}

std::string cpu_target_text(const Target& target) {
    return std::string("#pragma once\nconstexpr bool gathers = ") +
           (has_fast_gathers(target) ? "true" : "false") + ";\n";
}

/// Replaces what of the dialect depends on the target.
void set_gpu_texts(specializer::TemplateUse& use, const Signature& s,
                   const std::vector<StepTemplate>& steps) {
    const bool overlap = std::ranges::any_of(
        steps, [&](const StepTemplate& step) { return overlaps_launches(step, s); });
    use.files["dialect/target.hpp"] = target_text(s.target, overlap);
    use.options.gpu_builtins = use.files.at(specializer::gpu_builtins_file);
}

/// The kernel's template and what it may include.
specializer::Files template_files(const KernelEntry& entry) {
    specializer::Files files;
    for (auto& [path, text] : template_texts())
        if (path == entry.file || path.starts_with("dialect/")) files.emplace(path, text);
    return files;
}

specializer::TemplateUse template_use(const Signature& s, const KernelEntry& entry,
                                      const std::vector<StepTemplate>& steps) {
    specializer::TemplateUse use;
    use.files = template_files(entry);
    use.file = entry.file;
    use.options.bodies_on_demand = true;  // most of the dialect is nothing to this kernel
    for (auto& step : steps) use.functions.emplace_back(step.function);
    use.bindings = bindings(s, entry, steps.size() == entry.steps.size());
    if (!s.epilogue.empty()) use.files[epilogue_file] = epilogue_text(s, entry.gpu);
    if (entry.gpu)
        set_gpu_texts(use, s, steps);
    else
        use.files["dialect/cpu_target.hpp"] = cpu_target_text(s.target);
    return use;
}

std::vector<StepTemplate> wanted_steps(const Signature& s, const KernelEntry& entry) {
    std::vector<StepTemplate> steps;
    for (auto& step : entry.steps)
        if (step.wanted == nullptr || step.wanted(s)) steps.push_back(step);
    return steps;
}

/// A text that does not read is the fault of the caller's expression when it is the epilogue's.
specializer::Specialized specialize(const specializer::TemplateUse& use, const Signature& s,
                                    specializer::KeptTemplates& kept) {
    try {
        return specializer::specialize(use, kept);
    } catch (const Error& error) {
        const std::string place = "templates/" + epilogue_file + ":";
        const std::string text = error.what();
        if (s.epilogue.empty() || text.find(place) == text.npos) throw;
        const auto message = text.find(": ", text.find(place));
        const std::string first = text.substr(message, text.find('\n', message) - message);
        throw Error(ErrorCode::invalid_argument, "epilogue '" + s.epilogue + "'" + first);
    }
}

/// Whether the front end reads the emitted text without a warning, for assertions: whoever compiles
/// the text is the next to read it. Throws Error(internal) with the text when not. An epilogue may
/// leave sums unused, so with one only errors count.
[[maybe_unused]] bool reads_well(const std::string& text, const Signature& s,
                                 const specializer::FrontEndOptions& all_options) {
    auto options = specializer::with_named_builtins(all_options, text);
    options.warnings = s.epilogue.empty();
    options.macros = {"_OPENMP=201511", "SPMVGEN_OWN_INSTRUCTIONS"};
    const specializer::Parsed parsed({{"kernel.cpp", text}}, "kernel.cpp", options);
    if (parsed.diagnostics().empty()) return true;
    throw Error(ErrorCode::internal, "the emitted text does not pass the front end: " +
                                         specializer::to_string(parsed.diagnostics()) + "\n" +
                                         text);
}

}  // namespace

KernelSource emit_kernel(const Signature& signature, const std::string& command) {
    specializer::KeptTemplates none;
    return emit_kernel(signature, command, none);
}

KernelSource emit_kernel(const Signature& signature, const std::string& command,
                         specializer::KeptTemplates& kept) {
    const Signature full = complete(signature);
    const KernelEntry& entry = kernel_entry(full.kernel);
    auto steps = wanted_steps(full, entry);
    auto use = template_use(full, entry, steps);
    add_operands(use, full, entry.gpu);
    KernelFile file{full,
                    entry,
                    std::move(steps),
                    command.empty() ? canonical_command(full) : command,
                    specialize(use, full, kept),
                    {}};
    place_added_steps(file.steps, file.specialized, entry.gpu);
    read_device_scalars(file.specialized, full);
    file.launch = launch_description(file);
    std::string text = specializer::format(kernel_file(file), true);
    assert(reads_well(text, full, use.options));
    return {full, kernel_symbol(full), std::move(text), std::move(file.launch)};
}

}  // namespace spmvgen
