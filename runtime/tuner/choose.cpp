#include "tuner/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "spmvgen/error.hpp"
#include "tuner/candidates.hpp"

namespace spmvgen {
namespace {

// Where one kernel begins to be better than another; measured, see docs/handle.md.
constexpr double long_row_share = 0.1;  ///< longest row over a thread's share of rows plus entries
constexpr double least_sell_row = 2;    ///< mean row
constexpr double most_padding = 1.15;   ///< stored entries over nonzeros in SELL
constexpr double least_vectors = 2;     ///< mean row over lanes for csr_vector

/// All that the rules look at.
struct Situation {
    const Features& f;
    const Request& request;
    std::vector<const KernelEntry*> among;
    std::int64_t lanes;  ///< values in one vector register
};

struct Pick {
    const KernelEntry* kernel = nullptr;  ///< null: the rule does not apply
    std::map<std::string, std::int64_t> params;
    std::string reason;
};

/// Index into Features' padding figures for slices of `height` rows; a smaller slice pads less.
std::size_t padding_class(std::int64_t height) {
    return height <= 8 ? 0 : height <= 16 ? 1 : 2;
}

std::int64_t given(const Request& request, const std::string& name, std::int64_t otherwise) {
    const auto it = request.params.find(name);
    return it != request.params.end() ? it->second : otherwise;
}

Pick long_rows(const Situation& s) {
    const KernelEntry* kernel = find_kernel(s.among, "csr_balanced");
    const double share = static_cast<double>(s.f.rows + s.f.nnz) / s.request.threads;
    if (kernel == nullptr || s.request.threads < 2 ||
        static_cast<double>(s.f.max_row) < long_row_share * share)
        return {};
    return {
        kernel,
        {},
        fmt::format("longest row {}, a thread's share {:.0f}: csr_balanced", s.f.max_row, share)};
}

Pick equal_rows(const Situation& s) {
    const KernelEntry* kernel = find_kernel(s.among, "sell");
    if (kernel == nullptr || s.f.mean_row < least_sell_row) return {};
    const auto height = given(s.request, "lanes", s.lanes) * given(s.request, "unroll", 1);
    const std::size_t c = padding_class(height);
    const double plain = s.f.sell_padding[c], sorted = s.f.sell_sorted_padding[c];
    if (plain <= most_padding)
        return {kernel,
                {{"sigma", 1}},
                fmt::format("mean row {:.1f}, padding {:.2f}: sell", s.f.mean_row, plain)};
    if (sorted <= most_padding)
        return {kernel,
                {{"sigma", 256}},
                fmt::format("mean row {:.1f}, padding {:.2f}, {:.2f} when sorted: sell",
                            s.f.mean_row, plain, sorted)};
    return {};
}

Pick rows_in_vectors(const Situation& s) {
    const KernelEntry* kernel = find_kernel(s.among, "csr_vector");
    const double vectors = s.f.mean_row / static_cast<double>(s.lanes);
    if (kernel == nullptr || vectors < least_vectors) return {};
    return {kernel,
            {},
            fmt::format("mean row {:.1f}, {:.1f} vectors of {}: csr_vector", s.f.mean_row, vectors,
                        s.lanes)};
}

Pick what_is_left(const Situation& s) {
    const KernelEntry* kernel = find_kernel(s.among, "csr_rows");
    if (kernel == nullptr) kernel = s.among.front();
    return {kernel,
            {},
            fmt::format("mean row {:.1f}, no other rule applies: {}", s.f.mean_row, kernel->id)};
}

Pick pick(const Situation& s) {
    if (s.request.kernel != "auto") return {s.among.front(), {}, "asked for"};
    if (s.among.size() == 1)
        return {s.among.front(),
                {},
                fmt::format("the one kernel of format {}{}", to_string(s.among.front()->format),
                            s.request.params.empty() ? "" : " with these parameters")};
    constexpr std::array rules{long_rows, equal_rows, rows_in_vectors, what_is_left};
    for (auto rule : rules)
        if (Pick chosen = rule(s); chosen.kernel != nullptr) return chosen;
    throw Error(ErrorCode::internal, "no rule chose a kernel");
}

/// An upper bound of the entries that are stored, padding included.
double most_stored(const Features& f, Format format) {
    const auto nnz = static_cast<double>(f.nnz);
    if (format == Format::ell)
        return nnz * std::max(f.ell_padding, 1.0) + 64.0 * static_cast<double>(f.max_row);
    if (format == Format::sell) return nnz * std::max(f.sell_padding.back(), 1.0) * 2;
    return nnz;
}

void set_types(Signature& s, const Features& f, const Request& request, Format format) {
    constexpr double limit = 2147483648.0;  // 2^31
    // Beside CSR's columns, row numbers are stored as indices too.
    const std::int64_t largest = format == Format::csr ? f.cols : std::max(f.rows, f.cols);
    s.index = static_cast<double>(largest) < limit ? IndexType::i32 : IndexType::i64;
    s.offset = most_stored(f, format) < limit ? IndexType::i32 : IndexType::i64;
    if (format != Format::csr) return;
    s.index = request.csr_index.value_or(s.index);
    s.offset = request.csr_offset.value_or(s.offset);
}

}  // namespace

Choice choose(const Features& f, const Request& request) {
    const auto lanes =
        std::max<std::int64_t>(1, architecture(request.target).vector_bytes /
                                      static_cast<std::int64_t>(size_of(f.value_type)));
    const Pick chosen = pick({f, request, candidates(request), lanes});
    Signature signature{.kernel = std::string(chosen.kernel->id),
                        .value = f.value_type,
                        .num_rhs = request.num_rhs,
                        .params = request.params,
                        .target = request.target};
    for (auto& [name, value] : chosen.params) signature.params.try_emplace(name, value);
    set_types(signature, f, request, chosen.kernel->format);
    return {complete(signature), chosen.reason};
}

}  // namespace spmvgen
