#include "tuner/chooser/strips_choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "formats/plans/strips_holes.hpp"
#include "formats/value_encoding.hpp"
#include "registry.hpp"
#include "tuner/chooser/row_period.hpp"
#include "tuner/chooser/strips_shape.hpp"
#include "tuner/cost/figures/length_histogram.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t least_entries = 100'000;      ///< with fewer a launch is all,
constexpr std::int64_t least_host_entries = 10'000;  ///< or a call
constexpr double most_sorted_padding = 1.5;          ///< of rows without long ones
constexpr double long_over_mean = 16;                ///< rows that may leave the slices
constexpr double most_block_fill = 1.1;
constexpr double bytes_a_delta = 1.5;  ///< and a base, of a block: what codes come to
constexpr double block_gain = 0.03;  ///< share of the bytes, that makes up for masks and registers
constexpr double hole_gain = 0.01;   ///< share of bytes and loads, worth looking for NaN
constexpr double sampled_memory = 1.05;  ///< times what a sample tells, which it may fall short of
// Of entries that are columns alone (all values one), an H200, µs compressed and not: in f64
// M6 69.9 and 50.1, AS365 84.5 and 56.9, venturiLevel3 (1.7 bytes of index an entry) 45.4 and 40.9,
// rgg_n_2_21_s0 71.1 and 64.0, packing-500x100x100-b050 (16 entries a row) 55.4 and 57.4; in f32
// venturiLevel3 33.6 and 30.4, rgg_n_2_21_s0 55.5 and 47.3, packing 42.6 and 47.2. Tiles of f32,
// which have no padding: M6 (padding 1.27) 43.2, not compressed 41.0; AS365 (1.37) 46.1 and 49.9.
constexpr double least_whole_index_bytes = 1.5;  ///< compressed, a nonzero
constexpr double most_whole_padding = 1.6;       ///< of rows as they come,
constexpr double most_narrow_padding = 1.3;      ///< and of f32, unless rows are many_of_whole
constexpr double most_whole_mean = 15;           ///< mean row
constexpr double many_of_whole = 12;             ///< mean row, for more entries under way
constexpr std::int64_t whole_unroll = 4;
constexpr std::int64_t many_unroll = 5;         ///< rgg_n_2_20_s0 in f64: 28.1, with 6 30.2 µs
constexpr std::int64_t many_narrow_unroll = 7;  ///< in f32: 23.0, with 5 23.8, with 8 24.7 µs
// Of blocks on a GPU, whose lanes each take one: with fewer block rows, or larger blocks than
// registers hold, too few loads are under way (an H200: pwtk in 6x6 64 µs, in 2x2 45, in 1x1 34).
constexpr std::int64_t filling_block_rows = 150'000;
constexpr int most_rows_of_lane = 5;
// Of blocks on a CPU that loads x singly: with more lanes what it loaded waits in memory
// (bench/results/README.md).
constexpr std::int64_t blocked_lanes = 8;
/// Entries of the sample whose columns are looked at, and slices at least: of a CPU, whose products
/// of a sample's size take some microseconds, and of a GPU.
struct LookedAt {
    std::int64_t entries, slices;
};
constexpr LookedAt by_cpu{1'500, 32}, by_gpu{2'000, 8};
/// The same of blocks, of which all are made to count them.
constexpr SampleSize blocked_sample{1, 12'000, 12'000};

bool is_open(const Params& given, const char* name) {
    return !given.contains(name);
}

/// Bytes of a stored value, the dictionary left out.
double bytes_a_value(const Signature& s) {
    const auto code = static_cast<ValueCode>(s.params.at("value_code"));
    return static_cast<double>(value_bytes({storage_type(s), code}));
}

double bytes_of(const StripsPlan& plan, const Signature& s) {
    return static_cast<double>(plan.index_bytes - plan.hole_mask_bytes) +
           static_cast<double>(plan.stored) * bytes_a_value(s);
}

/// Rows that a block may have at most.
int most_rows_of_block(std::int64_t rows, const Signature& s) {
    if (!kernel_entry(s.kernel).gpu) return most_block;
    return static_cast<int>(
        std::clamp<std::int64_t>(rows / filling_block_rows, 1, most_rows_of_lane));
}

