#include <gtest/gtest.h>

#include "template_case.hpp"

namespace spmvgen::specializer {
namespace {

constexpr const char* builtins = R"(#pragma once
struct gpu_index { unsigned x, y, z; };
extern const gpu_index threadIdx, blockIdx, blockDim, gridDim;
void __syncthreads();
template <typename T> T __shfl_down_sync(unsigned long mask, T value, unsigned delta, int width);
template <typename T> T __shfl_down(T value, unsigned delta, int width);
)";

constexpr const char* dialect = R"(#pragma once
#include "dialect/gpu_builtins.hpp"
#include "dialect/target.hpp"

/// The value that the lane `delta` above has.
template <int width, typename Value>
Value shuffle_down(Value value, int delta) {
    if constexpr (nvidia) {
        return __shfl_down_sync(0xffffffffu, value, delta, width);
    } else {
        return __shfl_down(value, delta, width);
    }
}
)";

TemplateUse gpu_use(const std::string& text, Bindings bindings, bool nvidia = true) {
    TemplateUse use = template_use("#include \"dialect/gpu.hpp\"\n" + text, std::move(bindings));
    use.files["dialect/gpu.hpp"] = dialect;
    use.files["dialect/gpu_builtins.hpp"] = builtins;
    use.files["dialect/target.hpp"] =
        std::string("#pragma once\nconstexpr bool nvidia = ") + (nvidia ? "true" : "false") +
        ";\nconstexpr int warp_size = " + (nvidia ? "32" : "64") + ";\n";
    use.options.gpu_builtins = builtins;
    return use;
}

std::string gpu_specialised(const std::string& text, const Bindings& bindings, bool nvidia = true) {
    return format(specialize(gpu_use(text, bindings, nvidia)).text);
}

constexpr const char* subwarp_template = R"(
template <typename Value, int block, int subwarp>
void kernel(long n, Value* y) {
    __shared__ Value part[block];
    const long i = blockIdx.x * static_cast<long>(block) + threadIdx.x;
    Value sum = i < n ? y[i] : Value(0);
    for (int delta = subwarp / 2; delta > 0; delta /= 2) {
        sum += shuffle_down<subwarp>(sum, delta);
    }
    part[threadIdx.x] = sum;
    __syncthreads();
    if constexpr (subwarp == warp_size) {
        sum += part[0];
    }
    if (i < n) y[i] = sum + part[block - 1 - threadIdx.x];
}
)";

TEST(GpuDialect, BuiltinsStayAndTheVendorIsDecided) {
    const Bindings bindings{{{"Value", "double"}}, {{"block", "256"}, {"subwarp", "32"}}, {}};
    EXPECT_EQ(gpu_specialised(subwarp_template, bindings),
              R"(/// The value that the lane `delta` above has.
static inline double shuffle_down(double value, int delta) {
    return __shfl_down_sync(0xffffffffu, value, delta, 32);
}

static inline void kernel(long n, double* y) {
    __shared__ double part[256];
    const long i = blockIdx.x * 256l + threadIdx.x;
    double sum = i < n ? y[i] : 0.0;
    for (int delta = 16; delta > 0; delta /= 2) {
        sum += shuffle_down(sum, delta);
    }
    part[threadIdx.x] = sum;
    __syncthreads();
    sum += part[0];
    if (i < n) y[i] = sum + part[255 - threadIdx.x];
}
)");
    const std::string amd = gpu_specialised(subwarp_template, bindings, false);
    EXPECT_NE(amd.find("return __shfl_down(value, delta, 32);"), amd.npos) << amd;
    EXPECT_EQ(amd.find("sum += part[0]"), amd.npos) << amd;
}

TEST(GpuDialect, SharedMemoryThatNothingUsesVanishesWhole) {
    const Bindings off{{{"Value", "double"}}, {{"staged", "0"}}, {}};
    EXPECT_EQ(gpu_specialised(R"(
template <typename Value, int staged>
void kernel(Value* y) {
    __shared__ Value part[64];
    if constexpr (staged > 0) {
        part[threadIdx.x] = y[threadIdx.x];
    }
    y[threadIdx.x] = Value(1);
}
)",
                              off),
              R"(static inline void kernel(double* y) {
    y[threadIdx.x] = 1.0;
}
)");
}

TEST(GpuDialect, WhatTheBuiltinsDoNotDeclareIsRefused) {
    const Bindings bindings{{{"Value", "double"}}, {}, {}};
    EXPECT_EQ(refusal(gpu_use("template <typename Value>\nvoid kernel(Value* y) {\n"
                              "    y[0] = __ldg(y);\n}\n",
                              bindings)),
              "invalid_input: templates/cpu/test.hpp:4: use of undeclared identifier '__ldg'");
}

}  // namespace
}  // namespace spmvgen::specializer
