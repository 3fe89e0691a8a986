#include "reference_pages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "formats/format_storage.hpp"
#include "registry.hpp"
#include "tuner/plan/kernel_plan.hpp"

namespace spmvgen {
namespace {

std::string generated_from(std::string_view what) {
    return fmt::format("<!-- Made from {} by\n     scripts/update-reference; do not edit. -->\n\n",
                       what);
}

std::string code(std::string_view text) {
    return fmt::format("`{}`", text);
}

/// The names as code, with commas; `otherwise` when there are none.
template <typename Names>
std::string codes(const Names& names, std::string_view otherwise = "none") {
    if (std::ranges::empty(names)) return std::string(otherwise);
    std::vector<std::string> all;
    for (auto& name : names) all.push_back(code(name));
    return fmt::format("{}", fmt::join(all, ", "));
}

std::string kernel_link(const KernelEntry& kernel) {
    return fmt::format("[`{}`](kernels.md#{})", kernel.id, kernel.id);
}

std::string format_link(Format format) {
    return fmt::format("[`{}`](formats.md#{})", to_string(format), to_string(format));
}

std::string parameter_link(const Parameter& parameter) {
    return fmt::format("[`{}`](parameters.md#{})", parameter.name.view(), parameter.name.view());
}

std::string same_bits(const KernelEntry& kernel) {
    switch (kernel.determinism) {
        case Determinism::always:
            return kernel.gpu ? "always" : "for the same number of threads";
        case Determinism::by_parameter:
            return "with `deterministic=1`";
        case Determinism::never:
            return kernel.gpu ? "no" : "with one thread";
    }
    return "";
}

/// Whether a choice without a wish may lead to it by predicted times.
std::string is_predicted(const KernelEntry& kernel) {
    const KernelPlan& plan = plan_of(kernel.id);
    const bool counted = plan.cpu_work != nullptr || plan.gpu_work != nullptr;
    return counted && is_plain_product(kernel) ? "yes" : "no";
}

struct Part {
    std::string_view title;
    bool (*holds)(const KernelEntry&);
};

constexpr Part parts[] = {
    {"On CPUs", [](const KernelEntry& k) { return !k.gpu && is_single_product(k); }},
    {"On GPUs", [](const KernelEntry& k) { return k.gpu && is_single_product(k); }},
    {"Batches of small matrices", [](const KernelEntry& k) { return k.batch; }},
    {"Products with the transpose", [](const KernelEntry& k) { return k.transposes; }},
};

std::string overview(const Part& part) {
    std::string text = fmt::format(
        "## {}\n\n| kernel | format | what it does, and for which matrices | same bits | predicted "
        "|\n|---|---|---|---|---|\n",
        part.title);
    for (auto& k : kernel_registry())
        if (part.holds(k))
            text += fmt::format("| [`{}`](#{}) | {} | {} | {} | {} |\n", k.id, k.id,
                                format_link(k.format), k.summary, same_bits(k), is_predicted(k));
    return text + "\n";
}

std::string element_name(Element element) {
    switch (element) {
        case Element::count:
            return "whole number";
        case Element::number:
            return "number of the vectors' type";
        case Element::vector:
            return "vectors' type";
        case Element::storage:
            return "stored type";
        case Element::index:
            return "index type";
        case Element::offset:
            return "offset type";
        case Element::u8:
            return "uint8";
        case Element::u16:
            return "uint16";
        case Element::u32:
            return "uint32";
        case Element::i32:
            return "int32";
        case Element::i64:
            return "int64";
        case Element::u64:
            return "uint64";
    }
    return "";
}

std::string argument_row(const ArgumentTemplate& a) {
    return fmt::format("| `{}` | {} | {} | {} |\n", a.name, element_name(a.element),
                       a.extent.empty() ? "" : code(a.extent),
                       a.sentence.empty() ? "the parameter `value_code` decides" : a.sentence);
}

std::string argument_table(std::span<const ArgumentTemplate> arguments, std::string rows = "") {
    for (auto& a : arguments) rows += argument_row(a);
    return "| argument | element | extent | meaning |\n|---|---|---|---|\n" + rows + "\n";
}

/// Those arrays of CSR that kernels of several formats take.
std::string pattern_of_csr(Format format) {
    const auto kernel = std::ranges::find(kernel_registry(), format, &KernelEntry::format);
    return argument_row(argument_of(*kernel, "row_ptr")) +
           argument_row(argument_of(*kernel, "col_idx"));
}

std::string parameter_table(const KernelEntry& kernel) {
    std::string text = "| parameter | values | default | meaning |\n|---|---|---|---|\n";
    for (auto& p : kernel.params)
        text += fmt::format("| {} | {} | {} | {} |\n", parameter_link(p), values_text(p),
                            preset_text(p), p.summary);
    return text + "\n";
}

/// The words of a paragraph in lines of at most 100 columns.
std::string wrapped(const std::string& paragraph) {
    constexpr std::size_t columns = 100;
    std::istringstream words(paragraph);
    std::string text, line;
    for (std::string word; words >> word;) {
        if (!line.empty() && line.size() + 1 + word.size() > columns)
            text += std::exchange(line, "") + "\n";
        line += (line.empty() ? "" : " ") + word;
    }
    return text + line;
}

std::string kernel_section(const KernelEntry& k) {
    std::vector<std::string_view> functions, workspaces;
    for (auto& step : k.steps) functions.push_back(step.function);
    for (auto& workspace : k.workspace) workspaces.push_back(workspace.name);
    std::string head = fmt::format(
        "Template `templates/{}`, format {}. Functions, in the order of their launches: {}. "
        "Workspaces: {}.",
        k.file, format_link(k.format), codes(functions), codes(workspaces));
    if (k.refuses != nullptr)
        head += " Only for some types or architectures; it runs when it is named.";
    std::string text = fmt::format("### {}\n\n{}\n\n", k.id, wrapped(head));
    if (!k.params.empty()) text += parameter_table(k);
    if (!k.arguments.empty()) text += argument_table(k.arguments);
    return text;
}

std::vector<std::string> kernels_of(Format format, bool gpu) {
    std::vector<std::string> links;
    for (auto& k : kernel_registry())
        if (k.format == format && k.gpu == gpu) links.push_back(kernel_link(k));
    return links;
}

std::string joined(const std::vector<std::string>& texts) {
    return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, ", "));
}

