#include "emission/argument_text.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "emission/comment_lines.hpp"

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
    KnownArgument{"num_parts", "parts of long rows"},
    KnownArgument{"num_middle", "rows that a warp takes each"},
    KnownArgument{"part_row", "[num_parts]: the long row that each is of"},
    KnownArgument{"part_begin", "[num_parts]: its first entry"},
    KnownArgument{"part_end", "[num_parts]: the entry behind its last"},
    KnownArgument{"part_first", "[num_parts]: first part of its row"},
    KnownArgument{"part_last", "[num_parts]: last part of its row"},
    KnownArgument{"middle_row", "[num_middle]: the rows that a warp takes each"},
    KnownArgument{"middle_begin", "[num_middle]: where the entries of each begin"},
    KnownArgument{"middle_end", "[num_middle]: and where they end"},
    KnownArgument{"block_full", "[blocks of rows]: length of each block's shortest row"},
    KnownArgument{"block_width", "[blocks of rows]: length of each block's longest row"},
    KnownArgument{"num_slices", "slices of rows"},
    KnownArgument{"slice_ptr", "[num_slices + 1]: where each slice begins, in columns of slices"},
    KnownArgument{"slice_full", "[num_slices]: length of each slice's shortest row"},
    KnownArgument{"num_sr", "super-rows of A"},
    KnownArgument{"sr_ptr", "[super-rows + 1]: first row of each super-row, then num_rows"},
    KnownArgument{"num_ssr", "super-super-rows of A"},
    KnownArgument{"ssr_ptr", "[super-super-rows + 1]: first super-row of each, then their number"},
    KnownArgument{"num_block_rows", "rows of blocks"},
    KnownArgument{"num_blocks", "blocks"},
    KnownArgument{"block_ptr",
                  "[num_block_rows + 1]: where each row of blocks begins, then their number"},
    KnownArgument{"block_masks", "[blocks]: a bit for each element that is none of fill"},
    KnownArgument{"num_tiles", "tiles of A"},
    KnownArgument{"num_runs", "runs of tiles, one for each warp"},
    KnownArgument{"num_filled", "rows with entries"},
    KnownArgument{"num_empty", "rows without entries"},
    KnownArgument{"tile_row", "[num_tiles]: number of the row open as each tile begins, or -1"},
    KnownArgument{"row_marks", "[stored entries / 8]: a bit for each entry that begins a row"},
    KnownArgument{"cut_first_run",
                  "[num_runs + 1]: first run of the row cut where each begins, or -1"},
    KnownArgument{"cut_last_run", "[num_runs + 1]: last run of that row, or -1"},
    KnownArgument{"filled_rows", "[num_filled]: the rows with entries"},
    KnownArgument{"empty_rows", "[num_empty]: the rows without"},
    KnownArgument{"num_hot", "columns that x is gathered for"},
    KnownArgument{"coo_nnz", "entries behind those in columns"},
    KnownArgument{"num_lanes", "lanes of all slices"},
    KnownArgument{"one", "1"},
    KnownArgument{"hot_cols", "[num_hot]: the most used columns, most used first"},
    KnownArgument{"csr_values", "[row_ptr[num_rows]]: value of each entry of A"},
    KnownArgument{"block_count", "[num_block_rows]: blocks of each row of blocks"},
    KnownArgument{"block_col", "[blocks]: block column of each"},
    KnownArgument{"block_whole", "[blocks]: 1 = all elements are in A"},
    KnownArgument{"long_above", "entries that a row in slices has at most"},
    KnownArgument{"slice_size", "[num_slices]: strips of each, or bytes of a lane's deltas"},
    KnownArgument{"num_sizes", "numbers to sum up"},
    KnownArgument{"sizes", "[num_sizes]: the numbers"},
    KnownArgument{"ptr", "[num_sizes + 1]: sums of the numbers before each, then of all"},
    KnownArgument{"num_items", "many numbers to sum up"},
    KnownArgument{"item_sizes", "[num_items]: the numbers"},
    KnownArgument{"part_sums", "[blocks of the grid]: what the numbers of each block come to"},
    KnownArgument{"part_ptr", "[blocks of the grid + 1]: sums of these before each, then of all"},
    KnownArgument{"item_ptr", "[num_items + 1]: sums of the numbers before each, then of all"},
    KnownArgument{"csr_col_idx", "[row_ptr[num_rows]]: column of each entry of A"},
    KnownArgument{"num_stretches", "stretches of entries of a row, of 16 each"},
    KnownArgument{"num_patches", "stretches of 32 rows each"},
    KnownArgument{"num_places", "blocks, and what the last 32 of them are padded by"},
    KnownArgument{"block_first", "[num_blocks]: the column of A that each block begins with"},
    KnownArgument{"block_entry", "[rows of a block][num_blocks]: first entry of each, in A"},
    KnownArgument{"tiles_and_one", "num_tiles + 1"},
    KnownArgument{"mark_words", "[stored entries / 64]: a bit for each entry that begins a row"},
    KnownArgument{"uses", "[num_cols]: how many entries each column has"},
    KnownArgument{"bins", "[4096]: how many columns have so many, or in the last at least so many"},
    KnownArgument{"least_uses", "entries of a column that may be a hub"},
    KnownArgument{"often_cols", "columns with so many entries, ascending"},
    KnownArgument{"often_uses", "entries of each of these"},
    KnownArgument{"hot_columns", "hubs that there could be: the number of column 0"},
    KnownArgument{"column_codes", "[num_cols]: what stands for each column"},
    KnownArgument{"num_offsets", "num_rows + 1"},
    KnownArgument{"wide_col_idx", "[nnz]: column of each entry of A"},
    KnownArgument{"narrow_col_idx", "[nnz]: the same, or -1 where A has no such column"},
    KnownArgument{"wide_row_ptr", "[num_offsets]: row offsets of A"},
    KnownArgument{"narrow_row_ptr", "[num_offsets]: the same"},
    KnownArgument{"gaps", "1 = rows are listed by whether they have entries"},
    KnownArgument{"codes", "bit mask of the codes that slices may have"},
    KnownArgument{"empty_code", "code of slices without strips"},
    KnownArgument{"counts", "[16]: what the host reads, see count_ragged and the others"},
    KnownArgument{"row_order",
                  "[num_rows]: row of A at each position, or the element of y that each row makes"},
    KnownArgument{"slice_info",
                  "[num_slices]: code of the deltas (bits 0, 1), whether lengths differ (bit 2), "
                  "whether there are masks (bit 3), strips of all lanes"},
    KnownArgument{"delta_ptr",
                  "[num_slices + 1]: where each slice's deltas begin, in bytes of a lane"},
    KnownArgument{"bases", "[strips]: what the deltas of each strip are added to"},
    KnownArgument{"deltas", "deltas of block columns, as many bits as the slice's code says"},
    KnownArgument{"lengths", "[lanes of slices]: strips of each; 65535 = its row is long"},
    KnownArgument{"places", "[block rows]: which one of its window is at each position"},
    KnownArgument{"num_chunks", "chunks of long rows"},
    KnownArgument{"num_long", "long rows"},
    KnownArgument{"long_begin", "place of the first value of long rows"},
    KnownArgument{"long_row", "[long rows]: row of A of each"},
    KnownArgument{"long_ptr",
                  "[long rows + 1]: where the entries of each begin, then their number"},
    KnownArgument{"long_col", "[entries of long rows]: column of each"},
    KnownArgument{"chunk_ptr", "[long rows + 1]: first chunk of each, then their number"},
    KnownArgument{"chunk_row", "[num_chunks]: the long row of each, counted from 0"},
};

