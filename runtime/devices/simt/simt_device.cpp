#include "devices/simt/simt_device.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "devices/gpu/grid.hpp"
#include "devices/host/host_kernel.hpp"
#include "matrix/memory_limit.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

// Of the device that it stands for nothing is known; more than one, so that grids which are limited
// by units show.
constexpr int simt_units = 4;
constexpr std::size_t alignment = 256;  // as the vendors' allocators

class SimtMemory final : public DeviceMemory {
  public:
    explicit SimtMemory(std::size_t bytes) : bytes_(bytes) {
        if (bytes == 0) return;
        void* data = nullptr;
        if (posix_memalign(&data, alignment, bytes) != 0) throw std::bad_alloc();
        data_.reset(data);
        std::memset(data, 0xff, bytes);
    }
    void* data() const override { return data_.get(); }
    std::size_t bytes() const override { return bytes_; }

  private:
    struct Free {
        void operator()(void* data) const noexcept { std::free(data); }
    };
    std::unique_ptr<void, Free> data_;
    std::size_t bytes_;
};

class SimtKernel final : public DeviceKernel {
  public:
    SimtKernel(const KernelBinary& binary, const std::string& what)
        : signature_(binary.signature),
          launch_(binary.launch),
          library_(kernel_name(binary.signature), binary.bytes, what) {
        for (auto& step : launch_.steps) kernels.push_back(find(step, what));
    }
    const Signature& signature() const override { return signature_; }
    const LaunchDescription& launch() const override { return launch_; }

    std::vector<const spmvgen_simt_kernel*> kernels;  ///< of the steps

  private:
    const spmvgen_simt_kernel* find(const Step& step, const std::string& what) const {
        const std::string symbol = step.symbol + "_simt";
        const auto refuse = [&](const std::string& why) {
            throw Error(ErrorCode::io, fmt::format("{}: {}", what, why));
        };
        const auto* kernel = static_cast<const spmvgen_simt_kernel*>(library_.symbol(symbol));
        if (kernel == nullptr)
            refuse(fmt::format("its shared object lacks the symbol '{}'", symbol));
        if (kernel->version != spmvgen_simt_abi_version)
            refuse(fmt::format(
                "'{}' was compiled for version {} of the SIMT executor's interface, "
                "this is version {}",
                symbol, kernel->version, static_cast<unsigned>(spmvgen_simt_abi_version)));
        if (kernel->num_arguments != step.arguments.size())
            refuse(fmt::format("'{}' takes {} arguments, the launch description has {}", symbol,
                               kernel->num_arguments, step.arguments.size()));
        for (unsigned i = 0; i < kernel->num_arguments; ++i)
            if (kernel->arguments[i].pointer !=
                (step.arguments[i].type.find('*') != std::string::npos))
                refuse(
                    fmt::format("argument '{}' of '{}' is {} pointer, the launch description "
                                "calls it {}",
                                step.arguments[i].name, symbol,
                                kernel->arguments[i].pointer ? "a" : "no", step.arguments[i].type));
        return kernel;
    }

    Signature signature_;
    LaunchDescription launch_;
    MemoryLibrary library_;
};

class SimtDevice final : public Device {
  public:
    SimtDevice(const Target& target, ThreadOrder order) : order_(order) {
        facts_.name = "SIMT executor";
        facts_.text = "simt:" + to_string(target);
        facts_.target = target;
        facts_.loads = BinaryKind::simt;
        facts_.units = simt_units;
        facts_.memory_bytes =
            std::int64_t{sysconf(_SC_PHYS_PAGES)} * std::int64_t{sysconf(_SC_PAGESIZE)};
        facts_.driver = "spmvgen " SPMVGEN_VERSION;
    }

