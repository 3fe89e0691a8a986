#pragma once
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "devices/device.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {

/// A binary of the kernels in kernels.cpp, of one step for each of `symbols`, as a device of
/// `target` with `kind` would get it.
KernelBinary test_binary(const std::string& target, BinaryKind kind,
                         std::initializer_list<std::string> symbols);

/// Launches step 0 with arguments of exactly its parameters' types.
template <typename... Arguments>
void launch(Device& device, const DeviceKernel& kernel, const GridLaunch& how,
            Arguments... arguments) {
    void* pointers[] = {&arguments..., nullptr};
    device.launch(kernel, 0, how, pointers, {});
}

template <typename T>
std::unique_ptr<DeviceMemory> upload(Device& device, const std::vector<T>& values) {
    auto memory = device.allocate(values.size() * sizeof(T));
    device.copy_to_device(memory->data(), values.data(), memory->bytes());
    return memory;
}

template <typename T>
std::vector<T> download(Device& device, const DeviceMemory& memory) {
    std::vector<T> values(memory.bytes() / sizeof(T));
    device.copy_to_host(values.data(), memory.data(), memory.bytes());
    return values;
}

/// "io: TEXT" of the Error that f throws; "nothing was thrown".
template <typename F>
std::string error_of(F&& f) {
    try {
        f();
    } catch (const Error& error) {
        return std::string(to_string(error.code())) + ": " + error.what();
    }
    return "nothing was thrown";
}

/// An environment variable for the life of this object; null = not set.
class ScopedEnv {
  public:
    ScopedEnv(std::string name, const char* value);
    ~ScopedEnv();
    ScopedEnv(const ScopedEnv&) = delete;
    ScopedEnv& operator=(const ScopedEnv&) = delete;

  private:
    std::string name_;
    bool was_set_;
    std::string before_;
};

}  // namespace spmvgen