/// All of it so many times.
StripsPlan scaled(StripsPlan plan, double scale) {
    const auto scaled_number = [&](std::int64_t n) {
        return std::llround(scale * static_cast<double>(n));
    };
    for (std::int64_t* const n :
         {&plan.slices, &plan.strips, &plan.ragged_slices, &plan.filled_slices, &plan.long_rows,
          &plan.long_entries, &plan.stored, &plan.index_bytes, &plan.hole_mask_bytes})
        *n = scaled_number(*n);
    std::ranges::transform(plan.strips_of_code, plan.strips_of_code.begin(), scaled_number);
    return plan;
}

/// Whether holes can save anything in this form. Beside a dictionary a GPU gains nothing.
bool holes_gain(const Signature& s) {
    const auto code = static_cast<ValueCode>(s.params.at("value_code"));
    const bool coded = code == ValueCode::dictionary && kernel_entry(s.kernel).gpu;
    return strips_shape(s).block_size() == 1 && s.num_rhs == 1 && code != ValueCode::one_value &&
           !coded;
}

}  // namespace

std::array<std::int64_t, 2> likely_block(const BlockFill& fill, std::int64_t rows,
                                         const Signature& s) {
    const auto bytes = [&](int r, int c) {
        return fill.at(r, c) * (bytes_a_value(s) + bytes_a_delta / (r * c));
    };
    std::array<std::int64_t, 2> best{1, 1};
    double least = (1 - block_gain) * bytes(1, 1);
    const int most = most_rows_of_block(rows, s);
    for (int r = 1; r <= most; ++r)
        for (int c = 1; c <= (most == 1 ? 1 : most_block); ++c)
            if (fill.at(r, c) <= most_block_fill && bytes(r, c) < least) {
                least = bytes(r, c);
                best = {r, c};
            }
    return best;
}

bool may_be_strips(const RowFeatures& f, bool host) {
    return f.nnz >= (host ? least_host_entries : least_entries) &&
           (f.sell_sorted_padding.back() <= most_sorted_padding ||
            static_cast<double>(f.max_row) > long_over_mean * f.mean_row);
}

bool StripsChooser::nothing_is_long(const StripsShape& shape) const {
    return shape.long_from == 0 ||
           features_.max_row * shape.block_rows <= shape.long_from * shape.threads_per_row;
}

StripsChooser::Plans& StripsChooser::plans(const Signature& signature) {
    PlanKey key{strips_shape(signature), signature.index, signature.offset};
    if (nothing_is_long(key.shape)) key.shape.long_from = 0;
    const auto found = std::ranges::find(plans_, key, &Plans::key);
    if (found != plans_.end()) return *found;
    // One thread else: the sample is small, and starting a team takes longer than looking at it.
    const int threads = sample_.is_whole() && key.shape.wavefront > 0 ? threads_ : 1;
    const SampledRows& rows = rows_for(key.shape);
    std::optional<StripsPlan> without_holes;
    const StripsPlan planned =
        plan_strips(rows.view(), signature, threads, step(key.shape), &without_holes);
    const double scale =
        static_cast<double>(sample_.view().nnz) / static_cast<double>(rows.view().nnz);
    const auto keep = [&](const StripsShape& shape, const StripsPlan& plan) -> Plans& {
        const StripsPlan of_sample = &rows != &sample_ ? scaled(plan, scale) : plan;
        return plans_.emplace_back(
            Plans{{shape, key.index, key.offset},
                  of_sample,
                  sample_.is_whole() ? of_sample : estimated(of_sample, shape)});
    };
    // Holes are weighed with what there is without them.
    if (without_holes && key.shape.period == 1) {
        StripsShape plain = key.shape;
        plain.hole_bytes = 0;
        if (std::ranges::find(plans_, PlanKey{plain, key.index, key.offset}, &Plans::key) ==
            plans_.end())
            keep(plain, *without_holes);
    }
    return keep(key.shape, planned);
}

