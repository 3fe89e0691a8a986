#include "devices/gpu/vendor_device.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "devices/gpu/grid.hpp"
#include "devices/gpu/open_vendor_device.hpp"
#include "devices/gpu/staged_copies.hpp"
#include "devices/gpu/vendor_graph.hpp"
#include "matrix/memory_limit.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

// The same enumerators in CUDA and HIP.
constexpr int function_max_threads = 0;
constexpr int peer_access_already_enabled = 704;

class VendorMemory final : public DeviceMemory {
  public:
    VendorMemory(std::shared_ptr<const OpenDevice> device, void* data, std::size_t bytes)
        : device_(std::move(device)), data_(data), bytes_(bytes) {}
    ~VendorMemory() override {
        if (data_ == nullptr) return;
        try {
            const InContext in(*device_);
            const DespiteCapture despite(*device_);
            device_->vendor->calls().release(data_);
        } catch (const Error&) {  // the driver has gone, and the memory with it
        }
    }
    void* data() const override { return data_; }
    std::size_t bytes() const override { return bytes_; }

  private:
    std::shared_ptr<const OpenDevice> device_;
    void* data_;
    std::size_t bytes_;
};

/// A module in a device's context.
class Module {
  public:
    Module(std::shared_ptr<const OpenDevice> device, const std::string& image,
           const std::string& what)
        : device_(std::move(device)) {
        const InContext in(*device_);
        const DespiteCapture despite(*device_);
        handle_ = device_->vendor->load(image, what);
    }
    ~Module() {
        try {
            const InContext in(*device_);
            const DespiteCapture despite(*device_);
            device_->vendor->calls().unload(handle_);
        } catch (const Error&) {  // the driver has gone, and the module with it
        }
    }
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;
    void* handle() const { return handle_; }

  private:
    std::shared_ptr<const OpenDevice> device_;
    void* handle_ = nullptr;
};

class VendorKernel final : public DeviceKernel {
  public:
    VendorKernel(std::shared_ptr<const OpenDevice> device, const KernelBinary& binary,
                 const std::string& what)
        : device_(std::move(device)),
          signature_(binary.signature),
          launch_(binary.launch),
          module_(device_, binary.bytes, what) {
        const InContext in(*device_);
        const DespiteCapture despite(*device_);
        for (auto& step : launch_.steps) functions.push_back(find(step, what));
    }

    const Signature& signature() const override { return signature_; }
    const LaunchDescription& launch() const override { return launch_; }
    const OpenDevice& device() const { return *device_; }

    std::vector<void*> functions;  ///< of the steps

  private:
    void* find(const Step& step, const std::string& what) const {
        const GpuVendor& vendor = *device_->vendor;
        const auto& calls = vendor.calls();
        const std::string which = fmt::format("{}, step '{}'", what, step.symbol);
        void* function = nullptr;
        vendor.check(calls.function(&function, module_.handle(), step.symbol.c_str()),
                     calls.function, which);
        vendor.prepare(function, step.shared_bytes, which);
        int threads = 0;
        vendor.check(calls.function_attribute(&threads, function_max_threads, function),
                     calls.function_attribute, which);
        if (step.block > threads)
            throw Error(ErrorCode::unsupported,
                        fmt::format("{}: blocks of {} threads; the device starts this code with at "
                                    "most {}",
                                    which, step.block, threads));
        return function;
    }

    std::shared_ptr<const OpenDevice> device_;
    Signature signature_;
    LaunchDescription launch_;
    Module module_;
};

class VendorDevice final : public Device {
  public:
    explicit VendorDevice(std::shared_ptr<const OpenDevice> device)
        : device_(std::move(device)), calls_(device_->vendor->calls()), staged_(*device_) {}

