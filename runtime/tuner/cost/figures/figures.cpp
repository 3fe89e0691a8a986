#include "tuner/cost/figures/figures.hpp"

#include <algorithm>
#include <vector>

#include "matrix/features/distinct.hpp"
#include "spmvgen/epilogue.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t sorted_together = 4096;  ///< rows
constexpr std::int64_t sorted_share = 2;   ///< of the sample's entries, for rows a CPU has sorted
constexpr std::int64_t line_columns = 16;  ///< of 128 bytes
constexpr std::int64_t spread_entries = 3'000;  ///< of the sample, that spread() looks at, about
constexpr std::int64_t of_warps = 5'000;  ///< entries, of the sample, that warps are counted of
/// Of the least bytes of columns an entry that a shape of strips takes, what any other one takes.
constexpr double known_columns = 0.5;
constexpr std::size_t warp_a_row = 5;  ///< of Features::warp_sectors

/// Of a matrix that is made of blocks of all sizes.
constexpr BlockFill filled_blocks = [] {
    BlockFill fill;
    for (auto& row : fill.ratio) row.fill(1);
    return fill;
}();

}  // namespace

MatrixFigures::MatrixFigures(const CsrView& matrix, const RowFeatures& rows, int threads,
                             CountedFor whose)
    : matrix_(matrix),
      threads_(threads),
      whose_(whose),
      own_(std::make_unique<SampledRows>(
          SampledRows::of_choice(matrix, whose == CountedFor::cpu ? host_sample : gpu_sample))),
      sample_(*own_),
      features_(rows),
      histogram_(rows) {}

MatrixFigures::MatrixFigures(const CsrView& matrix, const RowFeatures& rows,
                             const SampledRows& sample, int threads, CountedFor whose)
    : matrix_(matrix),
      threads_(threads),
      whose_(whose),
      sample_(sample),
      features_(rows),
      histogram_(rows) {}

RowGathers& MatrixFigures::gathers(std::int64_t sigma) {
    const std::int64_t together = sigma > 1 && whose_ == CountedFor::gpu ? sorted_together : sigma;
    if (const auto found = gathers_.find(together); found != gathers_.end()) return found->second;
    const auto keep = [&](NumberedRows rows) -> RowGathers& {
        return gathers_.try_emplace(together, std::move(rows), of_warps).first->second;
    };
    if (together <= 1) return keep(number_sectors(sample_.view()));
    if (whose_ == CountedFor::gpu)
        return keep(in_order(gathers(1).rows(), sample_.sorted_rows(together)));
    const std::int64_t wanted = sample_.wanted() / sorted_share;
    const double a_window = std::max(features_.mean_row, 1.0) * static_cast<double>(together);
    const auto windows = static_cast<std::int64_t>(static_cast<double>(wanted) / a_window);
    const SampledRows rows(matrix_, wanted, std::clamp<std::int64_t>(windows, 1, 16), 1,
                           sample_.source());
    return keep(in_order(number_sectors(rows.view()), rows.sorted_rows(together)));
}

double MatrixFigures::least_sectors(double rows) {
    const auto& windows = gathers(1).windows();
    std::size_t i = 0;
    while (i + 1 < windows.size() && rows > static_cast<double>(window_rows[i])) ++i;
    return std::max(windows[i], 1.0 / gather_lanes);
}

int MatrixFigures::accesses(const std::string& epilogue) {
    if (!accesses_ || accesses_->first != epilogue)
        accesses_ = {epilogue, parse_epilogue(epilogue).count_accesses()};
    return accesses_->second;
}

double MatrixFigures::run_sectors() {
    if (!optimistic_) return gathers(1).run();
    return least_sectors(static_cast<double>(gather_lanes) / std::max(features_.mean_row, 1e-3));
}

double MatrixFigures::warp_sectors(std::size_t bits, std::int64_t sigma) {
    if (!optimistic_) return gathers(sigma).warp(bits);
    return least_sectors(sigma > 1 ? sorted_together : gather_lanes);
}

double MatrixFigures::window_sectors(std::size_t level, std::int64_t sigma) {
    if (optimistic_ && (sigma > 1 || level < 2))
        return least_sectors(sigma > 1 ? sorted_together : gather_lanes);
    RowGathers& found = gathers(optimistic_ ? 1 : sigma);
    return level == 0 ? found.warp(warp_a_row) : found.windows()[level - 1];
}

