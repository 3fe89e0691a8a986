#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <thread>

#include "counting_new.hpp"
#include "errors.hpp"
#include "fake_device.hpp"
#include "fakes.hpp"
#include "gpu_handle_fixture.hpp"
#include "matrix/suites/gallery.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {
namespace {

using namespace fake_gpu;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(GpuHandle, MultipliesWithAKernelForEveryModeOfAlphaAndBeta) {
    const Handle handle = make();
    EXPECT_EQ(fake.generator.compiled, 1);
    check_all_modes(handle);
    EXPECT_EQ(fake.generator.compiled, 8) << "all but y = y";
    EXPECT_EQ(log.loads, 8);
    EXPECT_EQ(log.launches.size(), 8U);
    check_all_modes(handle);
    EXPECT_EQ(log.loads, 8);
    EXPECT_EQ(fake.provider.counters(), (KernelCounters{0, 0, 8, 0, 0}));
}

TEST_F(GpuHandle, TheMatrixIsUploadedOnceAndFreedWithTheHandle) {
    for (const bool copy : {true, false}) {
        const int before = log.allocations;
        {
            Options options = gpu_options();
            options.copy = copy;
            const Handle handle = make(options);
            check_all_modes(handle);
            EXPECT_EQ(log.allocations - before, 1);
            EXPECT_EQ(log.copies, log.allocations);
            EXPECT_EQ(log.bytes_in_use(), 3 * 256U) << "three arrays, each at 256 bytes times n";
        }
        EXPECT_TRUE(log.memory.empty());
    }
}

TEST_F(GpuHandle, MemoryServesTheNextHandleUnlessAnotherStreamUsedIt) {
    const CsrMatrix large = make_gallery_matrix("stencil5:nx=300,ny=300");
    const std::vector<double> in(90'000, 1);
    std::vector<double> out(in.size());
    log.recording = false;
    Options options = gpu_options();
    options.encodings = "none";
    for (const std::uintptr_t number : {0, 0x50}) {
        {
            const Handle handle = make(options, large.view());
            handle.apply(1.0, in.data(), 0.0, out.data(), stream(number));
        }
        EXPECT_EQ(log.memory.empty(), number != 0);
        const int allocations = log.allocations, waits = log.synchronisations;
        {
            const Handle handle = make(options, large.view());
            EXPECT_EQ(log.allocations - allocations, number == 0 ? 0 : 1);
            EXPECT_GT(log.synchronisations, waits);
            handle.apply(1.0, in.data(), 0.0, out.data());
            EXPECT_EQ(out[0], 2) << "4 - 1 - 1";
        }
        device->empty_pool();
        EXPECT_TRUE(log.memory.empty());
    }
}

TEST_F(GpuHandle, TheCallersArraysAreNotNeededAfterwards) {
    Options options = gpu_options();
    options.copy = false;
    auto tiny = std::make_unique<Tiny>();
    const Handle handle = make(options, tiny->view());
    tiny->values.assign(4, 0);
    tiny.reset();
    std::vector<double> y(3);
    handle.apply(1.0, x.data(), 0.0, y.data());
    EXPECT_EQ(y, product);
}

TEST_F(GpuHandle, ArgumentsGridAndStreamReachTheLaunch) {
    const Handle handle = make();
    std::vector<double> y(3, 1);
    handle.apply(2.0, x.data(), 3.0, y.data(), stream(0x50));
    ASSERT_EQ(log.launches.size(), 1U);
    const FakeLaunch& launch = log.launches[0];
    EXPECT_EQ(launch.symbol, "fake_gpu_csr");
    EXPECT_EQ(launch.grid.grid, (std::array<unsigned, 2>{2, 1})) << "3 rows, 2 a block";
    EXPECT_EQ(launch.grid.block, 64U);
    EXPECT_EQ(launch.stream, stream(0x50).native);
    EXPECT_EQ(launch.numbers,
              (std::map<std::string, double>{{"num_rows", 3}, {"alpha", 2}, {"beta", 3}}));
    EXPECT_EQ(launch.pointers.at("x"), x.data());
    EXPECT_EQ(launch.pointers.at("y"), y.data());
    const auto array = [&]<typename T>(const char* name, const std::vector<T>& as) {
        const auto* data = static_cast<const T*>(launch.pointers.at(name));
        EXPECT_EQ(std::vector<T>(data, data + as.size()), as) << name;
    };
    const Tiny tiny;
    array("row_ptr", tiny.row_ptr);
    array("col_idx", tiny.col_idx);
    array("values", tiny.values);
}

TEST_F(GpuHandle, AnApplyAllocatesCopiesLoadsAndSynchronisesNothing) {
    fake.generator.workspace = 8;
    const Handle handle = make();
    std::vector<double> y(3, 1);
    handle.prepare(Scale::one, Scale::zero, stream(0x50));
    handle.prepare(Scale::general, Scale::general, stream(0x50));
    log.recording = false;
    const auto counts = [&] {
        return std::array{allocations_so_far(), log.allocations,
                          log.copies,           log.loads,
                          log.synchronisations, fake.generator.compiled.load()};
    };
    const auto before = counts();
    for (int i = 0; i < 10; ++i) {
        handle.apply(1.0, x.data(), 0.0, y.data(), stream(0x50));
        handle.apply(2.0, x.data(), 3.0, y.data(), stream(0x50));
    }
    EXPECT_EQ(counts(), before);
    EXPECT_EQ(y, (std::vector<double>{250, 300, 200})) << "2·A·x + 3·A·x";
}

TEST_F(GpuHandle, PreparingNothingIsNothing) {
    const Handle handle = make();
    handle.prepare(Scale::zero, Scale::one);
    handle.prepare(Scale::one, Scale::zero);
    EXPECT_EQ(fake.generator.compiled, 1);
    EXPECT_EQ(log.allocations, 1);
}

TEST_F(GpuHandle, EachStreamHasAWorkspaceOfItsOwn) {
    fake.generator.workspace = 8;
    {
        const Handle handle = make();
        EXPECT_EQ(log.allocations, 1) << "none before the first apply";
        std::vector<double> y(3, 1);
        for (const std::uintptr_t number : {0x50, 0x60, 0x50, 0x0})
            handle.apply(1.0, x.data(), 0.0, y.data(), stream(number));
        handle.apply(2.0, x.data(), 1.0, y.data(), stream(0x60));
        EXPECT_EQ(log.allocations, 1 + 3);
        std::vector<void*> parts;
        for (auto& launch : log.launches) parts.push_back(launch.pointers.at("parts"));
        EXPECT_THAT(parts, ElementsAre(parts[0], parts[1], parts[0], parts[3], parts[1]));
        EXPECT_NE(parts[0], parts[1]);
        EXPECT_NE(parts[3], parts[0]);
        EXPECT_NE(parts[3], parts[1]);
        EXPECT_GE(log.memory.at(parts[0]), 2 * 8U) << "8 bytes for each of 2 blocks";
    }
    EXPECT_TRUE(log.memory.empty());
}

TEST_F(GpuHandle, AZeroedWorkspaceIsZeroedOnceForEachStream) {
    fake.generator.workspace = 8;
    fake.generator.zeroed = 24;
    {
        const Handle handle = make();
        std::vector<double> y(3, 1);
        for (const std::uintptr_t number : {0x50, 0x60, 0x50})
            handle.apply(1.0, x.data(), 0.0, y.data(), stream(number));
        handle.apply(2.0, x.data(), 1.0, y.data(), stream(0x60));
        EXPECT_EQ(log.allocations, 1 + 2 * 2);
        EXPECT_EQ(log.zeroed, 2);
        std::vector<void*> counters;
        for (auto& launch : log.launches) {
            counters.push_back(launch.pointers.at("counters"));
            EXPECT_EQ(log.memory.count(counters.back()), 1U);
            EXPECT_EQ(log.memory.count(launch.pointers.at("parts")), 1U) << "a block of its own";
            EXPECT_GE(log.memory.at(counters.back()), 24U);
            const auto* bytes = static_cast<const unsigned char*>(counters.back());
            EXPECT_EQ(std::count(bytes, bytes + 24, 0), 24);
        }
        EXPECT_THAT(counters, ElementsAre(counters[0], counters[1], counters[0], counters[1]));
        EXPECT_NE(counters[0], counters[1]);
    }
    EXPECT_TRUE(log.memory.empty());
}

TEST_F(GpuHandle, AfterAFailedLaunchTheZeroedWorkspaceIsAnother) {
    fake.generator.workspace = 8;
    fake.generator.zeroed = 8;
    const Handle handle = make();
    std::vector<double> y(3, 1);
    handle.apply(1.0, x.data(), 0.0, y.data());
    log.refuses_to_launch = true;
    EXPECT_EQ(code_and_text([&] { handle.apply(1.0, x.data(), 0.0, y.data()); }),
              "io: cuda:0: the launch failed");
    log.refuses_to_launch = false;
    handle.apply(1.0, x.data(), 0.0, y.data());
    ASSERT_EQ(log.launches.size(), 2U);
    EXPECT_NE(log.launches[0].pointers.at("counters"), log.launches[1].pointers.at("counters"));
    EXPECT_EQ(log.launches[0].pointers.at("parts"), log.launches[1].pointers.at("parts"));
    EXPECT_EQ(log.zeroed, 2);
}

TEST_F(GpuHandle, TheStreamOfEachThreadIsAnotherInEach) {
    fake.generator.workspace = 8;
    const Handle handle = make();
    std::vector<double> y(3), other(3);
    handle.apply(1.0, x.data(), 0.0, y.data(), stream(2));
    std::thread([&] { handle.apply(1.0, x.data(), 0.0, other.data(), stream(2)); }).join();
    ASSERT_EQ(log.launches.size(), 2U);
    EXPECT_NE(log.launches[0].pointers.at("parts"), log.launches[1].pointers.at("parts"));
}

TEST_F(GpuHandle, ManyThreadsApplyAtOnce) {
    fake.generator.workspace = 8;
    const Handle handle = make();
    std::vector<std::thread> threads;
    std::array<std::vector<double>, 4> y;
    for (std::size_t t = 0; t < y.size(); ++t) {
        y[t].assign(3, 1);
        threads.emplace_back([&, t] {
            for (int i = 0; i < 50; ++i) {
                handle.apply(1.0, x.data(), 0.0, y[t].data(), stream(0x10 + t % 2));
                handle.apply(1.0, x.data(), 1.0, y[t].data(), stream(0x10 + t % 2));
            }
        });
    }
    for (auto& thread : threads) thread.join();
    for (auto& part : y) EXPECT_EQ(part, (std::vector<double>{100, 120, 80}));
    EXPECT_EQ(fake.generator.compiled, 2);
    EXPECT_EQ(log.allocations, 1 + 2);
}

TEST_F(GpuHandle, AlphaZeroTouchesNeitherTheMatrixNorX) {
    const Handle handle = make();
    std::vector<double> y{1, 2, 3};
    handle.apply<double>(-0.0, nullptr, 2.0, y.data());
    EXPECT_EQ(y, (std::vector<double>{2, 4, 6}));
    EXPECT_EQ(fake.generator.made.back().alpha, Scale::zero);
    handle.apply<double>(0.0, nullptr, 1.0, y.data());
    EXPECT_EQ(log.launches.size(), 1U) << "y = y";
}

TEST_F(GpuHandle, AMatrixWithoutEntriesScales) {
    const std::vector<int> row_ptr(4, 0);
    const Handle handle =
        make(gpu_options(), csr_view<double, int, int>(3, 2, row_ptr.data(), nullptr, nullptr));
    EXPECT_THAT(handle.info().kernel, HasSubstr("csr_classical_f64_i32_o32_a0_b0_k1_"));
    EXPECT_EQ(handle.info().reason, "the matrix has no entries: y = βy");
    std::vector<double> y{1, 2, 3};
    handle.apply(5.0, x.data(), 2.0, y.data());
    EXPECT_EQ(y, (std::vector<double>{2, 4, 6}));
    handle.apply<double>(5.0, nullptr, 0.0, y.data());
    EXPECT_EQ(y, (std::vector<double>{0, 0, 0}));
    for (auto& made : fake.generator.made) EXPECT_EQ(made.alpha, Scale::zero);
}

TEST_F(GpuHandle, AMatrixWithoutRowsNeedsNoKernel) {
    const Handle handle =
        make(gpu_options(), csr_view<double, int, int>(0, 5, nullptr, nullptr, nullptr));
    handle.apply<double>(1.0, nullptr, 2.0, nullptr);
    handle.prepare(Scale::one, Scale::one);
    EXPECT_EQ(fake.generator.compiled, 0);
    EXPECT_TRUE(log.launches.empty());
    EXPECT_EQ(handle.info().launches, 0);
}

TEST_F(GpuHandle, AnEpilogueIsComputedWhateverTheModes) {
    Options options = gpu_options();
    options.epilogue = "value > 0 ? value : 0";
    const Handle handle = make(options);
    std::vector<double> y{1, 2, 3};
    handle.apply<double>(0.0, nullptr, 1.0, y.data());
    EXPECT_EQ(log.launches.size(), 1U);
    EXPECT_EQ(fake.generator.made.back().epilogue, options.epilogue);
}

TEST_F(GpuHandle, StorageIsTheSignatures) {
    Options options = gpu_options();
    options.storage = "f32";
    // The fake kernel takes f64 values, which are not what is stored now.
    EXPECT_THAT(code_and_text([&] { make(options); }),
                HasSubstr("argument 'values' of type 'const double* __restrict__' has other "
                          "elements than the matrix"));
    EXPECT_EQ(fake.generator.made.back().storage, ValueType::f32);
    EXPECT_TRUE(log.memory.empty());
}

TEST_F(GpuHandle, TellsWhatItDoes) {
    Info info = make().info();
    EXPECT_TRUE(info.deterministic);
    EXPECT_GT(info.kernel_ms, 0);
    EXPECT_GE(info.prepare_ms, info.kernel_ms);
    EXPECT_THAT(info.kernel, HasSubstr("csr_classical_f64_i32_o32_a1_b0_k1_"));
    EXPECT_EQ(info.source_path, "/fake/" + info.kernel);
    info.kernel = "csr_classical_f64";
    info.source_path = "";
    info.prepare_ms = 20.04;
    info.kernel_ms = 19.96;
    EXPECT_EQ(to_string(info),
              "device:   cuda:0, Fake GPU\n"
              "matrix:   3 x 2, 4 entries\n"
              "kernel:   csr_classical_f64\n"
              "format:   csr, values as f64\n"
              "target:   sm_90\n"
              "launches: 1 an apply, sums in a fixed order\n"
              "reason:   named by the caller\n"
              "origin:   compiled\n"
              "bytes:    104 B a product, 64 B of them the matrix\n"
              "prepared: 20.0 ms, 20.0 of them for the kernel\n");
    EXPECT_THAT(make().source(), HasSubstr("// the source of csr_classical"));
}

TEST_F(GpuHandle, HandlesShareKernelsAndThousandsLeaveNothingBehind) {
    log.recording = false;
    for (int i = 0; i < 2000; ++i) check_all_modes(make());
    EXPECT_EQ(log.loads, 8);
    EXPECT_TRUE(log.memory.empty());
}

TEST_F(GpuHandle, OutlivesEverythingButItsProvider) {
    const std::shared_ptr<FakeDeviceLog> kept = device->log;
    auto handle = std::make_unique<Handle>(make());
    device.reset();
    check_all_modes(*handle);
    handle.reset();
    EXPECT_TRUE(kept->memory.empty());
}

}  // namespace
}  // namespace spmvgen
