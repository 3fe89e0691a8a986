#include "handle/conversion/kinds/strips_on_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

#include "formats/layout.hpp"
#include "formats/value_encoding.hpp"
#include "handle/conversion/converters.hpp"
#include "matrix/chunks.hpp"
#include "spmvgen/error.hpp"
#include "tuner/chooser/strips_choice.hpp"

namespace spmvgen {
namespace {

// What stands where in the counts (templates/dialect/convert/gpu_convert_strips.hpp).
constexpr std::size_t count_ragged = 4, count_unfit = 6, count_filled = 8, count_holes = 11;

constexpr std::int64_t rows_a_part = 65536;
/// Strips, up to which room for all that there can be is sooner had than their number.
constexpr std::int64_t most_guessed = 1 << 24;

/// Rows longer than that stand apart, or cannot be stored.
std::int64_t most_entries(const StripsShape& shape) {
    return (shape.long_from > 0 ? shape.long_from : most_strips) * shape.threads_per_row;
}

/// Numbers as an array of a device has them, appended to `bytes` from an aligned place on.
void append(std::vector<std::byte>& bytes, const std::vector<std::int64_t>& numbers,
            IndexType type) {
    const std::size_t begin = bytes.size();
    bytes.resize(begin + aligned(array_bytes(std::ssize(numbers), size_of(type))));
    dispatch(type, [&]<typename Number>(Number) {
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const auto number = static_cast<Number>(numbers[i]);
            std::memcpy(bytes.data() + begin + i * sizeof(Number), &number, sizeof(Number));
        }
    });
}

std::string why_no_strips(const MatrixOnDevice& given, const Signature& signature) {
    const std::int64_t max_row = given.max_row;
    const StripsShape shape = strips_shape(signature);
    if (shape.lanes > shape.wavefront) return fmt::format("slice={}", shape.lanes);
    // What the sort's keys hold beside a row's place.
    const int bits = 32 - std::countr_zero(static_cast<std::uint64_t>(shape.sigma));
    const std::int64_t most_blocks = max_row * shape.block_rows;
    if (shape.block_size() > 1 && most_blocks > most_entries(shape))
        return fmt::format("blocks of rows of {} entries", max_row);
    const std::int64_t longest = std::min(most_blocks, most_entries(shape));
    if (shape.sigma > 1 && longest >= (std::int64_t{1} << bits) - 2)
        return fmt::format("rows of {} entries in windows of {}", longest, shape.sigma);
    if (max_row > most_entries(shape) && shape.long_from == 0)
        return fmt::format("rows of {} entries", max_row);
    return "";
}

void set_strips_params(const Signature& signature, Signature& converter) {
    converter.params["fill"] = strips_shape(signature).may_have_holes() ? 1 : 0;
    converter.params["period"] = strips_shape(signature).period;
}

std::unique_ptr<ConversionOnDevice> begin_strips(Device& device, const DeviceKernel& converter,
                                                 const MatrixOnDevice& matrix,
                                                 const Signature& signature) {
    return std::make_unique<StripsOnDevice>(device, converter, matrix, signature);
}

}  // namespace

extern constexpr Converters strips_converters{
    {"convert_strips", why_no_strips, begin_strips, set_strips_params}};

StripsOnDevice::StripsOnDevice(Device& device, const DeviceKernel& converter,
                               const MatrixOnDevice& matrix, const Signature& signature)
    : device_(device),
      converter_(converter),
      matrix_(matrix),
      shape_(strips_shape(signature)),
      index_(signature.index),
      offset_(signature.offset) {
    slices_ = (block_rows() + shape_.positions() - 1) / shape_.positions();
    list_long_rows();
    reserve_rows();
    values_.arrays["row_ptr"] = matrix.on_device.row_ptr;
    values_.arrays["col_idx"] = matrix.on_device.col_idx;
    values_.arrays["csr_values"] = matrix.on_device.values;
    values_.scalars = {{"num_rows", matrix.on_host.rows},
                       {"num_cols", matrix.on_host.cols},
                       {"nnz", matrix.on_host.nnz},
                       {"num_block_rows", block_rows()},
                       {"num_slices", slices_},
                       {"num_lanes", slices_ * shape_.lanes},
                       {"num_chunks", std::ssize(chunk_row_)},
                       {"long_above", most_entries(shape_)},
                       {"num_distinct", std::ssize(matrix.dictionary)},
                       {"one", 1}};
    if (shape_.block_size() > 1) list_blocks();
    const std::int64_t codes = param(signature, "codes", 15);
    find_strips(codes);
    find_codes(codes);
}

