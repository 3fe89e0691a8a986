// libcuda's entry points, as cuda.h declares them but for types that are passed alike.
#include <charconv>
#include <string>

#include "world.hpp"

using namespace spmvgen::standin;

namespace {

/// CUlaunchAttribute and CUlaunchConfig.
struct LaunchAttribute {
    int id;
    alignas(8) int programmatic_stream_serialization;
    char rest[60];
};
struct LaunchConfig {
    unsigned grid[3], block[3], shared;
    void* stream;
    const LaunchAttribute* attributes;
    unsigned num_attributes;
};

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int cuInit(unsigned flags) {
    return cuda().call("cuInit", [&] { return flags == 0 ? cuda().initialize() : invalid_value; });
}
int cuDriverGetVersion(int* version) {
    *version = 13000;
    return cuda().call("cuDriverGetVersion", [] { return success; });
}
int cuGetErrorName(int code, const char** name) {
    static const std::string prefix = "CUDA_ERROR_";
    thread_local std::string text;
    text = code_name(code) != nullptr ? prefix + code_name(code) : "";
    *name = text.empty() ? nullptr : text.c_str();
    return text.empty() ? invalid_value : success;
}
int cuGetErrorString(int code, const char** text) {
    *text = code_text(code);
    return *text == nullptr ? invalid_value : success;
}
int cuDeviceGetCount(int* count) {
    return cuda().call("cuDeviceGetCount", [&] { return cuda().count(count); });
}
int cuDeviceGet(int* device, int number) {
    return cuda().call("cuDeviceGet", [&] { return cuda().device(device, number); });
}
int cuDeviceGetName(char* name, int length, int device) {
    return cuda().call("cuDeviceGetName", [&] { return cuda().name(name, length, device); });
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
    return cuda().call("cuDeviceTotalMem_v2", [&] { return cuda().memory(bytes, device); });
}
int cuDeviceGetAttribute(int* value, int attribute, int device) {
    return cuda().call("cuDeviceGetAttribute", [&]() -> int {
        if (!cuda().has(device)) return cuda().note("no such device", invalid_device);
        const std::string& arch = cuda().setup().archs[static_cast<std::size_t>(device)];
        int number = 0;
        std::from_chars(arch.data() + 3, arch.data() + arch.size(), number);
        switch (attribute) {
            case 13:
                *value = 1'410'000;
                return success;
            case 16:
                *value = 7;
                return success;
            case 36:
                *value = 1'215'000;
                return success;
            case 37:
                *value = 5120;
                return success;
            case 38:
                *value = 1 << 20;
                return success;
            case 75:
                *value = number / 10;
                return success;
            case 76:
                *value = number % 10;
                return success;
            default:
                return cuda().note("attribute " + std::to_string(attribute), invalid_value);
        }
    });
}
int cuDevicePrimaryCtxRetain(void** context, int device) {
    return cuda().call("cuDevicePrimaryCtxRetain", [&]() -> int {
        if (!cuda().has(device)) return cuda().note("no such device", invalid_device);
        Context& primary = cuda().contexts[static_cast<std::size_t>(device)];
        ++primary.retained;
        *context = &primary;
        return success;
    });
}
int cuDevicePrimaryCtxRelease_v2(int device) {
    return cuda().call("cuDevicePrimaryCtxRelease_v2", [&]() -> int {
        Context& primary = cuda().contexts.at(static_cast<std::size_t>(device));
        if (primary.retained == 0) return cuda().note("it was not retained", invalid_context);
        if (--primary.retained == 0) cuda().forget(device);
        return success;
    });
}
int cuCtxGetCurrent(void** context) {
    return cuda().call("cuCtxGetCurrent", [&]() -> int {
        const int device = cuda().current();
        *context = device < 0 ? nullptr : &cuda().contexts[static_cast<std::size_t>(device)];
        return success;
    });
}
int cuCtxSetCurrent(void* context) {
    return cuda().call("cuCtxSetCurrent", [&]() -> int {
        if (context == nullptr) {
            cuda().current() = -1;
            return success;
        }
        for (auto& known : cuda().contexts) {
            if (&known != context || known.retained == 0) continue;
            cuda().current() = known.device;
            return success;
        }
        return cuda().note("no context", invalid_context);
    });
}
int cuMemGetInfo_v2(std::size_t* free, std::size_t* all) {
    return cuda().call("cuMemGetInfo_v2", [&] { return cuda().free_memory(free, all); });
}
int cuMemAlloc_v2(void** data, std::size_t bytes) {
    return cuda().call("cuMemAlloc_v2", [&] { return cuda().allocate(data, bytes); });
}
int cuMemFree_v2(void* data) {
    return cuda().call("cuMemFree_v2", [&] { return cuda().release(data); });
}
int cuMemHostAlloc(void** data, std::size_t bytes, unsigned flags) {
    return cuda().call("cuMemHostAlloc",
                       [&] { return cuda().allocate_locked(data, bytes, flags); });
}
int cuMemFreeHost(void* data) {
    return cuda().call("cuMemFreeHost", [&] { return cuda().release_locked(data); });
}
int cuMemcpyHtoD_v2(void* device, const void* host, std::size_t bytes) {
    return cuda().call("cuMemcpyHtoD_v2", [&] { return cuda().to_device(device, host, bytes); });
}
int cuMemcpyHtoDAsync_v2(void* device, const void* host, std::size_t bytes, void* /*stream*/) {
    return cuda().call("cuMemcpyHtoDAsync_v2", [&] { return cuda().send(device, host, bytes); });
}
int cuMemcpyDtoHAsync_v2(void* host, const void* device, std::size_t bytes, void* /*stream*/) {
    return cuda().call("cuMemcpyDtoHAsync_v2", [&] { return cuda().fetch(host, device, bytes); });
}
int cuMemcpyDtoH_v2(void* host, const void* device, std::size_t bytes) {
    return cuda().call("cuMemcpyDtoH_v2", [&] { return cuda().to_host(host, device, bytes); });
}
int cuMemcpyDtoD_v2(void* to, const void* from, std::size_t bytes) {
    return cuda().call("cuMemcpyDtoD_v2", [&] { return cuda().on_device(to, from, bytes); });
}
int cuMemsetD8Async(void* device, unsigned char byte, std::size_t count, void* stream) {
    return cuda().call("cuMemsetD8Async",
                       [&] { return cuda().set_bytes(device, byte, count, stream); });
}
int cuStreamCreate(void** stream, unsigned flags) {
    return cuda().call("cuStreamCreate", [&] { return cuda().create_stream(stream, flags); });
}
int cuStreamDestroy_v2(void* stream) {
    return cuda().call("cuStreamDestroy_v2", [&] { return cuda().release_stream(stream); });
}
int cuModuleLoadDataEx(void** module, const void* image, unsigned count, int* options,
                       void** values) {
    return cuda().call("cuModuleLoadDataEx", [&] {
        std::string log;
        const int code = cuda().load(module, image, log);
        char* buffer = nullptr;
        std::size_t room = 0;
        for (unsigned i = 0; i < count; ++i) {
            if (options[i] == 5) buffer = static_cast<char*>(values[i]);
            if (options[i] == 6) room = reinterpret_cast<std::size_t>(values[i]);
        }
        if (buffer != nullptr && room > 0) buffer[log.copy(buffer, room - 1)] = '\0';
        return code;
    });
}
int cuModuleUnload(void* module) {
    return cuda().call("cuModuleUnload", [&] { return cuda().unload(module); });
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
    return cuda().call("cuModuleGetFunction",
                       [&] { return cuda().function(function, module, name); });
}
int cuFuncGetAttribute(int* value, int attribute, void* function) {
    return cuda().call("cuFuncGetAttribute",
                       [&] { return cuda().function_attribute(value, attribute, function); });
}
int cuFuncSetAttribute(void* function, int attribute, int value) {
    return cuda().call("cuFuncSetAttribute", [&] {
        return attribute == 8
                   ? cuda().allow_shared(function, value)
                   : cuda().note("attribute " + std::to_string(attribute), invalid_value);
    });
}
int cuFuncLoad(void* function) {
    return cuda().call("cuFuncLoad", [&] { return cuda().check_function(function); });
}
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void* stream, void** arguments, void** extra) {
    return cuda().call("cuLaunchKernel", [&] {
        return cuda().launch(function, {gx, gy, gz}, {bx, by, bz}, shared, stream, arguments,
                             extra);
    });
}
int cuLaunchKernelEx(const LaunchConfig* how, void* function, void** arguments, void** extra) {
    return cuda().call("cuLaunchKernelEx", [&]() -> int {
        const bool overlaps = how->num_attributes == 1 && how->attributes[0].id == 6 &&
                              how->attributes[0].programmatic_stream_serialization == 1;
        if (!overlaps) return cuda().note("not the attribute that launches overlap", invalid_value);
        return cuda().launch(function, {how->grid[0], how->grid[1], how->grid[2]},
                             {how->block[0], how->block[1], how->block[2]}, how->shared,
                             how->stream, arguments, extra);
    });
}
int cuStreamSynchronize(void* stream) {
    return cuda().call("cuStreamSynchronize", [&] { return cuda().synchronize(stream); });
}
int cuDeviceCanAccessPeer(int* can, int device, int peer) {
    return cuda().call("cuDeviceCanAccessPeer",
                       [&] { return cuda().can_reach(can, device, peer); });
}
int cuCtxEnablePeerAccess(void* peer, unsigned flags) {
    return cuda().call("cuCtxEnablePeerAccess", [&]() -> int {
        for (auto& known : cuda().contexts)
            if (&known == peer && known.retained > 0) return cuda().reach(known.device, flags);
        return cuda().note("no context", invalid_context);
    });
}
int cuThreadExchangeStreamCaptureMode(int* mode) {
    return cuda().call("cuThreadExchangeStreamCaptureMode",
                       [&] { return cuda().exchange_capture_mode(mode); });
}
}
#pragma GCC visibility pop
