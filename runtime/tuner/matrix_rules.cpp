#include "tuner/matrix_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace spmvgen {
namespace {

// From what prototypes took on an H200: their bytes, and where they lost.
constexpr std::int64_t least_gpu_entries = 450'000;  ///< with fewer a launch is about all
constexpr double most_gpu_padding = 1.35;            ///< stored values over nonzeros
constexpr double most_index_bytes = 3;               ///< a nonzero: with more x's gathers decide
constexpr double most_gpu_share = 0.95;              ///< of CSR's bytes
constexpr double short_mean = 4;          ///< mean row, up to which a thread's chain of loads
                                          ///< decides,
constexpr double most_short_index = 1.2;  ///< unless so few bytes a nonzero name its column
constexpr std::int64_t most_hub_bytes = 96 * 1024;  ///< of a block's shared memory: two a unit
constexpr double least_concentration = 2.5;         ///< of hubs: their share of the entries over
                                                    ///< theirs of the columns
constexpr double least_hub_share = 0.3;             ///< of the entries, for hubs to pay
constexpr std::int64_t most_even_row = 1024;        ///< entries of a row, as Algorithm 3 has it
constexpr double skewed_padding = 1.5;              ///< sorted padding, where single rows stand out
constexpr double long_mean = 256;                   ///< mean row, of matrices of few rows

double strips_bytes(const Situation& s) {
    return s.request.strips->bytes / static_cast<double>(s.f.nnz);
}

Pick gpu_strips(const Situation& s) {
    if (!s.request.strips || s.f.nnz < least_gpu_entries) return {};
    const double csr = csr_bytes_a_nonzero(s), bytes = strips_bytes(s);
    const StripsOutlook& outlook = *s.request.strips;
    if (outlook.padding > most_gpu_padding || outlook.index_bytes > most_index_bytes ||
        bytes > most_gpu_share * csr)
        return {};
    if (s.f.mean_row < short_mean && outlook.index_bytes > most_short_index) return {};
    return {"strips", fmt::format("{:.1f} bytes an entry as strips, {:.1f} as CSR", bytes, csr)};
}

/// A network's product is bound by the cache that serves x: hubs in shared memory lessen that.
Pick networks(const Situation& s) {
    if (!s.request.hubs) return {};
    const auto& [hubs, share] = *s.request.hubs;
    const double of_columns = static_cast<double>(hubs) / static_cast<double>(s.f.cols);
    if (share < std::max(least_hub_share, least_concentration * of_columns)) return {};
    return {"tiles_hubs", fmt::format("{:.0f} % of the entries in {} columns", 100 * share, hubs)};
}

/// Rows of all lengths: work is shared out by entries.
Pick uneven_rows(const Situation& s) {
    if (!s.request.look || s.f.nnz < least_gpu_entries || s.f.mean_row >= long_mean) return {};
    if (s.f.max_row <= most_even_row && s.f.sell_sorted_padding.back() <= skewed_padding) return {};
    return {"tiles", fmt::format("longest row {}, mean {:.1f}, padding {:.2f} in sorted slices",
                                 s.f.max_row, s.f.mean_row, s.f.sell_sorted_padding.back())};
}

constexpr std::array gpu_rules_by_matrix{
    Rule{gpu_strips, {"strips"}}, Rule{networks, {"tiles_hubs"}}, Rule{uneven_rows, {"tiles"}}};

}  // namespace

double csr_bytes_a_nonzero(const Situation& s) {
    const ValueType storage =
        s.request.exact ? s.request.exact->storage : stored_type(s.request, s.f.value_type);
    const double rows = static_cast<double>(s.f.rows) / static_cast<double>(s.f.nnz);
    return static_cast<double>(size_of(storage) + size_of(IndexType::i32)) +
           rows * static_cast<double>(size_of(IndexType::i32));
}

std::int64_t hub_columns(const Target& target, ValueType vectors) {
    const std::int64_t shared = architecture(target).gpu.shared_bytes;
    // Of little shared memory the places of sums take up to a half.
    return std::min(most_hub_bytes, shared / (shared > most_hub_bytes ? 2 : 4)) /
           static_cast<std::int64_t>(size_of(vectors));
}

std::span<const Rule> gpu_matrix_rules() {
    return gpu_rules_by_matrix;
}

}  // namespace spmvgen