void StripsOnDevice::list_blocks() {
    launch("count_blocks");
    StepValues& v = values_;
    scan("block_count", block_rows(), "block_ptr");
    const std::int64_t blocks = total();
    block_col_ = device_.allocate_scratch(array_bytes(blocks, size_of(index_)));
    block_whole_ = device_.allocate_scratch(array_bytes(blocks, 1));
    v.arrays["block_col"] = block_col_->data();
    v.arrays["block_whole"] = block_whole_->data();
    launch("list_blocks");
    // What comes next goes over the blocks as if they were entries.
    v.arrays["row_ptr"] = v.arrays["block_ptr"];
    v.arrays["col_idx"] = v.arrays["block_col"];
    v.scalars["num_rows"] = block_rows();
}

void StripsOnDevice::list_long_rows() {
    const CsrView& a = matrix_.on_host;
    const std::int64_t most = most_entries(shape_);
    if (matrix_.max_row <= most) return;
    std::vector<std::vector<std::int64_t>> parts(
        static_cast<std::size_t>((a.rows + rows_a_part - 1) / rows_a_part));
    for_parts(a.rows, rows_a_part, 0, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t row = begin; row < end; ++row)
            if (a.row_length(row) > most)
                parts[static_cast<std::size_t>(begin / rows_a_part)].push_back(row);
    });
    for (auto& part : parts) long_row_.insert(long_row_.end(), part.begin(), part.end());
    for (const std::int64_t row : long_row_) {
        const std::int64_t entries = a.row_length(row);
        long_ptr_.push_back(long_ptr_.back() + entries);
        chunk_ptr_.push_back(chunk_ptr_.back() + (entries + shape_.chunk - 1) / shape_.chunk);
        chunk_row_.resize(static_cast<std::size_t>(chunk_ptr_.back()), std::ssize(long_ptr_) - 2);
    }
}

void StripsOnDevice::reserve_rows() {
    using Sizes = std::vector<std::pair<const char*, std::size_t>>;
    // What is copied there comes first.
    std::vector<std::byte> made;
    Sizes begins;
    const auto add = [&](const char* name, const std::vector<std::int64_t>& numbers,
                         IndexType type) {
        begins.emplace_back(name, made.size());
        append(made, numbers, type);
    };
    add("long_row", long_row_, index_);
    add("long_ptr", long_ptr_, offset_);
    add("chunk_ptr", chunk_ptr_, offset_);
    add("chunk_row", chunk_row_, index_);
    add("counts", std::vector<std::int64_t>(counts_.size()), IndexType::i64);
    if (!matrix_.dictionary.empty()) {
        begins.emplace_back("dictionary", made.size());
        const auto values = dictionary_bytes(matrix_.dictionary, matrix_.on_host.value_type);
        made.insert(made.end(), values.begin(), values.end());
        made.resize(aligned(made.size()));
    }
    const auto lay_out = [&](const Sizes& sizes, std::size_t end, bool kept) {
        for (auto& [name, bytes] : sizes) {
            begins.emplace_back(name, end);
            end += aligned(bytes);
        }
        auto memory = kept ? device_.allocate_kept(end) : device_.allocate_scratch(end);
        for (auto& [name, begin] : begins)
            values_.arrays[name] = static_cast<std::byte*>(memory->data()) + begin;
        begins.clear();
        return memory;
    };
    const std::int64_t of_blocks = shape_.block_size() > 1 ? block_rows() : 0;
    of_rows_ = lay_out(
        {{"long_col", array_bytes(long_ptr_.back(), size_of(index_))},
         {"slice_ptr", array_bytes(slices_ + 1, size_of(offset_))},
         {"delta_ptr", array_bytes(slices_ + 1, size_of(offset_))},
         {"slice_info", array_bytes(slices_, sizeof(std::int32_t))},
         {"lengths", array_bytes(slices_ * shape_.lanes, sizeof(std::uint16_t))},
         {"places", array_bytes(shape_.sigma > 1 ? block_rows() : 0, sizeof(std::uint16_t))}},
        made.size(), true);
    device_.enqueue_to_device(of_rows_->data(), made.data(), made.size());
    scratch_ = lay_out({{"slice_size", array_bytes(slices_, size_of(offset_))},
                        {"block_count", array_bytes(of_blocks, size_of(offset_))},
                        {"block_ptr", array_bytes(of_blocks + 1, size_of(offset_))}},
                       0, false);
}

