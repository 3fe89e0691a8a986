#include "emission/emit.hpp"

#include "emission/kernel_file.hpp"
#include "specializer/formatter.hpp"
#include "spmvgen/error.hpp"
#include "template_texts.hpp"

namespace spmvgen {
namespace {

const char* value_type(ValueType t) {
    switch (t) {
        case ValueType::f32:
            return "float";
        case ValueType::f64:
            return "double";
        case ValueType::c32:
            return "complex_f32";
        default:
            return "complex_f64";
    }
}

const char* integer_type(IndexType t) {
    return t == IndexType::i32 ? "int" : "long";
}

std::string scale_constant(Scale s) {
    return std::string("scale::") + to_string(s);
}

specializer::Bindings bindings(const Signature& s) {
    specializer::Bindings b;
    b.types = {{"Value", value_type(s.value)},
               {"Index", integer_type(s.index)},
               {"Offset", integer_type(s.offset)}};
    b.constants = {{"alpha_mode", scale_constant(s.alpha)},
                   {"beta_mode", scale_constant(s.beta)},
                   {"num_rhs", std::to_string(s.num_rhs)}};
    for (auto& [name, spelling] : b.types) b.optional.insert(name);
    for (auto& [name, spelling] : b.constants) b.optional.insert(name);
    for (auto& [name, value] : s.params) b.constants[name] = std::to_string(value);
    return b;
}

specializer::TemplateUse template_use(const Signature& s, const KernelEntry& entry) {
    specializer::TemplateUse use;
    use.files = template_texts();
    use.file = entry.file;
    for (auto& step : entry.steps) use.functions.emplace_back(step.function);
    use.bindings = bindings(s);
    return use;
}

/// The front end reads the emitted text again: a warning is a defect, too.
void check_text(const std::string& text, specializer::FrontEndOptions options) {
    options.warnings = true;
    options.arguments = {"-Wall", "-Wextra", "-Wno-unknown-pragmas", "-Wno-source-uses-openmp",
                         "-D_OPENMP=201511"};
    const specializer::Parsed parsed({{"kernel.cpp", text}}, "kernel.cpp", options);
    if (!parsed.diagnostics().empty())
        throw Error(ErrorCode::internal, "the emitted text does not pass the front end: " +
                                             specializer::to_string(parsed.diagnostics()) + "\n" +
                                             text);
}

}  // namespace

KernelSource emit_kernel(const Signature& signature, const std::string& command) {
    const Signature full = complete(signature);
    const KernelEntry& entry = kernel_entry(full.kernel);
    const auto use = template_use(full, entry);
    KernelFile file{full,
                    entry,
                    command.empty() ? canonical_command(full) : command,
                    specializer::specialize(use),
                    {}};
    file.launch = launch_description(full, entry, file.specialized.functions);
    std::string text = specializer::format(kernel_file(file));
    check_text(text, use.options);
    return {full, kernel_name(full), std::move(text), std::move(file.launch)};
}

}  // namespace spmvgen