// Kernels of batches call some arrays the same, but these hold all systems.
constexpr std::array known_of_batches{
    KnownArgument{"num_systems", "systems of the batch"},
    KnownArgument{"num_rows", "rows of all systems"},
    KnownArgument{"systems", "[num_systems][8]: sizes and places of each system, see batch_system"},
    KnownArgument{"work_ptr", "[num_systems + 1]: rows and stored entries before each system"},
    KnownArgument{"row_ptr", "[rows + 1 for each system]: where each row's entries begin, from 0"},
    KnownArgument{"row_idx", "[entries]: row of each entry within its system, ascending"},
    KnownArgument{"col_idx", "[stored entries]: column of each within its system, from 0"},
    KnownArgument{"values", "[stored entries]: value of each"},
    KnownArgument{"x", "[columns of all systems]: one system's after another"},
    KnownArgument{"y", "[rows of all systems]: one system's after another"},
    KnownArgument{"alpha", "factor of Ax"},
    KnownArgument{"beta", "factor of the y that comes in"},
};

/// "ceil(ITEMS / n)", or the items themselves.
std::string shared_out(const std::string& items, std::int64_t n) {
    return n == 1 ? items : "ceil(" + items + " / " + std::to_string(n) + ")";
}

/// How a scalar of which only a grid is made comes from the others; empty for any other. It is what
/// runtime/formats/ stores under the name.
std::string formula(const Signature& s, const std::string& name) {
    const auto param = [&](const char* p) { return s.params.at(p); };
    const auto block = [&](std::int64_t threads) { return param("block") / threads; };
    if (s.kernel == "ell_groups" && name == "num_parts")
        return std::to_string(param("blocks_per_row")) + " * " +
               shared_out("num_rows", block(param("groups")));
    if (s.kernel == "csr_by_length" && name == "grid_blocks")
        return "num_parts + " + shared_out("num_middle", block(s.target.wavefront)) + " + " +
               shared_out("num_rows", block(param("subwarp")));
    if (s.kernel == "tiles" && name == "grid_blocks")
        return shared_out("num_runs", block(s.target.wavefront)) + " + " +
               shared_out("num_empty", param("block"));
    if (s.kernel == "tiles_hubs" && name == "gather_items")
        return std::string("max(num_runs, ") + (param("gaps") == 1 ? "num_empty, " : "") +
               "num_hot)";
    if (s.kernel == "strips" && name == "num_warps")
        return std::string(param("long_rows") == 1 ? "num_chunks + " : "") +
               (param("slice") == s.target.wavefront
                    ? "num_slices"
                    : shared_out("num_slices * " + std::to_string(param("slice")),
                                 s.target.wavefront));
    return "";
}