void StripsOnDevice::scan(const char* sizes, std::int64_t count, const char* ptr) {
    values_.arrays["sizes"] = values_.arrays.at(sizes);
    values_.arrays["ptr"] = values_.arrays.at(ptr);
    values_.scalars["num_sizes"] = count;
    launch("scan");
}

std::int64_t StripsOnDevice::total() {
    std::uint64_t total = 0;
    device_.copy_to_host(&total, static_cast<const std::uint64_t*>(place_of("counts")) + last_total,
                         sizeof total);
    return static_cast<std::int64_t>(total);
}

void StripsOnDevice::find_strips(std::int64_t codes) {
    if (shape_.sigma > 1) launch("order");
    launch("widths");
    if (shape_.may_have_holes() && (codes & 1) != 0) launch("holes");
    scan("slice_size", slices_, "slice_ptr");
    const bool is_known = !shape_.may_have_holes() && most_strips_of_all() <= most_guessed;
    const std::int64_t most = is_known ? most_strips_of_all() : total();
    bases_ = device_.allocate_scratch(array_bytes(most, size_of(index_)));
    values_.arrays["bases"] = bases_->data();
}

std::int64_t StripsOnDevice::most_strips_of_all() const {
    const std::int64_t lanes = shape_.threads_per_row;
    const std::int64_t longest = std::min(matrix_.max_row, most_entries(shape_));
    return std::min(slices_ * ((longest + lanes - 1) / lanes) * shape_.block_rows,
                    matrix_.on_host.nnz / lanes + block_rows());
}

void StripsOnDevice::find_codes(std::int64_t codes) {
    codes_ = codes;
    values_.scalars["codes"] = codes;
    launch("codes");
    if (!chunk_row_.empty()) launch("long_columns");
    const Signature& s = converter_.signature();
    const std::int64_t code = param(s, "value_code");
    if (code == 1 || code == 2 || storage_type(s) != s.value) launch("check_values");
    scan("slice_size", slices_, "delta_ptr");
    read_counts();
    units_ = static_cast<std::int64_t>(counts_[last_total]);
}

void StripsOnDevice::read_counts() {
    const std::size_t offset = size_of(offset_);
    const std::array<DevicePiece, 2> pieces{DevicePiece{place_of("counts"), sizeof counts_},
                                            {static_cast<const std::byte*>(place_of("slice_ptr")) +
                                                 static_cast<std::size_t>(slices_) * offset,
                                             offset}};
    struct {
        ConversionCounts counts;
        std::int64_t strips;  // a narrow offset is its low half
    } here{};
    device_.gather_to_host(&here, pieces);
    counts_ = here.counts;
    strips_ = here.strips;
}

std::string StripsOnDevice::fault() const {
    if (counts_[count_outside] == 0 && counts_[count_unfit] > 0) return "slices that no code fits";
    return fault_of(counts_, converter_.signature());
}

