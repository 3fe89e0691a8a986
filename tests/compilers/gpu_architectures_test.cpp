#include <gmock/gmock.h>

#include <regex>

#include "gpu_kernels.hpp"

using namespace spmvgen;
using testing::HasSubstr;

namespace {

/// LLVM's own knowledge: an atomic add is one instruction or a loop around a compare-and-swap.
TEST(GpuArchitectures, NativeAtomicsAreThoseThatLlvmKnows) {
    for (auto& row : architectures()) {
        if (row.kind != TargetKind::hip) continue;
        for (const std::string type : {"float", "double"}) {
            GpuJob job = gpu_job("extern \"C\" __global__ void add(" + type +
                                     "* y) { atomicAdd(y, (" + type + ")1); }",
                                 parse_target(row.name), BinaryKind::assembly);
            job.native_atomics = true;
            const std::string text = compile_gpu(Compiler::clang, job);
            const bool loops = text.find("cmpswap") != std::string::npos;
            EXPECT_EQ(!loops, type == "float" ? row.gpu.atomic_f32 : row.gpu.atomic_f64)
                << row.name << " " << type;
        }
    }
}

}  // namespace