/// The argument's name and what `table` has to say of it.
std::string text_in(std::span<const KnownArgument> table, const std::string& name) {
    const auto found = std::ranges::find(table, name, &KnownArgument::name);
    if (found == table.end()) return name;
    const std::string text(found->text);
    return name + (text.starts_with("[") ? "" : ": ") + text;
}

std::string element_count(Format format) {
    switch (format) {
        case Format::csr:
        case Format::csr_k:
            return "[row_ptr[num_rows]]";
        case Format::coo:
            return "[nnz]";
        default:
            return "[stored entries]";
    }
}

/// What the arrays of values hold, which a parameter may say.
std::string values_text(const KernelFile& file, const std::string& name) {
    const auto code = file.signature.params.find("value_code");
    const std::int64_t value_code = code == file.signature.params.end() ? 0 : code->second;
    const std::string entries = element_count(file.entry.format);
    if (name == "coded_values")
        return name + entries +
               (value_code == 1 ? ": value of each entry, a signed integer of 8 bits"
                                : ": number of each entry's value in values");
    if (value_code == 2) return name + "[1]: the value of every entry";
    if (value_code == 3) return name + "[256]: the values that entries have";
    return name + entries + ": value of each entry";
}

std::string dense_text(const KernelFile& file, const std::string& rows) {
    const int k = file.signature.num_rhs;
    return k == 1 ? "[" + rows + "]"
                  : "[" + rows + "][" + std::to_string(k) + "]: a column for each right-hand side";
}

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
    if (file.entry.batch) return text_in(known_of_batches, name);
    for (auto& w : file.entry.workspace)
        if (w.name == name)
            return name + (file.entry.gpu ? gpu_workspace_text(file, w)
                                          : workspace_text(w, file.signature));
    if (name == "x")
        return name + dense_text(file, file.entry.transposes ? "num_rows" : "columns of A");
    if (name == "y")
        return name + dense_text(file, file.entry.transposes ? "columns of A" : "num_rows");
    if (name == "col_idx" && file.entry.format == Format::bcsr)
        return name + "[blocks]: first column of each block, from 0";
    if (name == "col_idx")
        return name + element_count(file.entry.format) + ": column of each entry, from 0";
    if (name == "values" || name == "coded_values") return values_text(file, name);
    if (const auto how = formula(file.signature, name); !how.empty()) return name + " = " + how;
    return text_in(known, name);
}

std::string argument_lines(const KernelFile& file, const std::string& name) {
    return comment_lines("/// ", "///     ", argument_text(file, name));
}

}  // namespace spmvgen
