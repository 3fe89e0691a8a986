// What applies allocate, which is nothing, and the caller's memory instead of the handle's.
#include <gtest/gtest.h>
#include <omp.h>

#include <barrier>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "any_matrix.hpp"
#include "counting_new.hpp"
#include "fake_device.hpp"
#include "fakes.hpp"
#include "registry.hpp"

namespace spmvgen {
namespace {

std::vector<std::string> kernels_of_cpus() {
    std::vector<std::string> ids;
    for (auto& entry : kernel_registry())
        if (!entry.gpu && is_plain_product(entry)) ids.emplace_back(entry.id);
    return ids;
}

class EveryCpuKernel : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(, EveryCpuKernel, testing::ValuesIn(kernels_of_cpus()),
                         [](auto& test) { return test.param; });

/// Runs body(thread) in threads of their own, which have had a parallel region of two before; what
/// was allocated meanwhile.
int allocations_in_threads(int count, const std::function<void(int)>& body) {
    int before = 0, after = 0;
    std::barrier ready(count, [&]() noexcept { before = allocations_so_far(); });
    std::barrier done(count, [&]() noexcept { after = allocations_so_far(); });
    std::vector<std::thread> threads;
    for (int t = 0; t < count; ++t)
        threads.emplace_back([&, t] {
            int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
            ++sum;
            ready.arrive_and_wait();
            body(t);
            done.arrive_and_wait();
            EXPECT_GE(sum, 1);
        });
    for (auto& thread : threads) thread.join();
    return after - before;
}

TEST_P(EveryCpuKernel, PreparedAppliesAllocateNothing) {
    constexpr int threads = 4;
    omp_set_num_threads(threads);  // as many applies at once are prepared for
    const AnyMatrix<double> a;
    Options options = options_for("host");
    options.kernel = GetParam();
    Handle handle(a.view(), options);
    handle.prepare(Scale::general, Scale::general);
    handle.prepare(Scale::one, Scale::zero);
    const auto x = a.x();
    std::vector<std::vector<double>> y(threads, std::vector<double>(x.size(), 1));
    EXPECT_EQ(allocations_in_threads(threads,
                                     [&](int t) {
                                         auto& own = y[static_cast<std::size_t>(t)];
                                         for (int round = 0; round < 20; ++round) {
                                             handle.apply(2.0, x.data(), 3.0, own.data());
                                             handle.apply(1.0, x.data(), 0.0, own.data());
                                             handle.apply(0.0, x.data(), 3.0, own.data());
                                             handle.apply(1.0, x.data(), 0.0, own.data());
                                         }
                                     }),
              0);
    for (auto& own : y) EXPECT_EQ(own, a.product(a.values));
}

/// Memory of a size, at an odd address, between bytes that must stay.
class Guarded {
  public:
    explicit Guarded(std::size_t bytes) : memory_(bytes + 2 * guard + 1), bytes_(bytes) {
        std::memset(memory_.data(), 0x5a, memory_.size());
        std::memset(begin(), 0, bytes);
    }
    WorkspaceMemory workspace() { return {begin(), bytes_}; }
    bool is_intact() const {
        const auto is_guard = [](std::byte b) { return b == std::byte{0x5a}; };
        return std::all_of(memory_.begin(), memory_.begin() + guard, is_guard) &&
               std::all_of(memory_.end() - guard, memory_.end(), is_guard);
    }

