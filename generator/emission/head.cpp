#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include "emission/comment_lines.hpp"
#include "emission/kernel_file.hpp"
#include "registry_convert.hpp"
#include "spmvgen/epilogue.hpp"

namespace spmvgen {
namespace {

/// The text as one comment line: no line break, no backslash at its end.
std::string one_line(std::string text) {
    std::ranges::replace_if(text, [](unsigned char c) { return c < ' '; }, ' ');
    while (!text.empty() && (text.back() == '\\' || text.back() == ' ')) text.pop_back();
    return text;
}

std::string labelled(const std::string& label, const std::string& text) {
    constexpr std::size_t width = 9;
    if (text.empty()) return "";
    return comment_lines("// " + label + std::string(width - label.size(), ' '),
                         "// " + std::string(width, ' '), text);
}

/// What a template's comment says: its title under "", then the text of each label.
std::map<std::string, std::string> sections_of(const std::string& description) {
    std::map<std::string, std::string> sections;
    std::istringstream lines(description);
    std::string label;
    for (std::string line; std::getline(lines, line);) {
        std::string text = line.substr(std::min<std::size_t>(line.size(), 2));
        const auto colon = text.find(':');
        const bool labels = text.size() > 1 && text[1] >= 'A' && text[1] <= 'Z' &&
                            colon != text.npos && text.find(' ', 1) > colon &&
                            text.compare(colon, 2, ": ") == 0 && !sections.empty();
        if (labels) {
            label = text.substr(1, colon - 1);
            text.erase(0, colon + 1);
        }
        std::istringstream words(text);
        for (std::string word; words >> word;)
            sections[label] += (sections[label].empty() ? "" : " ") + word;
    }
    return sections;
}

/// Formulas with the bytes that this kernel's numbers have: `nnz·(value + index)` is
/// `nnz·(8 + 4)`.
std::string with_bytes(const std::string& text, const Signature& s) {
    const std::array<std::pair<std::string, std::size_t>, 4> sizes{
        {{"storage", size_of(storage_type(s))},
         {"value", size_of(storage_type(s))},
         {"index", size_of(s.index)},
         {"offset", size_of(s.offset)}}};
    const auto in_formula = [&](std::size_t at, std::size_t end) {
        const auto ends = [&](std::string_view part) {
            return std::string_view(text).substr(0, at).ends_with(part);
        };
        const auto begins = [&](std::string_view part) {
            return std::string_view(text).substr(end).starts_with(part);
        };
        return ends("·") || ends("(") || ends("+ ") || begins("·") || begins(")") || begins(" +");
    };
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const auto size = std::ranges::find_if(sizes, [&](auto& known) {
            return text.compare(at, known.first.size(), known.first) == 0 &&
                   in_formula(at, at + known.first.size());
        });
        if (size == sizes.end()) {
            result += text[at++];
        } else {
            result += std::to_string(size->second);
            at += size->first.size();
        }
    }
    return result;
}

/// What the template says of y, for this β.
std::string with_beta(std::string text, Scale beta) {
    const std::string condition = ", reads it when β ≠ 0";
    const auto at = text.find(condition);
    if (at != text.npos)
        text.replace(at, condition.size(), beta == Scale::zero ? "" : " and reads it");
    return text;
}

/// What the template says, and what the vectors of the epilogue add to it.
std::string with_operands(const std::string& text, const Signature& s) {
    std::string read, written;
    for (auto& [name, role] : parse_epilogue(s.epilogue).names) {
        std::string& names = is_written(role) ? written : read;
        if (is_vector(role)) names += (names.empty() ? "" : ", ") + name;
    }
    if (text.empty() || (read.empty() && written.empty())) return text;
    return text.substr(0, text.find_last_not_of('.') + 1) + "; " +
           (read.empty() ? "" : "reads " + read) +
           (read.empty() || written.empty() ? "" : " and ") +
           (written.empty() ? "" : "writes " + written) + " of the epilogue, " +
           std::to_string(size_of(s.value)) + " bytes of each for each element of y.";
}

}  // namespace

std::string kernel_file_head(const KernelFile& f) {
    const Signature& s = f.signature;
    auto sections = sections_of(f.specialized.description);
    const std::string what = is_conversion(f.entry.id)
                                 ? std::string("A in format ") + to_string(f.entry.format)
                                 : "y = " + product_text(s);
    return "// " + kernel_symbol(s) + ": " + what + "\n" +
           comment_lines("// ", "// ", sections[""]) + "//\n" +
           labelled("Source:", sections["Source"]) + labelled("Format:", sections["Format"]) +
           labelled("Reads:",
                    with_operands(with_beta(with_bytes(sections["Reads"], s), s.beta), s)) +
           labelled("Made by:", "spmvgen " SPMVGEN_VERSION " from templates/" +
                                    std::string(f.entry.file) +
                                    (f.entry.gpu ? "; sizes of arrays count elements" : "")) +
           labelled("Command:", one_line(f.command)) + "\n";
}

}  // namespace spmvgen
