#include "kernel_module.hpp"

#include <dlfcn.h>

#include <stdexcept>

const spmvgen_simt_kernel& spmvgen::test_kernel(const std::string& name) {
    static void* const library = dlopen(SIMT_TEST_KERNELS, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
    const void* const symbol = dlsym(library, ("simt_" + name).c_str());
    if (symbol == nullptr) throw std::runtime_error(dlerror());
    return *static_cast<const spmvgen_simt_kernel*>(symbol);
}
