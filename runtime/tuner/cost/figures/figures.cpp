#include "tuner/cost/figures/figures.hpp"

#include <algorithm>
#include <vector>

#include "matrix/features/distinct.hpp"
#include "matrix/features/features_parts.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t sorted_together = 4096;  ///< rows
constexpr std::int64_t sector_columns = 4;      ///< of 32 bytes, 8 bytes an element
constexpr std::int64_t line_columns = 16;       ///< of 128 bytes
constexpr std::int64_t warp_lanes = 32;
constexpr std::int64_t of_warps = 12'288;  ///< entries, of the sample, that warps are counted of
constexpr double least_sectors = 1.0 / 32;

}  // namespace

MatrixFigures::MatrixFigures(const CsrView& matrix, const RowFeatures& rows, int threads,
                             CountedFor whose)
    : matrix_(matrix),
      threads_(threads),
      whose_(whose),
      own_(std::make_unique<SampledRows>(
          SampledRows::of_choice(matrix, whose == CountedFor::cpu ? host_sample : gpu_sample))),
      sample_(*own_) {
    begin(rows);
}

MatrixFigures::MatrixFigures(const CsrView& matrix, const RowFeatures& rows,
                             const SampledRows& sample, int threads, CountedFor whose)
    : matrix_(matrix), threads_(threads), whose_(whose), sample_(sample) {
    begin(rows);
}

void MatrixFigures::begin(const RowFeatures& rows) {
    static_cast<RowFeatures&>(features_) = rows;
    best_ = features_;
    best_.run_sectors = least_sectors;
    best_.warp_sectors.fill(least_sectors);
    best_.window_sectors.fill(0);
    look_at_gathers(sample_.view(), features_);
}

void MatrixFigures::look_at_gathers(const CsrView& rows, Features& features) const {
    if (whose_ == CountedFor::cpu)
        analyse_gathers_of_rows(rows, threads_, features, of_warps);
    else
        analyse_gathers(rows, threads_, features, of_warps);
}

const Features& MatrixFigures::sorted() {
    if (optimistic_) return best_;
    if (!sorted_) {
        sorted_ = features_;
        const CsrMatrix rows = sample_.sorted(sorted_together);
        look_at_gathers(rows.view(), *sorted_);
    }
    return *sorted_;
}

const Features& MatrixFigures::sorted_in(std::int64_t sigma) {
    if (optimistic_) return best_;
    const auto [place, is_new] = sorted_in_.try_emplace(sigma, features_);
    if (!is_new) return place->second;
    const double a_window = std::max(features_.mean_row, 1.0) * static_cast<double>(sigma);
    const auto windows =
        static_cast<std::int64_t>(static_cast<double>(sample_.wanted()) / a_window);
    const SampledRows rows(matrix_, sample_.wanted(), std::clamp<std::int64_t>(windows, 1, 16), 1,
                           sample_.source());
    look_at_gathers(rows.sorted(sigma).view(), place->second);
    return place->second;
}

const BlockFill& MatrixFigures::fill() {
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
    return strips_
        .emplace_back(shape, StripsFigures{of_all(plan.stored),
                                           of_all(plan.index_bytes - plan.hole_mask_bytes),
                                           of_all(plan.strips), of_all(plan.strips_of_code[0]),
                                           of_all(plan.long_entries)})
        .second;
}

StripsFigures MatrixFigures::best_strips(const StripsShape& shape) {
    const bool apart = shape.long_from > 0 && features_.max_row > shape.long_from;
    const double padding = apart ? 1 : slices(shape.positions(), shape.sigma).padding;
    const double stored = padding * static_cast<double>(features_.nnz);
    const double strips = stored / static_cast<double>(shape.lanes);
    return {stored, strips * static_cast<double>(size_of(IndexType::i32)), strips, strips, 0};
}

double MatrixFigures::tile_sectors(std::int64_t items) {
    const auto found = tile_sectors_.find(items);
    if (found != tile_sectors_.end()) return found->second;
    const CsrView a = sample_.view();
    const std::int64_t tile = warp_lanes * items, tiles = (a.nnz + tile - 1) / tile;
    const std::int64_t most = std::max<std::int64_t>(of_warps / tile, 1);
    const std::int64_t step = std::max<std::int64_t>(1, tiles / most);
    std::int64_t sectors = 0, entries = 0;
    dispatch(a.index_type, [&]<typename Index>(Index) {
        const Index* col = a.col_idx_as<Index>();
        DistinctOfWarp distinct;
        for (std::int64_t t = 0; t < tiles; t += step) {
            const std::int64_t begin = t * tile, end = std::min(begin + tile, a.nnz);
            entries += end - begin;
            // The lanes of a warp each have `items` entries, and take one at a time.
            for (std::int64_t k = begin; k < std::min(begin + items, end); ++k) {
                for (std::int64_t of_lane = k; of_lane < end; of_lane += items)
                    distinct.add(col[of_lane] / sector_columns);
                sectors += distinct.take();
            }
        }
    });
    return tile_sectors_[items] = static_cast<double>(sectors) /
                                  static_cast<double>(std::max<std::int64_t>(entries, 1));
}

double MatrixFigures::sectors_beside() {
    if (sectors_beside_) return *sectors_beside_;
    const CsrView a = sample_.view();
    const std::int64_t draws = std::max<std::int64_t>(of_warps / warp_lanes, 1);
    const std::int64_t warps = (a.nnz + warp_lanes - 1) / warp_lanes;
    std::int64_t sectors = 0, lines = 0;
    dispatch(a.index_type, [&]<typename Index>(Index) {
        const Index* col = a.col_idx_as<Index>();
        DistinctOfWarp distinct;
        const auto of_warp = [&](std::int64_t begin, std::int64_t columns) {
            for (std::int64_t k = begin; k < std::min(begin + warp_lanes, a.nnz); ++k)
                distinct.add(col[k] / columns);
            return distinct.take();
        };
        for (std::int64_t w = 0; w < warps; w += std::max<std::int64_t>(1, warps / draws)) {
            sectors += of_warp(w * warp_lanes, sector_columns);
            lines += of_warp(w * warp_lanes, line_columns);
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
    dispatch(a.index_type, [&]<typename Index>(Index) {
        const Index* col = a.col_idx_as<Index>();
        std::vector<Index> columns;
        for (std::int64_t row = 0; row < a.rows; row += together) {
            columns.assign(col + a.row_begin(row),
                           col + a.row_begin(std::min(row + together, a.rows)));
            if (columns.empty()) continue;
            const auto middle = columns.begin() + std::ssize(columns) / 2;
            std::ranges::nth_element(columns, middle);
            for (const Index column : columns)
                distance += std::abs(static_cast<double>(column) - static_cast<double>(*middle));
        }
    });
    const double entries = static_cast<double>(std::max<std::int64_t>(a.nnz, 1));
    const double all = anywhere * static_cast<double>(std::max<std::int64_t>(a.cols, 1));
    return spread_.emplace(std::min(1.0, distance / entries / all));
}

double MatrixFigures::hub_share(std::int64_t count) {
    if (optimistic_) return 1;
    if (shared_.hubs) return shared_.hubs().share(count);
    if (!hubs_) hubs_.emplace(sample_);
    return hubs_->share(count);
}

double MatrixFigures::counted(double (*count)(const CsrView& sample)) {
    const auto [place, is_new] = counted_.try_emplace(count, 0.0);
    if (is_new) place->second = count(sample_.view());
    return place->second;
}

}  // namespace spmvgen