const BlockFill& MatrixFigures::fill() {
    if (optimistic_) return filled_blocks;
    const bool is_long = features_.mean_row > most_blocked_mean;
    if (!is_long && shared_.fill) return shared_.fill();
    if (!fill_) fill_ = block_fill(is_long ? sample_.view() : matrix_, default_sigma, threads_);
    return *fill_;
}

const StripsFigures& MatrixFigures::strips(const Signature& signature) {
    const StripsShape shape = strips_shape(signature);
    if (optimistic_) return best_strips_ = best_strips(shape);
    const auto found =
        std::ranges::find(strips_, shape, &std::pair<StripsShape, StripsFigures>::first);
    if (found != strips_.end()) return found->second;
    const StripsPlan plan = shared_.strips_plan ? shared_.strips_plan(signature)
                                                : plan_strips(sample_.view(), signature, threads_);
    const double scale = sample_.scale();
    const auto of_all = [&](std::int64_t n) { return scale * static_cast<double>(n); };
    const StripsFigures figures{
        of_all(plan.stored), of_all(plan.index_bytes - plan.hole_mask_bytes), of_all(plan.strips),
        of_all(plan.strips_of_code[0]), of_all(plan.long_entries)};
    const double an_entry = figures.index_bytes / std::max(figures.stored, 1.0);
    least_index_bytes_ = strips_.empty() ? an_entry : std::min(least_index_bytes_, an_entry);
    return strips_.emplace_back(shape, figures).second;
}

StripsFigures MatrixFigures::best_strips(const StripsShape& shape) {
    const bool apart = shape.long_from > 0 && features_.max_row > shape.long_from;
    const double padding = apart ? 1 : slices(shape.positions(), shape.sigma).padding;
    const double stored = padding * static_cast<double>(features_.nnz);
    const double strips = stored / static_cast<double>(shape.lanes);
    const double affine = whose_ == CountedFor::cpu ? most_affine(shape) : 1;
    // How columns compress depends little on the shape.
    double index_bytes = known_columns * least_index_bytes_;
    index_bytes = std::max(index_bytes, static_cast<double>(size_of(IndexType::i32)) /
                                                static_cast<double>(shape.lanes) +
                                            (1 - affine) / static_cast<double>(shape.block_size()));
    return {stored, stored * index_bytes, strips, affine * strips, 0};
}

double MatrixFigures::most_affine(const StripsShape& shape) {
    // Of strips with holes for as many entries as take no more bytes than deltas.
    constexpr double least_going_on = 0.6;
    if (!rises_) rises_ = has_rising_rows(sample_.view());
    if (!*rises_) return 1;
    return std::min(1.0, (1 - heads(shape.block_rows, shape.block_cols)) / least_going_on);
}

double MatrixFigures::tile_sectors(std::int64_t items) {
    if (optimistic_)
        return least_sectors(static_cast<double>(items * gather_lanes) /
                             std::max(features_.mean_row, 1e-3));
    const auto found = tile_sectors_.find(items);
    if (found != tile_sectors_.end()) return found->second;
    const NumberedRows& a = gathers(1).rows();
    const std::int64_t tile = gather_lanes * items, tiles = (a.entries() + tile - 1) / tile;
    const std::int64_t most = std::max<std::int64_t>(of_warps / tile, 1);
    const std::int64_t step = std::max<std::int64_t>(1, tiles / most);
    std::int64_t sectors = 0, entries = 0;
    DistinctBelow distinct(a.different);
    for (std::int64_t t = 0; t < tiles; t += step) {
        const std::int64_t begin = t * tile, end = std::min(begin + tile, a.entries());
        entries += end - begin;
        // The lanes of a warp each have `items` entries, and take one at a time.
        for (std::int64_t k = begin; k < std::min(begin + items, end); ++k) {
            for (std::int64_t of_lane = k; of_lane < end; of_lane += items)
                distinct.add(a.sector[static_cast<std::size_t>(of_lane)]);
            sectors += distinct.take();
        }
    }
    return tile_sectors_[items] = static_cast<double>(sectors) /
                                  static_cast<double>(std::max<std::int64_t>(entries, 1));
}

