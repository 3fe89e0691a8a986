#include "tuner/chooser/strips_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "formats/layout.hpp"
#include "matrix/reorder/reordering.hpp"
#include "registry.hpp"

namespace spmvgen {
namespace {

// Measured on an H200; only ratios of these decide.
constexpr double bytes_a_microsecond = 4.3e6;
constexpr double bytes_in_flight = 3e6;     ///< that hide the memory's latency
constexpr double round_microseconds = 0.5;  ///< from a batch's first load to its last product
constexpr double bytes_of_delta = 1;        ///< of an entry, before its columns were looked at
constexpr double shared_delta_bytes = 2;    ///< the same where lanes share a row
constexpr double least_gain = 0.93;         ///< of the time, that more lanes a row must give
constexpr double least_saving = 0.98;       ///< of the bytes, that a larger window must give
constexpr double sorting_cost = 0.03;       ///< of x's locality, as a share of the bytes
constexpr std::int64_t most_unroll = 8;
constexpr std::array<std::int64_t, 4> windows{1, 256, 1024, 4096};
constexpr double code_gain = 0.01;  ///< share of the bytes, that is worth a branch
constexpr std::array<std::int64_t, 4> delta_bytes{0, 1, 2, 4};

double value_bytes(const Signature& s) {
    const auto code = s.params.find("value_code");
    if (code == s.params.end() || code->second == 0)
        return static_cast<double>(size_of(storage_type(s)));
    return code->second == 2 ? 0 : 1;
}

void add_rows(BlockLengths& lengths, std::int64_t blocks, std::int64_t rows) {
    lengths.blocks.push_back(blocks);
    lengths.rows.push_back(rows);
    lengths.all_rows += rows;
}

BlockLengths count_lengths(const std::vector<std::int64_t>& blocks) {
    constexpr std::int64_t short_length = 4096;
    std::vector<std::int64_t> of_short;
    std::map<std::int64_t, std::int64_t> of_longer;
    for (const std::int64_t n : blocks) {
        if (n >= short_length) {
            ++of_longer[n];
            continue;
        }
        if (n >= std::ssize(of_short)) of_short.resize(static_cast<std::size_t>(n) + 1, 0);
        ++of_short[static_cast<std::size_t>(n)];
    }
    BlockLengths lengths;
    for (std::size_t n = 0; n < of_short.size(); ++n)
        if (of_short[n] > 0) add_rows(lengths, static_cast<std::int64_t>(n), of_short[n]);
    for (auto& [n, rows] : of_longer) add_rows(lengths, n, rows);
    return lengths;
}

/// Lengths of a sample in the numbers that all rows have. Of rows of single entries each class of
/// the histogram has as many as it should, of which the longest is there.
BlockLengths of_all_rows(const BlockLengths& sample, const RowFeatures& all, bool blocks) {
    if (blocks) {
        BlockLengths lengths = sample;
        const auto count = std::max<std::int64_t>(sample.all_rows, 1);
        for (std::int64_t& rows : lengths.rows)
            rows = std::max<std::int64_t>(1, all.rows / count * rows);
        lengths.all_rows =
            std::accumulate(lengths.rows.begin(), lengths.rows.end(), std::int64_t{0});
        return lengths;
    }
    const auto class_of = [](std::int64_t n) {
        return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(n)));
    };
    std::vector<std::int64_t> sampled(all.row_histogram.size(), 0);
    for (std::size_t i = 0; i < sample.blocks.size(); ++i)
        if (class_of(sample.blocks[i]) < sampled.size())
            sampled[class_of(sample.blocks[i])] += sample.rows[i];
    BlockLengths lengths;
    std::size_t i = 0;
    for (std::size_t c = 0; c < sampled.size(); ++c) {
        const std::int64_t rows = all.row_histogram[c];
        const double weight =
            sampled[c] > 0 ? static_cast<double>(rows) / static_cast<double>(sampled[c]) : 0;
        for (; i < sample.blocks.size() && class_of(sample.blocks[i]) == c; ++i)
            if (const auto n = std::llround(weight * static_cast<double>(sample.rows[i])); n > 0)
                add_rows(lengths, sample.blocks[i], n);
        const bool has_longest = rows > 0 && class_of(all.max_row) == c;
        if (rows > 0 && sampled[c] == 0 && rows > (has_longest ? 1 : 0))
            add_rows(lengths, std::int64_t{3} << c >> 2, rows - (has_longest ? 1 : 0));
        if (has_longest && (lengths.blocks.empty() || lengths.blocks.back() < all.max_row))
            add_rows(lengths, all.max_row, 1);
    }
    return lengths;
}

