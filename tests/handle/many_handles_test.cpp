// Sixteen threads make, apply and destroy handles of every format with kernels of the real
// compiler. Every apply runs in a team of one thread, so that ThreadSanitizer, which does not know
// libgomp's barriers, judges spmvgen's own code.
#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "../store/samples.hpp"
#include "all_formats.hpp"
#include "handle/kernels/kernel_sources.hpp"
#include "run_threads.hpp"

namespace spmvgen {
namespace {

constexpr int rounds = 32;

/// Each thread goes through all cases from another one on; neighbours meet on the same ones.
void make_apply_destroy(AllFormats& formats, KernelProvider& provider) {
    std::atomic<int> wrong = 0;
    run_threads([&](int t) {
        const auto& cases = formats.cases();
        for (int round = 0; round < rounds; ++round) {
            const Case& c = cases[static_cast<std::size_t>(t / 2 + round) % cases.size()];
            const Handle handle = make_handle(c.matrix->view(), c.options, provider);
            wrong += !AllFormats::multiplies(handle, *c.matrix, "N");
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST(ManyHandles, OfEveryFormatInSixteenThreads) {
    omp_set_num_threads(1);
    const TemporaryDirectory directory;
    AllFormats formats((directory.path() / "cache").string());
    KernelProvider cold(default_kernel_sources());
    make_apply_destroy(formats, cold);
    const KernelCounters made = cold.counters();
    EXPECT_GE(made.compiles_started, 6) << "a kernel for each format at least";
    EXPECT_EQ(made.compiles_failed, 0);
    EXPECT_EQ(made.fallbacks, 0);
    EXPECT_EQ(made.hits_memory + made.compiles_started, thread_count * rounds);
    EXPECT_EQ(static_cast<std::int64_t>(files_below(directory.path()).size()),
              made.compiles_started)
        << "no kernel was made twice";
    KernelProvider warm(default_kernel_sources());
    make_apply_destroy(formats, warm);
    EXPECT_EQ(warm.counters().compiles_started, 0);
    EXPECT_EQ(warm.counters().hits_store, made.compiles_started);
}

// One handle that all apply, while others come and go.
TEST(ManyHandles, AppliedByAllWhileOthersComeAndGo) {
    omp_set_num_threads(1);
    const TemporaryDirectory directory;
    AllFormats formats((directory.path() / "cache").string());
    KernelProvider provider(default_kernel_sources());
    const Case shared = formats.cases()[1], own = formats.cases()[3];
    const Handle handle = make_handle(shared.matrix->view(), shared.options, provider);
    std::atomic<int> wrong = 0;
    run_threads([&](int t) {
        for (int round = 0; round < rounds; ++round) {
            wrong += !AllFormats::multiplies(handle, *shared.matrix, "N");
            if (t % 2) continue;
            const Handle other = make_handle(own.matrix->view(), own.options, provider);
            wrong += !AllFormats::multiplies(other, *own.matrix, "N");
        }
    });
    EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace spmvgen