    const DeviceFacts& facts() const override { return device_->facts; }

    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        void* data = nullptr;
        if (bytes != 0) {
            const InContext in(*device_);
            const DespiteCapture despite(*device_);
            int status = calls_.allocate(&data, bytes);
            if (status != 0 && empty_pool()) status = calls_.allocate(&data, bytes);
            if (status != 0)
                check(status, calls_.allocate,
                      fmt::format("{}: {} are wanted", facts().text,
                                  format_bytes(static_cast<double>(bytes))));
        }
        return std::make_unique<VendorMemory>(device_, data, bytes);
    }

    // A copy from pageable memory is over for the host when the driver has read it; streams that do
    // not wait for the default one must find it on the device as well.
    void copy_to_device(void* device, const void* host, std::size_t bytes) override {
        if (bytes == 0) return;
        const InContext in(*device_);
        const DespiteCapture despite(*device_);
        if (!staged_.enqueue(device, host, bytes))
            check(calls_.copy_to_device(device, host, bytes), calls_.copy_to_device, facts().text);
        check(calls_.synchronize(nullptr), calls_.synchronize, facts().text);
    }

    void copy_to_host(void* host, const void* device, std::size_t bytes) override {
        if (bytes == 0) return;
        const InContext in(*device_);
        const DespiteCapture despite(*device_);
        if (staged_.fetch(host, device, bytes)) return;
        check(calls_.copy_to_host(host, device, bytes), calls_.copy_to_host, facts().text);
    }

    // The driver has read pageable memory when the call returns; page-locked memory it reads later.
    void enqueue_to_device(void* device, const void* host, std::size_t bytes) override {
        if (bytes == 0) return;
        const InContext in(*device_);
        const DespiteCapture despite(*device_);
        if (staged_.enqueue(device, host, bytes)) return;
        check(calls_.send(device, host, bytes, nullptr), calls_.send, facts().text);
    }

    // Such a copy is not over for the host when the call returns.
    void enqueue_on_device(void* to, const void* from, std::size_t bytes) override {
        if (bytes == 0) return;
        const InContext in(*device_);
        const DespiteCapture despite(*device_);
        check(calls_.copy_on_device(to, from, bytes), calls_.copy_on_device, facts().text);
    }

    // Copies within the device do not wait: only the last one, to the host, does.
    void gather_to_host(void* host, std::span<const DevicePiece> pieces) override {
        std::size_t bytes = 0;
        for (auto& piece : pieces) bytes += piece.bytes;
        const auto together = allocate_scratch(bytes);
        auto* to = static_cast<std::byte*>(together->data());
        const InContext in(*device_);
        const DespiteCapture despite(*device_);
        for (auto& piece : pieces) {
            if (piece.bytes == 0) continue;
            check(calls_.copy_on_device(to, piece.data, piece.bytes), calls_.copy_on_device,
                  facts().text);
            to += piece.bytes;
        }
        copy_to_host(host, together->data(), bytes);
    }

    void copy_on_device(void* to, const void* from, std::size_t bytes) override {
        if (bytes == 0) return;
        const InContext in(*device_);
        const DespiteCapture despite(*device_);
        check(calls_.copy_on_device(to, from, bytes), calls_.copy_on_device, facts().text);
        check(calls_.synchronize(nullptr), calls_.synchronize, facts().text);
    }

    // On a stream of its own that waits for no other: it is not captured, whatever is, and the
    // default stream, which may wait for a captured one, is left out of it.
    void zero(void* device, std::size_t bytes) override {
        if (bytes == 0) return;
        const InContext in(*device_);
        const DespiteCapture despite(*device_);
        const OwnStream stream(*device_);
        check(calls_.set_bytes(device, 0, bytes, stream.handle()), calls_.set_bytes, facts().text);
        check(calls_.synchronize(stream.handle()), calls_.synchronize, facts().text);
    }

    std::size_t free_bytes() override {
        const InContext in(*device_);
        std::size_t free = 0;
        std::size_t all = 0;
        check(calls_.free_memory(&free, &all), calls_.free_memory, facts().text);
        return free;
    }

    std::unique_ptr<DeviceKernel> load(const KernelBinary& binary) override {
        const auto what = fmt::format("{}: kernel {}", facts().text, to_string(binary.signature));
        const auto refuse = [&](ErrorCode code, const std::string& why) {
            throw Error(code, what + ": " + why);
        };
        const bool ptx = binary.kind == BinaryKind::ptx && facts().loads == BinaryKind::cubin;
        if (binary.kind != facts().loads && !ptx)
            refuse(ErrorCode::invalid_argument,
                   fmt::format("the device loads {}, not {}", to_string(facts().loads),
                               to_string(binary.kind)));
        if (architecture(binary.signature.target).kind != device_->vendor->kind() ||
            !device_->vendor->can_load(binary, device_->device))
            refuse(ErrorCode::unsupported,
                   fmt::format("it is for {}, {} is {}", to_string(binary.signature.target),
                               facts().name, to_string(facts().target)));
        if (binary.launch.steps.empty())
            refuse(ErrorCode::io, "its launch description has no step");
        return std::make_unique<VendorKernel>(device_, binary, what);
    }

    void launch(const DeviceKernel& kernel, std::size_t step, const GridLaunch& launch,
                void* const* arguments, StreamRef stream) override {
        const auto* own = dynamic_cast<const VendorKernel*>(&kernel);
        if (own == nullptr || &own->device() != device_.get())
            refuse_launch(kernel, step, "the kernel was loaded by another device");
        if (step >= own->functions.size())
            refuse_launch(kernel, step,
                          fmt::format("the kernel has {} steps", own->functions.size()));
        if (const auto why = why_not_launchable(launch, device_->vendor->kind()); !why.empty())
            refuse_launch(kernel, step, why);
        const InContext in(*device_);
        const auto [status, call] = device_->vendor->launch(
            own->functions[step], launch, stream.native, const_cast<void**>(arguments));
        if (status != 0) device_->vendor->fail(status, call, launch_text(kernel, step));
    }

    void synchronize(StreamRef stream) override {
        const InContext in(*device_);
        check(calls_.synchronize(stream.native), calls_.synchronize, facts().text);
    }

    bool reach(Device& device) override {
        const auto* other = dynamic_cast<const VendorDevice*>(&device);
        if (other == nullptr || other->device_->vendor->kind() != device_->vendor->kind())
            return false;
        const auto which = fmt::format("{}: memory of {}", facts().text, other->facts().text);
        int can = 0;
        check(calls_.can_reach(&can, device_->device, other->device_->device), calls_.can_reach,
              which);
        if (can == 0) return false;
        const InContext in(*device_);
        const CallStatus done = device_->vendor->reach(other->device_->context);
        if (done.status != 0 && done.status != peer_access_already_enabled)
            device_->vendor->fail(done.status, done.call, which);
        if (done.status == 0) {
            // What was granted ends with either context: they stay as long as the process.
            device_->vendor->open(device_->device);
            device_->vendor->open(other->device_->device);
        }
        return true;
    }

    /// Another thread's capture may forbid the question: then nothing is to be planned, either.
    bool is_capturing(StreamRef stream) override {
        const auto& calls = device_->vendor->graph_calls();
        if (!calls) return false;
        const InContext in(*device_);
        int state = 0;
        return calls->is_capturing(stream.native, &state) != 0 || state != 0;
    }

    std::unique_ptr<DeviceGraph> record(const std::function<void(StreamRef)>& enqueue) override {
        return record_graph(device_, enqueue);
    }

  private:
    template <typename Call>
    void check(int status, const Call& call, const std::string& what) const {
        device_->vendor->check(status, call, what);
    }
    std::string launch_text(const DeviceKernel& kernel, std::size_t step) const {
        return fmt::format("{}: launch of step {} of kernel {}", facts().text, step,
                           to_string(kernel.signature()));
    }
    [[noreturn]] void refuse_launch(const DeviceKernel& kernel, std::size_t step,
                                    const std::string& why) const {
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("{}: {}", launch_text(kernel, step), why));
    }

    std::shared_ptr<const OpenDevice> device_;
    const VendorCalls& calls_;
    StagedCopies staged_;
};

}  // namespace