/// What the tuner makes of the columns, where they are on the host.
std::string StripsOnDevice::fit(Signature& signature, const IsOpen& is_open) {
    const StripsPlan plan = this->plan();
    if (is_open("codes") && signature.params.at("codes") != whole_columns) {
        signature.params["codes"] = worthwhile_codes(plan, shape_, bytes(signature));
        use_codes(signature.params["codes"]);
    }
    if (is_open("ragged")) signature.params["ragged"] = plan.ragged_slices > 0 ? 1 : 0;
    if (is_open("fill")) signature.params["fill"] = plan.filled_slices > 0 ? 1 : 0;
    if (is_open("long_rows")) signature.params["long_rows"] = plan.long_rows > 0 ? 1 : 0;
    return describe_strips(plan, signature, matrix_.on_host.nnz);
}

/// Where no slice has holes, strips are those of a conversion that leaves none.
bool StripsOnDevice::is_for(const Signature& converter, const Signature& signature,
                            const CsrView& matrix) const {
    Signature looked_for = signature;
    if (shape_.may_have_holes() && counts_[count_filled] == 0) looked_for.params["fill"] = 1;
    return converts_for(converter, looked_for, matrix);
}

void StripsOnDevice::use_codes(std::int64_t codes) {
    if (codes == codes_) return;
    counts_.fill(0);
    // Sooner done than zero(), and behind what used the memory before.
    device_.enqueue_to_device(place_of("counts"), counts_.data(), sizeof counts_);
    if (shape_.may_have_holes() && ((codes ^ codes_) & 1) != 0) find_strips(codes);
    find_codes(codes);
}

StripsPlan StripsOnDevice::plan() const {
    StripsPlan plan;
    plan.slices = slices_;
    plan.strips = strips_;
    for (std::size_t code = 0; code < plan.strips_of_code.size(); ++code)
        plan.strips_of_code[code] = static_cast<std::int64_t>(counts_[code]);
    plan.ragged_slices = static_cast<std::int64_t>(counts_[count_ragged]);
    plan.filled_slices = static_cast<std::int64_t>(counts_[count_filled]);
    plan.hole_mask_bytes = static_cast<std::int64_t>(counts_[count_holes]) * shape_.lanes;
    plan.long_rows = std::ssize(long_row_);
    plan.long_entries = long_ptr_.back();
    plan.stored = stored();
    plan.index_bytes = sizes().bytes(index_, offset_);
    return plan;
}

double StripsOnDevice::bytes(const Signature& signature) const {
    const std::int64_t code = param(signature, "value_code", 0);
    const auto value = static_cast<std::int64_t>(size_of(storage_type(signature)));
    return static_cast<double>(sizes().bytes(index_, offset_) + stored() * (code == 0   ? value
                                                                            : code == 2 ? 0
                                                                                        : 1));
}

StripsSizes StripsOnDevice::sizes() const {
    return {.slices = slices_,
            .strips = strips_,
            .delta_bytes = units_ * shape_.lanes,
            .places = shape_.sigma > 1 ? block_rows() : 0,
            .lengths = counts_[count_ragged] > 0 ? slices_ * shape_.lanes : 0,
            .long_rows = std::ssize(long_row_),
            .long_entries = long_ptr_.back(),
            .chunks = std::ssize(chunk_row_)};
}

/// Which element of y each row makes.
std::unique_ptr<DeviceMemory> StripsOnDevice::upload_order() {
    std::vector<std::int64_t> order(matrix_.row_order.begin(), matrix_.row_order.end());
    if (order.empty()) {
        order.resize(static_cast<std::size_t>(matrix_.on_host.rows));
        std::iota(order.begin(), order.end(), std::int64_t{0});
    }
    std::vector<std::byte> bytes;
    append(bytes, order, index_);
    auto memory = device_.allocate(bytes.size());
    device_.enqueue_to_device(memory->data(), bytes.data(), bytes.size());
    return memory;
}