/// Strips of all slices to be expected when `count` windows are sorted, before any is: of all rows
/// by falling length, the first slices of the windows have the first ones, and the longest of each
/// are the first of these; the second slices have the next ones, and so on. add(strips, rows) tells
/// of rows with so many strips, by falling numbers.
class ExpectedStrips {
  public:
    ExpectedStrips(std::int64_t count, std::int64_t positions)
        : windows_(count), group_(count * positions) {}
    void add(double strips, std::int64_t rows) {
        const std::int64_t before = longest_among(next_);
        next_ += rows;
        all_ += strips * static_cast<double>(longest_among(next_) - before);
    }
    double all() const { return all_; }

  private:
    /// Of the first `rows` rows those that are the longest of their slices.
    std::int64_t longest_among(std::int64_t rows) const {
        return rows / group_ * windows_ + std::min(rows % group_, windows_);
    }
    std::int64_t windows_, group_, next_ = 0;
    double all_ = 0;
};

/// What a warp that has a long row takes at least, in blocks.
constexpr std::int64_t least_long_blocks = 1024;

/// Expected microseconds with `t` lanes a row and rows of more than long_from strips apart.
double expected_time(const BlockLengths& lengths, const Signature& s, StripsShape shape,
                     std::int64_t t, std::int64_t long_from, std::int64_t sigma) {
    shape.threads_per_row = t;
    // Rows that are not sorted are taken for sorted within their slices.
    const std::int64_t window = std::max(sigma, shape.positions());
    ExpectedStrips strips((lengths.all_rows + window - 1) / window, shape.positions());
    const auto size = static_cast<double>(shape.block_size());
    const double block = value_bytes(s) * size;
    double bytes = 0, longest = 0, under_way = 0;
    for (std::size_t i = lengths.blocks.size(); i-- > 0;) {
        const auto rows = static_cast<double>(lengths.rows[i]);
        const std::int64_t own = (lengths.blocks[i] + t - 1) / t;
        if (own > long_from) {  // each has a warp of its own
            const std::int64_t entries = std::max(lengths.blocks[i], least_long_blocks);
            bytes += rows * static_cast<double>(entries) * (block + 4 * size);
            continue;
        }
        strips.add(static_cast<double>(own), lengths.rows[i]);
        under_way += rows * static_cast<double>(std::min(lengths.blocks[i], t * most_unroll / 2));
        longest = std::max(longest, static_cast<double>(own));
    }
    bytes += strips.all() * static_cast<double>(shape.lanes) *
             (block + (t == 1 ? bytes_of_delta : shared_delta_bytes));
    const double share = std::min(1.0, under_way * (block + 8) / bytes_in_flight);
    return bytes / bytes_a_microsecond / std::max(share, 1e-6) +
           round_microseconds * std::ceil(longest / static_cast<double>(most_unroll));
}

/// Rows that may be sorted together: of clusters those of one, for others are no neighbours.
std::int64_t most_sorted(const Signature& s) {
    return param(s, "any_order", 0) == 1 ? cluster_rows : windows.back();
}

/// The values that a parameter may have: its own one when it was given.
std::vector<std::int64_t> values_of(const Signature& s, const Params& given, const char* name) {
    if (!given.contains(name))
        for (auto& parameter : kernel_entry(s.kernel).params)
            if (parameter.name == name) return {parameter.allowed.begin(), parameter.allowed.end()};
    return {s.params.at(name)};
}

/// Lanes of a row and the limit of long rows.
void choose_lanes(const BlockLengths& lengths, Signature& s, const Params& given) {
    const StripsShape shape = strips_shape(s);
    const std::int64_t sigma = given.contains("sigma") ? shape.sigma : most_sorted(s);
    double least = std::numeric_limits<double>::infinity();
    for (const std::int64_t t : values_of(s, given, "threads_per_row"))
        for (const std::int64_t limit :
             shape.long_from == 0 ? std::vector{most_strips} : values_of(s, given, "long_from")) {
            const double time = expected_time(lengths, s, shape, t, limit, sigma);
            if (time >= least_gain * least) continue;  // fewer lanes and lower limits come first
            least = time;
            s.params["threads_per_row"] = t;
            if (shape.long_from > 0) s.params["long_from"] = limit;
        }
}

