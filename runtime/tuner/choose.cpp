#include "tuner/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tuner/candidates.hpp"

namespace spmvgen {
namespace {

// Where one kernel begins to be better than another: measured, see docs/kernels-cpu.md.
constexpr double long_row_share = 0.5;        ///< longest row over a thread's share of the entries
constexpr double least_vector_mean = 1.5;     ///< mean row, for vectors and for sorting
constexpr double most_short_mean = 4;         ///< mean row, where short rows alone speak for SELL
constexpr double most_even_mean = 8;          ///< mean row, where rows of one length do
constexpr double cached_bytes = 1e6;          ///< of A for each thread
constexpr double even_padding = 1.02;         ///< stored entries over nonzeros in SELL, unsorted
constexpr double even_sorted_padding = 1.05;  ///< the same with sorted rows
constexpr double short_sorted_padding = 1.1;
constexpr std::int64_t sorting_window = 4096;

/// All that the rules look at.
struct Situation {
    const Features& f;
    const Request& request;
    std::vector<const KernelEntry*> among;
    std::int64_t lanes;  ///< values in one vector register

    std::int64_t given(const std::string& name, std::int64_t otherwise) const {
        const auto it = request.params.find(name);
        return it != request.params.end() ? it->second : otherwise;
    }
    /// Index into Features' padding figures for the slices that the request leads to; lower slices
    /// than the lowest of these pad less.
    std::size_t slices() const {
        const std::int64_t height = given("lanes", lanes) * given("unroll", 1);
        return height <= 8 ? 0 : height <= 16 ? 1 : 2;
    }
    double padding() const { return f.sell_padding[slices()]; }
    double sorted_padding() const { return f.sell_sorted_padding[slices()]; }
    double bytes_per_thread() const {
        const auto entry = static_cast<double>(size_of(f.value_type) + size_of(IndexType::i32));
        return static_cast<double>(f.nnz) * entry / request.threads;
    }
};

/// A rule's kernel and why; an empty id: the rule does not apply.
struct Pick {
    std::string_view kernel;
    std::string reason;
};

Pick long_rows(const Situation& s) {
    const double share = static_cast<double>(s.f.nnz) / s.request.threads;
    if (s.request.threads < 2 || static_cast<double>(s.f.max_row) <= long_row_share * share)
        return {};
    return {"csr_balanced",
            fmt::format("longest row {}, a thread's share {:.0f} entries", s.f.max_row, share)};
}

Pick several_right_hand_sides(const Situation& s) {
    if (s.request.num_rhs == 1) return {};
    return {"csr_rows", fmt::format("{} right-hand sides", s.request.num_rhs)};
}

std::string padding_text(const Situation& s) {
    return s.padding() <= even_padding
               ? fmt::format("padding {:.2f}", s.padding())
               : fmt::format("padding {:.2f}, {:.2f} when sorted", s.padding(), s.sorted_padding());
}

Pick even_rows(const Situation& s) {
    const bool sorting_pays =
        s.f.mean_row >= least_vector_mean && s.sorted_padding() <= even_sorted_padding;
    const bool even = s.padding() <= even_padding || sorting_pays;
    const bool cached = s.bytes_per_thread() < cached_bytes;
    if (is_complex(s.f.value_type) || !even || (s.f.mean_row > most_even_mean && !cached))
        return {};
    return {"sell", fmt::format("mean row {:.1f}, {:.1f} MB of entries a thread, {}", s.f.mean_row,
                                s.bytes_per_thread() / 1e6, padding_text(s))};
}

Pick almost_empty_rows(const Situation& s) {
    if (s.f.mean_row >= least_vector_mean) return {};
    return {"csr_rows", fmt::format("mean row {:.1f}", s.f.mean_row)};
}

Pick short_rows(const Situation& s) {
    if (s.f.mean_row >= most_short_mean || s.sorted_padding() > short_sorted_padding) return {};
    return {"sell", fmt::format("mean row {:.1f}, {}", s.f.mean_row, padding_text(s))};
}

Pick rows_in_vectors(const Situation& s) {
    return {"csr_vector",
            fmt::format("mean row {:.1f}, padding {:.2f} in slices", s.f.mean_row, s.padding())};
}

Pick pick(const Situation& s) {
    const KernelEntry& first = *s.among.front();
    if (s.request.kernel != "auto") return {first.id, "asked for"};
    if (s.among.size() == 1)
        return {first.id, fmt::format("the one kernel of format {}{}", to_string(first.format),
                                      s.request.params.empty() ? "" : " with these parameters")};
    constexpr std::array rules{long_rows,  several_right_hand_sides, even_rows, almost_empty_rows,
                               short_rows, rows_in_vectors};
    for (auto rule : rules) {
        const Pick chosen = rule(s);
        if (find_kernel(s.among, chosen.kernel) != nullptr)
            return {chosen.kernel, fmt::format("{}: {}", chosen.reason, chosen.kernel)};
    }
    return {first.id, fmt::format("no rule applies: {}", first.id)};
}

/// Lanes for kernels that put the entries of one row into a vector: no more than a row fills.
std::int64_t lanes_of_a_row(const Situation& s) {
    if (s.f.value_type == ValueType::c64 && s.f.mean_row < 8) return 2;
    std::int64_t lanes = 4;
    while (2.0 * static_cast<double>(lanes) <= s.f.mean_row) lanes *= 2;
    return std::min(lanes, std::max<std::int64_t>(2, s.lanes));
}

/// Parameters of the kernel that a rule sets when the request leaves them open; the others keep
/// the registry's presets.
std::map<std::string, std::int64_t> params_of(std::string_view kernel, const Situation& s) {
    if (kernel == "csr_vector") return {{"lanes", lanes_of_a_row(s)}};
    if (kernel == "csr_balanced" || kernel == "coo_segmented")
        return {{"lanes", s.f.mean_row < least_vector_mean ? 1 : lanes_of_a_row(s)}};
    if (kernel == "sell" && s.padding() > even_padding && s.sorted_padding() < s.padding())
        return {{"sigma", sorting_window}};
    return {};
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
    const Situation situation{f, request, candidates(request), lanes};
    const Pick chosen = pick(situation);
    Signature signature;
    signature.kernel = chosen.kernel;
    signature.value = f.value_type;
    signature.storage = request.storage;
    signature.epilogue = request.epilogue;
    signature.num_rhs = request.num_rhs;
    signature.params = request.params;
    signature.target = request.target;
    signature.params.merge(params_of(chosen.kernel, situation));
    set_types(signature, f, request, kernel_entry(chosen.kernel).format);
    return {complete(signature), chosen.reason};
}

}  // namespace spmvgen