GpuMatrix StripsOnDevice::store(const Signature& signature, std::int64_t memory_limit) {
    GpuMatrix made;
    StoredMatrix& stored = made.stored;
    const CsrView& a = matrix_.on_host;
    stored.format = Format::strips;
    stored.stored = this->stored();
    stored.bytes = sizes().bytes(index_, offset_);
    if (memory_limit == 0) check_strips_bytes(a, signature, stored.stored, stored.bytes);
    check_fits(stored.stored, signature.offset, "stored entries", "offset");
    const std::int64_t code = param(signature, "value_code", 0);
    const std::size_t element = size_of(storage_type(signature));
    const std::size_t delta_bytes =
        static_cast<std::size_t>(units_ * shape_.lanes + bytes_beyond_deltas);
    const ValueElements elements = value_elements(signature, stored.stored);
    const std::size_t value_bytes = array_bytes(elements.values, element);
    const std::size_t coded_bytes = array_bytes(elements.coded, 1);
    const std::size_t base_bytes = array_bytes(strips_, size_of(index_));
    const bool any_order = param(signature, "any_order", 0) == 1;
    const std::size_t order_bytes = any_order ? array_bytes(a.rows, size_of(index_)) : 0;
    check_device_limit(Format::strips,
                       of_rows_->bytes() + base_bytes + value_bytes + aligned(delta_bytes) +
                           coded_bytes + order_bytes,
                       memory_limit);
    const std::vector<ArraySize> arrays{{"deltas", delta_bytes},
                                        {"coded_values", coded_bytes},
                                        {"values", value_bytes},
                                        {"bases", base_bytes}};
    add_arrays(device_, arrays, values_, made);
    device_.enqueue_on_device(place_of("bases"), bases_->data(), base_bytes);
    const std::int64_t long_begin = stored.stored - long_ptr_.back();
    values_.scalars["long_begin"] = long_begin;
    values_.scalars["empty_code"] =
        std::countr_zero(static_cast<std::uint64_t>(param(signature, "codes", 15)));
    values_.arrays["row_ptr"] = matrix_.on_device.row_ptr;
    values_.arrays["col_idx"] = matrix_.on_device.col_idx;
    values_.scalars["num_rows"] = a.rows;
    launch(shape_.block_size() > 1 ? "fill_blocks" : "fill");
    if (!chunk_row_.empty() && code != 2) launch("long_values");
    constexpr std::array<std::byte, bytes_beyond_deltas> zeros{};
    device_.enqueue_to_device(
        static_cast<std::byte*>(place_of("deltas")) + delta_bytes - zeros.size(), zeros.data(),
        zeros.size());
    if (any_order) {
        made.memory.push_back(upload_order());
        stored.arrays["row_order"] = made.memory.back()->data();
        stored.bytes += static_cast<std::int64_t>(order_bytes);
    }
    device_.synchronize({});
    made.memory.push_back(std::move(of_rows_));
    for (const char* name :
         {"slice_ptr", "slice_info", "delta_ptr", "bases", "deltas", "lengths", "places", "values",
          "coded_values", "long_row", "long_ptr", "long_col", "chunk_ptr", "chunk_row"})
        stored.arrays[name] = values_.arrays.at(name);
    stored.bytes += value_array_bytes(signature, stored.stored);
    stored.scalars = {
        {"num_rows", a.rows},
        {"num_cols", a.cols},
        {"nnz", a.nnz},
        {"num_slices", slices_},
        {"num_strips", strips_},
        {"num_long", std::ssize(long_row_)},
        {"num_chunks", std::ssize(chunk_row_)},
        {"long_begin", long_begin},
        {"num_warps", std::ssize(chunk_row_) +
                          (slices_ * shape_.lanes + shape_.wavefront - 1) / shape_.wavefront}};
    return made;
}

}  // namespace spmvgen
