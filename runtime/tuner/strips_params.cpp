#include "tuner/strips_params.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "matrix/block_fill.hpp"
#include "registry.hpp"

namespace spmvgen {
namespace {

// Of an H200 (../shared/performance.md); only ratios of these decide.
constexpr double bytes_a_microsecond = 4.3e6;
constexpr double bytes_in_flight = 3e6;     ///< that hide the memory's latency
constexpr double round_microseconds = 0.5;  ///< from a batch's first load to its last product
constexpr double delta_bytes = 1;           ///< of an entry, before its columns were looked at
constexpr double shared_delta_bytes = 2;    ///< the same where lanes share a row
constexpr double least_gain = 0.93;         ///< of the time, that more lanes a row must give
constexpr double sorting_cost = 0.03;       ///< of x's locality, as a share of the bytes
constexpr double most_fill = 1.02;          ///< stored elements over nonzeros that blocks may have
constexpr int most_block_size = 16;
constexpr int most_block_rows = 6;
constexpr std::int64_t most_unroll = 8;
constexpr std::array<std::int64_t, 4> windows{1, 256, 1024, 4096};

/// The kernel's parameters and what was given for them.
class Chosen {
  public:
    explicit Chosen(const Signature& given) : given_(given.params), all_(complete(given)) {}

    bool is_free(const std::string& name) const {
        return all_.params.contains(name) && !given_.contains(name);
    }
    void set(const std::string& name, std::int64_t value) {
        if (all_.params.contains(name)) all_.params[name] = value;
    }
    std::int64_t get(const std::string& name, std::int64_t absent) const {
        const auto found = all_.params.find(name);
        return found == all_.params.end() ? absent : found->second;
    }
    /// Values of a free parameter, or the one that was given, or `absent`.
    std::vector<std::int64_t> values(const std::string& name, std::int64_t absent) const {
        if (!is_free(name)) return {get(name, absent)};
        for (auto& parameter : kernel_entry(all_.kernel).params)
            if (parameter.name == name) return parameter.allowed;
        return {absent};
    }
    const Signature& signature() const { return all_; }
    std::map<std::string, std::int64_t> take() const {
        auto params = all_.params;
        if (!given_.contains("value_code")) params.erase("value_code");
        return params;
    }

