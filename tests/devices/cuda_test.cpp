// What is CUDA's own, against the stand-in.
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "devices/cuda/cuda.hpp"
#include "devices/gpu/vendor_device.hpp"
#include "vendor_fixture.hpp"

extern "C" {
int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void** context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxSetCurrent(void* context);
int cuCtxGetCurrent(void** context);
}

namespace spmvgen {
namespace {

class CudaDevice : public VendorFixture {
  public:
    CudaDevice() : VendorFixture(true) {}

  protected:
    void* current() {
        void* context = nullptr;
        cuCtxGetCurrent(&context);
        standin.calls();
        return context;
    }
    void use_everything(Device& own) {
        const auto memory = upload<int>(own, {1, 2});
        download<int>(own, *memory);
        own.free_bytes();
        const auto kernel = own.load(binary({"block_sum"}));
        launch(own, *kernel, {{1, 1}, 1, 16}, memory->data());
        own.synchronize({});
    }
};

TEST_F(CudaDevice, NoContextIsLeftCurrent) {
    use_everything(*device(1));
    EXPECT_EQ(current(), nullptr);
}

TEST_F(CudaDevice, SharesThePrimaryContextOfAnApplication) {
    void* application = nullptr;
    ASSERT_EQ(cuInit(0), 0);
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&application, 0), 0);
    ASSERT_EQ(cuCtxSetCurrent(application), 0);
    {
        const auto own = device(0);
        use_everything(*own);
        EXPECT_EQ(current(), application);
        own->free_bytes();
        EXPECT_EQ(standin.calls(), "cuCtxGetCurrent cuMemGetInfo_v2") << "nothing to change";
        use_everything(*device(1));
        EXPECT_EQ(current(), application);
    }
    EXPECT_EQ(standin.alive(), "the context of device 0, 1 times\n");
    cuCtxSetCurrent(nullptr);
    cuDevicePrimaryCtxRelease_v2(0);
}

TEST_F(CudaDevice, TheContextIsRestoredAfterAnError) {
    const auto own = device(0);
    standin.fail_next("cuMemAlloc_v2", 2);
    EXPECT_NE(error_of([&] { own->allocate(1); }), "nothing was thrown");
    EXPECT_EQ(current(), nullptr);
}

TEST_F(CudaDevice, NoContextForADeviceThatCannotBeHad) {
    standin.fail_next("cuDevicePrimaryCtxRetain", 2);
    EXPECT_EQ(error_of([&] { device(); }),
              "io: cuda:0: cuDevicePrimaryCtxRetain: out of memory (CUDA_ERROR_OUT_OF_MEMORY, 2)");
    standin.fail_next("cuCtxSetCurrent", 201);
    const auto own = device();
    EXPECT_EQ(error_of([&] { own->free_bytes(); }),
              "io: cuda:0: its context cannot be made current: invalid device context "
              "(CUDA_ERROR_INVALID_CONTEXT, 201)");
}

TEST_F(CudaDevice, TheDriversLogIsInTheMessage) {
    auto ptx = binary({"axpy"});
    ptx.kind = BinaryKind::ptx;
    ptx.bytes = ".version 8.0";
    EXPECT_EQ(error_of([&] { device()->load(ptx); }),
              "io: cuda:0: kernel test_f64_i32_o32_a1_b0_k1@sm_90: this is no module of the "
              "stand-in: cuModuleLoadDataEx: a PTX JIT compilation failed (CUDA_ERROR_INVALID_PTX, "
              "218)");
}

TEST_F(CudaDevice, FunctionsAreLoadedWithTheModule) {
    const auto own = device();
    standin.calls();
    const auto kernel = own->load(binary({"axpy"}));
    EXPECT_EQ(standin.calls(),
              "cuDeviceGetAttribute cuDeviceGetAttribute "
              "cuCtxGetCurrent cuCtxSetCurrent cuThreadExchangeStreamCaptureMode "
              "cuModuleLoadDataEx cuThreadExchangeStreamCaptureMode cuCtxSetCurrent "
              "cuCtxGetCurrent cuCtxSetCurrent cuThreadExchangeStreamCaptureMode "
              "cuModuleGetFunction cuFuncLoad cuFuncGetAttribute "
              "cuThreadExchangeStreamCaptureMode cuCtxSetCurrent");
}

TEST_F(CudaDevice, SharedMemoryBeyond48KiB) {
    const auto own = device();
    const auto out = own->allocate(2 * sizeof(int));
    auto big = binary({"block_sum"});
    big.launch.steps[0].shared_bytes = 60000;
    const auto kernel = own->load(big);
    launch(*own, *kernel, {{1, 1}, 4, 60000}, out->data());
    EXPECT_EQ(download<int>(*own, *out)[0], 6);
    big.launch.steps[0].shared_bytes = 100000;
    EXPECT_EQ(error_of([&] { own->load(big); }),
              "io: cuda:0: kernel test_f64_i32_o32_a1_b0_k1@sm_90, step 'block_sum': "
              "cuFuncSetAttribute: invalid argument (CUDA_ERROR_INVALID_VALUE, 1)");
}