const SampledRows& StripsChooser::rows_for(const StripsShape& shape) {
    if (shape.wavefront > 0 || shape.block_size() == 1 ||
        sample_.view().nnz <= 2 * blocked_sample.most)
        return sample_;
    if (!fewer_) fewer_ = SampledRows::of_choice(matrix_, blocked_sample, sample_.source());
    return *fewer_;
}

std::int64_t StripsChooser::step(const StripsShape& shape) const {
    if (shape.wavefront == 0 && shape.block_size() > 1) return 1;
    const LookedAt& wanted = shape.wavefront > 0 ? by_gpu : by_cpu;
    const CsrView a = sample_.view();
    return std::max<std::int64_t>(
        1, std::min(a.nnz / wanted.entries,
                    a.rows / (shape.positions() * shape.block_rows * wanted.slices)));
}

const StripsPlan& StripsChooser::sample_plan(const Signature& signature) {
    return plans(signature).of_sample;
}

const StripsPlan& StripsChooser::plan(const Signature& signature) {
    return plans(signature).of_matrix;
}

StripsPlan StripsChooser::estimated(const StripsPlan& found, const StripsShape& shape) const {
    // Of long rows, which are few, row lengths tell more than the sample does.
    double long_rows = 0, long_entries = 0;
    const auto entries = [](std::int64_t n) { return static_cast<double>(n); };
    if (shape.long_from > 0 && shape.block_size() == 1) {
        const LengthHistogram lengths(features_);
        const auto limit = entries(shape.long_from * shape.threads_per_row);
        long_rows = features_.max_row > limit ? std::max(lengths.rows(limit), 1.0) : 0;
        long_entries = std::min(lengths.entries(limit), entries(matrix_.nnz));
    } else {
        long_rows = entries(found.long_rows) * sample_.scale();
        long_entries = entries(found.long_entries) * sample_.scale();
    }
    const double in_slices = entries(sample_.view().nnz - found.long_entries);
    const double scale = in_slices > 0 ? (entries(matrix_.nnz) - long_entries) / in_slices : 0;
    const std::int64_t of_long = static_cast<std::int64_t>(size_of(IndexType::i32));
    StripsPlan plan = found;
    plan.stored -= found.long_entries;
    plan.index_bytes -= of_long * found.long_entries;
    plan = scaled(plan, scale);
    plan.long_rows = std::llround(long_rows);
    plan.long_entries = std::llround(long_entries);
    plan.stored += plan.long_entries;
    plan.index_bytes += of_long * plan.long_entries;
    return plan;
}

double StripsChooser::bytes(const Signature& signature) {
    return bytes_of(plan(signature), signature);
}

double StripsChooser::bytes_with_loads(const Signature& signature) {
    const StripsPlan& made = plan(signature);
    const std::int64_t gathered = made.strips - made.strips_of_code.front();
    const bool singly = !kernel_entry(signature.kernel).gpu;
    const auto code = static_cast<ValueCode>(signature.params.at("value_code"));
    const bool decodes = code == ValueCode::small_integers || code == ValueCode::dictionary;
    const std::int64_t decoded = decodes ? made.stored : 0;
    const std::int64_t loads = singly ? gathered * strips_shape(signature).lanes + decoded : 0;
    return bytes_of(made, signature) + static_cast<double>(loads * single_load_bytes);
}

void StripsChooser::choose_holes(Signature& s, const Params& given) {
    s.params["fill"] = 0;
    if (!holes_gain(s)) return;
    const bool gpu = kernel_entry(s.kernel).gpu;
    Signature holed = s;
    holed.params["fill"] = strips_shape(s).lanes >= lanes_without_holes_ ? 0 : 1;
    if (is_open(given, "sigma")) holed.params["sigma"] = 1;  // sorted rows have other neighbours
    if (gpu && is_open(given, "period")) {
        if (!period_) period_ = row_period(sample_.view());
        holed.params["period"] = *period_;
        holed.params["period"] = strips_shape(holed).period;  // 1 where it would mean nothing
    }
    if (holed == s) return;
    // Memory has the masks, too, which no apply reads.
    const StripsPlan& made = plan(holed);
    const StripsShape shape = strips_shape(holed);
    if (!gpu && shape.may_have_holes() && shape.sigma == 1 && made.filled_slices == 0)
        lanes_without_holes_ = std::min(lanes_without_holes_, shape.lanes);
    const double all = sample_.is_whole() ? 1 : sampled_memory;
    const auto at_most = [&](std::int64_t n) { return std::llround(all * static_cast<double>(n)); };
    if (strips_memory(matrix_, holed, at_most(made.stored), at_most(made.index_bytes)).allowed &&
        bytes_with_loads(holed) < (1 - hole_gain) * bytes_with_loads(s))
        s = holed;
}

