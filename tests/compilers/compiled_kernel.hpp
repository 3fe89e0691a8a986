#pragma once
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>

#include "spmvgen/kernel.hpp"

namespace spmvgen {

/// A source text as the generator would hand it over, with one step `symbol`.
inline KernelSource kernel_source(const std::string& text, const std::string& target = "native",
                                  const std::string& symbol = "kernel_step0") {
    KernelSource source;
    source.signature.kernel = "test";
    source.signature.target = parse_target(target);
    source.name = "kernel";
    source.text = text;
    source.launch.steps.push_back({symbol, StepRule::per_thread, {}});
    return source;
}

/// A shared object loaded from its bytes, through a file that is gone at once.
class LoadedKernel {
  public:
    explicit LoadedKernel(const std::string& bytes) {
        std::string path = testing::TempDir() + "spmvgen_kernel_XXXXXX";
        const int fd = mkstemp(path.data());
        EXPECT_EQ(write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
        close(fd);
        library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        EXPECT_NE(library_, nullptr) << dlerror();
        unlink(path.c_str());
    }
    ~LoadedKernel() {
        if (library_ != nullptr) dlclose(library_);
    }
    LoadedKernel(const LoadedKernel&) = delete;
    LoadedKernel& operator=(const LoadedKernel&) = delete;

    void* symbol(const char* name) const { return dlsym(library_, name); }

    /// Calls a step as thread 0 of 1.
    template <typename... Arguments>
    void call(const char* name, Arguments... arguments) const {
        auto* step = reinterpret_cast<void (*)(void* const*, int, int)>(symbol(name));
        ASSERT_NE(step, nullptr) << name;
        void* values[] = {&arguments...};
        step(values, 0, 1);
    }

  private:
    void* library_ = nullptr;
};

}  // namespace spmvgen
