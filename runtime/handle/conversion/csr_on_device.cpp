#include "handle/conversion/csr_on_device.hpp"

namespace spmvgen {
namespace {

/// Entries, from which on a host converts for longer than it takes to copy them and to convert them
/// on the device.
constexpr std::int64_t least_copied = 1 << 18;
/// The same when the kernel that converts is to be compiled, of a host's entries and of those that
/// are there. That is done once: it is kept, for all matrices.
constexpr std::int64_t least_copied_compiled = 2'000'000, least_compiled = 1 << 17;
constexpr double beside = 4;  ///< times their bytes: what a conversion takes at most, with them

}  // namespace

CsrOnDevice::CsrOnDevice(Device& device, const CsrView& host, const CsrView* on_device)
    : device_(device),
      host_(host),
      copies_(on_device == nullptr),
      view_(on_device != nullptr ? *on_device : host) {}

const CsrView& CsrOnDevice::view() {
    if (!copies_ || !memory_.empty()) return view_;
    std::vector<std::unique_ptr<DeviceMemory>> memory;
    CsrView made = host_;
    const auto copy = [&](const void*& array, std::int64_t count, std::size_t element) {
        const auto bytes = static_cast<std::size_t>(count) * element;
        memory.push_back(device_.allocate_scratch(bytes));
        device_.enqueue_to_device(memory.back()->data(), array, bytes);
        array = memory.back()->data();
    };
    copy(made.row_ptr, host_.rows + 1, size_of(host_.offset_type));
    copy(made.col_idx, host_.nnz, size_of(host_.index_type));
    copy(made.values, host_.nnz, size_of(host_.value_type));
    device_.synchronize({});
    view_ = made;
    memory_ = std::move(memory);
    return view_;
}

double CsrOnDevice::bytes() const {
    return static_cast<double>(host_.rows + 1) * static_cast<double>(size_of(host_.offset_type)) +
           static_cast<double>(host_.nnz) *
               static_cast<double>(size_of(host_.index_type) + size_of(host_.value_type));
}

bool CsrOnDevice::has_room() const {
    return is_on_device() || static_cast<double>(device_.free_bytes()) >= beside * bytes();
}

void CsrOnDevice::release() {
    if (memory_.empty()) return;
    memory_.clear();
    view_ = host_;
}

bool CsrOnDevice::pays(bool compile) const {
    const std::int64_t least =
        copies_ ? (compile ? least_copied_compiled : least_copied) : (compile ? least_compiled : 0);
    return host_.nnz >= least && has_room();
}

}  // namespace spmvgen