TEST_F(CudaDevice, StepsThatWaitThemselvesMayOverlap) {
    const auto own = device();
    const auto out = own->allocate(2 * sizeof(int));
    const auto kernel = own->load(binary({"block_sum"}));
    GridLaunch how{{1, 1}, 4, 48};
    standin.calls();
    launch(*own, *kernel, how, out->data());
    EXPECT_EQ(standin.calls(), "cuCtxGetCurrent cuCtxSetCurrent cuLaunchKernel cuCtxSetCurrent");
    how.overlaps = true;
    launch(*own, *kernel, how, out->data());
    EXPECT_EQ(standin.calls(), "cuCtxGetCurrent cuCtxSetCurrent cuLaunchKernelEx cuCtxSetCurrent");
    EXPECT_EQ(download<int>(*own, *out)[0], 6);
    standin.fail_next("cuLaunchKernelEx", 1);
    EXPECT_EQ(error_of([&] { launch(*own, *kernel, how, out->data()); }),
              "io: cuda:0: launch of step 0 of kernel test_f64_i32_o32_a1_b0_k1@sm_90: "
              "cuLaunchKernelEx: invalid argument (CUDA_ERROR_INVALID_VALUE, 1)");
}

TEST_F(CudaDevice, AGraphRunsWhatWasRecordedAgain) {
    const auto own = device();
    const auto out = own->allocate(2 * sizeof(int));
    const auto kernel = own->load(binary({"block_sum"}));
    const std::vector<int> nothing{0, 0};
    own->copy_to_device(out->data(), nothing.data(), out->bytes());
    void* data = out->data();
    void* arguments[] = {&data, nullptr};
    const auto graph = own->record([&](StreamRef stream) {
        EXPECT_NE(stream.native, nullptr);
        own->launch(*kernel, 0, {{1, 1}, 4, 48}, arguments, stream);
    });
    ASSERT_NE(graph, nullptr);
    EXPECT_EQ(download<int>(*own, *out)[0], 0) << "nothing runs while it is recorded";
    for (int i = 0; i < 2; ++i) {
        own->copy_to_device(out->data(), nothing.data(), out->bytes());
        graph->launch();
        graph->synchronize();
        EXPECT_EQ(download<int>(*own, *out)[0], 6);
    }
}

TEST_F(CudaDevice, WhatFailsWhileRecordedLeavesNoCapture) {
    const auto own = device();
    EXPECT_THROW(own->record([](StreamRef) { throw std::runtime_error("stop"); }),
                 std::runtime_error);
    EXPECT_NE(own->record([](StreamRef) {}), nullptr) << "another one can be recorded";
}

TEST_F(CudaDevice, OverlapCanBeSwitchedOff) {
    setenv("SPMVGEN_OVERLAP", "off", 1);
    const auto own = open_vendor_device(load_cuda(), 0);
    unsetenv("SPMVGEN_OVERLAP");
    const auto out = own->allocate(2 * sizeof(int));
    const auto kernel = own->load(binary({"block_sum"}));
    GridLaunch how{{1, 1}, 4, 48};
    how.overlaps = true;
    standin.calls();
    launch(*own, *kernel, how, out->data());
    EXPECT_EQ(standin.calls(), "cuCtxGetCurrent cuCtxSetCurrent cuLaunchKernel cuCtxSetCurrent");
}

// A device runs code of its major version up to its minor one.
TEST_F(CudaDevice, TargetsOfTheTable) {
    for (const auto& [of_device, row] :
         {std::pair{"sm_75", "sm_75"}, std::pair{"sm_80", "sm_80"}, std::pair{"sm_86", "sm_86"},
          std::pair{"sm_87", "sm_86"}, std::pair{"sm_89", "sm_89"}, std::pair{"sm_90", "sm_90"},
          std::pair{"sm_100", "sm_100"}, std::pair{"sm_103", "sm_100"},
          std::pair{"sm_121", "sm_120"}}) {
        standin.reset({.archs = {of_device}});
        EXPECT_EQ(device()->facts().target, parse_target(row)) << of_device;
    }
    for (const auto& [arch, capability] :
         {std::pair{"sm_70", "7.0"}, std::pair{"sm_61", "6.1"}, std::pair{"sm_110", "11.0"}}) {
        standin.reset({.archs = {arch}});
        EXPECT_EQ(error_of([&] { device(); }),
                  std::string("unsupported: cuda:0 (Stand-in 0): it has compute capability ") +
                      capability +
                      ", and there is no code for that: spmvgen compiles for sm_75, sm_80, sm_86, "
                      "sm_89, sm_90, sm_100, sm_120");
    }
}

TEST_F(CudaDevice, CodeOfOlderMinorVersionsIsLoaded) {
    standin.reset({.archs = {"sm_89"}});
    const auto own = device();
    const auto loads = [&](const char* target, BinaryKind of_kind) {
        auto binary = test_binary(target, of_kind, {"axpy"});
        return error_of([&] { own->load(binary); });
    };
    const std::string none = "nothing was thrown";
    EXPECT_EQ(loads("sm_80", BinaryKind::cubin), none);
    EXPECT_EQ(loads("sm_86", BinaryKind::cubin), none);
    EXPECT_EQ(loads("sm_75", BinaryKind::cubin),
              "unsupported: cuda:0: kernel test_f64_i32_o32_a1_b0_k1@sm_75: it is for sm_75, "
              "Stand-in 0 is sm_89");
    EXPECT_EQ(loads("sm_75", BinaryKind::ptx), none);
    EXPECT_NE(loads("sm_90", BinaryKind::ptx), none);
    EXPECT_NE(loads("sm_90", BinaryKind::cubin), none);
}

}  // namespace
}  // namespace spmvgen
