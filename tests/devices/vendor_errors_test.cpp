// What CUDA and HIP refuse and how they fail, against the stand-in. VendorDevice is instantiated in
// vendor_device_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vendor_fixture.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;

TEST_P(VendorDevice, ErrorsOfEachCall) {
    const auto own = device();
    const auto memory = own->allocate(8);
    const auto kernel = own->load(binary({"axpy"}));
    char buffer[8] = {};
    const auto error = [&](const std::string& call, auto&& f) {
        standin.fail_next(call, 999);
        return error_of(f);
    };
    const auto allocate = name("cuMemAlloc_v2", "hipMalloc");
    EXPECT_EQ(error(allocate, [&] { own->allocate(3 << 20); }),
              io() + "3.0 MiB are wanted: " + allocate + ": " + unknown());
    const auto to_device = name("cuMemcpyHtoD_v2", "hipMemcpyHtoD");
    EXPECT_EQ(error(to_device, [&] { own->copy_to_device(memory->data(), buffer, 8); }),
              io() + to_device + ": " + unknown());
    const auto send = name("cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync");
    EXPECT_EQ(error(send, [&] { own->enqueue_to_device(memory->data(), buffer, 8); }),
              io() + send + ": " + unknown());
    const auto to_host = name("cuMemcpyDtoH_v2", "hipMemcpyDtoH");
    EXPECT_EQ(error(to_host, [&] { own->copy_to_host(buffer, memory->data(), 8); }),
              io() + to_host + ": " + unknown());
    const auto within = name("cuMemcpyDtoD_v2", "hipMemcpyDtoD");
    EXPECT_EQ(error(within, [&] { own->copy_on_device(memory->data(), memory->data(), 8); }),
              io() + within + ": " + unknown());
    EXPECT_EQ(error(within, [&] { own->enqueue_on_device(memory->data(), memory->data(), 8); }),
              io() + within + ": " + unknown());
    const auto free = name("cuMemGetInfo_v2", "hipMemGetInfo");
    EXPECT_EQ(error(free, [&] { own->free_bytes(); }), io() + free + ": " + unknown());
    const auto synchronize = name("cuStreamSynchronize", "hipStreamSynchronize");
    EXPECT_EQ(error(synchronize, [&] { own->synchronize({}); }),
              io() + synchronize + ": " + unknown());
    EXPECT_EQ(error(synchronize, [&] { own->copy_to_device(memory->data(), buffer, 8); }),
              io() + synchronize + ": " + unknown());
    const auto start = name("cuLaunchKernel", "hipModuleLaunchKernel");
    EXPECT_EQ(
        error(start, [&] { launch(*own, *kernel, {{1, 1}, 64, 0}, 0l, 1.0, nullptr, nullptr); }),
        io() + "launch of step 0 of " + kernel_name() + ": " + start + ": " + unknown());
    const auto current = name("cuCtxGetCurrent", "hipGetDevice");
    EXPECT_EQ(error(current, [&] { own->free_bytes(); }),
              io() + "its context cannot be made current: " + unknown());
}

TEST_P(VendorDevice, ErrorsOfLoading) {
    const auto own = device();
    const auto error = [&](const std::string& call) {
        standin.fail_next(call, 999);
        return error_of([&] { own->load(binary({"axpy"})); });
    };
    const auto load = name("cuModuleLoadDataEx", "hipModuleLoadData");
    EXPECT_EQ(error(load), io() + kernel_name() + ": " + load + ": " + unknown());
    const auto attribute = name("cuFuncGetAttribute", "hipFuncGetAttribute");
    EXPECT_EQ(error(attribute),
              io() + kernel_name() + ", step 'axpy': " + attribute + ": " + unknown());
    const auto function = name("cuModuleGetFunction", "hipModuleGetFunction");
    EXPECT_EQ(error_of([&] { own->load(binary({"axpy", "absent"})); }),
              io() + kernel_name() + ", step 'absent': " + function + ": named symbol not found (" +
                  name("CUDA_ERROR_NOT_FOUND", "hipErrorNotFound") + ", 500)");
    EXPECT_EQ(error_of([&] { own->load(binary({})); }),
              io() + kernel_name() + ": its launch description has no step");
}