  private:
    static constexpr std::ptrdiff_t guard = 65;
    std::byte* begin() { return memory_.data() + guard; }
    std::vector<std::byte> memory_;
    std::size_t bytes_;
};

/// Every mode of α and β in one workspace of the largest size, and that no byte less will do.
template <typename View>
void check_workspace(const AnyMatrix<double>& a, const View& view, const Options& options) {
    Handle handle(view, options);
    SCOPED_TRACE(handle.info().kernel + ", reorder " + options.reorder);
    const auto scale = [](double s) {
        return s == 0 ? Scale::zero : s == 1 ? Scale::one : Scale::general;
    };
    std::size_t most = 0;
    for (const double alpha : {0.0, 1.0, 2.0})
        for (const double beta : {0.0, 1.0, 3.0})
            most = std::max(most, handle.workspace_bytes(scale(alpha), scale(beta)));
    Guarded guarded(most);
    const auto x = a.x();
    for (int round = 0; round < 2; ++round)
        for (const double alpha : {1.0, 0.0, 2.0})
            for (const double beta : {0.0, 1.0, 3.0}) {
                std::vector<double> y(x.size(), 7);
                auto expected = a.product(a.values, "N", alpha);
                for (double& element : expected) element += 7 * beta;
                handle.apply(alpha, x.data(), beta, y.data(), {}, guarded.workspace());
                EXPECT_EQ(y, expected) << "α = " << alpha << ", β = " << beta;
                const std::size_t needed = handle.workspace_bytes(scale(alpha), scale(beta));
                if (needed == 0) {
                    handle.apply(alpha, x.data(), beta, y.data(), {}, WorkspaceMemory{});
                    continue;
                }
                WorkspaceMemory small = guarded.workspace();
                small.bytes = needed - 1;
                EXPECT_EQ(code_and_text(
                              [&] { handle.apply(alpha, x.data(), beta, y.data(), {}, small); }),
                          "invalid_argument: apply: the workspace has " +
                              std::to_string(needed - 1) + " bytes, but this product needs " +
                              std::to_string(needed) + ": ask workspace_bytes");
                EXPECT_EQ(code_and_text([&] {
                              handle.apply(alpha, x.data(), beta, y.data(), {},
                                           {y.data() + 3, needed});
                          }),
                          "invalid_argument: apply: the workspace overlaps x or y; use memory of "
                          "its own");
                EXPECT_EQ(code_and_text([&] {
                              handle.apply(alpha, x.data(), beta, y.data(), {}, {nullptr, needed});
                          }),
                          "invalid_argument: apply: the workspace is null");
            }
    EXPECT_TRUE(guarded.is_intact());
}

TEST_P(EveryCpuKernel, RunsInTheCallersWorkspace) {
    const AnyMatrix<double> a;
    Options options = options_for("host");
    options.kernel = GetParam();
    check_workspace(a, a.view(), options);
}

TEST(Workspace, IsNeededByKernelsThatCutRows) {
    const AnyMatrix<double> a;
    Options options = options_for("host");
    options.kernel = "csr_rows";
    EXPECT_EQ(Handle(a.view(), options).workspace_bytes(Scale::one, Scale::zero), 0);
    options.kernel = "csr_balanced";
    const Handle handle(a.view(), options);
    EXPECT_GT(handle.workspace_bytes(Scale::one, Scale::zero), 0);
    EXPECT_GT(handle.workspace_bytes(Scale::general, Scale::general), 0);
    EXPECT_EQ(handle.workspace_bytes(Scale::zero, Scale::general), 0);
}

TEST(Workspace, OfAReorderedHandleHasItsVectorsToo) {
    const AnyMatrix<double> a;
    for (const char* device : {"host", "simt:sm_90"})
        for (const char* format : {"csr", "coo"}) {
            Options options = options_for(device);
            options.format = format;
            options.reorder = "rcm";
            check_workspace(a, a.view(), options);
            const auto bytes = Handle(a.view(), options).workspace_bytes(Scale::one, Scale::zero);
            EXPECT_GE(bytes, 2 * 8 * static_cast<std::size_t>(a.n));
            options.permuted_vectors = true;
            EXPECT_LT(Handle(a.view(), options).workspace_bytes(Scale::one, Scale::zero), bytes);
        }
}

// Kernels with scratch, and such that count in zeros, which every mode must leave as they are.
// The vendors take turns; with $SPMVGEN_EVERY_ARCHITECTURE, as the long tests have it, each has
// all.
TEST(Workspace, OfGpuKernelsIsUsed) {
    const AnyMatrix<double> a;
    int checked = 0;
    for (auto& entry : kernel_registry()) {
        if (!entry.gpu || !is_plain_product(entry)) continue;
        if (std::string(entry.id) != "csr_light" && entry.determinism != Determinism::by_parameter)
            continue;
        ++checked;
        for (const char* device : {"simt:sm_90", "simt:gfx906"}) {
            const bool turn = (checked % 2 == 0) == (std::string(device) == "simt:gfx906");
            if (!turn && std::getenv("SPMVGEN_EVERY_ARCHITECTURE") == nullptr) continue;
            Options options = options_for(device);
            options.kernel = entry.id;
            options.deterministic = entry.determinism == Determinism::by_parameter;
            check_workspace(a, a.view(), options);
        }
    }
    EXPECT_GT(checked, 2);
}

TEST(Workspace, OfAModeThatTheBaseKernelServesHoldsTheProduct) {
    FakeKernels fake;
    fake.generator.only_base_works = true;
    const AnyMatrix<double> a;
    Options options;
    options.kernel = "csr_rows";
    options.threads = 2;
    options.all_threads = true;
    const Handle handle = make_handle(a.view(), options, fake.provider);
    const std::size_t bytes = handle.workspace_bytes(Scale::one, Scale::one);
    EXPECT_GE(bytes, 8 * static_cast<std::size_t>(a.n));
    Guarded guarded(bytes);
    const auto x = a.x();
    std::vector<double> y(x.size(), 1);
    auto expected = a.product(a.values);
    for (double& element : expected) element += 1;
    const int before = allocations_so_far();
    handle.apply(1.0, x.data(), 1.0, y.data(), {}, guarded.workspace());
    EXPECT_EQ(allocations_so_far(), before);
    EXPECT_EQ(y, expected);
    EXPECT_TRUE(guarded.is_intact());
}

TEST(Workspace, OfAGpuReplacesTheHandlesOwn) {
    FakeKernels fake;
    fake.generator.workspace = 100;
    fake.generator.zeroed = 24;
    const auto device = std::make_shared<FakeDevice>();
    const AnyMatrix<double> a;
    Options options;
    options.device = "cuda:0";
    options.kernel = "csr_classical";
    const Handle handle = make_handle(a.view(), options, fake.provider, device);
    const std::size_t bytes = handle.workspace_bytes(Scale::one, Scale::zero);
    std::vector<std::byte> memory(bytes);
    const auto x = a.x();
    std::vector<double> y(x.size());
    const int allocated = device->log->allocations;
    handle.apply(1.0, x.data(), 0.0, y.data(), {}, {memory.data(), bytes});
    EXPECT_EQ(device->log->allocations, allocated);
    auto& pointers = device->log->launches.back().pointers;
    const auto offset = [&](const char* name) {
        return static_cast<std::byte*>(pointers.at(name)) - memory.data();
    };
    EXPECT_LT(offset("counters"), 256) << "zeros come first";
    EXPECT_EQ(offset("parts") - offset("counters"), 256);
    EXPECT_LE(offset("parts") + 100, static_cast<std::ptrdiff_t>(bytes));
    handle.apply(1.0, x.data(), 0.0, y.data());
    EXPECT_EQ(device->log->allocations, allocated + 2) << "the handle's own, when it is used";
}

}  // namespace
}  // namespace spmvgen
