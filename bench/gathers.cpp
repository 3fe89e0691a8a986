// What blocks of threads need of x: sectors of 32 bytes a row, for vectors of f64, that a block of
// so many neighbouring rows reads at least once; the tables of docs/ahead-of-peers.md.
//   bench_gathers A.csr …
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "matrix/reader.hpp"
#include "matrix/reorder/reordering.hpp"
#include "spmvgen/error.hpp"
#include "tuner/gathers.hpp"

namespace spmvgen {
namespace {

using Order = std::vector<std::int32_t>;

/// Rows by falling length within windows, as SELL-C-σ has them; σ = 1: as they come.
Order sorted_rows(const CsrView& a, std::int64_t sigma) {
    Order order(static_cast<std::size_t>(a.rows));
    std::iota(order.begin(), order.end(), 0);
    for (std::int64_t begin = 0; sigma > 1 && begin < a.rows; begin += sigma)
        std::stable_sort(order.begin() + begin, order.begin() + std::min(a.rows, begin + sigma),
                         [&](auto i, auto j) { return a.row_length(i) > a.row_length(j); });
    return order;
}

double sectors_a_row(const CsrView& a, const Order& order, std::int64_t block) {
    constexpr std::int64_t elements = 4;
    std::int64_t all = 0;
    std::vector<std::int64_t> own;
    for (std::int64_t begin = 0; begin < a.rows; begin += block) {
        own.clear();
        for (std::int64_t i = begin; i < std::min(a.rows, begin + block); ++i) {
            const std::int64_t row = order[static_cast<std::size_t>(i)];
            for (std::int64_t k = a.row_begin(row); k < a.row_begin(row + 1); ++k)
                own.push_back(a.col(k) / elements);
        }
        std::ranges::sort(own);
        all += std::ssize(own) - std::ssize(std::ranges::unique(own));
    }
    return static_cast<double>(all) / static_cast<double>(a.rows);
}

void print(const std::string& path) {
    const CsrMatrix matrix = read_matrix(path);
    const CsrView a = matrix.view();
    fmt::print("| {} |", path.substr(path.rfind('/') + 1));
    for (const std::int64_t sigma : {1, 256, 1024, 4096})
        fmt::print(" {:.2f} |", sectors_a_row(a, sorted_rows(a, sigma), cluster_rows));
    fmt::print(" {:.2f} | {:.2f} | {:.3f} |\n",
               sectors_a_row(a, reorder(a, ReorderMethod::rows).order, cluster_rows),
               sectors_a_row(a, sorted_rows(a, 1), 1024), saved_by_large_blocks(a, ValueType::f64));
}

}  // namespace
}  // namespace spmvgen

int main(int argc, char** argv) try {
    fmt::print(
        "| matrix | as it comes | window 256 | 1024 | 4096 | clusters | blocks of 1024 rows | "
        "saved by them |\n");
    fmt::print("|---|---:|---:|---:|---:|---:|---:|---:|\n");
    for (int i = 1; i < argc; ++i) spmvgen::print(argv[i]);
} catch (const spmvgen::Error& error) {
    fmt::print(stderr, "bench_gathers: {}\n", error.what());
    return 1;
}