double MatrixFigures::sectors_beside() {
    if (sectors_beside_) return *sectors_beside_;
    const CsrView a = sample_.view();
    const NumberedRows& numbered = gathers(1).rows();
    const std::int64_t draws = std::max<std::int64_t>(of_warps / gather_lanes, 1);
    const std::int64_t warps = (a.nnz + gather_lanes - 1) / gather_lanes;
    std::int64_t sectors = 0, lines = 0;
    DistinctBelow of_sectors(numbered.different);
    DistinctOfWarp of_lines;
    dispatch(a.index_type, [&]<typename Index>(Index) {
        const Index* col = a.col_idx_as<Index>();
        for (std::int64_t w = 0; w < warps; w += std::max<std::int64_t>(1, warps / draws)) {
            const std::int64_t end = std::min((w + 1) * gather_lanes, a.nnz);
            for (std::int64_t k = w * gather_lanes; k < end; ++k) {
                of_sectors.add(numbered.sector[static_cast<std::size_t>(k)]);
                of_lines.add(col[k] / line_columns);
            }
            sectors += of_sectors.take();
            lines += of_lines.take();
        }
    });
    return sectors_beside_.emplace(1 - static_cast<double>(lines) /
                                           static_cast<double>(std::max<std::int64_t>(sectors, 1)));
}

double MatrixFigures::spread() {
    if (spread_) return *spread_;
    const CsrView a = sample_.view();
    constexpr std::int64_t together = 32;  // rows
    // Columns that are anywhere are a quarter of them away from the middle one, on average.
    constexpr double anywhere = 0.25;
    double distance = 0;
    std::int64_t entries = 0;
    dispatch(a.index_type, [&]<typename Index>(Index) {
        const Index* col = a.col_idx_as<Index>();
        std::vector<Index> columns;
        const std::int64_t step = together * std::max<std::int64_t>(1, a.nnz / spread_entries);
        for (std::int64_t row = 0; row < a.rows; row += step) {
            columns.assign(col + a.row_begin(row),
                           col + a.row_begin(std::min(row + together, a.rows)));
            if (columns.empty()) continue;
            const auto middle = columns.begin() + std::ssize(columns) / 2;
            std::ranges::nth_element(columns, middle);
            entries += std::ssize(columns);
            for (const Index column : columns)
                distance += std::abs(static_cast<double>(column) - static_cast<double>(*middle));
        }
    });
    const double of_all = anywhere * static_cast<double>(std::max<std::int64_t>(a.cols, 1)) *
                          static_cast<double>(std::max<std::int64_t>(entries, 1));
    return spread_.emplace(std::min(1.0, distance / of_all));
}

double MatrixFigures::hub_share(std::int64_t count) {
    if (optimistic_) return 1;
    if (shared_.hubs) return shared_.hubs().share(count);
    if (!hubs_) hubs_.emplace(sample_);
    return hubs_->share(count);
}

double MatrixFigures::heads(std::int64_t down, std::int64_t right) {
    const auto [place, is_new] = heads_.try_emplace({down, right}, 0.0);
    if (is_new) place->second = heads_of_diagonals(sample_.view(), down, right);
    return place->second;
}

bool MatrixFigures::has_more_heads() {
    constexpr std::int64_t many = 500'000;  // entries
    constexpr double more = 1.1;
    const double of_sample = heads(1, 1);
    return (heads_[{1, 1}] = heads_of_diagonals(matrix_, 1, 1, many)) > more * of_sample;
}

