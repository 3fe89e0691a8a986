#include "devices/hip/hip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

// Enumerator of hip_runtime_api.h; the same from ROCm 5 to 7.
constexpr int hip_attribute_units = 63;

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const char* folder : {"", "/opt/rocm/lib/"})
        for (const char* name : {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"})
            all.push_back(std::string(folder) + name);
    return all;
}

/// Whether each setting that code was compiled for (":xnack-") is one of the device's.
bool has_features(const std::string& device, std::string_view code) {
    while (!code.empty()) {
        const auto end = std::min(code.find(':', 1), code.size());
        const std::string feature(code.substr(0, end));
        if ((device + ":").find(feature + ":") == std::string::npos) return false;
        code.remove_prefix(end);
    }
    return true;
}

class Hip final : public GpuVendor {
  public:
    Hip() : GpuVendor({"HIP runtime", "SPMVGEN_HIP_LIBRARY", names()}) {
        calls_ = {.initialize = {library_, "hipInit"},
                  .version = {library_, "hipRuntimeGetVersion"},
                  .count_devices = {library_, "hipGetDeviceCount"},
                  .device = {library_, "hipDeviceGet"},
                  .device_name = {library_, "hipDeviceGetName"},
                  .device_memory = {library_, "hipDeviceTotalMem"},
                  .device_attribute = {library_, "hipDeviceGetAttribute"},
                  .free_memory = {library_, "hipMemGetInfo"},
                  .allocate = {library_, "hipMalloc"},
                  .release = {library_, "hipFree"},
                  .allocate_locked = {library_, "hipHostMalloc"},
                  .release_locked = {library_, "hipHostFree"},
                  .copy_to_device = {library_, "hipMemcpyHtoD"},
                  .copy_to_host = {library_, "hipMemcpyDtoH"},
                  .copy_on_device = {library_, "hipMemcpyDtoD"},
                  .send = {library_, "hipMemcpyHtoDAsync"},
                  .fetch = {library_, "hipMemcpyDtoHAsync"},
                  .set_bytes = {library_, "hipMemsetD8Async"},
                  .make_stream = {library_, "hipStreamCreateWithFlags"},
                  .destroy_stream = {library_, "hipStreamDestroy"},
                  .function = {library_, "hipModuleGetFunction"},
                  .function_attribute = {library_, "hipFuncGetAttribute"},
                  .unload = {library_, "hipModuleUnload"},
                  .launch = {library_, "hipModuleLaunchKernel"},
                  .synchronize = {library_, "hipStreamSynchronize"},
                  .exchange_capture_mode = {library_, "hipThreadExchangeStreamCaptureMode"},
                  .can_reach = {library_, "hipDeviceCanAccessPeer"}};
        graph_calls_ = find_graph_calls(
            library_,
            {"hipStreamBeginCapture", "hipStreamEndCapture", "hipGraphInstantiateWithFlags",
             "hipGraphDestroy", "hipGraphExecDestroy", "hipGraphLaunch", "hipStreamIsCapturing"});
        // hipDeviceProp_t of ROCm 6 has another layout than that of 5, under this name.
        const bool rocm6 = library_.find("hipGetDevicePropertiesR0600") != nullptr;
        properties_ = {library_, rocm6 ? "hipGetDevicePropertiesR0600" : "hipGetDeviceProperties"};
        // Without a card HIP 5 says "invalid device", which tells a user nothing.
        std::error_code unknown;
        initialize(std::filesystem::exists("/dev/kfd", unknown)
                       ? ""
                       : "; there is no /dev/kfd, so no AMD GPU with a driver");
    }

    TargetKind kind() const override { return TargetKind::hip; }

    std::string version() const override {
        int number = 0;
        check(calls_.version(&number), calls_.version, library_.path());
        return fmt::format("HIP {}.{}.{}", number / 10'000'000, number / 100'000 % 100,
                           number % 100'000);
    }

    std::string error_text(int status) const override {
        const std::string name = error_name_(status);
        const std::string text = error_string_(status);
        return text == name ? fmt::format("{} ({})", name, status)
                            : fmt::format("{} ({}, {})", text, name, status);
    }

    int units(int device) const override {
        int value = 0;
        check(calls_.device_attribute(&value, hip_attribute_units, device), calls_.device_attribute,
              fmt::format("hip:{}", device));
        return value;
    }

    Target target(int device) const override {
        const std::string name = arch_name(device);
        try {
            return parse_target(name);
        } catch (const Error& error) {
            throw Error(
                ErrorCode::unsupported,
                fmt::format("it is {}, and there is no code for that: {}", name, error.what()));
        }
    }

    bool can_load(const KernelBinary& binary, int device) const override {
        const Target own = target(device);
        const Target& code = binary.signature.target;
        return own.arch == code.arch && has_features(own.features, code.features);
    }

    VendorContext open(int device) const override { return {nullptr, device}; }
    void close(const VendorContext&) const noexcept override {}
    int get_current(VendorContext& context) const noexcept override {
        return get_device_(&context.device);
    }
    int set_current(const VendorContext& context) const noexcept override {
        return set_device_(context.device);
    }

    CallStatus reach(const VendorContext& other) const override {
        return {reach_(other.device, 0), reach_.name};
    }

    void* load(const std::string& image, const std::string& what) const override {
        void* module = nullptr;
        check(load_(&module, image.data()), load_, what);
        return module;
    }

    void prepare(void*, std::int64_t, const std::string&) const override {}

  private:
    /// The device's target ID. It is in hipDeviceProp_t only (the attribute
    /// hipDeviceAttributeGcnArchName was never implemented), at a place that depends on the
    /// version; rather than on a layout of our own this relies on that field being the only text
    /// that begins with "gfx" behind the first, the device's name of 256 bytes.
    std::string arch_name(int device) const {
        std::vector<char> all(16384, '\0');
        const std::string what = fmt::format("hip:{}", device);
        check(properties_(all.data(), device), properties_, what);
        constexpr std::string_view begin = "gfx";
        const auto found = std::search(all.begin() + 256, all.end(), begin.begin(), begin.end());
        if (found == all.end())
            throw Error(ErrorCode::unsupported,
                        fmt::format("{} does not say which architecture it is", properties_.name));
        return {found, std::find(found, all.end(), '\0')};
    }

    // Their results are texts, not codes.
    const char* (*error_name_)(int) =
        reinterpret_cast<const char* (*)(int)>(library_.get("hipGetErrorName"));
    const char* (*error_string_)(int) =
        reinterpret_cast<const char* (*)(int)>(library_.get("hipGetErrorString"));
    VendorCall<void*, int> properties_;
    VendorCall<int*> get_device_{library_, "hipGetDevice"};
    VendorCall<int> set_device_{library_, "hipSetDevice"};
    VendorCall<int, unsigned> reach_{library_, "hipDeviceEnablePeerAccess"};
    VendorCall<void**, const void*> load_{library_, "hipModuleLoadData"};
};

}  // namespace

std::shared_ptr<const GpuVendor> load_hip() {
    return std::make_shared<const Hip>();
}

}  // namespace spmvgen
