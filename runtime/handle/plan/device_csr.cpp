#include "handle/plan/device_csr.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>
#include <vector>

#include "matrix/chunks.hpp"
#include "matrix/coo_matrix.hpp"
#include "matrix/csr_matrix.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

constexpr std::size_t worth_touching = std::size_t{1} << 20;
constexpr std::int64_t touched_at_once = 1 << 18, page = 4096;

/// Lets a team write to fresh memory first, for the copy would wait for its pages one by one.
void touch(Buffer& memory) {
    if (memory.bytes() < worth_touching) return;
    auto* const bytes = static_cast<std::byte*>(memory.data());
    for_parts(static_cast<std::int64_t>(memory.bytes()), touched_at_once, 0,
              [&](std::int64_t begin, std::int64_t end, int) {
                  for (; begin < end; begin += page) bytes[begin] = std::byte{0};
              });
}

Buffer to_host(Device& device, const void* array, std::int64_t count, std::size_t element) {
    Buffer here(static_cast<std::size_t>(count) * element);
    touch(here);
    if (here.bytes() > 0) device.copy_to_host(here.data(), array, here.bytes());
    return here;
}

constexpr std::int64_t columns_a_part = 1 << 16;
/// Pieces that are sooner copied one by one than gathered by a kernel.
constexpr std::int64_t most_copied = 16;

/// Whether all of them are columns of the matrix.
bool are_columns(const Buffer& columns, const CsrView& a, int threads) {
    std::atomic<bool> right{true};
    dispatch(a.index_type, [&]<typename Index>(Index) {
        const auto all = columns.as<Index>();
        for_parts(std::ssize(all), columns_a_part, threads,
                  [&](std::int64_t begin, std::int64_t end, int) {
                      bool wrong = false;
                      for (std::int64_t k = begin; k < end; ++k) {
                          const auto j =
                              static_cast<std::int64_t>(all[static_cast<std::size_t>(k)]);
                          wrong = wrong || j < 0 || j >= a.cols;
                      }
                      if (wrong) right.store(false, std::memory_order_relaxed);
                  });
    });
    return right;
}

}  // namespace

DeviceCsr::DeviceCsr(Device& device, const CsrView& a, int threads,
                     std::optional<AnalysisOnDevice> analysis)
    : device_(device),
      on_device_(a),
      on_host_(a),
      threads_(threads),
      analysis_(std::move(analysis)) {
    validate_shape(a);
    on_host_.row_ptr = on_host_.col_idx = on_host_.values = nullptr;
    if (a.rows > 0) {
        row_ptr_ = std::make_shared<const Buffer>(
            to_host(device, a.row_ptr, a.rows + 1, size_of(a.offset_type)));
        on_host_.row_ptr = row_ptr_->data();
        // A wrong number of entries is found out before the arrays are read by it.
        validate_end(on_host_);
    }
}

void DeviceCsr::complete() {
    if (complete_) return;
    fetch_columns();
    values_ = to_host(device_, on_device_.values, on_device_.nnz, size_of(on_device_.value_type));
    on_host_.col_idx = col_idx_.data();
    on_host_.values = values_.data();
    complete_ = true;
}

void DeviceCsr::fetch_columns() {
    if (col_idx_.bytes() == 0)
        col_idx_ =
            to_host(device_, on_device_.col_idx, on_device_.nnz, size_of(on_device_.index_type));
}

const CsrView& DeviceCsr::pattern() {
    if (pattern_) return *pattern_;
    fetch_columns();
    if (!rows_are_right(on_host_, threads_) || !are_columns(col_idx_, on_host_, threads_))
        (void)all();  // says what is not
    pattern_ = on_host_;
    pattern_->col_idx = col_idx_.data();
    return *pattern_;
}

const CsrView& DeviceCsr::all() {
    complete();
    if (!checked_) validate(on_host_, threads_);
    checked_ = true;
    return on_host_;
}

Buffer DeviceCsr::copied(const PiecesOfArray& of) {
    std::vector<DevicePiece> pieces;
    std::size_t bytes = 0;
    for (const auto [begin, end] : of.ranges) {
        const std::size_t of_range = static_cast<std::size_t>(end - begin) * of.element;
        pieces.push_back(
            {static_cast<const std::byte*>(of.array) + static_cast<std::size_t>(begin) * of.element,
             of_range});
        bytes += of_range;
    }
    Buffer here(bytes);
    if (bytes > 0) device_.gather_to_host(here.data(), pieces);
    return here;
}

std::vector<Buffer> DeviceCsr::gathered(std::span<const PiecesOfArray> pieces) {
    std::int64_t count = 0;
    for (auto& of : pieces) count += std::ssize(of.ranges);
    if (analysis_ && count > most_copied)
        if (auto by_kernel = analysis_->gathered(pieces, on_device_.offset_type))
            return std::move(*by_kernel);
    std::vector<Buffer> found;
    for (auto& of : pieces) found.push_back(copied(of));
    return found;
}

void DeviceCsr::expect_values(std::vector<EntryRange> ranges) {
    if (ranges == expected_) return;
    expected_ = std::move(ranges);
    expected_values_ = {};
}

Buffer DeviceCsr::columns(std::span<const EntryRange> ranges) {
    std::vector<PiecesOfArray> pieces{{on_device_.col_idx, size_of(on_device_.index_type), ranges}};
    const bool with_values = !expected_.empty() && expected_values_.bytes() == 0;
    if (with_values)
        pieces.push_back({on_device_.values, size_of(on_device_.value_type), expected_});
    std::vector<Buffer> found = gathered(pieces);
    if (with_values) expected_values_ = std::move(found[1]);
    if (!are_columns(found[0], on_device_, threads_)) {
        (void)all();  // says which one is not
        throw Error(ErrorCode::invalid_argument,
                    "broken CSR matrix: its columns changed while they were read");
    }
    return std::move(found[0]);
}

Buffer DeviceCsr::values(std::span<const EntryRange> ranges) {
    if (expected_values_.bytes() > 0 && std::ranges::equal(ranges, expected_)) {
        expected_.clear();
        return std::move(expected_values_);
    }
    const PiecesOfArray pieces{on_device_.values, size_of(on_device_.value_type), ranges};
    return std::move(gathered({&pieces, 1})[0]);
}

std::optional<ValueTraits> DeviceCsr::value_traits() {
    if (!traits_ && analysis_) traits_ = analysis_->value_traits(on_device_);
    return traits_;
}

DownloadedEntries download(Device& device, const CooView& a) {
    validate_shape(a);
    DownloadedEntries here;
    here.row_idx = to_host(device, a.row_idx, a.nnz, size_of(a.index_type));
    here.col_idx = to_host(device, a.col_idx, a.nnz, size_of(a.index_type));
    here.values = to_host(device, a.values, a.nnz, size_of(a.value_type));
    here.view = a;
    here.view.row_idx = here.row_idx.data();
    here.view.col_idx = here.col_idx.data();
    here.view.values = here.values.data();
    return here;
}

}  // namespace spmvgen
