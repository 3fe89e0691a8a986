#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "devices/device.hpp"

namespace spmvgen::bench {

/// A device, counting what is copied from it and to it, and how often is waited for it.
class CountedDevice final : public Device {
  public:
    explicit CountedDevice(std::shared_ptr<Device> inner) : inner_(std::move(inner)) {}

    struct Counts {
        std::int64_t down_bytes = 0, up_bytes = 0, waits = 0, allocations = 0;
    };
    /// Since the last call. For one thread at a time.
    Counts take() { return std::exchange(counts_, {}); }

    const DeviceFacts& facts() const override { return inner_->facts(); }
    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        ++counts_.allocations;
        return inner_->allocate(bytes);
    }
    void copy_to_device(void* device, const void* host, std::size_t bytes) override {
        count(counts_.up_bytes, bytes);
        inner_->copy_to_device(device, host, bytes);
    }
    void copy_to_host(void* host, const void* device, std::size_t bytes) override {
        count(counts_.down_bytes, bytes);
        inner_->copy_to_host(host, device, bytes);
    }
    void gather_to_host(void* host, std::span<const DevicePiece> pieces) override {
        std::size_t bytes = 0;
        for (auto& piece : pieces) bytes += piece.bytes;
        count(counts_.down_bytes, bytes);
        inner_->gather_to_host(host, pieces);
    }
    void copy_on_device(void* to, const void* from, std::size_t bytes) override {
        ++counts_.waits;
        inner_->copy_on_device(to, from, bytes);
    }
    void zero(void* device, std::size_t bytes) override {
        ++counts_.waits;
        inner_->zero(device, bytes);
    }
    std::size_t free_bytes() override { return inner_->free_bytes(); }
    std::unique_ptr<DeviceKernel> load(const KernelBinary& binary) override {
        return inner_->load(binary);
    }
    void launch(const DeviceKernel& kernel, std::size_t step, const GridLaunch& grid,
                void* const* arguments, StreamRef stream) override {
        inner_->launch(kernel, step, grid, arguments, stream);
    }
    void synchronize(StreamRef stream) override {
        ++counts_.waits;
        inner_->synchronize(stream);
    }
    std::unique_ptr<DeviceGraph> record(const std::function<void(StreamRef)>& enqueue) override {
        return inner_->record(enqueue);
    }

  private:
    void count(std::int64_t& bytes_so_far, std::size_t bytes) {
        bytes_so_far += static_cast<std::int64_t>(bytes);
        ++counts_.waits;
    }

    std::shared_ptr<Device> inner_;
    Counts counts_;
};

}  // namespace spmvgen::bench
