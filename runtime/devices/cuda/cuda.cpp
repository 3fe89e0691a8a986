#include "devices/cuda/cuda.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

// Enumerators of cuda.h.
constexpr int attribute_clock_khz = 13;
constexpr int attribute_units = 16;
constexpr int attribute_memory_clock_khz = 36;
constexpr int attribute_memory_bus_bits = 37;
constexpr int attribute_l2_bytes = 38;
constexpr int attribute_capability_major = 75;
constexpr int attribute_capability_minor = 76;
constexpr int function_dynamic_shared_bytes = 8;
constexpr int jit_error_log = 5;
constexpr int jit_error_log_bytes = 6;

constexpr int programmatic_stream_serialization = 6;

/// CUlaunchAttribute: a number and a union of 64 bytes, of which the first int is set here.
struct LaunchAttribute {
    int id = 0;
    int pad = 0;
    std::array<int, 16> value{};
};

/// CUlaunchConfig.
struct LaunchConfig {
    unsigned grid_x = 1, grid_y = 1, grid_z = 1, block_x = 1, block_y = 1, block_z = 1;
    unsigned shared_bytes = 0;
    void* stream = nullptr;
    LaunchAttribute* attributes = nullptr;
    unsigned num_attributes = 0;
};
static_assert(sizeof(LaunchAttribute) == 72 && sizeof(LaunchConfig) == 56);

constexpr const char* no_text = "an error that the driver has no text for";

/// SPMVGEN_OVERLAP=off: every launch waits for the end of the one ahead, to find out what that
/// costs, or whether it mends anything.
bool may_overlap() {
    const char* value = std::getenv("SPMVGEN_OVERLAP");
    return value == nullptr || std::string_view(value) != "off";
}

/// 90 of "sm_90".
int number_of(std::string_view arch) {
    int number = 0;
    std::from_chars(arch.data() + 3, arch.data() + arch.size(), number);
    return number;
}

class Cuda final : public GpuVendor {
  public:
    Cuda()
        : GpuVendor({"CUDA driver",
                     "SPMVGEN_CUDA_LIBRARY",
                     // The second is where Windows keeps it for its Linux subsystem.
                     {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"}}) {
        // cuda.h renames: an entry point without _v2 is the one of CUDA 3.1 or older, with 32-bit
        // pointers; those of _v2 here are the ones that every driver since has.
        calls_ = {.initialize = {library_, "cuInit"},
                  .version = {library_, "cuDriverGetVersion"},
                  .count_devices = {library_, "cuDeviceGetCount"},
                  .device = {library_, "cuDeviceGet"},
                  .device_name = {library_, "cuDeviceGetName"},
                  .device_memory = {library_, "cuDeviceTotalMem_v2"},
                  .device_attribute = {library_, "cuDeviceGetAttribute"},
                  .free_memory = {library_, "cuMemGetInfo_v2"},
                  .allocate = {library_, "cuMemAlloc_v2"},
                  .release = {library_, "cuMemFree_v2"},
                  .allocate_locked = {library_, "cuMemHostAlloc"},
                  .release_locked = {library_, "cuMemFreeHost"},
                  .copy_to_device = {library_, "cuMemcpyHtoD_v2"},
                  .copy_to_host = {library_, "cuMemcpyDtoH_v2"},
                  .copy_on_device = {library_, "cuMemcpyDtoD_v2"},
                  .send = {library_, "cuMemcpyHtoDAsync_v2"},
                  .fetch = {library_, "cuMemcpyDtoHAsync_v2"},
                  .set_bytes = {library_, "cuMemsetD8Async"},
                  .make_stream = {library_, "cuStreamCreate"},
                  .destroy_stream = {library_, "cuStreamDestroy_v2"},
                  .function = {library_, "cuModuleGetFunction"},
                  .function_attribute = {library_, "cuFuncGetAttribute"},
                  .unload = {library_, "cuModuleUnload"},
                  .launch = {library_, "cuLaunchKernel"},
                  .synchronize = {library_, "cuStreamSynchronize"},
                  .exchange_capture_mode = {library_, "cuThreadExchangeStreamCaptureMode"},
                  .can_reach = {library_, "cuDeviceCanAccessPeer"}};
        graph_calls_ = find_graph_calls(
            library_,
            {"cuStreamBeginCapture_v2", "cuStreamEndCapture", "cuGraphInstantiateWithFlags",
             "cuGraphDestroy", "cuGraphExecDestroy", "cuGraphLaunch", "cuStreamIsCapturing"});
        // Since CUDA 12.4.
        if (library_.find("cuFuncLoad") != nullptr) load_function_ = {library_, "cuFuncLoad"};
        // As old as the other; since CUDA 12.3 such launches can be captured into graphs.
        if (load_function_.function != nullptr && library_.find("cuLaunchKernelEx") != nullptr &&
            may_overlap())
            launch_with_ = {library_, "cuLaunchKernelEx"};
        initialize("");
    }

    TargetKind kind() const override { return TargetKind::cuda; }

    std::string version() const override {
        int number = 0;
        check(calls_.version(&number), calls_.version, library_.path());
        return fmt::format("CUDA {}.{}", number / 1000, number % 1000 / 10);
    }

    std::string error_text(int status) const override {
        const char* name = nullptr;
        const char* text = nullptr;
        error_name_(status, &name);
        error_string_(status, &text);
        return fmt::format("{} ({}{})", text != nullptr ? text : no_text,
                           name != nullptr ? fmt::format("{}, ", name) : "", status);
    }

    int units(int device) const override { return attribute(attribute_units, device); }

    /// Memory moves data at both edges of its clock.
    DeviceSheet rated(int device) const override {
        const double memory_hz = 1e3 * attribute_or_0(attribute_memory_clock_khz, device);
        return {1e-6 * attribute_or_0(attribute_clock_khz, device),
                2 * memory_hz * attribute_or_0(attribute_memory_bus_bits, device) / 8,
                attribute_or_0(attribute_l2_bytes, device)};
    }

    /// The newest row of the device's major version that is not newer than the device: its code
    /// runs on all later minor versions.
    Target target(int device) const override {
        const int number = capability(device);
        const Architecture* best = nullptr;
        for (auto& row : architectures()) {
            if (row.kind != TargetKind::cuda) continue;
            const int n = number_of(row.name);
            if (n / 10 == number / 10 && n <= number &&
                (best == nullptr || n > number_of(best->name)))
                best = &row;
        }
        if (best == nullptr) refuse(number);
        return parse_target(best->name);
    }

    bool can_load(const KernelBinary& binary, int device) const override {
        const int code = number_of(binary.signature.target.arch);
        const int number = capability(device);
        return code <= number && (binary.kind == BinaryKind::ptx || code / 10 == number / 10);
    }

    VendorContext open(int device) const override {
        VendorContext context{nullptr, device};
        check(retain_(&context.handle, device), retain_, fmt::format("cuda:{}", device));
        return context;
    }
    void close(const VendorContext& context) const noexcept override { release_(context.device); }

    int get_current(VendorContext& context) const noexcept override {
        return get_current_(&context.handle);
    }
    int set_current(const VendorContext& context) const noexcept override {
        return set_current_(context.handle);
    }

    CallStatus reach(const VendorContext& other) const override {
        return {reach_(other.handle, 0), reach_.name};
    }

    void* load(const std::string& image, const std::string& what) const override {
        std::array<char, 16384> log{};
        std::array<int, 2> options{jit_error_log, jit_error_log_bytes};
        // The driver takes the number itself for a pointer here.
        std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size() - 1)};
        void* module = nullptr;
        const int status = load_(&module, image.c_str(), 2, options.data(), values.data());
        if (status != 0)
            check(status, load_, what + (log[0] == '\0' ? "" : fmt::format(": {}", log.data())));
        return module;
    }