TEST_P(VendorDevice, ErrorsOfOpening) {
    const auto error = [&](const std::string& call) {
        standin.fail_next(call, 999);
        return error_of([&] { device(); });
    };
    const auto init = name("cuInit", "hipInit");
    EXPECT_THAT(error(init), testing::StartsWith("unsupported: " + text() +
                                                 ": " SPMVGEN_STANDIN " is there, but " + init +
                                                 " says: " + unknown()));
    const auto count = name("cuDeviceGetCount", "hipGetDeviceCount");
    EXPECT_EQ(error(count), io() + SPMVGEN_STANDIN ": " + count + ": " + unknown());
    for (const auto& call :
         {name("cuDeviceGet", "hipDeviceGet"), name("cuDeviceGetName", "hipDeviceGetName"),
          name("cuDeviceTotalMem_v2", "hipDeviceTotalMem"),
          name("cuDeviceGetAttribute", "hipDeviceGetAttribute")})
        EXPECT_EQ(error(call), io() + call + ": " + unknown());
    const auto version = name("cuDriverGetVersion", "hipRuntimeGetVersion");
    EXPECT_EQ(error(version), "io: " SPMVGEN_STANDIN ": " + version + ": " + unknown());
}

TEST_P(VendorDevice, NoSuchDevice) {
    EXPECT_EQ(error_of([&] { device(2); }),
              "unsupported: " + text(2) + ": " SPMVGEN_STANDIN " sees 2 devices");
    standin.reset({.archs = {}});
    EXPECT_EQ(error_of([&] { device(0); }),
              "unsupported: " + text(0) + ": " SPMVGEN_STANDIN " sees 0 devices");
}

TEST_P(VendorDevice, OutOfMemory) {
    standin.reset({.archs = {arch()}, .memory_bytes = 1000});
    const auto own = device();
    const auto fits = own->allocate(600);
    EXPECT_EQ(error_of([&] { own->allocate(401); }),
              io() + "401 bytes are wanted: " + name("cuMemAlloc_v2", "hipMalloc") + ": " +
                  out_of_memory());
}

TEST_P(VendorDevice, BinariesOfAnotherKind) {
    const auto own = device();
    const auto other = cuda ? BinaryKind::hsaco : BinaryKind::cubin;
    EXPECT_EQ(error_of([&] { own->load(test_binary(arch(), other, {"axpy"})); }),
              "invalid_argument: " + text() + ": " + kernel_name() + ": the device loads " +
                  to_string(kind()) + ", not " + to_string(other));
    EXPECT_EQ(error_of([&] { own->load(test_binary(arch(), BinaryKind::simt, {"axpy"})); }),
              "invalid_argument: " + text() + ": " + kernel_name() + ": the device loads " +
                  to_string(kind()) + ", not simt");
    const std::string of_other = cuda ? "gfx906" : "sm_90";
    EXPECT_EQ(error_of([&] { own->load(test_binary(of_other, kind(), {"axpy"})); }),
              "unsupported: " + text() + ": kernel test_f64_i32_o32_a1_b0_k1@" + of_other +
                  ": it is for " + of_other + ", Stand-in 0 is " + arch());
}

TEST_P(VendorDevice, BlocksThatTheCodeDoesNotTake) {
    standin.reset({.archs = {arch()}, .max_threads = 63});
    EXPECT_EQ(error_of([&] { device()->load(binary({"axpy"})); }),
              "unsupported: " + text() + ": " + kernel_name() +
                  ", step 'axpy': blocks of 64 threads; the device starts this code with at most "
                  "63");
}

