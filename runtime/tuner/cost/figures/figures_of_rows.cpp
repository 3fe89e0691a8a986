#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "matrix/features/distinct.hpp"
#include "matrix/sort_falling.hpp"
#include "tuner/cost/figures/figures.hpp"

namespace spmvgen {
namespace {

std::vector<std::int32_t> lengths_of(const CsrView& a) {
    std::vector<std::int32_t> lengths(static_cast<std::size_t>(a.rows));
    dispatch(a.offset_type, [&]<typename Offset>(Offset) {
        const Offset* const ptr = a.row_ptr_as<Offset>();
        for (std::size_t i = 0; i < lengths.size(); ++i)
            lengths[i] = static_cast<std::int32_t>(ptr[i + 1] - ptr[i]);
    });
    return lengths;
}

double ratio(std::int64_t part, std::int64_t all) {
    return static_cast<double>(part) / static_cast<double>(std::max<std::int64_t>(all, 1));
}

/// The first row of a thread's share of rows plus entries, as the kernels find it.
std::int64_t first_row(const CsrView& a, std::int64_t thread, std::int64_t threads) {
    const std::int64_t work = (a.rows + a.nnz) / threads * thread;
    std::int64_t low = 0, high = a.rows;
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (middle + a.row_begin(middle) < work)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

}  // namespace

const std::vector<std::int32_t>& MatrixFigures::lengths_in(std::int64_t sigma) {
    const auto [place, is_new] = lengths_in_.try_emplace(sigma);
    std::vector<std::int32_t>& lengths = place->second;
    if (!is_new) return lengths;
    if (sigma <= 1) return lengths = lengths_of(sample_.view());
    lengths = lengths_in(1);
    const std::int64_t rows = std::ssize(lengths);
    std::vector<std::uint32_t> counts;
    for (std::int64_t begin = 0; begin < rows; begin += sigma)
        sort_falling(
            std::span(lengths).subspan(static_cast<std::size_t>(begin),
                                       static_cast<std::size_t>(std::min(sigma, rows - begin))),
            counts);
    return lengths;
}

const SlicesFigures& MatrixFigures::slices(std::int64_t height, std::int64_t sigma) {
    const auto [place, is_new] = slices_.try_emplace({height, sigma});
    if (!is_new) return place->second;
    const std::vector<std::int32_t>& lengths = lengths_in(sigma);
    const std::int64_t rows = std::ssize(lengths);
    const bool is_sorted = sigma > 1 && sigma % height == 0;  // in each slice
    std::int64_t columns = 0, full = 0, turns = 0;
    std::pair<std::int32_t, std::int32_t> before{-1, -1};
    for (std::int64_t begin = 0; begin < rows; begin += height) {
        const auto first = lengths.begin() + begin;
        const auto last = lengths.begin() + std::min(begin + height, rows);
        std::int32_t least = last[-1], most = *first;
        for (auto length = first; !is_sorted && length < last; ++length) {
            least = std::min(least, *length);
            most = std::max(most, *length);
        }
        columns += most;
        full += least;
        turns += before != std::pair(least, most) ? 1 : 0;
        before = {least, most};
    }
    place->second = {std::max(ratio(columns * height, sample_.view().nnz), 1.0),
                     ratio(full, columns), ratio(turns, (rows + height - 1) / height)};
    return place->second;
}

double MatrixFigures::columns_of_rows(std::int64_t height) {
    const auto [place, is_new] = columns_of_rows_.try_emplace(height, 1.0);
    if (!is_new || sample_.view().nnz == 0) return place->second;
    if (!columns_) columns_ = number_sectors(sample_.view(), 1);
    const NumberedRows& a = *columns_;
    DistinctBelow distinct(a.different);
    std::int64_t columns = 0;
    for (std::int64_t row = 0; row < a.rows(); row += height) {
        const auto begin = a.first[static_cast<std::size_t>(row)];
        const auto end = a.first[static_cast<std::size_t>(std::min(row + height, a.rows()))];
        for (auto k = begin; k < end; ++k) distinct.add(a.sector[static_cast<std::size_t>(k)]);
        columns += distinct.take();
    }
    return place->second = ratio(columns, a.entries());
}

double MatrixFigures::row_turns(std::int64_t lanes, std::int64_t unroll) {
    const auto [place, is_new] = row_turns_.try_emplace({lanes, unroll}, 0.0);
    if (!is_new) return place->second;
    // Whole rounds, vectors beyond them, and whether entries are left: of short rows, which are
    // many, from a table.
    const auto ends_of = [&](std::int64_t length) {
        const std::int64_t left = length % (lanes * unroll);
        return length / (lanes * unroll) << 32 | left / lanes << 1 |
               std::min<std::int64_t>(left % lanes, 1);
    };
    std::array<std::int64_t, 256> ends{};
    const std::int64_t in_table = std::min(features_.max_row + 1, std::ssize(ends));
    for (std::int64_t length = 0; length < in_table; ++length)
        ends[static_cast<std::size_t>(length)] = ends_of(length);
    const CsrView a = sample_.view();
    std::int64_t turns = 0, before = -1;
    for (const std::int32_t length : lengths_in(1)) {
        const std::int64_t now =
            length < in_table ? ends[static_cast<std::size_t>(length)] : ends_of(length);
        turns += now != before;
        before = now;
    }
    return place->second = ratio(turns, a.rows);
}

double MatrixFigures::busiest(int threads, bool by_rows) const {
    const std::int64_t team = std::max(threads, 1);
    if (team == 1) return 1;
    std::int64_t most = 0, begin = 0;
    for (std::int64_t thread = 1; thread <= team; ++thread) {
        const std::int64_t end = thread == team ? matrix_.rows
                                 : by_rows      ? matrix_.rows / team * thread
                                                : first_row(matrix_, thread, team);
        most = std::max(most, end - begin + matrix_.row_begin(end) - matrix_.row_begin(begin));
        begin = end;
    }
    const auto all = static_cast<double>(matrix_.rows + matrix_.nnz);
    return std::max(static_cast<double>(most) * static_cast<double>(team) / std::max(all, 1.0),
                    1.0);
}

double MatrixFigures::busiest_rows(std::int64_t height, std::int64_t sigma) {
    const bool is_sorted = sigma > 1;
    const std::int64_t rows = is_sorted ? sample_.view().rows : matrix_.rows;
    const std::int64_t nnz = is_sorted ? sample_.view().nnz : matrix_.nnz;
    std::int64_t most = 0;
    for (std::int64_t begin = 0; begin < rows; begin += height) {
        const std::int64_t end = std::min(begin + height, rows);
        std::int64_t entries = 0;
        if (is_sorted) {
            const std::vector<std::int32_t>& lengths = lengths_in(sigma);
            entries = std::accumulate(lengths.begin() + begin, lengths.begin() + end, entries);
        } else {
            entries = matrix_.row_begin(end) - matrix_.row_begin(begin);
        }
        most = std::max(most, end - begin + entries);
    }
    const auto mean = ratio((rows + nnz) * height, std::max(rows, height));
    return mean > 0 ? std::max(static_cast<double>(most) / mean, 1.0) : 1;
}

}  // namespace spmvgen
