#include "emit/emit_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>

#include "spmvgen/error.hpp"
#include "spmvgen/target.hpp"
#include "text/verb.hpp"

namespace spmvgen::cli {
namespace {

constexpr std::string_view linkage = "extern \"C\" ";

/// Where the driver's declaration begins in the emitted text, in which a long name has a line of
/// its own.
std::size_t driver_at(const KernelSource& source) {
    for (const char space : {' ', '\n'}) {
        const auto at = source.text.find(fmt::format("{}void{}{}(", linkage, space, source.name));
        if (at != std::string::npos) return at;
    }
    throw Error(ErrorCode::internal, "the source of " + source.name + " has no OpenMP driver");
}

/// The driver's comment: the lines before it that begin with ///.
std::string driver_comment(const KernelSource& source) {
    const std::string_view before = std::string_view(source.text).substr(0, driver_at(source));
    std::size_t begin = before.size();
    while (begin > 0) {
        const auto line = before.rfind('\n', begin - 2) + 1;
        if (!before.substr(line).starts_with("///")) break;
        begin = line;
    }
    return std::string(before.substr(begin));
}

/// "void NAME(\n    long num_rows, …);"
std::string driver_declaration(const KernelSource& source) {
    const auto open = source.text.find('(', driver_at(source)) + 1;
    std::istringstream words(source.text.substr(open, source.text.find(')', open) - open));
    std::string text = fmt::format("void {}(\n   ", source.name);
    for (std::string word; words >> word;) {
        const bool of_next = text.ends_with(',') && text.size() - text.rfind('\n') > 60;
        text += (of_next ? "\n    " : " ") + word;
    }
    // C takes () for any arguments.
    return text.ends_with("(\n   ") ? fmt::format("void {}(void);\n", source.name) : text + ");\n";
}

/// The numbers that C has no type for, as the emitted text has them; several headers may be
/// included.
std::string number_types(const std::string& declaration) {
    std::string text;
    for (const auto& [name, upper, members] :
         {std::array{"complex_f32", "COMPLEX_F32", "    float re;\n    float im;\n"},
          std::array{"complex_f64", "COMPLEX_F64", "    double re;\n    double im;\n"},
          std::array{"f16", "F16", "    unsigned short bits;\n"},
          std::array{"bf16", "BF16", "    unsigned short bits;\n"}})
        if (declaration.find(fmt::format(" {}*", name)) != std::string::npos)
            text += fmt::format(
                "#ifndef SPMVGEN_{1}\n#define SPMVGEN_{1}\ntypedef struct {0} {{\n{2}}} {0};\n"
                "#endif\n\n",
                name, upper, members);
    return text;
}

std::string driver(const KernelSource& source, const std::string& name) {
    const std::string declaration = driver_declaration(source);
    return fmt::format("{}#define {}_multiply {}\n{}{}", number_types(declaration), name,
                       source.name, driver_comment(source), declaration);
}

std::string steps(const KernelSource& source, const std::string& name) {
    std::string text =
        "/* Called in every thread, or, as --launch says, in one after all have done the step "
        "before. */\n";
    for (std::size_t i = 0; i < source.launch.steps.size(); ++i)
        text += fmt::format(
            "#define {0}_step{1} {2}\nvoid {2}(void* const* arguments, int thread, int threads);\n",
            name, i, source.launch.steps[i].symbol);
    return text;
}

std::string gpu_facts(const KernelSource& source, const std::string& name) {
    std::string text = fmt::format("#define {}_steps {}\n", name, source.launch.steps.size());
    for (std::size_t i = 0; i < source.launch.steps.size(); ++i) {
        const Step& step = source.launch.steps[i];
        text += fmt::format(
            "#define {0}_symbol{1} \"{2}\"\n#define {0}_block{1} {3}\n#define {0}_shared_bytes{1} "
            "{4}\n",
            name, i, step.symbol, step.block, step.shared_bytes);
    }
    return text + fmt::format(
                      "/* In the source, compiled by nvcc or hipcc with SPMVGEN_LAUNCHER defined. "
                      "*/\n#define {}_launch {}_launch\n",
                      name, source.name);
}

}  // namespace

std::string kernel_header(const KernelSource& source, bool compiled, const std::string& name) {
    const bool gpu = architecture(source.signature.target).kind != TargetKind::host;
    const std::string head = fmt::format("// How {} is called, for C and C++.\n#pragma once\n",
                                         to_string(source.signature));
    if (gpu) return head + gpu_facts(source, name);
    return head + "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n" +
           (compiled ? steps(source, name) : driver(source, name)) +
           "\n#ifdef __cplusplus\n}\n#endif\n";
}

std::string header_name(const std::string& path) {
    const std::string name = std::filesystem::path(path).stem().string();
    const auto in_name = [](char c) {
        return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
               (c >= 'A' && c <= 'Z');
    };
    if (name.empty() || (name[0] >= '0' && name[0] <= '9') || !std::ranges::all_of(name, in_name))
        throw UsageError("--header: '" + path +
                         "': the file's name begins what the header defines, so it must be a name "
                         "in C and a suffix, such as spmv.h");
    return name;
}

}  // namespace spmvgen::cli
