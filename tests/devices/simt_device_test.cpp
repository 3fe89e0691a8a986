#include "devices/simt/simt_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "device_kernels.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;

KernelBinary binary(std::initializer_list<std::string> symbols,
                    const std::string& target = "gfx906") {
    return test_binary(target, BinaryKind::simt, symbols);
}

std::shared_ptr<Device> device(const std::string& target = "gfx906",
                               ThreadOrder order = ThreadOrder::forward) {
    return open_simt_device(parse_target(target), order);
}

TEST(SimtDevice, Facts) {
    const auto facts = device("gfx1030:wave=64")->facts();
    EXPECT_EQ(facts.name, "SIMT executor");
    EXPECT_EQ(facts.text, "simt:gfx1030:wave=64");
    EXPECT_EQ(facts.target, parse_target("gfx1030:wave=64"));
    EXPECT_EQ(facts.loads, BinaryKind::simt);
    EXPECT_EQ(facts.units, 4);
    EXPECT_GT(facts.memory_bytes, 0);
}

TEST(SimtDevice, RunsAKernel) {
    const auto own = device();
    const auto x = upload<double>(*own, {1, 2, 3});
    const auto y = upload<double>(*own, {10, 20, 30});
    const auto kernel = own->load(binary({"axpy"}));
    EXPECT_EQ(kernel->signature().kernel, "test");
    EXPECT_EQ(kernel->launch().steps.size(), 1u);
    launch(*own, *kernel, {{1, 1}, 64, 0}, 3l, 2.0, x->data(), y->data());
    own->synchronize({});
    EXPECT_EQ(download<double>(*own, *y), (std::vector<double>{12, 24, 36}));
}

TEST(SimtDevice, WarpsAreThoseOfTheKernelsTarget) {
    for (const auto& [target, warp] :
         {std::pair{"gfx906", 64}, std::pair{"sm_90", 32}, std::pair{"gfx1030:wave=64", 64},
          std::pair{"gfx1030", 32}}) {
        const auto own = device(target);
        const auto out = own->allocate(7 * sizeof(int));
        const auto kernel = own->load(binary({"block_sum"}, target));
        launch(*own, *kernel, {{3, 2}, 4, 16}, out->data());
        EXPECT_EQ(download<int>(*own, *out), (std::vector<int>{6, 6, 6, 6, 6, 6, warp})) << target;
    }
}

TEST(SimtDevice, ThreadOrderIsChosen) {
    for (const auto& [order, seen] :
         {std::pair{ThreadOrder::forward, 1}, std::pair{ThreadOrder::reverse, 0}}) {
        const auto own = device("sm_90", order);
        const auto out = own->allocate(sizeof(int));
        launch(*own, *own->load(binary({"order"}, "sm_90")), {{1, 1}, 64, 0}, out->data());
        EXPECT_EQ(download<int>(*own, *out), std::vector<int>{seen});
    }
}

TEST(SimtDevice, ThreadOrderFromTheEnvironment) {
    {
        const ScopedEnv none("SPMVGEN_SIMT_ORDER", nullptr);
        EXPECT_EQ(simt_thread_order(), ThreadOrder::forward);
    }
    const ScopedEnv reverse("SPMVGEN_SIMT_ORDER", "reverse");
    EXPECT_EQ(simt_thread_order(), ThreadOrder::reverse);
    const ScopedEnv other("SPMVGEN_SIMT_ORDER", "backward");
    EXPECT_EQ(error_of(simt_thread_order),
              "invalid_argument: SPMVGEN_SIMT_ORDER is 'backward': use forward or reverse");
}

TEST(SimtDevice, FreshMemoryHasAllBitsSet) {
    const auto memory = device()->allocate(12);
    EXPECT_EQ(memory->bytes(), 12u);
    EXPECT_EQ(std::memcmp(memory->data(), "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12),
              0);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory->data()) % 256, 0u);
}

TEST(SimtDevice, NoMemoryAtAll) {
    const auto own = device();
    const auto nothing = own->allocate(0);
    EXPECT_EQ(nothing->data(), nullptr);
    own->copy_to_device(nullptr, nullptr, 0);
    own->copy_to_host(nullptr, nullptr, 0);
}

TEST(SimtDevice, TooMuchMemory) {
    const auto own = device();
    EXPECT_THAT(
        error_of([&] { own->allocate(std::size_t{1} << 55); }),
        testing::MatchesRegex("io: simt:gfx906: 32.0 PiB are wanted, [0-9.]+ .iB are free"));
    EXPECT_THAT(error_of([&] { own->allocate(SIZE_MAX); }), HasSubstr("are wanted"));
}

TEST(SimtDevice, MemoryAndKernelsOutliveTheDevice) {
    std::unique_ptr<DeviceMemory> memory;
    std::unique_ptr<DeviceKernel> kernel;
    {
        const auto own = device();
        memory = own->allocate(8);
        kernel = own->load(binary({"axpy"}));
    }
    std::memset(memory->data(), 0, 8);
    EXPECT_EQ(kernel->launch().steps[0].symbol, "axpy");
}