TEST_P(VendorDevice, WrongLaunches) {
    const auto own = device();
    const auto other = device(1);
    const auto kernel = own->load(binary({"axpy"}));
    void* none[] = {nullptr};
    const auto refusal = [&](Device& on, std::size_t step, const GridLaunch& how) {
        return error_of([&] { on.launch(*kernel, step, how, none, {}); });
    };
    const auto of = [&](int number, int step) {
        return "invalid_argument: " + text(number) + ": launch of step " + std::to_string(step) +
               " of " + kernel_name() + ": ";
    };
    EXPECT_EQ(refusal(*other, 0, {{1, 1}, 64, 0}),
              of(1, 0) + "the kernel was loaded by another device");
    EXPECT_EQ(refusal(*own, 1, {{1, 1}, 64, 0}), of(0, 1) + "the kernel has 1 steps");
    EXPECT_EQ(refusal(*own, 0, {{1, 65536}, 64, 0}),
              of(0, 0) +
                  "a grid of 65536 groups of right-hand sides; a device takes 65535; "
                  "multiply with fewer right-hand sides at a time");
    const auto on_simt = open_device("simt:gfx906");
    EXPECT_THAT(refusal(*on_simt, 0, {{1, 1}, 64, 0}),
                HasSubstr("the kernel was loaded by another device"));
    const auto of_simt = on_simt->load(test_binary("gfx906", BinaryKind::simt, {"axpy"}));
    EXPECT_THAT(error_of([&] { own->launch(*of_simt, 0, {{1, 1}, 64, 0}, none, {}); }),
                HasSubstr("the kernel was loaded by another device"));
}

// The stand-in itself: what would be wrong shows.
TEST_P(VendorDevice, MisuseIsWrittenDown) {
    const auto own = device();
    const auto other = device(1);
    const auto kernel = own->load(binary({"axpy"}));
    auto memory = own->allocate(64);
    auto elsewhere = other->allocate(64);
    void* const data = memory->data();
    int of_host = 0;
    const auto start = [&](void* x, StreamRef stream = {}) {
        long n = 0;
        double alpha = 1;
        void* y = nullptr;
        void* arguments[] = {&n, &alpha, &x, &y};
        EXPECT_NE(error_of([&] { own->launch(*kernel, 0, {{1, 1}, 64, 0}, arguments, stream); }),
                  "nothing was thrown");
        return standin.misuse();
    };
    const auto call = name("cuLaunchKernel: ", "hipModuleLaunchKernel: ");
    EXPECT_EQ(start(elsewhere->data()), call + "memory of device 1, current is 0 (argument 2)\n");
    EXPECT_EQ(start(&of_host), call + "a pointer to no device memory (argument 2)\n");
    memory.reset();
    EXPECT_EQ(start(data), call + "a pointer to freed memory (argument 2)\n");
    void* const stream = standin.make_stream(1);
    EXPECT_EQ(start(nullptr, {stream}), call + "a stream of device 1, current is 0\n");
    void* const gone = standin.make_stream(0);
    standin.destroy_stream(gone);
    EXPECT_EQ(start(nullptr, {gone}), call + "a stream that was destroyed\n");
    EXPECT_EQ(start(nullptr, {&of_host}), call + "no stream\n");
    char byte = 0;
    EXPECT_NE(error_of([&] { own->copy_to_host(&byte, data, 1); }), "nothing was thrown");
    EXPECT_EQ(standin.misuse(),
              name("cuMemcpyDtoH_v2", "hipMemcpyDtoH") + ": a pointer to freed memory\n");
    memory = own->allocate(4);
    EXPECT_NE(error_of([&] { own->copy_to_device(memory->data(), "12345", 5); }),
              "nothing was thrown");
    EXPECT_EQ(standin.misuse(),
              name("cuMemcpyHtoD_v2", "hipMemcpyHtoD") + ": 5 bytes, of which 4 are there\n");
}

TEST_P(VendorDevice, AKernelThatFails) {
    const auto own = device();
    const auto kernel = own->load(binary({"misuse"}));
    const auto out = own->allocate(64 * sizeof(int));
    EXPECT_THAT(error_of([&] { launch(*own, *kernel, {{1, 1}, 64, 0}, out->data()); }),
                HasSubstr("unspecified launch failure"));
    EXPECT_THAT(standin.misuse(), HasSubstr("__syncthreads"));
}

}  // namespace
}  // namespace spmvgen
