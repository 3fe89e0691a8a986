// libamdhip64's entry points, as hip_runtime_api.h declares them but for types that are passed
// alike.
#include <cstring>
#include <string>

#include "world.hpp"

using namespace spmvgen::standin;

namespace {

/// hipDeviceProp_t of a version: its size, and where gcnArchName is.
int fill_properties(char* properties, std::size_t bytes, std::size_t at, int device) {
    if (!hip().has(device)) return hip().note("no such device", invalid_device);
    std::memset(properties, 0, bytes);
    std::strcpy(properties, "gfx in a name");
    std::strcpy(properties + at, hip().setup().archs[static_cast<std::size_t>(device)].c_str());
    return success;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int hipInit(unsigned flags) {
    return hip().call("hipInit", [&] { return flags == 0 ? hip().initialize() : invalid_value; });
}
int hipRuntimeGetVersion(int* version) {
    *version = 60342134;
    return hip().call("hipRuntimeGetVersion", [] { return success; });
}
const char* hipGetErrorName(int code) {
    thread_local std::string text;
    text = "hipError";
    bool upper = true;
    for (const char* c = code_name(code) != nullptr ? code_name(code) : "UNKNOWN"; *c != '\0';
         ++c) {
        if (*c != '_') text += upper ? *c : static_cast<char>(*c - 'A' + 'a');
        upper = *c == '_';
    }
    return text.c_str();
}
const char* hipGetErrorString(int code) {
    return code_text(code) != nullptr ? code_text(code) : "unknown error";
}
int hipGetDeviceCount(int* count) {
    return hip().call("hipGetDeviceCount", [&] { return hip().count(count); });
}
int hipDeviceGet(int* device, int number) {
    return hip().call("hipDeviceGet", [&] { return hip().device(device, number); });
}
int hipDeviceGetName(char* name, int length, int device) {
    return hip().call("hipDeviceGetName", [&] { return hip().name(name, length, device); });
}
int hipDeviceTotalMem(std::size_t* bytes, int device) {
    return hip().call("hipDeviceTotalMem", [&] { return hip().memory(bytes, device); });
}
int hipDeviceGetAttribute(int* value, int attribute, int device) {
    return hip().call("hipDeviceGetAttribute", [&]() -> int {
        if (!hip().has(device)) return hip().note("no such device", invalid_device);
        if (attribute != 63)
            return hip().note("attribute " + std::to_string(attribute), invalid_value);
        *value = 7;
        return success;
    });
}
// Sizes and places of ROCm 5.2's and 6's headers.
int hipGetDeviceProperties(void* properties, int device) {
    return hip().call("hipGetDeviceProperties", [&] {
        return fill_properties(static_cast<char*>(properties), 792, 396, device);
    });
}
#ifndef SPMVGEN_STANDIN_ROCM5
int hipGetDevicePropertiesR0600(void* properties, int device) {
    return hip().call("hipGetDevicePropertiesR0600", [&] {
        return fill_properties(static_cast<char*>(properties), 1472, 1160, device);
    });
}
#endif
int hipGetDevice(int* device) {
    return hip().call("hipGetDevice", [&]() -> int {
        *device = hip().current();
        return success;
    });
}
int hipSetDevice(int device) {
    return hip().call("hipSetDevice", [&]() -> int {
        if (!hip().has(device)) return hip().note("no such device", invalid_device);
        hip().current() = device;
        return success;
    });
}
int hipDeviceCanAccessPeer(int* can, int device, int peer) {
    return hip().call("hipDeviceCanAccessPeer", [&] { return hip().can_reach(can, device, peer); });
}
int hipDeviceEnablePeerAccess(int peer, unsigned flags) {
    return hip().call("hipDeviceEnablePeerAccess", [&] { return hip().reach(peer, flags); });
}
int hipMemGetInfo(std::size_t* free, std::size_t* all) {
    return hip().call("hipMemGetInfo", [&] { return hip().free_memory(free, all); });
}
int hipMalloc(void** data, std::size_t bytes) {
    return hip().call("hipMalloc", [&] { return hip().allocate(data, bytes); });
}
int hipFree(void* data) {
    return hip().call("hipFree", [&] { return hip().release(data); });
}
int hipHostMalloc(void** data, std::size_t bytes, unsigned flags) {
    return hip().call("hipHostMalloc", [&] { return hip().allocate_locked(data, bytes, flags); });
}
int hipHostFree(void* data) {
    return hip().call("hipHostFree", [&] { return hip().release_locked(data); });
}
int hipMemcpyHtoD(void* device, const void* host, std::size_t bytes) {
    return hip().call("hipMemcpyHtoD", [&] { return hip().to_device(device, host, bytes); });
}
int hipMemcpyHtoDAsync(void* device, const void* host, std::size_t bytes, void* /*stream*/) {
    return hip().call("hipMemcpyHtoDAsync", [&] { return hip().send(device, host, bytes); });
}
int hipMemcpyDtoHAsync(void* host, const void* device, std::size_t bytes, void* /*stream*/) {
    return hip().call("hipMemcpyDtoHAsync", [&] { return hip().fetch(host, device, bytes); });
}
int hipMemcpyDtoH(void* host, const void* device, std::size_t bytes) {
    return hip().call("hipMemcpyDtoH", [&] { return hip().to_host(host, device, bytes); });
}
int hipMemcpyDtoD(void* to, const void* from, std::size_t bytes) {
    return hip().call("hipMemcpyDtoD", [&] { return hip().on_device(to, from, bytes); });
}
int hipMemsetD8Async(void* device, unsigned char byte, std::size_t count, void* stream) {
    return hip().call("hipMemsetD8Async",
                      [&] { return hip().set_bytes(device, byte, count, stream); });
}
int hipStreamCreateWithFlags(void** stream, unsigned flags) {
    return hip().call("hipStreamCreateWithFlags",
                      [&] { return hip().create_stream(stream, flags); });
}
int hipStreamDestroy(void* stream) {
    return hip().call("hipStreamDestroy", [&] { return hip().release_stream(stream); });
}
int hipModuleLoadData(void** module, const void* image) {
    return hip().call("hipModuleLoadData", [&] {
        std::string unused;
        return hip().load(module, image, unused);
    });
}
int hipModuleUnload(void* module) {
    return hip().call("hipModuleUnload", [&] { return hip().unload(module); });
}
int hipModuleGetFunction(void** function, void* module, const char* name) {
    return hip().call("hipModuleGetFunction",
                      [&] { return hip().function(function, module, name); });
}
int hipFuncGetAttribute(int* value, int attribute, void* function) {
    return hip().call("hipFuncGetAttribute",
                      [&] { return hip().function_attribute(value, attribute, function); });
}
int hipModuleLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                          unsigned by, unsigned bz, unsigned shared, void* stream, void** arguments,
                          void** extra) {
    return hip().call("hipModuleLaunchKernel", [&] {
        return hip().launch(function, {gx, gy, gz}, {bx, by, bz}, shared, stream, arguments, extra);
    });
}
int hipStreamSynchronize(void* stream) {
    return hip().call("hipStreamSynchronize", [&] { return hip().synchronize(stream); });
}
int hipThreadExchangeStreamCaptureMode(int* mode) {
    return hip().call("hipThreadExchangeStreamCaptureMode",
                      [&] { return hip().exchange_capture_mode(mode); });
}
}
#pragma GCC visibility pop
