#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "devices/device.hpp"
#include "rounds.hpp"
#include "tuner/profiles/device_profile.hpp"

namespace spmvgen::bench {

/// A device, counting what is copied from it and to it, and how often is waited for it, with what
/// its calls take of the host.
class CountedDevice final : public Device {
  public:
    explicit CountedDevice(std::shared_ptr<Device> inner)
        : inner_(std::move(inner)), facts_(inner_->facts()) {}
    /// One that passes for another one of its architecture: predictions are of that.
    void pass_for(const DeviceProfile& profile) {
        facts_.name = profile.device;
        facts_.units = profile.units;
        facts_.rated = profile.rated;
    }

    /// A call, in seconds since the last take().
    struct Call {
        std::string name;
        std::size_t bytes;
        double begin, end;
    };
    struct Counts {
        std::int64_t down_bytes = 0, up_bytes = 0, waits = 0, allocations = 0;
        std::vector<Call> calls;
    };
    /// Since the last call. For one thread at a time.
    Counts take() {
        start_ = seconds_now();
        return std::exchange(counts_, {});
    }

  private:
    template <typename Work>
    auto timed(const std::string& name, std::size_t bytes, Work work) {
        const OnExit note{*this, name, bytes, seconds_now()};
        return work();
    }
    struct OnExit {
        CountedDevice& device;
        const std::string& name;
        std::size_t bytes;
        double begin;
        ~OnExit() {
            device.counts_.calls.push_back(
                {name, bytes, begin - device.start_, seconds_now() - device.start_});
        }
    };

  public:
    const DeviceFacts& facts() const override { return facts_; }
    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        ++counts_.allocations;
        return timed("allocate", bytes, [&] { return inner_->allocate(bytes); });
    }
    void copy_to_device(void* device, const void* host, std::size_t bytes) override {
        count(counts_.up_bytes, bytes);
        timed("up", bytes, [&] { inner_->copy_to_device(device, host, bytes); });
    }
    void enqueue_to_device(void* device, const void* host, std::size_t bytes) override {
        counts_.up_bytes += static_cast<std::int64_t>(bytes);
        timed("send", bytes, [&] { inner_->enqueue_to_device(device, host, bytes); });
    }
    void enqueue_on_device(void* to, const void* from, std::size_t bytes) override {
        timed("move", bytes, [&] { inner_->enqueue_on_device(to, from, bytes); });
    }
    void copy_to_host(void* host, const void* device, std::size_t bytes) override {
        count(counts_.down_bytes, bytes);
        timed("down", bytes, [&] { inner_->copy_to_host(host, device, bytes); });
    }
    void gather_to_host(void* host, std::span<const DevicePiece> pieces) override {
        std::size_t bytes = 0;
        for (auto& piece : pieces) bytes += piece.bytes;
        count(counts_.down_bytes, bytes);
        timed("gather", bytes, [&] { inner_->gather_to_host(host, pieces); });
    }
    void copy_on_device(void* to, const void* from, std::size_t bytes) override {
        ++counts_.waits;
        timed("copy", bytes, [&] { inner_->copy_on_device(to, from, bytes); });
    }
    void zero(void* device, std::size_t bytes) override {
        ++counts_.waits;
        timed("zero", bytes, [&] { inner_->zero(device, bytes); });
    }
    std::size_t free_bytes() override {
        return timed("free_bytes", 0, [&] { return inner_->free_bytes(); });
    }
    std::unique_ptr<DeviceKernel> load(const KernelBinary& binary) override {
        return timed("load", 0, [&] { return inner_->load(binary); });
    }
    void launch(const DeviceKernel& kernel, std::size_t step, const GridLaunch& grid,
                void* const* arguments, StreamRef stream) override {
        timed(kernel.launch().steps.at(step).symbol, 0,
              [&] { inner_->launch(kernel, step, grid, arguments, stream); });
    }
    void synchronize(StreamRef stream) override {
        ++counts_.waits;
        timed("synchronize", 0, [&] { inner_->synchronize(stream); });
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
    DeviceFacts facts_;
    Counts counts_;
    double start_ = seconds_now();
};

}  // namespace spmvgen::bench