bool StripsChooser::may_end_elsewhere(const Signature& s) {
    const StripsPlan& seen = sample_plan(s);
    return !sample_.is_whole() && holes_gain(s) && param(s, "sigma", 1) == 1 &&
           param(s, "threads_per_row", 1) == 1 && seen.long_rows == 0 &&
           seen.strips_of_code.front() == seen.strips;
}

bool StripsChooser::whole_columns_pay(const Signature& s) {
    const bool wide = s.value == ValueType::f64;
    const bool alone = kernel_entry(s.kernel).gpu && (wide || s.value == ValueType::f32) &&
                       s.num_rhs == 1 && strips_shape(s).block_size() == 1 &&
                       static_cast<ValueCode>(s.params.at("value_code")) == ValueCode::one_value &&
                       s.params.at("threads_per_row") == 1;
    const auto nnz = static_cast<double>(matrix_.nnz), rows = static_cast<double>(matrix_.rows);
    if (!alone || nnz > most_whole_mean * rows) return false;
    Signature unsorted = s;
    unsorted.params["sigma"] = 1;
    const StripsPlan& made = plan(unsorted);
    const bool narrow = !wide && nnz < many_of_whole * rows;
    return static_cast<double>(made.stored) <=
               (narrow ? most_narrow_padding : most_whole_padding) * nnz &&
           static_cast<double>(made.index_bytes) >= least_whole_index_bytes * nnz;
}

bool StripsChooser::choose_whole_columns(Signature& s, const Params& given) {
    if (!is_open(given, "codes") || !is_open(given, "sigma") || !whole_columns_pay(s)) return false;
    s.params["sigma"] = 1;
    s.params["codes"] = whole_columns;
    const bool many =
        static_cast<double>(matrix_.nnz) >= many_of_whole * static_cast<double>(matrix_.rows);
    const std::int64_t unroll_of_many =
        s.value == ValueType::f64 ? many_unroll : many_narrow_unroll;
    if (is_open(given, "unroll")) s.params["unroll"] = many ? unroll_of_many : whole_unroll;
    return true;
}

void StripsChooser::set_found(Signature& s, const Params& given, const StripsPlan& found) {
    const auto set = [&](const char* name, bool value) {
        if (is_open(given, name)) s.params[name] = value ? 1 : 0;
    };
    set("ragged", found.ragged_slices > 0);
    set("fill", found.filled_slices > 0);
    set("long_rows", found.long_rows > 0);
}

void StripsChooser::choose_blocks(Signature& s, const Params& given, std::int64_t high,
                                  std::int64_t wide) {
    Signature blocked = s;
    blocked.params["block_rows"] = high;
    blocked.params["block_cols"] = wide;
    const bool gpu = kernel_entry(s.kernel).gpu;
    if (gpu) choose_strip_lanes(blocks_of_sample(blocked), blocked, given);
    if (!gpu && !has_fast_gathers(s.target) && is_open(given, "lanes"))
        blocked.params["lanes"] = blocked_lanes;
    if (bytes(blocked) < (1 - block_gain) * bytes(s)) s = blocked;
}

RowBlocks& StripsChooser::blocks_of_sample(const Signature& s) {
    const StripsShape shape = strips_shape(s);
    const auto [found, is_new] = row_blocks_.try_emplace({shape.block_rows, shape.block_cols});
    if (is_new) {
        const bool whole = sample_.is_whole();
        found->second = count_row_blocks(
            {sample_.view(), whole ? nullptr : &features_, whole ? threads_ : 1}, shape);
    }
    return found->second;
}

