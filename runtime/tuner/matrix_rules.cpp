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
constexpr std::int64_t most_hub_bytes = 96 * 1024;   ///< of a block's shared memory: two a unit
constexpr double least_hub_share = 0.3;              ///< of the entries, for hubs to pay

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
    return {"strips", fmt::format("{:.1f} bytes an entry as strips, {:.1f} as CSR", bytes, csr)};
}

/// A network's product is bound by the cache that serves x: hubs in shared memory lessen that.
Pick networks(const Situation& s) {
    if (!s.request.hubs || s.request.hubs->share < least_hub_share) return {};
    return {"tiles_hubs", fmt::format("{:.0f} % of the entries in {} columns",
                                      100 * s.request.hubs->share, s.request.hubs->hubs)};
}

constexpr std::array gpu_rules_by_matrix{Rule{gpu_strips, {"strips"}},
                                         Rule{networks, {"tiles_hubs"}}};

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
    return std::min(most_hub_bytes, shared / 2) / static_cast<std::int64_t>(size_of(vectors));
}

std::span<const Rule> gpu_matrix_rules() {
    return gpu_rules_by_matrix;
}

}  // namespace spmvgen