    // Drivers that load lazily do so in cuModuleGetFunction at the latest according to the
    // programming guide; cuFuncLoad says it outright.
    void prepare(void* function, std::int64_t shared_bytes,
                 const std::string& what) const override {
        if (load_function_.function != nullptr)
            check(load_function_(function), load_function_, what);
        if (shared_bytes > 0)  // beyond 48 KiB it must be asked for
            check(set_function_attribute_(function, function_dynamic_shared_bytes,
                                          static_cast<int>(shared_bytes)),
                  set_function_attribute_, what);
    }

    CallStatus launch(void* function, const GridLaunch& launch, void* stream,
                      void** arguments) const override {
        if (!launch.overlaps || launch_with_.function == nullptr)
            return GpuVendor::launch(function, launch, stream, arguments);
        LaunchAttribute overlap{.id = programmatic_stream_serialization};
        overlap.value[0] = 1;
        const LaunchConfig how{.grid_x = launch.grid[0],
                               .grid_y = launch.grid[1],
                               .block_x = launch.block,
                               .shared_bytes = static_cast<unsigned>(launch.shared_bytes),
                               .stream = stream,
                               .attributes = &overlap,
                               .num_attributes = 1};
        return {launch_with_(&how, function, arguments, nullptr), launch_with_.name};
    }

  private:
    int attribute(int number, int device) const {
        int value = 0;
        check(calls_.device_attribute(&value, number, device), calls_.device_attribute,
              fmt::format("cuda:{}", device));
        return value;
    }
    /// 0 where the driver refuses or does not know.
    double attribute_or_0(int number, int device) const {
        int value = 0;
        return calls_.device_attribute(&value, number, device) == 0 ? std::max(value, 0) : 0;
    }
    int capability(int device) const {
        return 10 * attribute(attribute_capability_major, device) +
               attribute(attribute_capability_minor, device);
    }
    [[noreturn]] static void refuse(int number) {
        std::string names;
        for (auto& row : architectures())
            if (row.kind == TargetKind::cuda)
                names += (names.empty() ? "" : ", ") + std::string(row.name);
        throw Error(ErrorCode::unsupported,
                    fmt::format("it has compute capability {}.{}, and there is no code for that: "
                                "spmvgen compiles for {}",
                                number / 10, number % 10, names));
    }

    VendorCall<int, const char**> error_name_{library_, "cuGetErrorName"};
    VendorCall<int, const char**> error_string_{library_, "cuGetErrorString"};
    VendorCall<void**, int> retain_{library_, "cuDevicePrimaryCtxRetain"};
    VendorCall<int> release_{library_, "cuDevicePrimaryCtxRelease_v2"};
    VendorCall<void**> get_current_{library_, "cuCtxGetCurrent"};
    VendorCall<void*> set_current_{library_, "cuCtxSetCurrent"};
    VendorCall<void*, unsigned> reach_{library_, "cuCtxEnablePeerAccess"};
    VendorCall<void**, const void*, unsigned, int*, void**> load_{library_, "cuModuleLoadDataEx"};
    VendorCall<void*, int, int> set_function_attribute_{library_, "cuFuncSetAttribute"};
    VendorCall<void*> load_function_;
    VendorCall<const LaunchConfig*, void*, void**, void**> launch_with_;
};

}  // namespace

std::shared_ptr<const GpuVendor> load_cuda() {
    return std::make_shared<const Cuda>();
}

}  // namespace spmvgen