/// Counted once for each shape.
std::int64_t strips_of(RowBlocks& rows, const StripsShape& shape) {
    const auto known =
        std::ranges::find(rows.strips, shape, &std::pair<StripsShape, std::int64_t>::first);
    if (known != rows.strips.end()) return known->second;
    return rows.strips.emplace_back(shape, count_strips(rows.of_row, shape)).second;
}

/// The window with the fewest bytes.
void choose_window(RowBlocks& rows, Signature& s) {
    const std::vector<std::int64_t>& blocks = rows.of_row;
    if (std::ranges::adjacent_find(blocks, std::not_equal_to<>()) == blocks.end()) {
        s.params["sigma"] = 1;  // nothing to sort
        return;
    }
    double least = std::numeric_limits<double>::infinity();
    std::int64_t best = 1;
    for (const std::int64_t sigma : windows) {
        if (sigma > most_sorted(s)) break;
        s.params["sigma"] = sigma;
        const StripsShape shape = strips_shape(s);
        const double strip = value_bytes(s) * static_cast<double>(shape.block_size()) +
                             (shape.threads_per_row == 1 ? bytes_of_delta : shared_delta_bytes);
        double bytes =
            strip * static_cast<double>(strips_of(rows, shape)) * static_cast<double>(shape.lanes);
        if (sigma > 1) bytes = bytes * (1 + sorting_cost) + 2 * static_cast<double>(blocks.size());
        if (bytes >= least_saving * least) continue;
        least = bytes;
        best = sigma;
    }
    s.params["sigma"] = best;
}

std::string codes_text(std::int64_t codes) {
    std::string text;
    for (std::size_t code = 0; code < delta_bytes.size(); ++code)
        if ((codes >> code & 1) != 0)
            text += fmt::format("{}{}", text.empty() ? "" : ", ", 8 * delta_bytes[code]);
    return text;
}

}  // namespace

RowBlocks count_row_blocks(const RowsOfSample& rows, const StripsShape& shape) {
    RowBlocks found{count_strip_blocks(rows.view, shape, rows.threads), {}, {}};
    found.lengths = count_lengths(found.of_row);
    if (rows.all != nullptr)
        found.lengths = of_all_rows(found.lengths, *rows.all, shape.block_size() > 1);
    return found;
}

void choose_strip_lanes(RowBlocks& rows, Signature& signature, const Params& given) {
    if (!given.contains("slice")) signature.params["slice"] = signature.target.wavefront;
    choose_lanes(rows.lengths, signature, given);
    if (!given.contains("sigma")) choose_window(rows, signature);
}

void choose_strip_unroll(const StripsPlan& plan, Signature& signature, const Params& given) {
    if (given.contains("unroll") || plan.slices == 0) return;
    const std::int64_t width =
        std::max<std::int64_t>(1, (plan.strips + plan.slices / 2) / plan.slices);
    const std::int64_t rounds = (width + most_unroll - 1) / most_unroll;
    signature.params["unroll"] = std::max<std::int64_t>(2, (width + rounds - 1) / rounds);
}

std::int64_t worthwhile_codes(const StripsPlan& plan, const StripsShape& shape, double all_bytes) {
    std::array<std::int64_t, 4> strips = plan.strips_of_code;
    for (std::size_t code = 0; code < strips.size(); ++code) {
        if (strips[code] == 0) continue;
        const auto next = static_cast<std::size_t>(
            std::find_if(strips.begin() + static_cast<std::ptrdiff_t>(code) + 1, strips.end(),
                         [](std::int64_t n) { return n > 0; }) -
            strips.begin());
        if (next == strips.size()) break;
        const auto more = static_cast<double>(strips[code] * shape.lanes *
                                              (delta_bytes[next] - delta_bytes[code]));
        if (more > code_gain * all_bytes) continue;
        strips[next] += strips[code];
        strips[code] = 0;
    }
    StripsPlan kept = plan;
    kept.strips_of_code = strips;
    return kept.codes();
}

std::string describe_strips(const StripsPlan& plan, const Signature& s, std::int64_t nnz) {
    const auto an_entry = [&](std::int64_t n) {
        return static_cast<double>(n) / static_cast<double>(nnz);
    };
    std::string text = fmt::format(
        "strips of {}x{}, deltas of {} bits, {:.2f} bytes of indices an "
        "entry, padding {:.2f}",
        s.params.at("block_rows"), s.params.at("block_cols"), codes_text(s.params.at("codes")),
        an_entry(plan.index_bytes), an_entry(plan.stored));
    if (plan.long_rows > 0)
        text +=
            fmt::format(", {} long rows of {} entries apart", plan.long_rows, plan.long_entries);
    return text;
}

}  // namespace spmvgen