std::string load_error(const KernelBinary& wrong) {
    return error_of([&] { device()->load(wrong); });
}
const std::string whose = "simt:gfx906: kernel test_f64_i32_o32_a1_b0_k1@gfx906: ";

TEST(SimtDevice, WrongBinaries) {
    auto wrong = binary({"axpy"});
    wrong.kind = BinaryKind::hsaco;
    EXPECT_EQ(load_error(wrong), "invalid_argument: " + whose + "the device loads simt, not hsaco");
    EXPECT_EQ(
        load_error(binary({"axpy"}, "gfx908")),
        "unsupported: simt:gfx906: kernel test_f64_i32_o32_a1_b0_k1@gfx908: it is for gfx908, "
        "the device stands for gfx906");
    EXPECT_EQ(load_error(binary({})), "io: " + whose + "its launch description has no step");
    EXPECT_EQ(load_error(binary({"axpy", "absent"})),
              "io: " + whose + "its shared object lacks the symbol 'absent_simt'");
    EXPECT_EQ(load_error(binary({"old"})),
              "io: " + whose +
                  "'old_simt' was compiled for version 0 of the SIMT executor's interface, this is "
                  "version 2");
    wrong = binary({"axpy"});
    wrong.bytes = "no library";
    EXPECT_THAT(load_error(wrong),
                testing::StartsWith("io: " + whose + "its shared object cannot be loaded: "));
}

TEST(SimtDevice, ArgumentsMustBeThoseOfTheLaunchDescription) {
    auto wrong = binary({"axpy"});
    wrong.launch.steps[0].arguments.pop_back();
    EXPECT_EQ(load_error(wrong),
              "io: " + whose + "'axpy_simt' takes 4 arguments, the launch description has 3");
    wrong = binary({"axpy"});
    std::swap(wrong.launch.steps[0].arguments[1], wrong.launch.steps[0].arguments[2]);
    EXPECT_EQ(
        load_error(wrong),
        "io: " + whose +
            "argument 'x' of 'axpy_simt' is no pointer, the launch description calls it const "
            "double*");
}

TEST(SimtDevice, WrongLaunches) {
    const auto own = device();
    const auto kernel = own->load(binary({"block_sum"}));
    const auto out = own->allocate(1024);
    void* pointer = out->data();
    void* arguments[] = {&pointer};
    const auto refusal = [&](std::size_t step, const GridLaunch& how, StreamRef stream = {}) {
        return error_of([&] { own->launch(*kernel, step, how, arguments, stream); });
    };
    const std::string of = "invalid_argument: simt:gfx906: launch of step ";
    const std::string name = " of kernel test_f64_i32_o32_a1_b0_k1@gfx906: ";
    EXPECT_EQ(refusal(1, {{1, 1}, 64, 0}), of + "1" + name + "the kernel has 1 steps");
    EXPECT_EQ(refusal(0, {{0, 1}, 64, 0}), of + "0" + name + "a grid of 0 x 1 blocks is empty");
    EXPECT_EQ(refusal(0, {{16777216, 1}, 256, 0}),
              of + "0" + name +
                  "a grid of 16777216 blocks of 256 threads; AMD's devices take 16777215 such "
                  "blocks; split the matrix by rows and apply the parts one after another");
    EXPECT_EQ(refusal(0, {{1, 1}, 64, 65540}),
              "invalid_argument: simt: launch of kernel 'block_sum_simt': 65540 bytes of dynamic "
              "shared memory, the kernel has room for 65536");
    int nothing = 0;
    EXPECT_EQ(refusal(0, {{1, 1}, 64, 256}, {&nothing}),
              "invalid_argument: simt:gfx906: it has the default stream only; pass no stream");
    EXPECT_EQ(error_of([&] { own->synchronize({&nothing}); }),
              "invalid_argument: simt:gfx906: it has the default stream only; pass no stream");
}

TEST(SimtDevice, MisuseOfABarrierIsAnError) {
    const auto own = device();
    const auto kernel = own->load(binary({"misuse"}));
    const auto out = own->allocate(64 * sizeof(int));
    EXPECT_THAT(error_of([&] { launch(*own, *kernel, {{1, 1}, 64, 0}, out->data()); }),
                HasSubstr("internal: simt: kernel 'misuse_simt', block (0, 0, 0)"));
}

TEST(SimtDevice, OnlyGpus) {
    EXPECT_EQ(
        error_of([] { device("x86-64-v3"); }),
        "invalid_argument: simt:x86-64-v3: the SIMT executor runs kernels of GPUs; use one of "
        "sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, sm_120, gfx906, gfx908, gfx90a, gfx942, "
        "gfx1030, gfx1100, gfx1201");
}

}  // namespace
}  // namespace spmvgen
