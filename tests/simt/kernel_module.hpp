#pragma once
#include <string>

#include "devices/simt/simt.hpp"

namespace spmvgen {

/// The kernel of kernels.cpp with that name; fails the test program when there is none.
const spmvgen_simt_kernel& test_kernel(const std::string& name);

/// Launches with arguments of exactly the types of the kernel's parameters.
template <typename... Arguments>
void launch(const std::string& kernel, const SimtLaunch& how, Arguments... arguments) {
    void* pointers[] = {&arguments...};
    SimtExecutor().run(test_kernel(kernel), pointers, how);
}

}  // namespace spmvgen
