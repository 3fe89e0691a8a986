// What CUDA and HIP have in common, against the stand-in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "calibrate/calibrate.hpp"
#include "vendor_fixture.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;

class VendorDevice : public VendorFixture, public ::testing::WithParamInterface<bool> {
  public:
    VendorDevice() : VendorFixture(GetParam()) {}

    /// y + 2x on `own`, with x in the memory of `other`.
    std::vector<double> axpy(Device& own, Device& other) const {
        const auto x = upload<double>(other, {1, 2, 3});
        const auto y = upload<double>(own, {10, 20, 30});
        const auto kernel = own.load(binary({"axpy"}));
        launch(own, *kernel, {{1, 1}, 64, 0}, 3l, 2.0, x->data(), y->data());
        own.synchronize({});
        return download<double>(own, *y);
    }
    const std::vector<double> sum{12, 24, 36};
};

INSTANTIATE_TEST_SUITE_P(Devices, VendorDevice, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "cuda" : "hip"; });

TEST_P(VendorDevice, Facts) {
    const auto facts = device(1)->facts();
    EXPECT_EQ(facts.name, "Stand-in 1");
    EXPECT_EQ(facts.text, text(1));
    EXPECT_EQ(facts.target, parse_target(arch()));
    EXPECT_EQ(facts.loads, kind());
    EXPECT_EQ(facts.units, 7);
    EXPECT_EQ(facts.rated, (cuda ? DeviceSheet{1.41, 1.5552e12, 1 << 20} : DeviceSheet{}));
    EXPECT_EQ(facts.memory_bytes, 1 << 30);
    EXPECT_EQ(facts.driver, cuda ? "CUDA 13.0" : "HIP 6.3.42134");
}

TEST_P(VendorDevice, CalibrationWritesDownWhatTheDriverTells) {
    const CalibrationPlan plan{device(), 0, 0.1, 1e7};
    const DeviceProfile profile = empty_profile(plan);
    EXPECT_EQ(profile.units, 7);
    EXPECT_EQ(profile.rated, device()->facts().rated);
}

TEST_P(VendorDevice, RunsAKernel) {
    const auto own = device();
    EXPECT_EQ(axpy(*own, *own), sum);
}

// A kernel of device 1 reads memory of device 0.
TEST_P(VendorDevice, ReachesTheMemoryOfAnother) {
    {
        const auto own = device(1), other = device(0);
        EXPECT_TRUE(own->reach(*other));
        EXPECT_TRUE(own->reach(*other)) << "again";
        EXPECT_EQ(axpy(*own, *other), sum);
        EXPECT_FALSE(own->reach(*open_device("simt:sm_90")));
        standin.fail_next(name("cuCtxEnablePeerAccess", "hipDeviceEnablePeerAccess"), 2);
        EXPECT_EQ(error_of([&] { own->reach(*other); }),
                  "io: " + text(1) + ": memory of " + text(0) + ": " +
                      name("cuCtxEnablePeerAccess", "hipDeviceEnablePeerAccess") + ": " +
                      out_of_memory());
    }
    standin.reset({.archs = {arch(), arch()}});  // the contexts that stay
}

TEST_P(VendorDevice, ReachesItAfterBothWereClosedToo) {
    EXPECT_TRUE(device(1)->reach(*device(0)));
    EXPECT_EQ(standin.alive(),
              name("the context of device 0, 1 times\nthe context of device 1, 1 times\n", ""));
    EXPECT_EQ(axpy(*device(1), *device(0)), sum);
    standin.reset({.archs = {arch(), arch()}});  // the contexts that stay
}

TEST_P(VendorDevice, SaysWhereItCannotReach) {
    standin.reset({.archs = {arch(), arch()}, .peers = false});
    EXPECT_FALSE(device(1)->reach(*device(0)));
}

TEST_P(VendorDevice, EveryStepIsFoundAndGridsHaveTwoDimensions) {
    const auto own = device();
    const auto out = own->allocate(7 * sizeof(int));
    const auto kernel = own->load(binary({"axpy", "block_sum"}));
    EXPECT_EQ(kernel->launch().steps.size(), 2u);
    void* pointer = out->data();
    void* arguments[] = {&pointer};
    own->launch(*kernel, 1, {{3, 2}, 4, 16}, arguments, {});
    EXPECT_EQ(download<int>(*own, *out), (std::vector<int>{6, 6, 6, 6, 6, 6, cuda ? 32 : 64}));
}

