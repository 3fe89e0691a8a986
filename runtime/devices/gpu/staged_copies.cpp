#include "devices/gpu/staged_copies.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "matrix/chunks.hpp"

namespace spmvgen {
namespace {

constexpr std::size_t half_bytes = std::size_t{1} << 21;
/// Fewer are copied by the driver as soon.
constexpr std::size_t least_bytes = std::size_t{1} << 18;
/// In the time that it takes to make the memory, the driver copies so many.
constexpr std::size_t bytes_of_making = std::size_t{1} << 24;
/// That a thread copies at a time; and as team_for() takes them.
constexpr std::int64_t part_bytes = 1 << 17, bytes_of_team = 1 << 14;

void copy_by_team(std::byte* to, const std::byte* from, std::size_t bytes) {
    const auto size = static_cast<std::int64_t>(bytes);
    for_parts(size, part_bytes, team_for(size, bytes_of_team, 0),
              [&](std::int64_t begin, std::int64_t end, int) {
                  std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin));
              });
}

}  // namespace

StagedCopies::~StagedCopies() {
    if (halves_ == nullptr) return;
    try {
        const InContext in(device_);
        const DespiteCapture despite(device_);
        device_.vendor->calls().release_locked(halves_);
    } catch (const Error&) {  // the driver has gone, and the memory with it
    }
}

bool StagedCopies::has_memory(std::size_t wanted) {
    if (halves_ != nullptr || is_refused_) return halves_ != nullptr;
    asked_bytes_ += wanted;
    if (asked_bytes_ < bytes_of_making) return false;
    is_refused_ = device_.vendor->calls().allocate_locked(&halves_, 2 * half_bytes, 0) != 0;
    if (is_refused_) halves_ = nullptr;
    return !is_refused_;
}

std::unique_lock<std::mutex> StagedCopies::begin(std::size_t bytes) {
    if (bytes < least_bytes || thread_count(0) == 1) return {};
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock.owns_lock() && !has_memory(bytes)) lock.unlock();
    return lock;
}

std::byte* StagedCopies::half(bool second) const {
    return static_cast<std::byte*>(halves_) + (second ? half_bytes : 0);
}

void StagedCopies::wait() const {
    const GpuVendor& vendor = *device_.vendor;
    vendor.check(vendor.calls().synchronize(nullptr), vendor.calls().synchronize,
                 device_.facts.text);
}

bool StagedCopies::enqueue(void* to, const void* from, std::size_t bytes) {
    const auto lock = begin(bytes);
    if (!lock.owns_lock()) return false;
    const GpuVendor& vendor = *device_.vendor;
    const auto& send = vendor.calls().send;
    for (std::size_t at = 0; at < bytes; at += half_bytes) {
        // What the device reads of either half is over then, so that the second needs no wait.
        if (!fills_second_) wait();
        std::byte* const filled = half(fills_second_);
        const std::size_t size = std::min(half_bytes, bytes - at);
        copy_by_team(filled, static_cast<const std::byte*>(from) + at, size);
        fills_second_ = !fills_second_;
        vendor.check(send(static_cast<std::byte*>(to) + at, filled, size, nullptr), send,
                     device_.facts.text);
    }
    return true;
}

bool StagedCopies::fetch(void* to, const void* from, std::size_t bytes) {
    const auto lock = begin(bytes);
    if (!lock.owns_lock()) return false;
    const GpuVendor& vendor = *device_.vendor;
    const auto& call = vendor.calls().fetch;
    const auto size_at = [&](std::size_t at) { return std::min(half_bytes, bytes - at); };
    const auto begin_piece = [&](std::size_t at, bool second) {
        const auto* const piece = static_cast<const std::byte*>(from) + at;
        vendor.check(call(half(second), piece, size_at(at), nullptr), call, device_.facts.text);
    };
    fills_second_ = false;
    begin_piece(0, false);
    bool second = false;
    for (std::size_t at = 0; at < bytes; at += half_bytes, second = !second) {
        wait();
        if (at + half_bytes < bytes) begin_piece(at + half_bytes, !second);
        copy_by_team(static_cast<std::byte*>(to) + at, half(second), size_at(at));
    }
    return true;
}

}  // namespace spmvgen
