// Many threads on one provider and on one handle. Every apply runs in a team of one thread, so that
// ThreadSanitizer, which does not know libgomp's barriers, judges spmvgen's own code.
#include <gtest/gtest.h>
#include <omp.h>

#include <chrono>
#include <functional>
#include <latch>
#include <thread>

#include "fakes.hpp"
#include "run_threads.hpp"

namespace spmvgen {
namespace {

/// The main thread's team; run_threads sees to the others'.
const bool no_teams = (omp_set_num_threads(1), true);

struct Tiny {
    std::vector<int> row_ptr{0, 2, 3, 4};
    std::vector<int> col_idx{0, 1, 1, 0};
    std::vector<double> values{1, 2, 3, 4};
    CsrView view() const { return csr_view(3, 2, row_ptr.data(), col_idx.data(), values.data()); }
};
const std::vector<double> x{10, 20};

Options options() {
    Options o;
    o.kernel = "csr_rows";
    o.threads = 1;
    return o;
}

TEST(Threads, OneSignatureIsCompiledOnce) {
    FakeKernels fake;
    std::vector<ProvidedKernel> got(thread_count);
    run_threads(
        [&](int t) { got[static_cast<std::size_t>(t)] = fake.provider.get(csr_signature(), {}); });
    EXPECT_EQ(fake.generator.compiled, 1);
    EXPECT_EQ(fake.provider.counters(), (KernelCounters{thread_count - 1, 0, 1, 0, 0}));
    for (auto& provided : got) EXPECT_EQ(provided.kernel, got[0].kernel);
}

/// Compiles a kernel for β = 0 only when one for another β is done.
class WaitingGenerator : public FakeGenerator {
  public:
    std::atomic<bool> in_time{true};
    KernelBinary compile(const KernelSource& source, BinaryKind kind, Compiler compiler) override {
        if (source.signature.beta != Scale::zero) {
            KernelBinary binary = FakeGenerator::compile(source, kind, compiler);
            other_is_done_.count_down();
            return binary;
        }
        const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (!other_is_done_.try_wait() && in_time) {
            if (std::chrono::steady_clock::now() > limit) in_time = false;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return FakeGenerator::compile(source, kind, compiler);
    }

  private:
    std::latch other_is_done_{1};
};

// Half of the threads wait for a compilation that only ends when the other half had theirs.
TEST(Threads, ACompilationHoldsUpNobodyWhoWantsAnother) {
    WaitingGenerator generator;
    FakeDisk disk;
    KernelProvider provider({[&]() -> Generator& { return generator; },
                             [&](const std::string&, bool writable) {
                                 return std::make_unique<FakeCache>(disk, writable);
                             }});
    run_threads([&](int t) {
        const Signature wanted = csr_signature(Scale::one, t % 2 ? Scale::one : Scale::zero);
        EXPECT_NE(provider.get(wanted, {}).kernel, nullptr);
    });
    EXPECT_TRUE(generator.in_time);
    EXPECT_EQ(generator.compiled, 2);
    EXPECT_EQ(provider.counters(), (KernelCounters{thread_count - 2, 0, 2, 0, 0}));
}

TEST(Threads, AFailingCompilationIsTriedOnce) {
    FakeKernels fake;
    fake.generator.failure = "no";
    run_threads([&](int) { fake.provider.get(csr_signature(), {}); });
    EXPECT_EQ(fake.provider.counters(), (KernelCounters{0, 0, 1, 1, thread_count}));
}

void apply_everywhere(const Handle& handle) {
    run_threads([&](int t) {
        std::vector<double> y(3);
        for (int round = 0; round < 50; ++round) {
            for (const double alpha : {1.0, 2.0 + t}) {
                for (const double beta : {0.0, 1.0, 3.0}) {
                    y.assign(3, 7);
                    handle.apply(alpha, x.data(), beta, y.data());
                    ASSERT_EQ(y[0], alpha * 50 + beta * 7);
                    ASSERT_EQ(y[2], alpha * 40 + beta * 7);
                }
            }
        }
    });
}

TEST(Threads, OneHandleServesThreadsWithTheirOwnY) {
    FakeKernels fake;
    apply_everywhere(make_handle(Tiny().view(), options(), fake.provider));
    EXPECT_EQ(fake.generator.compiled, 6);
}

TEST(Threads, FallbacksServeThreadsToo) {
    FakeKernels fake;
    fake.generator.only_base_works = true;
    apply_everywhere(make_handle(Tiny().view(), options(), fake.provider));
    FakeKernels failing;
    failing.generator.failure = "no";
    apply_everywhere(make_handle(Tiny().view(), options(), failing.provider));
}

TEST(Threads, HandlesAreMadeAndDroppedEverywhere) {
    FakeKernels fake;
    run_threads([&](int) {
        for (int i = 0; i < 20; ++i) {
            const Handle handle = make_handle(Tiny().view(), options(), fake.provider);
            double y[3];
            handle.apply(1.0, x.data(), 0.0, y);
            ASSERT_EQ(y[1], 60);
        }
    });
    EXPECT_EQ(fake.generator.compiled, 1);
}

}  // namespace
}  // namespace spmvgen
