#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "device_kernels.hpp"

namespace spmvgen {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string open_error(const std::string& text) {
    return error_of([&] { open_device(text); });
}

TEST(OpenDevice, TextsThatAreNoDevice) {
    for (const char* text : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda:1:2",
                             "hip: 0", "cuda:99999999999", "simt", "CUDA:0"})
        EXPECT_EQ(open_error(text),
                  std::string("invalid_argument: '") + text +
                      "' is no device: use host, cuda:N or hip:N, with N = 0, 1, …, or simt:ARCH, "
                      "as in simt:gfx906");
    EXPECT_EQ(open_error("host"),
              "invalid_argument: 'host' is no GPU: use cuda:N or hip:N, with N = 0, 1, …, or "
              "simt:ARCH, as in simt:gfx906");
    EXPECT_THAT(open_error("simt:gfx7"),
                HasSubstr("invalid_argument: unknown architecture 'gfx7'"));
    EXPECT_THAT(open_error("simt:gfx906:wave=32"),
                HasSubstr("architecture gfx906 has no wavefronts of 32 threads: use 64"));
    EXPECT_THAT(open_error("simt:native"), HasSubstr("runs kernels of GPUs"));
}

TEST(OpenDevice, Simt) {
    const ScopedEnv order("SPMVGEN_SIMT_ORDER", nullptr);
    const auto device = open_device("simt:gfx1030:wave=32");
    EXPECT_EQ(device->facts().text, "simt:gfx1030");
    EXPECT_EQ(device, open_device("simt:gfx1030"));
    EXPECT_NE(device, open_device("simt:gfx1030:wave=64"));
}

TEST(OpenDevice, SimtTakesTheOrderFromTheEnvironment) {
    const ScopedEnv order("SPMVGEN_SIMT_ORDER", "reverse");
    const auto device = open_device("simt:sm_90");
    const auto out = device->allocate(sizeof(int));
    const auto kernel = device->load(test_binary("sm_90", BinaryKind::simt, {"order"}));
    launch(*device, *kernel, {{1, 1}, 64, 0}, out->data());
    EXPECT_EQ(download<int>(*device, *out), std::vector<int>{0});
    const ScopedEnv forward("SPMVGEN_SIMT_ORDER", "forward");
    EXPECT_NE(open_device("simt:sm_90"), device) << "the other order is another device";
}

TEST(OpenDevice, LibrariesThatAreNotThere) {
    const ScopedEnv cuda("SPMVGEN_CUDA_LIBRARY", "/nowhere/libcuda.so");
    const ScopedEnv hip("SPMVGEN_HIP_LIBRARY", "/nowhere/libamdhip64.so");
    EXPECT_EQ(open_error("cuda"),
              "unsupported: cuda:0: no CUDA driver is found: looked for /nowhere/libcuda.so, which "
              "SPMVGEN_CUDA_LIBRARY names");
    EXPECT_EQ(open_error("hip:3"),
              "unsupported: hip:3: no HIP runtime is found: looked for /nowhere/libamdhip64.so, "
              "which SPMVGEN_HIP_LIBRARY names");
    EXPECT_EQ(describe_devices(),
              "CUDA: no CUDA driver is found: looked for /nowhere/libcuda.so, which "
              "SPMVGEN_CUDA_LIBRARY names\n"
              "HIP: no HIP runtime is found: looked for /nowhere/libamdhip64.so, which "
              "SPMVGEN_HIP_LIBRARY names\n"
              "simt: the SIMT executor, which stands for any GPU: simt:sm_90, simt:gfx906, …\n");
}

TEST(OpenDevice, FilesThatAreNoLibraries) {
    const ScopedEnv cuda("SPMVGEN_CUDA_LIBRARY", "/dev/null");
    EXPECT_THAT(open_error("cuda"), AllOf(HasSubstr("looked for /dev/null (/dev/null: "),
                                          HasSubstr("), which SPMVGEN_CUDA_LIBRARY names")));
    const ScopedEnv other("SPMVGEN_CUDA_LIBRARY", DEVICE_TEST_KERNELS);
    EXPECT_EQ(open_error("cuda"),
              "unsupported: cuda:0: " DEVICE_TEST_KERNELS " has no function cuGetErrorName");
}

// On a machine with cards this says so; on the others it says what was looked for and found.
TEST(OpenDevice, ThisMachine) {
    const ScopedEnv cuda("SPMVGEN_CUDA_LIBRARY", "");
    const ScopedEnv hip("SPMVGEN_HIP_LIBRARY", nullptr);
    for (const char* text : {"cuda:0", "hip:0"}) {
        try {
            EXPECT_EQ(open_device(text)->facts().text, text);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::unsupported);
            EXPECT_THAT(error.what(),
                        testing::AnyOf(HasSubstr("looked for lib"), HasSubstr("is there, but"),
                                       HasSubstr("sees 0 devices"),
                                       HasSubstr("there is no code for that")));
        }
    }
    EXPECT_THAT(describe_devices(),
                AllOf(testing::StartsWith("CUDA: "), HasSubstr("\nHIP: "), HasSubstr("\nsimt: ")));
}

}  // namespace
}  // namespace spmvgen
