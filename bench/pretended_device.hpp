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
    explicit PretendedDevice(const DeviceProfile& profile) {
        facts_.name = profile.device;
        facts_.text = "cuda:0";
        facts_.target = parse_target(profile.arch);
        facts_.units = profile.units;
        facts_.rated = profile.rated;
    }
    const DeviceFacts& facts() const override { return facts_; }
    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        return std::make_unique<Nowhere>(bytes);
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
        refuse();
    }
    void synchronize(StreamRef) override {}

  private:
    class Nowhere final : public DeviceMemory {
      public:
        explicit Nowhere(std::size_t bytes) : bytes_(bytes) {}
        void* data() const override {
            return bytes_ == 0 ? nullptr : reinterpret_cast<void*>(std::uintptr_t{1} << 20);
        }
        std::size_t bytes() const override { return bytes_; }

      private:
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
    [[noreturn]] static void refuse() {
        throw Error(ErrorCode::internal, "the device is pretended");
    }
    DeviceFacts facts_;
};

}  // namespace spmvgen::bench
