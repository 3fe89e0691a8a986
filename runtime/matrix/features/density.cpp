// Where the entries are, drawn with shades in a frame.
#include <fmt/format.h>

#include <algorithm>

#include "matrix/chunks.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/features/density.hpp"
#include "matrix/features/features_parts.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

constexpr int most_cells = 1000;

/// Entries of each cell, lines one after the other.
using Cells = std::vector<std::int64_t>;

template <typename Offset, typename Index>
Cells count_cells(const CsrView& a, std::int64_t columns, std::int64_t lines) {
    const Offset* const row_ptr = a.row_ptr_as<Offset>();
    const Index* const col = a.col_idx_as<Index>();
    const double across = static_cast<double>(columns) / static_cast<double>(a.cols);
    const double down = static_cast<double>(lines) / static_cast<double>(a.rows);
    const auto cell = [](std::int64_t place, double scale, std::int64_t cells) {
        return std::min(static_cast<std::int64_t>(static_cast<double>(place) * scale), cells - 1);
    };
    std::vector<Cells> partial(static_cast<std::size_t>(thread_count(0)),
                               Cells(static_cast<std::size_t>(columns * lines)));
    for_parts(a.nnz, entries_a_part, 0, [&](std::int64_t begin, std::int64_t end, int thread) {
        Cells& cells = partial[static_cast<std::size_t>(thread)];
        for (std::int64_t i = row_of_entry(row_ptr, a.rows, begin); i < a.rows && row_ptr[i] < end;
             ++i) {
            std::int64_t* const line = cells.data() + cell(i, down, lines) * columns;
            const std::int64_t last = std::min<std::int64_t>(row_ptr[i + 1], end);
            for (std::int64_t k = std::max<std::int64_t>(row_ptr[i], begin); k < last; ++k)
                ++line[cell(col[k], across, columns)];
        }
    });
    for (std::size_t t = 1; t < partial.size(); ++t)
        std::transform(partial[0].begin(), partial[0].end(), partial[t].begin(), partial[0].begin(),
                       std::plus<>());
    return std::move(partial[0]);
}

/// A shade for each factor of 4 below the fullest cell.
const char* shade(std::int64_t entries, std::int64_t most) {
    if (entries == 0) return " ";
    if (entries > most / 4) return "█";
    if (entries > most / 16) return "▓";
    return entries > most / 64 ? "▒" : "░";
}

}  // namespace

DensityGrid density_grid(const CsrView& a, int columns, int lines) {
    if (columns < 1 || lines < 1 || columns > most_cells || lines > most_cells)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("density plot: {} columns and {} lines; 1 to {} are allowed",
                                columns, lines, most_cells));
    validate(a);
    const std::int64_t width = std::min<std::int64_t>(columns, a.cols);
    const std::int64_t height = std::min<std::int64_t>(lines, a.rows);
    DensityGrid grid{static_cast<int>(width), static_cast<int>(height),
                     Cells(static_cast<std::size_t>(width * height))};
    if (a.nnz > 0)
        grid.counts = dispatch(a.offset_type, [&]<typename Offset>(Offset) {
            return dispatch(a.index_type, [&]<typename Index>(Index) {
                return count_cells<Offset, Index>(a, width, height);
            });
        });
    return grid;
}

std::string density_plot(const CsrView& a, int columns, int lines) {
    const DensityGrid grid = density_grid(a, columns, lines);
    const Cells& cells = grid.counts;
    const std::int64_t width = grid.columns, height = grid.lines;
    const std::int64_t most = cells.empty() ? 0 : *std::max_element(cells.begin(), cells.end());
    std::string plot = "┌";
    for (std::int64_t c = 0; c < width; ++c) plot += "─";
    plot += "┐\n";
    for (std::int64_t l = 0; l < height; ++l) {
        plot += "│";
        for (std::int64_t c = 0; c < width; ++c)
            plot += shade(cells[static_cast<std::size_t>(l * width + c)], most);
        plot += "│\n";
    }
    plot += "└";
    for (std::int64_t c = 0; c < width; ++c) plot += "─";
    return plot + "┘\n";
}

}  // namespace spmvgen
