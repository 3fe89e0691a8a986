#include "handle/plan/device_csr.hpp"

#include <atomic>
#include <iterator>
#include <vector>

#include "matrix/chunks.hpp"
#include "matrix/coo_matrix.hpp"
#include "matrix/csr_matrix.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

Buffer to_host(Device& device, const void* array, std::int64_t count, std::size_t element) {
    Buffer here(static_cast<std::size_t>(count) * element);
    if (here.bytes() > 0) device.copy_to_host(here.data(), array, here.bytes());
    return here;
}

constexpr std::int64_t columns_a_part = 1 << 16;
/// Pieces that are sooner copied one by one than gathered by a kernel.
constexpr std::int64_t most_copied = 64;

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
        row_ptr_ = to_host(device, a.row_ptr, a.rows + 1, size_of(a.offset_type));
        on_host_.row_ptr = row_ptr_.data();
        // A wrong number of entries is found out before the arrays are read by it.
        validate_end(on_host_);
    }
}

void DeviceCsr::complete() {
    if (complete_) return;
    col_idx_ = to_host(device_, on_device_.col_idx, on_device_.nnz, size_of(on_device_.index_type));
    values_ = to_host(device_, on_device_.values, on_device_.nnz, size_of(on_device_.value_type));
    on_host_.col_idx = col_idx_.data();
    on_host_.values = values_.data();
    complete_ = true;
}

const CsrView& DeviceCsr::all() {
    complete();
    if (!checked_) validate(on_host_, threads_);
    checked_ = true;
    return on_host_;
}

Buffer DeviceCsr::gathered(const void* array, std::size_t element,
                           std::span<const EntryRange> ranges) {
    std::vector<DevicePiece> pieces;
    std::size_t bytes = 0;
    for (const auto [begin, end] : ranges) {
        const std::size_t of_range = static_cast<std::size_t>(end - begin) * element;
        pieces.push_back(
            {static_cast<const std::byte*>(array) + static_cast<std::size_t>(begin) * element,
             of_range});
        bytes += of_range;
    }
    Buffer here(bytes);
    if (bytes > 0) device_.gather_to_host(here.data(), pieces);
    return here;
}

Buffer DeviceCsr::columns(std::span<const EntryRange> ranges) {
    std::optional<Buffer> by_kernel;
    if (analysis_ && std::ssize(ranges) > most_copied)
        by_kernel = analysis_->columns(on_device_, ranges);
    Buffer here = by_kernel ? std::move(*by_kernel)
                            : gathered(on_device_.col_idx, size_of(on_device_.index_type), ranges);
    if (!are_columns(here, on_device_, threads_)) {
        (void)all();  // says which one is not
        throw Error(ErrorCode::invalid_argument,
                    "broken CSR matrix: its columns changed while they were read");
    }
    return here;
}

Buffer DeviceCsr::values(std::span<const EntryRange> ranges) {
    return gathered(on_device_.values, size_of(on_device_.value_type), ranges);
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