TEST_P(VendorDevice, LaunchesOnTheCallersStream) {
    const auto own = device(1);
    const auto out = own->allocate(2 * sizeof(int));
    const auto kernel = own->load(binary({"block_sum"}));
    const StreamRef stream{standin.make_stream(1)};
    void* pointer = out->data();
    void* arguments[] = {&pointer};
    own->launch(*kernel, 0, {{1, 1}, 4, 16}, arguments, stream);
    own->synchronize(stream);
    EXPECT_EQ(download<int>(*own, *out)[0], 6);
}

TEST_P(VendorDevice, FreeBytes) {
    const auto own = device();
    EXPECT_EQ(own->free_bytes(), std::size_t{1} << 30);
    const auto memory = own->allocate(1000);
    EXPECT_EQ(own->free_bytes(), (std::size_t{1} << 30) - 1000);
}

TEST_P(VendorDevice, NothingIsCalledForNoBytes) {
    const auto own = device();
    standin.calls();
    const auto nothing = own->allocate(0);
    EXPECT_EQ(nothing->data(), nullptr);
    own->copy_to_device(nullptr, nullptr, 0);
    own->copy_to_host(nullptr, nullptr, 0);
    own->copy_on_device(nullptr, nullptr, 0);
    EXPECT_EQ(standin.calls(), "");
}

TEST_P(VendorDevice, CopiesWithinTheDeviceAreCompleteWhenTheyReturn) {
    const auto own = device();
    const auto from = upload<int>(*own, {1, 2, 3}), to = upload<int>(*own, {0, 0, 0});
    standin.calls();
    own->copy_on_device(to->data(), from->data(), 8);
    EXPECT_THAT(standin.calls(), HasSubstr(cuda ? "cuMemcpyDtoD_v2 cuStreamSynchronize"
                                                : "hipMemcpyDtoD hipStreamSynchronize"));
    EXPECT_EQ(download<int>(*own, *to), (std::vector<int>{1, 2, 0}));
}

TEST_P(VendorDevice, GathersPiecesAndWaitsOnce) {
    const auto own = device();
    const auto memory = upload<int>(*own, {1, 2, 3, 4, 5, 6});
    const auto* from = static_cast<const int*>(memory->data());
    const DevicePiece pieces[] = {{from + 4, 8}, {from, 0}, {from + 1, 4}};
    std::vector<int> gathered(4);
    standin.calls();
    own->gather_to_host(gathered.data(), pieces);
    EXPECT_EQ(gathered, (std::vector<int>{5, 6, 2, 0}));
    const std::string calls = standin.calls();
    EXPECT_THAT(calls, HasSubstr(cuda ? "cuMemcpyDtoD_v2 cuMemcpyDtoD_v2 "
                                      : "hipMemcpyDtoD hipMemcpyDtoD "));
    EXPECT_THAT(calls, HasSubstr(cuda ? "cuMemcpyDtoH_v2" : "hipMemcpyDtoH"));
    EXPECT_THAT(calls, testing::Not(HasSubstr("StreamSynchronize")));
}

TEST_P(VendorDevice, ScratchMemoryIsUsedAgain) {
    auto own = device();
    const std::size_t all = own->free_bytes();
    void* const first = own->allocate_scratch(10'000)->data();
    standin.calls();
    auto again = own->allocate_scratch(9000);
    EXPECT_EQ(again->data(), first);
    EXPECT_EQ(again->bytes(), 9000U);
    EXPECT_EQ(standin.calls(), "");
    EXPECT_NE(own->allocate_scratch(9000)->data(), first) << "while it is in use";
    EXPECT_NE(own->allocate_scratch(4 << 20)->data(), first);
    EXPECT_EQ(own->allocate_scratch(0)->data(), nullptr);
    // More than the pool keeps is freed at once.
    const std::size_t before = own->free_bytes();
    (void)own->allocate_scratch(Device::most_pooled + 1);
    EXPECT_EQ(own->free_bytes(), before);
    // What it keeps makes room for what needs it.
    (void)own->allocate(all - 20'000);
    EXPECT_GT(own->free_bytes(), before);
    // Memory may outlive the device, and its pool.
    own.reset();
    EXPECT_NE(standin.alive(), "");
    again.reset();
    EXPECT_EQ(standin.alive(), "");
}

TEST_P(VendorDevice, ManyThreadsTakeScratchMemory) {
    const auto own = device();
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&] {
            for (int i = 1; i < 200; ++i) {
                const auto a = own->allocate_scratch(static_cast<std::size_t>(i) * 100);
                const auto b = own->allocate_scratch(static_cast<std::size_t>(i) * 100);
                ASSERT_NE(a->data(), b->data());
            }
        });
    for (auto& thread : threads) thread.join();
}

