#include "tuner/chooser/block_choice.hpp"

#include <fmt/format.h>

#include "tuner/rules/rules.hpp"

namespace spmvgen {
namespace {

/// A size, and what speaks for it.
struct Rated {
    int rows = 0, cols = 0;
    double score = 0;  ///< the greatest wins
};

/// The best of the free sizes; of equal ones the smaller.
template <typename Score>
Rated best_of(const BlockProblem& problem, Score score) {
    Rated best;
    for (int r = 1; r <= most_block; ++r)
        for (int c = 1; c <= most_block; ++c) {
            if (problem.rows_given != 0 && problem.rows_given != r) continue;
            if (problem.cols_given != 0 && problem.cols_given != c) continue;
            const double rated = score(r, c);
            const bool first = best.rows == 0;
            const bool smaller = r * c < best.rows * best.cols;
            if (first || rated > best.score || (rated == best.score && smaller))
                best = {r, c, rated};
        }
    return best;
}

std::string fill_text(const BlockFill& fill, int rows, int cols) {
    return fmt::format("fill {:.2f} ({})", fill.at(rows, cols),
                       fill.share < 1 ? fmt::format("from {:.1f} % of the rows", 100 * fill.share)
                                      : std::string("exact"));
}

double rate(const DenseSpeeds& speeds, const BlockFill& fill, const BlockProblem& problem, int r,
            int c) {
    const double stored = fill.at(r, c) * static_cast<double>(problem.nnz);
    return speeds.gflops(stored, static_cast<double>(problem.rows), r, c) / fill.at(r, c);
}

BlockChoice by_profile(const BlockFill& fill, const BlockProblem& problem,
                       const FoundProfile& found) {
    const DenseSpeeds speeds(*found.profile, problem.value);
    const auto score = [&](int r, int c) { return rate(speeds, fill, problem, r, c); };
    const Rated best = best_of(problem, score);
    BlockChoice choice{best.rows, best.cols, fill.at(best.rows, best.cols), {}, found.warning};
    choice.reason = fmt::format(
        "blocks {}x{}: {}, {:.2f} GFLOP/s expected against {:.2f} in 1x1, from {}{}", best.rows,
        best.cols, fill_text(fill, best.rows, best.cols), best.score, score(1, 1), found.file,
        found.profile->generator == generator_digest() ? "" : " (made with other kernels)");
    return choice;
}

BlockChoice by_bytes(const BlockFill& fill, const BlockProblem& problem,
                     const FoundProfile& found) {
    const Rated best =
        best_of(problem, [&](int r, int c) { return -block_bytes(fill, problem, r, c); });
    BlockChoice choice{best.rows, best.cols, fill.at(best.rows, best.cols), {}, found.warning};
    choice.reason = fmt::format(
        "blocks {}x{}: {}, {:.1f} bytes a nonzero against {:.1f} in 1x1, for there is no profile "
        "of this device{}",
        best.rows, best.cols, fill_text(fill, best.rows, best.cols), -best.score,
        block_bytes(fill, problem, 1, 1),
        found.profile ? fmt::format(" with {} values", to_string(problem.value)) : "");
    return choice;
}

}  // namespace

double block_bytes(const BlockFill& fill, const BlockProblem& problem, int rows, int cols) {
    const auto value = static_cast<double>(size_of(problem.storage));
    const auto index = static_cast<double>(size_of(problem.index));
    const auto offset = static_cast<double>(size_of(IndexType::i32));
    const double row =
        static_cast<double>(problem.rows) / static_cast<double>(problem.nnz > 0 ? problem.nnz : 1);
    return fill.at(rows, cols) * (value + index / (rows * cols)) + offset * row / rows;
}

BlockChoice choose_block(const BlockFill& fill, const BlockProblem& problem,
                         const FoundProfile& found) {
    const bool measured = found.profile && found.profile->has(problem.value) && problem.nnz > 0;
    BlockChoice choice =
        measured ? by_profile(fill, problem, found) : by_bytes(fill, problem, found);
    if (problem.rows_given != 0 && problem.cols_given != 0)
        choice.reason = fmt::format("blocks {}x{} given by the caller: {}", choice.rows,
                                    choice.cols, fill_text(fill, choice.rows, choice.cols));
    return choice;
}

BlockChoice choose_rows_of_block(const BlockFill& fill, const BlockProblem& problem) {
    constexpr int most_rows = 4;    // sums that a lane has registers for
    constexpr double near_x = 0.5;  // a byte of x over one of A: it comes from the L1 cache
    constexpr int fewest_rows = 2;
    // Rows of higher blocks that keep a GPU busy, with a warp each, and with one of its blocks.
    constexpr std::int64_t enough_warps = 1400, enough_blocks = 424, long_row = 96;
    const std::int64_t enough =
        problem.nnz >= long_row * problem.rows ? enough_blocks : enough_warps;
    const double row = near_x * problem.num_rhs * static_cast<double>(size_of(problem.value));
    const auto bytes = [&](int rows) {
        return block_bytes(fill, problem, rows, 1) + row * fill.at(rows, 1) / rows;
    };
    int best = 1;
    for (int rows = fewest_rows;
         rows <= most_rows && (rows == fewest_rows || problem.rows / rows >= enough); ++rows)
        if (fill.at(rows, 1) > 0 && bytes(rows) < bytes(best)) best = rows;
    BlockChoice choice{best, 1, fill.at(best, 1)};
    for (int rows = 1; rows <= most_rows; ++rows)
        choice.fill_of_rows[static_cast<std::size_t>(rows - 1)] = fill.at(rows, 1);
    choice.reason =
        fmt::format("{} rows of a block share rows of x, {}", best, fill_text(fill, best, 1));
    return choice;
}

bool wants_blocks(const Request& request) {
    if (request.kernel != "auto") return kernel_entry(request.kernel).format == Format::bcsr;
    return request.format == "bcsr" ||
           (request.format == "auto" &&
            (request.params.contains("block_rows") || request.params.contains("block_cols")));
}

}  // namespace spmvgen