int device_count(const GpuVendor& vendor) {
    int count = 0;
    vendor.check(vendor.calls().count_devices(&count), vendor.calls().count_devices,
                 vendor.library().path());
    return count;
}

DeviceFacts device_facts(const GpuVendor& vendor, int number) {
    const auto& calls = vendor.calls();
    const int device = handle_of(vendor, number);
    DeviceFacts facts;
    facts.text = fmt::format("{}:{}", prefix_of(vendor), number);
    std::array<char, 256> name{};
    vendor.check(calls.device_name(name.data(), static_cast<int>(name.size()) - 1, device),
                 calls.device_name, facts.text);
    std::size_t bytes = 0;
    vendor.check(calls.device_memory(&bytes, device), calls.device_memory, facts.text);
    facts.name = name.data();
    facts.memory_bytes = static_cast<std::int64_t>(bytes);
    facts.units = vendor.units(device);
    facts.rated = vendor.rated(device);
    facts.loads = loadable_kind(vendor.kind());
    facts.driver = vendor.version();
    try {
        facts.target = vendor.target(device);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::unsupported) throw;
        throw Error(error.code(), fmt::format("{} ({}): {}", facts.text, facts.name, error.what()));
    }
    return facts;
}

std::shared_ptr<Device> open_vendor_device(std::shared_ptr<const GpuVendor> vendor, int number) {
    return std::make_shared<VendorDevice>(
        std::make_shared<const OpenDevice>(std::move(vendor), number));
}

}  // namespace spmvgen