void StripsChooser::fit(Signature& s, const Params& given, const std::function<BlockFill()>& fill) {
    const bool gpu = kernel_entry(s.kernel).gpu;
    if (is_open(given, "long_rows")) s.params["long_rows"] = 1;
    if (gpu) choose_strip_lanes(blocks_of_sample(s), s, given);
    if (is_open(given, "block_rows") && is_open(given, "block_cols") && s.num_rhs == 1) {
        const auto [high, wide] = likely_block(fill(), matrix_.rows, s);
        if (high * wide > 1) choose_blocks(s, given, high, wide);
    }
    if (is_open(given, "fill")) choose_holes(s, given);
    const bool whole = choose_whole_columns(s, given);
    const StripsPlan& made = plan(s);
    if (gpu && !whole) choose_strip_unroll(made, s, given);
    if (is_open(given, "codes") && !whole)
        s.params["codes"] = worthwhile_codes(made, strips_shape(s), bytes(s));
    set_found(s, given, made);
    if (is_open(given, "fill") && may_end_elsewhere(s)) s.params["fill"] = 1;
}

std::string StripsChooser::settle(Signature& s, const Params& given, const CsrView& matrix) {
    Signature full = s;
    if (is_open(given, "long_rows")) full.params["long_rows"] = 1;
    // Signatures that differ in how they are run only lie alike.
    if (layout_ == nullptr || layout_->shape != strips_shape(full))
        layout_ = std::make_unique<StripsLayout>(
            lay_out_strips(matrix, strips_shape(full), all_strip_codes, threads_));
    const StripsPlan made = plan_of(*layout_, full);
    plans(full).of_matrix = made;
    if (layout_->shape.sigma == 1) choose_whole_columns(s, given);
    if (is_open(given, "codes") && s.params.at("codes") != whole_columns)
        s.params["codes"] = worthwhile_codes(made, layout_->shape, bytes(full));
    set_found(s, given, made);
    plans(s).of_matrix = made;
    return describe_strips(made, s, matrix_.nnz);
}

std::unique_ptr<StripsLayout> StripsChooser::take_layout(const Signature& signature) {
    if (layout_ == nullptr || kernel_entry(signature.kernel).format != Format::strips)
        return nullptr;
    const StripsShape shape = strips_shape(signature);
    StripsShape own = layout_->shape;
    // Where nothing is long and nothing has holes, it lies as without.
    if (layout_->long_row.empty() && nothing_is_long(shape)) own.long_from = shape.long_from;
    const bool holed =
        own.may_have_holes() && std::ranges::any_of(layout_->slice_info, [](std::int32_t info) {
            return (info & filled_slice) != 0;
        });
    if (!holed && !shape.may_have_holes()) own.hole_bytes = 0;
    if (own != shape) return nullptr;
    auto given = std::move(layout_);  // its codes are those of this signature from here on
    if (!use_codes(*given, signature.params.at("codes"))) return nullptr;
    given->shape = shape;
    return given;
}

bool StripsChooser::is_too_large(const Signature& s) {
    constexpr double most_missed = 1.2;  // times what the sample tells
    const StripsShape shape = strips_shape(s);
    if (sample_.is_whole() || shape.block_size() > 1) return false;
    const StripsPlan& made = plan(s);
    const auto allowed_times = [&](double times) {
        const StripsPlan all = scaled(made, times);
        return strips_memory(matrix_, s, all.stored, all.index_bytes).allowed;
    };
    if (allowed_times(most_missed)) return false;
    const auto blocks = count_strip_blocks(matrix_, shape, threads_);
    const std::int64_t stored = count_strips(blocks, shape) * shape.lanes + made.long_entries;
    return !allowed_times(static_cast<double>(stored) / static_cast<double>(made.stored));
}

StripsOutlook StripsChooser::outlook(const Signature& signature) {
    const StripsPlan& made = plan(signature);
    const auto nnz = static_cast<double>(matrix_.nnz);
    const bool whole = signature.params.at("codes") == whole_columns &&
                       param(signature, "sigma", 0) == 1 && whole_columns_pay(signature);
    return {bytes(signature), static_cast<double>(made.index_bytes - made.hole_mask_bytes) / nnz,
            static_cast<double>(made.stored) / nnz, whole};
}

}  // namespace spmvgen
