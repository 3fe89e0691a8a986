#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "matrix/features/features_parts.hpp"
#include "matrix/random.hpp"

/// Samples of a matrix: strips of neighbouring rows around entries drawn at random.
namespace spmvgen {

/// Neighbouring rows that are looked at together: a multiple of most heights of blocks.
constexpr std::int64_t strip_rows = 24;

/// Of strips of equal height, `number` begins with row number · height; drawn `times` times.
struct RowStrip {
    std::int64_t number, times;
};

/// How many strips are drawn.
struct StripLimits {
    std::int64_t draws;    ///< at most
    std::int64_t entries;  ///< at most so many in all strips but the last
};

/// All strips of A, each once.
inline std::vector<RowStrip> all_strips(const CsrView& a, std::int64_t height = strip_rows) {
    std::vector<RowStrip> strips;
    for (std::int64_t s = 0; s * height < a.rows; ++s) strips.push_back({s, 1});
    return strips;
}

/// Entries of a strip.
inline std::int64_t strip_entries(const CsrView& a, std::int64_t number,
                                  std::int64_t height = strip_rows) {
    return a.row_begin(std::min(number * height + height, a.rows)) - a.row_begin(number * height);
}

/// The strips of entries drawn at random. A strip's chance grows with its entries, and the mean of
/// the strips' fill ratios estimates the matrix' without bias, rows of very different length
/// included.
template <typename Offset>
std::vector<RowStrip> draw_strips(const CsrView& a, const StripLimits& limits,
                                  std::int64_t height = strip_rows) {
    const generators::Random random(0, generators::Purpose::place);
    std::map<std::int64_t, std::int64_t> times;
    std::int64_t entries = 0;
    for (std::int64_t draw = 0; draw < limits.draws && entries < limits.entries; ++draw) {
        const std::int64_t k = random.below(a.nnz, draw);
        const std::int64_t s = row_of_entry(a.row_ptr_as<Offset>(), a.rows, k) / height;
        if (times[s]++ == 0) entries += strip_entries(a, s, height);
    }
    std::vector<RowStrip> strips;
    for (const auto& [s, count] : times) strips.push_back({s, count});
    return strips;
}

}  // namespace spmvgen
