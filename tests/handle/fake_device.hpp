#pragma once
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "devices/bound_arguments.hpp"
#include "devices/device.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {

/// One launch that a FakeDevice was asked for, with its arguments by name.
struct FakeLaunch {
    std::string symbol;
    GridLaunch grid;
    std::map<std::string, void*> pointers;
    std::map<std::string, double> numbers;
    void* stream = nullptr;
};

/// What a FakeDevice did and has; outlives it, for its last owner may be a provider.
struct FakeDeviceLog {
    std::mutex mutex;
    std::map<void*, std::size_t> memory;  ///< what is allocated now, with its size
    int allocations = 0, copies = 0, loads = 0, synchronisations = 0, zeroed = 0;
    std::vector<FakeLaunch> launches;
    bool recording = true;  ///< false: launches are run, not kept
    std::size_t capacity = SIZE_MAX;
    bool refuses_to_load = false;
    bool refuses_to_launch = false;

    std::size_t bytes_in_use() const {
        std::size_t bytes = 0;
        for (auto& [data, size] : memory) bytes += size;
        return bytes;
    }
};

/// A GPU whose memory is the host's. It runs "fake_gpu_csr": y = αAx + βy by the kernel's modes.
class FakeDevice : public Device {
  public:
    explicit FakeDevice(const std::string& target = "sm_90", BinaryKind loads = BinaryKind::cubin,
                        const DeviceSheet& rated = {}) {
        facts_ = {.name = "Fake GPU",
                  .text = "cuda:0",
                  .target = parse_target(target),
                  .loads = loads,
                  .units = 3,
                  .rated = rated,
                  .memory_bytes = 1000,
                  .driver = "1"};
    }
    std::shared_ptr<FakeDeviceLog> log = std::make_shared<FakeDeviceLog>();

    const DeviceFacts& facts() const override { return facts_; }

    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        const std::lock_guard lock(log->mutex);
        if (log->bytes_in_use() + bytes > log->capacity)
            throw Error(ErrorCode::io, "cuda:0: out of memory");
        ++log->allocations;
        auto memory = std::make_unique<Memory>(log, bytes);
        log->memory[memory->data()] = bytes;
        return memory;
    }
    void copy_to_device(void* device, const void* host, std::size_t bytes) override {
        const std::lock_guard lock(log->mutex);
        ++log->copies;
        std::memcpy(device, host, bytes);
    }
    void copy_to_host(void* host, const void* device, std::size_t bytes) override {
        const std::lock_guard lock(log->mutex);
        ++log->copies;
        std::memcpy(host, device, bytes);
    }
    void zero(void* device, std::size_t bytes) override {
        const std::lock_guard lock(log->mutex);
        ++log->zeroed;
        std::memset(device, 0, bytes);
    }
    std::size_t free_bytes() override { return 1000; }

    std::unique_ptr<DeviceKernel> load(const KernelBinary& binary) override {
        const std::lock_guard lock(log->mutex);
        if (log->refuses_to_load) throw Error(ErrorCode::io, "cuda:0: no room for the kernel");
        ++log->loads;
        return std::make_unique<Kernel>(binary);
    }

    void launch(const DeviceKernel& kernel, std::size_t step, const GridLaunch& grid,
                void* const* arguments, StreamRef stream) override {
        const Signature& s = kernel.signature();
        if (log->refuses_to_launch) throw Error(ErrorCode::io, "cuda:0: the launch failed");
        if (s.alpha != Scale::zero || s.beta != Scale::one) run(s, arguments);
        if (!log->recording) return;
        FakeLaunch launch{kernel.launch().steps[step].symbol, grid, {}, {}, stream.native};
        auto& named = kernel.launch().steps[step].arguments;
        for (std::size_t i = 0; i < named.size(); ++i) {
            const ArgumentType type = parse_argument_type(named[i].type);
            if (type.pointer)
                launch.pointers[named[i].name] = value<void*>(arguments[i]);
            else
                launch.numbers[named[i].name] =
                    type.element == "double"
                        ? value<double>(arguments[i])
                        : static_cast<double>(value<std::int64_t>(arguments[i]));
        }
        const std::lock_guard lock(log->mutex);
        log->launches.push_back(launch);
    }
    void synchronize(StreamRef) override { ++log->synchronisations; }

  private:
    struct Memory : DeviceMemory {
        Memory(std::shared_ptr<FakeDeviceLog> log, std::size_t bytes)
            : log_(std::move(log)), data_(std::malloc(bytes + 1)), bytes_(bytes) {}
        ~Memory() override {
            const std::lock_guard lock(log_->mutex);
            log_->memory.erase(data_);
            std::free(data_);
        }
        void* data() const override { return data_; }
        std::size_t bytes() const override { return bytes_; }
        std::shared_ptr<FakeDeviceLog> log_;
        void* data_;
        std::size_t bytes_;
    };
    struct Kernel : DeviceKernel {
        explicit Kernel(const KernelBinary& b) : signature_(b.signature), launch_(b.launch) {}
        const Signature& signature() const override { return signature_; }
        const LaunchDescription& launch() const override { return launch_; }
        Signature signature_;
        LaunchDescription launch_;
    };
    template <typename T>
    static T value(void* argument) {
        return *static_cast<T*>(argument);
    }
    /// As gpu_launch() has the arguments; α and β count as far as their modes say.
    static void run(const Signature& s, void* const* a) {
        const int* row_ptr = value<const int*>(a[1]);
        const int* col_idx = value<const int*>(a[2]);
        const auto* values = value<const double*>(a[3]);
        const auto* x = value<const double*>(a[4]);
        auto* y = value<double*>(a[5]);
        const double alpha = s.alpha == Scale::general ? value<double>(a[6]) : 1;
        const double beta = s.beta == Scale::general ? value<double>(a[7]) : 1;
        for (std::int64_t row = 0; row < value<std::int64_t>(a[0]); ++row) {
            double sum = 0;
            if (s.alpha != Scale::zero)
                for (int k = row_ptr[row]; k < row_ptr[row + 1]; ++k)
                    sum += values[k] * x[col_idx[k]];
            y[row] = s.beta == Scale::zero ? alpha * sum : alpha * sum + beta * y[row];
        }
    }

    DeviceFacts facts_;
};

}  // namespace spmvgen