namespace {

constexpr std::int64_t entries_looked_at = 2'500;  ///< entries, about,
constexpr std::int64_t for_neighbours = 2'000;     ///< and to see whether any have neighbours
constexpr std::int64_t rows_together = 96;         ///< whole blocks of 1 to 4, 6 and 8 rows,
constexpr std::int64_t long_rows_together = 24;    ///< and of rows that have more than is wanted

/// Calls rows(begin, end) for some parts of the rows, evenly spread, of about so many entries.
template <typename Rows>
void for_some_rows(const CsrView& a, std::int64_t entries, const Rows& rows) {
    const bool are_long = a.nnz * rows_together > entries * a.rows;
    const std::int64_t together = are_long ? long_rows_together : rows_together;
    const std::int64_t step = together * std::max<std::int64_t>(1, a.nnz / entries);
    for (std::int64_t begin = 0; begin < a.rows; begin += step)
        rows(begin, std::min(begin + together, a.rows));
}

/// Calls with(row_ptr, col_idx) as they are.
template <typename With>
void with_arrays(const CsrView& a, const With& with) {
    dispatch(a.offset_type, [&]<typename Offset>(Offset) {
        dispatch(a.index_type, [&]<typename Index>(Index) {
            with(a.row_ptr_as<Offset>(), a.col_idx_as<Index>());
        });
    });
}

/// Share of the entries that have none so many rows above and columns to the left.
double heads_in_some(const CsrView& a, std::int64_t down, std::int64_t right,
                     std::int64_t looked_at) {
    std::int64_t found = 0, entries = 0;
    with_arrays(a, [&](const auto* ptr, const auto* col) {
        for_some_rows(a, looked_at, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t row = std::max(first, down); row < last; ++row) {
                const std::int64_t end = ptr[row + 1], end_above = ptr[row - down + 1];
                // Both rows are gone through without a branch that columns decide.
                for (std::int64_t k = ptr[row], above = ptr[row - down];
                     k < end && above < end_above;) {
                    const std::int64_t before = std::int64_t{col[above]} + right, column{col[k]};
                    found += before == column;
                    above += before <= column;
                    k += column <= before;
                }
            }
            entries += ptr[last] - ptr[first];
        });
    });
    return static_cast<double>(entries - found) /
           static_cast<double>(std::max<std::int64_t>(entries, 1));
}

/// Entries beside those before them in their rows.
struct Neighbours {
    std::int64_t entries = 0;
    std::int64_t beside = 0;  ///< which are in the next column
    std::int64_t falls = 0;   ///< which are in an earlier one
};

Neighbours neighbours_in_some(const CsrView& a, std::int64_t looked_at) {
    Neighbours found;
    with_arrays(a, [&](const auto* ptr, const auto* col) {
        for_some_rows(a, looked_at, [&](std::int64_t first, std::int64_t last) {
            const std::int64_t begin = ptr[first], end = ptr[last];
            const auto is_beside = [col](std::int64_t k) { return col[k] - col[k - 1] == 1; };
            const auto falls = [col](std::int64_t k) { return col[k] < col[k - 1]; };
            // As if all were one row, in one loop; then without the ends of rows.
            for (std::int64_t k = begin + 1; k < end; ++k) {
                found.beside += is_beside(k);
                found.falls += falls(k);
            }
            for (std::int64_t row = first + 1; row < last; ++row) {
                const std::int64_t k = ptr[row];
                if (k == begin || k == ptr[row + 1]) continue;
                found.beside -= is_beside(k);
                found.falls -= falls(k);
            }
            found.entries += end - begin;
        });
    });
    return found;
}

}  // namespace

double heads_of_diagonals(const CsrView& a, std::int64_t down, std::int64_t right,
                          std::int64_t entries) {
    return heads_in_some(a, down, right, entries > 0 ? entries : entries_looked_at);
}

bool has_rising_rows(const CsrView& a) {
    return neighbours_in_some(a, entries_looked_at).falls == 0;
}

bool has_neighbours(const CsrView& a) {
    constexpr double least = 0.15;  // shares of the entries beside and below another one
    const Neighbours found = neighbours_in_some(a, for_neighbours);
    if (found.falls > 0) return true;
    const double beside = static_cast<double>(found.beside) /
                          static_cast<double>(std::max<std::int64_t>(found.entries, 1));
    return beside >= least || beside + 1 - heads_in_some(a, 1, 0, for_neighbours) >= least;
}

BlockFill fill_of_single_entries() {
    BlockFill fill;
    for (std::size_t r = 0; r < fill.ratio.size(); ++r)
        for (std::size_t c = 0; c < fill.ratio[r].size(); ++c)
            fill.ratio[r][c] = static_cast<double>((r + 1) * (c + 1));
    return fill;
}

}  // namespace spmvgen
