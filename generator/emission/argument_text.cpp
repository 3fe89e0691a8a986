#include "emission/argument_text.hpp"

#include <algorithm>
#include <array>

namespace spmvgen {
namespace {

struct KnownArgument {
    std::string_view name;
    std::string_view text;
};

// num_rhs follows x and y by itself.
constexpr std::array known{
    KnownArgument{"num_rows", "rows of A"},
    KnownArgument{"num_cols", "columns of A"},
    KnownArgument{"nnz", "entries of A"},
    KnownArgument{"row_ptr", "[num_rows + 1]: where each row's entries begin, then their number"},
    KnownArgument{"row_idx", "[nnz]: row of each entry, ascending"},
    KnownArgument{"alpha", "factor of Ax"},
    KnownArgument{"beta", "factor of the y that comes in"},
    KnownArgument{"stride", "distance of neighbouring entries of a row"},
    KnownArgument{"width", "entries of a row, padding included"},
    KnownArgument{"path_steps", "num_rows + entries of A"},
    KnownArgument{"warp_row",
                  "[chunks + 1]: 0, the row of each further chunk's first entry, num_rows"},
    KnownArgument{"block_full", "[blocks of rows]: length of each block's shortest row"},
    KnownArgument{"block_width", "[blocks of rows]: length of each block's longest row"},
    KnownArgument{"num_slices", "slices of rows"},
    KnownArgument{"slice_ptr", "[num_slices + 1]: where each slice begins, in columns of slices"},
    KnownArgument{"slice_full", "[num_slices]: length of each slice's shortest row"},
    KnownArgument{"num_block_rows", "rows of blocks"},
    KnownArgument{"num_blocks", "blocks"},
    KnownArgument{"block_ptr",
                  "[num_block_rows + 1]: where each row of blocks begins, then their number"},
    KnownArgument{"block_masks", "[blocks]: a bit for each element that is none of fill"},
    KnownArgument{"row_order", "[num_rows]: row of A at each position"},
};

std::string element_count(Format format) {
    switch (format) {
        case Format::csr:
            return "[row_ptr[num_rows]]";
        case Format::coo:
            return "[nnz]";
        default:
            return "[stored entries]";
    }
}

std::string dense_text(const KernelFile& file, const std::string& rows) {
    const int k = file.signature.num_rhs;
    return k == 1 ? "[" + rows + "]"
                  : "[" + rows + "][" + std::to_string(k) + "]: a column for each right-hand side";
}

std::string workspace_text(const WorkspaceTemplate& w, const Signature& s) {
    const int count = w.elements * (w.per_rhs ? s.num_rhs : 1);
    return "[" + (count == 1 ? "" : std::to_string(count) + " * ") +
           "threads]: workspace, needs no content; threads = what omp_get_max_threads() gives";
}

}  // namespace

std::string argument_text(const KernelFile& file, const std::string& name) {
    for (auto& w : file.entry.workspace)
        if (w.name == name) return name + workspace_text(w, file.signature);
    if (name == "x") return name + dense_text(file, "columns of A");
    if (name == "y") return name + dense_text(file, "num_rows");
    if (name == "col_idx" && file.entry.format == Format::bcsr)
        return name + "[blocks]: first column of each block, from 0";
    if (name == "col_idx")
        return name + element_count(file.entry.format) + ": column of each entry, from 0";
    if (name == "values") return name + element_count(file.entry.format) + ": value of each entry";
    const auto* found = std::ranges::find(known, name, &KnownArgument::name);
    if (found == known.end()) return name;
    const std::string text(found->text);
    return name + (text.starts_with("[") ? "" : ": ") + text;
}

}  // namespace spmvgen