TEST_P(VendorDevice, MemoryAndKernelsOutliveTheDevice) {
    auto own = device();
    auto memory = own->allocate(8);
    auto kernel = own->load(binary({"axpy"}));
    own.reset();
    EXPECT_THAT(standin.alive(), HasSubstr("8 bytes on device 0\na module on device 0\n"));
    memory.reset();
    kernel.reset();
    EXPECT_EQ(standin.alive(), "");
}

TEST_P(VendorDevice, OneDeviceForOneTextWhileItHasAnOwner) {
    auto own = device();
    EXPECT_EQ(own, device());
    EXPECT_EQ(own, open_device(cuda ? "cuda" : "hip"));
    EXPECT_NE(own, device(1));
    standin.calls();
    own.reset();
    own = device();
    EXPECT_THAT(standin.calls(), HasSubstr(cuda ? "cuInit" : "hipInit"));
}

TEST_P(VendorDevice, LaunchMakesNoOtherCall) {
    const auto own = device();
    const auto kernel = own->load(binary({"axpy"}));
    standin.calls();
    launch(*own, *kernel, {{1, 1}, 64, 0}, 0l, 1.0, nullptr, nullptr);
    EXPECT_EQ(standin.calls(), cuda ? "cuCtxGetCurrent cuCtxSetCurrent cuLaunchKernel "
                                      "cuCtxSetCurrent"
                                    : "hipGetDevice hipModuleLaunchKernel");
}

TEST_P(VendorDevice, LaunchesAreCaptured) {
    const auto own = device();
    const auto x = upload<double>(*own, {1, 2, 3});
    const auto y = upload<double>(*own, {10, 20, 30});
    const auto kernel = own->load(binary({"axpy"}));
    const StreamRef stream{standin.make_stream(0)};
    standin.begin_capture(stream.native);
    {
        long n = 3;
        double alpha = 1;
        void* pointers[] = {x->data(), y->data()};
        void* arguments[] = {&n, &alpha, &pointers[0], &pointers[1]};
        own->launch(*kernel, 0, {{1, 1}, 64, 0}, arguments, stream);
        n = 0;
    }
    EXPECT_EQ(standin.end_capture(2), 1);
    EXPECT_EQ(download<double>(*own, *y), (std::vector<double>{12, 24, 36}));
}

TEST_P(VendorDevice, MemoryAndKernelsComeAndGoDuringACapture) {
    const auto own = device();
    auto memory = own->allocate(8);
    auto kernel = own->load(binary({"axpy"}));
    standin.begin_capture(standin.make_stream(0));
    memory = own->allocate(16);
    kernel = own->load(binary({"block_sum"}));
    EXPECT_EQ(standin.misuse(), "");
    memory.reset();
    kernel.reset();
    EXPECT_EQ(standin.end_capture(1), 0);
}

TEST_P(VendorDevice, KnowsWhetherAStreamIsCaptured) {
    const auto own = device();
    const StreamRef stream{standin.make_stream(0)}, other{standin.make_stream(0)};
    EXPECT_FALSE(own->is_capturing(stream));
    standin.begin_capture(stream.native);
    // The stand-in for HIP has no graphs.
    EXPECT_EQ(own->is_capturing(stream), cuda);
    EXPECT_FALSE(own->is_capturing(other));
    standin.end_capture(1);
    EXPECT_FALSE(own->is_capturing(stream));
}

TEST_P(VendorDevice, CopiesDuringACaptureAreRefused) {
    const auto own = device();
    const auto memory = own->allocate(8);
    standin.begin_capture(standin.make_stream(0));
    EXPECT_THAT(error_of([&] { own->copy_to_device(memory->data(), "1234567", 8); }),
                HasSubstr("operation not permitted when stream is capturing"));
    standin.end_capture(1);
    EXPECT_THAT(standin.misuse(), HasSubstr("forbidden while a stream is captured"));
}

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

TEST_P(VendorDevice, ManyThreadsAtOnce) {
    std::vector<std::thread> threads;
    std::vector<std::vector<double>> results(8);
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            for (int round = 0; round < 10; ++round) {
                const auto own = device(t % 2);
                const auto x = upload<double>(*own, {1.0 * t, 2, 3});
                const auto y = upload<double>(*own, {10, 20, 30});
                const auto kernel = own->load(binary({"axpy"}));
                launch(*own, *kernel, {{1, 1}, 64, 0}, 3l, 1.0, x->data(), y->data());
                own->synchronize({});
                results[static_cast<std::size_t>(t)] = download<double>(*own, *y);
            }
        });
    for (auto& thread : threads) thread.join();
    for (int t = 0; t < 8; ++t)
        EXPECT_EQ(results[static_cast<std::size_t>(t)], (std::vector<double>{10.0 + t, 22, 33}));
}

}  // namespace
}  // namespace spmvgen
