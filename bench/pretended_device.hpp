#pragma once
// A GPU that is not here: handles are planned and their kernels made for it, but it has no memory
// and runs nothing.
#include <cstring>

#include "devices/device.hpp"
#include "spmvgen/error.hpp"
#include "tuner/profiles/device_profile.hpp"

namespace spmvgen::bench {

class PretendedDevice final : public Device {
  public:
    /// `idle`: launches are passed over; else they are errors.
    explicit PretendedDevice(const DeviceProfile& profile, bool idle = false) : idle_(idle) {
        facts_.name = profile.device;
        facts_.text = "cuda:0";
        facts_.target = parse_target(profile.arch);
        facts_.units = profile.units;
        facts_.rated = profile.rated;
    }
    const DeviceFacts& facts() const override { return facts_; }
    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        const std::uintptr_t begin = end_;
        end_ += (bytes + 255) / 256 * 256;
        return std::make_unique<Nowhere>(begin, bytes);
    }
    void copy_to_device(void*, const void*, std::size_t) override {}
    /// All zeros.
    void copy_to_host(void* to, const void*, std::size_t bytes) override {
        std::memset(to, 0, bytes);
    }
    void zero(void*, std::size_t) override {}
    /// So that nothing is converted on it.
    std::size_t free_bytes() override { return 0; }
    std::unique_ptr<DeviceKernel> load(const KernelBinary& binary) override {
        return std::make_unique<Kernel>(binary);
    }
    void launch(const DeviceKernel&, std::size_t, const GridLaunch&, void* const*,
                StreamRef) override {
        if (!idle_) throw Error(ErrorCode::internal, "the device is pretended");
    }
    void synchronize(StreamRef) override {}

  private:
    class Nowhere final : public DeviceMemory {
      public:
        Nowhere(std::uintptr_t begin, std::size_t bytes) : begin_(begin), bytes_(bytes) {}
        void* data() const override {
            return bytes_ == 0 ? nullptr : reinterpret_cast<void*>(begin_);
        }
        std::size_t bytes() const override { return bytes_; }

      private:
        std::uintptr_t begin_;
        std::size_t bytes_;
    };
    class Kernel final : public DeviceKernel {
      public:
        explicit Kernel(const KernelBinary& binary)
            : signature_(binary.signature), launch_(binary.launch) {}
        const Signature& signature() const override { return signature_; }
        const LaunchDescription& launch() const override { return launch_; }

      private:
        Signature signature_;
        LaunchDescription launch_;
    };
    DeviceFacts facts_;
    bool idle_;
    std::uintptr_t end_ = std::uintptr_t{1} << 20;  ///< of what was allocated
};

}  // namespace spmvgen::bench