  private:
    std::map<std::string, std::int64_t> given_;
    Signature all_;
};

double value_bytes(const Signature& s) {
    const auto code = s.params.find("value_code");
    if (code == s.params.end() || code->second == 0)
        return static_cast<double>(size_of(storage_type(s)));
    return code->second == 2 ? 0 : 1;
}

/// Bytes of an entry in blocks of that size.
double entry_bytes(const Signature& s, double fill, int rows, int cols) {
    const double size = rows * cols;
    const double mask = fill > 1 ? std::ceil(size / 8) : 0;
    return fill * (value_bytes(s) + (delta_bytes + mask) / size);
}

/// The block size with the fewest bytes.
void choose_block_size(const CsrView& matrix, Chosen& chosen, int threads) {
    if (!chosen.is_free("block_rows") && !chosen.is_free("block_cols")) return;
    const BlockFill fill = block_fill(matrix, default_sigma, threads);
    double least = std::numeric_limits<double>::infinity();
    std::array<int, 2> best{1, 1};
    for (const std::int64_t rows : chosen.values("block_rows", 1))
        for (const std::int64_t cols : chosen.values("block_cols", 1)) {
            const int r = static_cast<int>(rows), c = static_cast<int>(cols);
            if (r * c > most_block_size || r > most_block_rows || fill.at(r, c) > most_fill)
                continue;
            const double bytes = entry_bytes(chosen.signature(), fill.at(r, c), r, c);
            if (bytes < least) {
                least = bytes;
                best = {r, c};
            }
        }
    if (chosen.is_free("block_rows")) chosen.set("block_rows", best[0]);
    if (chosen.is_free("block_cols")) chosen.set("block_cols", best[1]);
}

/// Numbers of blocks, and the block rows that have so many; ascending.
struct Lengths {
    std::vector<std::int64_t> blocks, rows;
    std::int64_t all_rows = 0;
};

Lengths count_lengths(const std::vector<std::int64_t>& blocks) {
    constexpr std::int64_t short_length = 4096;
    std::vector<std::int64_t> of_short(short_length, 0);
    std::map<std::int64_t, std::int64_t> of_longer;
    for (const std::int64_t n : blocks)
        ++(n < short_length ? of_short[static_cast<std::size_t>(n)] : of_longer[n]);
    Lengths lengths;
    lengths.all_rows = std::ssize(blocks);
    for (std::int64_t n = 0; n < short_length; ++n)
        if (const std::int64_t rows = of_short[static_cast<std::size_t>(n)]; rows > 0) {
            lengths.blocks.push_back(n);
            lengths.rows.push_back(rows);
        }
    for (auto& [n, rows] : of_longer) {
        lengths.blocks.push_back(n);
        lengths.rows.push_back(rows);
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
        while (rows > 0) {
            const std::int64_t at = next_ % group_;
            const std::int64_t end = at < windows_ ? windows_ : group_;
            const std::int64_t taken = std::min(rows, end - at);
            if (at < windows_) all_ += strips * static_cast<double>(taken);
            next_ += taken;
            rows -= taken;
        }
    }
    double all() const { return all_; }

  private:
    std::int64_t windows_, group_, next_ = 0;
    double all_ = 0;
};

/// Expected microseconds with `t` lanes a row and rows of more than long_from strips apart.
double expected_time(const Lengths& lengths, const Signature& s, StripsShape shape, std::int64_t t,
                     std::int64_t long_from, std::int64_t sigma) {
    shape.threads_per_row = t;
    ExpectedStrips strips((lengths.all_rows + sigma - 1) / sigma, shape.positions());
    const auto size = static_cast<double>(shape.block_size());
    const double block = value_bytes(s) * size;
    double bytes = 0, longest = 0, under_way = 0;
    for (std::size_t i = lengths.blocks.size(); i-- > 0;) {
        const auto rows = static_cast<double>(lengths.rows[i]);
        const std::int64_t own = (lengths.blocks[i] + t - 1) / t;
        if (own > long_from) {
            bytes += rows * static_cast<double>(lengths.blocks[i]) * (block + 4 * size);
            continue;
        }
        strips.add(static_cast<double>(own), lengths.rows[i]);
        under_way += rows * static_cast<double>(std::min(lengths.blocks[i], t * most_unroll / 2));
        longest = std::max(longest, static_cast<double>(own));
    }
    bytes += strips.all() * static_cast<double>(shape.lanes) *
             (block + (t == 1 ? delta_bytes : shared_delta_bytes));
    const double share = std::min(1.0, under_way * (block + 8) / bytes_in_flight);
    return bytes / bytes_a_microsecond / std::max(share, 1e-6) +
           round_microseconds * std::ceil(longest / static_cast<double>(most_unroll));
}

/// Lanes of a row, the limit of long rows, and blocks under way.
void choose_lanes(const std::vector<std::int64_t>& blocks, Chosen& chosen) {
    const Lengths lengths = count_lengths(blocks);
    const StripsShape shape = strips_shape(chosen.signature());
    double least = std::numeric_limits<double>::infinity();
    std::int64_t lanes = shape.threads_per_row, from = shape.long_from;
    const std::int64_t sigma = chosen.is_free("sigma") ? windows.back() : shape.sigma;
    for (const std::int64_t t : chosen.values("threads_per_row", 1))
        for (const std::int64_t limit :
             shape.long_from == 0 ? std::vector{most_strips} : chosen.values("long_from", 0)) {
            const double time = expected_time(lengths, chosen.signature(), shape, t, limit, sigma);
            if (time < least_gain * least) {  // fewer lanes and lower limits come first
                least = time;
                lanes = t;
                from = limit;
            }
        }
    chosen.set("threads_per_row", lanes);
    if (shape.long_from > 0) chosen.set("long_from", from);
}

/// The window with the fewest bytes; small ones keep more of x's locality.
void choose_window(const std::vector<std::int64_t>& blocks, Chosen& chosen, int threads) {
    if (!chosen.is_free("sigma")) return;
    double least = std::numeric_limits<double>::infinity();
    std::int64_t best = 1;
    for (const std::int64_t sigma : windows) {
        chosen.set("sigma", sigma);
        const StripsShape shape = strips_shape(chosen.signature());
        const auto stored = static_cast<double>(count_strips(blocks, shape, threads) * shape.lanes *
                                                shape.block_size());
        double bytes =
            stored * entry_bytes(chosen.signature(), 1, static_cast<int>(shape.block_rows),
                                 static_cast<int>(shape.block_cols));
        if (sigma > 1) bytes = bytes * (1 + sorting_cost) + 2 * static_cast<double>(blocks.size());
        if (bytes < 0.98 * least) {
            least = bytes;
            best = sigma;
        }
    }
    chosen.set("sigma", best);
}

/// So many blocks under way that the fewest rounds are about equally full.
void choose_unroll(const StripsPlan& plan, Chosen& chosen) {
    if (!chosen.is_free("unroll") || plan.slices == 0) return;
    const std::int64_t width =
        std::max<std::int64_t>(1, (plan.strips + plan.slices / 2) / plan.slices);
    const std::int64_t rounds = (width + most_unroll - 1) / most_unroll;
    chosen.set("unroll", std::max<std::int64_t>(2, (width + rounds - 1) / rounds));
}

}  // namespace

StripsChoice choose_strips(const CsrView& matrix, const Signature& signature, int threads) {
    Chosen chosen(signature);
    const bool gpu = kernel_entry(signature.kernel).gpu;
    if (gpu) {
        if (chosen.is_free("slice")) chosen.set("slice", signature.target.wavefront);
        choose_block_size(matrix, chosen, threads);
    }
    if (chosen.is_free("long_rows")) chosen.set("long_rows", 1);
    const std::vector<std::int64_t> blocks =
        count_strip_blocks(matrix, strips_shape(chosen.signature()), threads);
    if (gpu) choose_lanes(blocks, chosen);
    choose_window(blocks, chosen, threads);
    const StripsPlan plan = plan_strips(matrix, chosen.signature(), threads);
    if (gpu) choose_unroll(plan, chosen);
    chosen.set("codes", plan.codes());
    chosen.set("ragged", plan.ragged_slices > 0 ? 1 : 0);
    chosen.set("fill", plan.filled_slices > 0 ? 1 : 0);
    chosen.set("long_rows", plan.long_rows > 0 ? 1 : 0);
    return {chosen.take(), plan};
}

}  // namespace spmvgen
