#include "emission/kernel_file.hpp"

#include <algorithm>

namespace spmvgen {
namespace {

/// The text as one comment line: no line break, no backslash at its end.
std::string one_line(std::string text) {
    std::ranges::replace_if(text, [](unsigned char c) { return c < ' '; }, ' ');
    while (!text.empty() && (text.back() == '\\' || text.back() == ' ')) text.pop_back();
    return text;
}

/// "// LABEL TEXT", broken at blanks so that it stays within 100 columns where it can.
std::string labelled(const std::string& label, const std::string& text) {
    constexpr std::size_t columns = 100;
    const std::string indent = "//            ";
    std::string result;
    std::string line = "// " + label + std::string(indent.size() - label.size() - 3, ' ');
    bool first = true;
    for (std::size_t at = 0; at < text.size();) {
        const auto blank = std::min(text.find(' ', at), text.size());
        const auto word = text.substr(at, blank - at);
        at = blank + 1;
        if (!first && line.size() + 1 + word.size() > columns) {
            result += line + "\n";
            line = indent;
            first = true;
        }
        line += (first ? "" : " ") + word;
        first = false;
    }
    return result + line + "\n";
}

std::string header(const KernelFile& f) {
    std::string text = "// " + kernel_name(f.signature) + "\n//\n" +
                       labelled("Made by:", "spmvgen " SPMVGEN_VERSION) +
                       labelled("Command:", one_line(f.command)) +
                       labelled("Signature:", to_string(f.signature)) +
                       labelled("Template:", "templates/" + std::string(f.entry.file));
    if (!f.specialized.description.empty()) text += "//\n" + f.specialized.description;
    return text + "\n";
}

}  // namespace

std::string kernel_file(const KernelFile& f) {
    return header(f) + (f.entry.gpu ? gpu_text(f) : cpu_text(f));
}

std::string product_text(const Signature& s) {
    const auto conjugate = s.params.find("conjugate");
    // Permutations are no less products than those with a matrix.
    const std::string factor = s.kernel == "gather_rows"                               ? "P x"
                               : s.kernel == "scatter_rows"                            ? "P^T x"
                               : !kernel_entry(s.kernel).transposes                    ? "A x"
                               : conjugate != s.params.end() && conjugate->second == 1 ? "A^H x"
                                                                                       : "A^T x";
    const std::string product = s.alpha == Scale::zero  ? ""
                                : s.alpha == Scale::one ? factor
                                                        : "alpha " + factor;
    const std::string old = s.beta == Scale::zero ? "" : s.beta == Scale::one ? "y" : "beta y";
    if (product.empty() && old.empty()) return "0";
    return product + (product.empty() || old.empty() ? "" : " + ") + old;
}

std::string canonical_command(const Signature& s) {
    std::string text = "spmvgen emit --kernel " + s.kernel + " --arch " + to_string(s.target) +
                       " --value " + to_string(s.value) + " --index " + to_string(s.index) +
                       " --offset " + to_string(s.offset) + " --alpha " + to_string(s.alpha) +
                       " --beta " + to_string(s.beta) + " --rhs " + std::to_string(s.num_rhs);
    for (auto& [name, value] : s.params) text += " --param " + name + "=" + std::to_string(value);
    if (s.storage) text += std::string(" --storage ") + to_string(*s.storage);
    if (s.accumulator) text += std::string(" --accumulator ") + to_string(*s.accumulator);
    if (!s.epilogue.empty()) text += " --epilogue '" + s.epilogue + "'";
    return text;
}

}  // namespace spmvgen