/// The picture that docs/pictures/draw.py makes of the format; "" = it draws none.
std::string picture_of(Format format) {
    const std::string file = fmt::format("format-{}.svg", to_string(format));
    if (!exists(std::filesystem::path(SPMVGEN_REFERENCE) / "../pictures" / file)) return "";
    return fmt::format("![A matrix of 8 rows, and how {} stores it](../pictures/{})\n\n",
                       to_string(format), file);
}

std::string format_section(const FormatEntry& format) {
    const FormatStorage& storage = storage_of(format.format);
    std::string text = fmt::format(
        "## {}\n\n{}| | on CPUs | on GPUs |\n|---|---|---|\n| kernels | {} | {} |\n"
        "| parameters that decide the layout | {} | {} |\n\n",
        to_string(format.format), picture_of(format.format),
        joined(kernels_of(format.format, false)), joined(kernels_of(format.format, true)),
        codes(format.cpu_layout), codes(format.gpu_layout));
    text += storage.has_csr_arrays ? "The arrays of a CSR matrix are used as they are.\n\n" : "";
    text += storage.most_stored != nullptr
                ? "Padding is possible: more entries may be stored than the matrix has.\n\n"
                : "";
    return text + argument_table(format.arguments,
                                 storage.has_csr_arrays ? pattern_of_csr(format.format) : "");
}

}  // namespace

std::string kernels_page() {
    std::string text =
        "# Kernels\n\n" + generated_from("templates/families and runtime/tuner/kernels") +
        "Each kernel computes y = αAx + βy. The tables list all of them, by the device that they "
        "are\nfor.\n\n"
        "- *Same bits* says when two products with the same operands have the same bits.\n"
        "- *Predicted* says whether the choice compares the kernel's predicted time. The others "
        "run\n  when a rule or the user names them.\n"
        "- A *workspace* is memory that a kernel needs beside the matrix and the vectors.\n\n";
    for (auto& part : parts) text += overview(part);
    text += "## Each kernel\n\n";
    for (auto& kernel : kernel_registry()) text += kernel_section(kernel);
    text.pop_back();
    return text;
}

std::string parameters_page() {
    std::map<std::string_view, std::vector<const KernelEntry*>> users;
    for (auto& kernel : kernel_registry())
        for (auto& p : kernel.params) users[p.name.view()].push_back(&kernel);
    std::string text =
        "# Parameters of kernels\n\n" + generated_from("templates/families") +
        "A parameter is a number that is fixed when a kernel is made, such as `--param block=128` "
        "or\n`options.params[\"block\"]`. The choice gives each a value unless you do.\n\n";
    for (auto& [name, kernels] : users) {
        text += fmt::format("## {}\n\n| kernel | values | default | meaning |\n|---|---|---|---|\n",
                            name);
        for (const KernelEntry* kernel : kernels) {
            const Parameter& p = *std::ranges::find(kernel->params, name, &Parameter::name);
            text += fmt::format("| {} | {} | {} | {} |\n", kernel_link(*kernel), values_text(p),
                                preset_text(p), p.summary);
        }
        text += "\n";
    }
    text.pop_back();
    return text;
}

std::string formats_page() {
    std::string text =
        "# Storage formats\n\n" + generated_from("templates/families and runtime/formats/kinds") +
        "A format is a way to store a matrix. Its arrays are arguments of its kernels, beside "
        "sizes\n(`num_rows`, `num_cols`, `nnz`), x, y, α and β. Extents count elements.\n\n"
        "In the pictures entry 36 is in row 3, column 6, and a dash is padding.\n\n";
    for (auto& format : format_registry()) text += format_section(format);
    text.pop_back();
    return text;
}

}  // namespace spmvgen
