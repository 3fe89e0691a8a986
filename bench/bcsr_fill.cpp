// bench_bcsr_fill: the sampled fill ratios of all 64 block sizes against the exact ones, what the
// sample costs, and how much less blocks would hold that may begin at any column, or at any row.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <iostream>

#include "matrix/block_counter.hpp"
#include "matrix/block_fill.hpp"
#include "matrix_source.hpp"

namespace {

using namespace spmvgen;

double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Relative errors of an estimate over the 64 sizes.
struct Errors {
    double mean = 0, most = 0;
};

Errors errors_of(const BlockFill& estimate, const BlockFill& exact) {
    Errors e;
    for (int r = 1; r <= most_block; ++r)
        for (int c = 1; c <= most_block; ++c) {
            const double error = std::abs(estimate.at(r, c) / exact.at(r, c) - 1);
            e.mean += error / (most_block * most_block);
            e.most = std::max(e.most, error);
        }
    return e;
}

/// Blocks of `width` columns that begin where the last one has left an entry out: the fewest that
/// cover ascending columns.
template <typename Columns>
std::int64_t blocks_anywhere(const Columns& columns, int width) {
    std::int64_t count = 0;
    std::int64_t end = -1;
    for (const std::int64_t column : columns)
        if (column >= end) {
            end = column + width;
            ++count;
        }
    return count;
}

/// Fill ratios of one size when blocks begin anywhere in their block row; and when block rows do,
/// too: the best of r common offsets of all block rows.
struct Unaligned {
    double columns = 0, both = 0;
};

Unaligned unaligned(const CsrMatrix& a, int rows, int cols) {
    Unaligned u;
    const CsrView view = a.view();
    BlockColumns<std::int32_t, std::int32_t> columns(view);
    for (std::int64_t offset = 0; offset < rows; ++offset) {
        std::int64_t blocks = 0;
        for (std::int64_t first = offset - rows; first < a.rows; first += rows) {
            const std::int64_t begin = std::max<std::int64_t>(first, 0);
            const std::int64_t end = std::min(first + rows, a.rows);
            if (begin >= end) continue;
            columns.take(begin, end);
            blocks += blocks_anywhere(columns.columns(), cols);
        }
        const double fill = static_cast<double>(blocks * rows * cols) / static_cast<double>(a.nnz);
        if (offset == 0) u.columns = fill;
        if (offset == 0 || fill < u.both) u.both = fill;
    }
    return u;
}

void print_errors(const std::vector<std::string>& names, const std::vector<double>& sigmas) {
    std::cout << fmt::format("{:<40}{:>10}", "matrix", "exact ms");
    for (const double sigma : sigmas)
        std::cout << fmt::format("{:>27}", fmt::format("σ = {}: ms, mean, most", sigma));
    std::cout << "\n";
    for (auto& name : names) {
        const CsrMatrix a = cli::load_matrix(name).matrix;
        BlockFill exact;
        const double exact_s = seconds_of([&] { exact = block_fill(a.view(), 1); });
        std::cout << fmt::format("{:<40}{:>10.1f}", name, exact_s * 1e3);
        for (const double sigma : sigmas) {
            BlockFill estimate;
            const double s = seconds_of([&] { estimate = block_fill(a.view(), sigma); });
            const Errors e = errors_of(estimate, exact);
            std::cout << fmt::format("{:>10.2f}{:>7.2f} %{:>6.1f} %", s * 1e3, 100 * e.mean,
                                     100 * e.most);
        }
        std::cout << "\n";
    }
}

void print_unaligned(const std::vector<std::string>& names) {
    constexpr std::pair<int, int> sizes[] = {{2, 2}, {3, 3}, {4, 4}, {6, 6}, {8, 8}};
    std::cout << fmt::format("\n{:<40}", "fill aligned, columns anywhere, rows too");
    for (auto [r, c] : sizes) std::cout << fmt::format("{:>18}", fmt::format("{}x{}", r, c));
    std::cout << "\n";
    for (auto& name : names) {
        const CsrMatrix a = cli::load_matrix(name).matrix;
        const BlockFill exact = block_fill(a.view(), 1);
        std::cout << fmt::format("{:<40}", name);
        for (auto [r, c] : sizes) {
            const Unaligned u = unaligned(a, r, c);
            std::cout << fmt::format(
                "{:>18}", fmt::format("{:.2f} {:.2f} {:.2f}", exact.at(r, c), u.columns, u.both));
        }
        std::cout << "\n";
    }
}

}  // namespace

int main(int argc, char** argv) try {
    std::vector<std::string> matrices;
    std::vector<double> sigmas{0.005, 0.02, 0.1};
    CLI::App app{"sampled fill ratios against exact ones"};
    app.add_option("matrices", matrices, cli::matrix_help)->required();
    app.add_option("--sigma", sigmas, "shares of the block rows")->delimiter(',');
    CLI11_PARSE(app, argc, argv);
    print_errors(matrices, sigmas);
    print_unaligned(matrices);
    return 0;
} catch (const std::exception& error) {
    std::cerr << "bench_bcsr_fill: " << error.what() << "\n";
    return 1;
}