    const DeviceFacts& facts() const override { return facts_; }

    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        // Asked for first: an allocator under AddressSanitizer ends the program instead.
        if (bytes > free_bytes()) refuse_memory(bytes);
        try {
            return std::make_unique<SimtMemory>(bytes);
        } catch (const std::bad_alloc&) {
            refuse_memory(bytes);
        }
    }
    void copy_to_device(void* device, const void* host, std::size_t bytes) override {
        if (bytes != 0) std::memcpy(device, host, bytes);
    }
    void copy_to_host(void* host, const void* device, std::size_t bytes) override {
        if (bytes != 0) std::memcpy(host, device, bytes);
    }
    void copy_on_device(void* to, const void* from, std::size_t bytes) override {
        if (bytes != 0) std::memmove(to, from, bytes);
    }
    void zero(void* device, std::size_t bytes) override {
        if (bytes != 0) std::memset(device, 0, bytes);
    }
    std::size_t free_bytes() override { return static_cast<std::size_t>(available_memory()); }

    std::unique_ptr<DeviceKernel> load(const KernelBinary& binary) override {
        const auto what = fmt::format("{}: kernel {}", facts_.text, to_string(binary.signature));
        const auto refuse = [&](ErrorCode code, const std::string& why) {
            throw Error(code, fmt::format("{}: {}", what, why));
        };
        if (binary.kind != BinaryKind::simt)
            refuse(ErrorCode::invalid_argument,
                   fmt::format("the device loads simt, not {}", to_string(binary.kind)));
        if (binary.signature.target.arch != facts_.target.arch)
            refuse(ErrorCode::unsupported,
                   fmt::format("it is for {}, the device stands for {}",
                               to_string(binary.signature.target), to_string(facts_.target)));
        if (binary.launch.steps.empty())
            refuse(ErrorCode::io, "its launch description has no step");
        return std::make_unique<SimtKernel>(binary, what);
    }

    void launch(const DeviceKernel& kernel, std::size_t step, const GridLaunch& launch,
                void* const* arguments, StreamRef stream) override {
        const auto refuse = [&](const std::string& why) {
            throw Error(ErrorCode::invalid_argument,
                        fmt::format("{}: launch of step {} of kernel {}: {}", facts_.text, step,
                                    to_string(kernel.signature()), why));
        };
        const auto* own = dynamic_cast<const SimtKernel*>(&kernel);
        if (own == nullptr) refuse("the kernel was loaded by another device");
        if (step >= own->kernels.size())
            refuse(fmt::format("the kernel has {} steps", own->kernels.size()));
        if (const auto why = why_not_launchable(launch, architecture(facts_.target).kind);
            !why.empty())
            refuse(why);
        check(stream);
        SimtLaunch how;
        how.grid = {launch.grid[0], launch.grid[1], 1};
        how.block = {launch.block, 1, 1};
        how.warp = static_cast<unsigned>(own->signature().target.wavefront);
        how.order = order_;
        how.dynamic_shared_bytes = launch.shared_bytes;
        executor_.run(*own->kernels[step], arguments, how);
    }

    void synchronize(StreamRef stream) override { check(stream); }
    bool reach(Device& other) override { return dynamic_cast<SimtDevice*>(&other) != nullptr; }

  private:
    void check(StreamRef stream) const {
        if (stream.native != nullptr)
            throw Error(ErrorCode::invalid_argument,
                        facts_.text + ": it has the default stream only; pass no stream");
    }
    [[noreturn]] void refuse_memory(std::size_t bytes) {
        throw Error(ErrorCode::io, fmt::format("{}: {} are wanted, {} are free", facts_.text,
                                               format_bytes(static_cast<double>(bytes)),
                                               format_bytes(static_cast<double>(free_bytes()))));
    }

    DeviceFacts facts_;
    ThreadOrder order_;
    SimtExecutor executor_;
};

std::string gpu_names() {
    std::string names;
    for (auto& row : architectures())
        if (row.kind != TargetKind::host)
            names += (names.empty() ? "" : ", ") + std::string(row.name);
    return names;
}

}  // namespace

std::shared_ptr<Device> open_simt_device(const Target& target, ThreadOrder order) {
    if (architecture(target).kind == TargetKind::host)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("simt:{}: the SIMT executor runs kernels of GPUs; use one of {}",
                                target.arch, gpu_names()));
    return std::make_shared<SimtDevice>(target, order);
}

ThreadOrder simt_thread_order() {
    const char* text = std::getenv("SPMVGEN_SIMT_ORDER");
    const std::string order = text != nullptr ? text : "";
    if (order.empty() || order == "forward") return ThreadOrder::forward;
    if (order == "reverse") return ThreadOrder::reverse;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("SPMVGEN_SIMT_ORDER is '{}': use forward or reverse", order));
}

}  // namespace spmvgen
