#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <map>
#include <mutex>

#include "devices/cuda/cuda.hpp"
#include "devices/device.hpp"
#include "devices/gpu/memory_pool.hpp"
#include "devices/gpu/vendor_device.hpp"
#include "devices/hip/hip.hpp"
#include "devices/simt/simt_device.hpp"
#include "matrix/buffer.hpp"
#include "matrix/memory_limit.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

[[noreturn]] void refuse(std::string_view text) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("'{}' is no {}cuda:N or hip:N, with N = 0, 1, …, or simt:ARCH, as in "
                            "simt:gfx906",
                            text, text == "host" ? "GPU: use " : "device: use host, "));
}

/// What a text asks for: a kind, and a number or a target.
struct Wanted {
    std::string kind;
    int number = 0;
    Target target = {};

    std::string text() const {
        return kind + ":" + (kind == "simt" ? to_string(target) : std::to_string(number));
    }
};

Wanted parse(std::string_view text) {
    const auto colon = text.find(':');
    Wanted wanted{.kind = std::string(text.substr(0, colon))};
    if (wanted.kind == "simt") {
        if (colon == text.npos) refuse(text);
        wanted.target = parse_target(text.substr(colon + 1));
        return wanted;
    }
    if (wanted.kind != "cuda" && wanted.kind != "hip") refuse(text);
    if (colon == text.npos) return wanted;
    const auto digits = text.substr(colon + 1);
    const char* end = digits.data() + digits.size();
    const auto [last, error] = std::from_chars(digits.data(), end, wanted.number);
    if (error != std::errc{} || last != end || digits[0] == '-') refuse(text);
    return wanted;
}

std::shared_ptr<Device> open(const Wanted& wanted) {
    if (wanted.kind == "simt") return open_simt_device(wanted.target, simt_thread_order());
    std::shared_ptr<const GpuVendor> vendor;
    int count = 0;
    try {
        vendor = wanted.kind == "cuda" ? load_cuda() : load_hip();
        count = device_count(*vendor);
    } catch (const Error& error) {
        throw Error(error.code(), fmt::format("{}: {}", wanted.text(), error.what()));
    }
    if (wanted.number >= count)
        throw Error(ErrorCode::unsupported,
                    fmt::format("{}: {} sees {} {}", wanted.text(), vendor->library().path(), count,
                                count == 1 ? "device" : "devices"));
    return open_vendor_device(std::move(vendor), wanted.number);
}

/// The devices that have owners.
struct Opened {
    std::mutex mutex;
    std::map<std::string, std::weak_ptr<Device>> devices;
};

Opened& opened() {
    static Opened opened;
    return opened;
}

std::string one_line(const DeviceFacts& facts) {
    return fmt::format("{}: {}, {}, {} units, {}\n", facts.text, facts.name,
                       to_string(facts.target), facts.units,
                       format_bytes(static_cast<double>(facts.memory_bytes)));
}

std::string describe(const std::string& name,
                     const std::function<std::shared_ptr<const GpuVendor>()>& load) {
    std::string lines;
    try {
        const auto vendor = load();
        const int count = device_count(*vendor);
        lines = fmt::format("{}: {}, {}, {} {}\n", name, vendor->version(),
                            vendor->library().path(), count, count == 1 ? "device" : "devices");
        for (int i = 0; i < count; ++i) try {
                lines += one_line(device_facts(*vendor, i));
            } catch (const Error& error) {
                lines += std::string(error.what()) + "\n";
            }
    } catch (const Error& error) {
        lines += fmt::format("{}: {}\n", name, error.what());
    }
    return lines;
}

}  // namespace

Device::Device() : pool_(std::make_shared<MemoryPool>(most_pooled)) {}

std::unique_ptr<DeviceMemory> Device::allocate_scratch(std::size_t bytes) {
    if (bytes == 0) return allocate(0);
    return pool_->take(bytes, [this](std::size_t size) { return allocate(size); });
}

std::unique_ptr<DeviceMemory> Device::allocate_kept(std::size_t bytes) {
    constexpr std::size_t least = std::size_t{1} << 20;  // the driver has small blocks at hand
    if (bytes < least) return allocate(bytes);
    const auto fresh = [this](std::size_t size) { return allocate(size); };
    auto [memory, was_used] = pool_->take_kept(bytes, fresh);
    if (was_used) synchronize({});  // other streams must not find work on it under way
    return std::move(memory);
}

bool Device::empty_pool() {
    return pool_->clear() > 0;
}

std::unique_ptr<DeviceGraph> Device::record(const std::function<void(StreamRef)>&) {
    return nullptr;
}

bool Device::is_capturing(StreamRef) {
    return false;
}

bool Device::reach(Device&) {
    return false;
}

void Device::gather_to_host(void* host, std::span<const DevicePiece> pieces) {
    auto* to = static_cast<std::byte*>(host);
    for (auto& piece : pieces) {
        copy_to_host(to, piece.data, piece.bytes);
        to += piece.bytes;
    }
}

void Device::enqueue_to_device(void* device, const void* host, std::size_t bytes) {
    copy_to_device(device, host, bytes);
}

void Device::enqueue_on_device(void* to, const void* from, std::size_t bytes) {
    copy_on_device(to, from, bytes);
}

void Device::copy_on_device(void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    Buffer here(bytes);
    copy_to_host(here.data(), from, bytes);
    copy_to_device(to, here.data(), bytes);
}

std::shared_ptr<Device> open_device(std::string_view text) {
    const Wanted wanted = parse(text);
    const std::lock_guard lock(opened().mutex);
    const bool reverse = wanted.kind == "simt" && simt_thread_order() == ThreadOrder::reverse;
    auto& known = opened().devices[wanted.text() + (reverse ? ", reverse" : "")];
    auto device = known.lock();
    if (device == nullptr) known = device = open(wanted);
    return device;
}

std::string describe_devices() {
    return describe("CUDA", load_cuda) + describe("HIP", load_hip) +
           "simt: the SIMT executor, which stands for any GPU: simt:sm_90, simt:gfx906, …\n";
}

}  // namespace spmvgen
