#include "handle/kernels/kernel_provider.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "errors.hpp"
#include "fake_device.hpp"
#include "fakes.hpp"
#include "handle/kernels/kernel_sources.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;

constexpr KernelPolicy on{CacheMode::on, "", false};
constexpr KernelPolicy memory{CacheMode::memory, "", false};
constexpr KernelPolicy readonly{CacheMode::readonly, "", false};
constexpr KernelPolicy load{CacheMode::load, "", false};
constexpr KernelPolicy off{CacheMode::off, "", false};

TEST(KernelProvider, CompilesOnceThenServesFromMemory) {
    FakeKernels fake;
    const ProvidedKernel first = fake.provider.get(csr_signature(), on);
    ASSERT_NE(first.kernel, nullptr);
    EXPECT_EQ(first.origin, "compiled");
    EXPECT_EQ(first.source_path, "/fake/csr_rows_f64_i32_o32_a1_b0_k1");
    EXPECT_EQ(first.kernel->source(), "// the source of csr_rows_f64_i32_o32_a1_b0_k1");
    const ProvidedKernel second = fake.provider.get(csr_signature(), on);
    EXPECT_EQ(second.origin, "memory");
    EXPECT_EQ(second.kernel, first.kernel);
    EXPECT_EQ(second.source_path, first.source_path);
    EXPECT_EQ(fake.disk.finds, 1);
    EXPECT_EQ(fake.provider.counters(), (KernelCounters{1, 0, 1, 0, 0}));
}

TEST(KernelProvider, UnloadsKernelsThatNobodyHasWhereThereAreMany) {
    FakeKernels fake;
    KernelProvider provider = fake.make(2);
    const ProvidedKernel held = provider.get(csr_signature(), on);
    const std::weak_ptr idle = provider.get(csr_signature(Scale::general), on).kernel;
    EXPECT_FALSE(idle.expired()) << "few stay loaded";
    provider.get(csr_signature(Scale::one, Scale::one), on);
    EXPECT_TRUE(idle.expired());
    EXPECT_EQ(provider.get(csr_signature(), on).kernel, held.kernel) << "a handle has it";

    const ProvidedKernel again = provider.get(csr_signature(Scale::general), on);
    EXPECT_EQ(again.origin, "memory");
    ASSERT_NE(again.kernel, nullptr);
    EXPECT_EQ(again.kernel->signature(), csr_signature(Scale::general));
    EXPECT_EQ(again.source_path, "/fake/" + kernel_name(csr_signature(Scale::general)));
    EXPECT_EQ(fake.generator.compiled, 3);
    EXPECT_EQ(fake.disk.finds, 3);
    EXPECT_EQ(provider.counters().hits_memory, 2);
}

TEST(KernelProvider, KernelsInUseAreNotLookedThroughEachTime) {
    FakeKernels fake;
    KernelProvider provider = fake.make(1);
    const ProvidedKernel first = provider.get(csr_signature(), on);
    const ProvidedKernel second = provider.get(csr_signature(Scale::general), on);
    const std::weak_ptr idle = provider.get(csr_signature(Scale::one, Scale::one), on).kernel;
    EXPECT_FALSE(idle.expired()) << "two in use, and one beside them";
    provider.get(csr_signature(Scale::one, Scale::general), on);
    EXPECT_TRUE(idle.expired());
}

TEST(KernelProvider, FindsInTheCacheWhatAnotherProcessKept) {
    FakeKernels fake;
    fake.provider.get(csr_signature(), on);
    KernelProvider other(fake.make());
    const ProvidedKernel found = other.get(csr_signature(), on);
    EXPECT_EQ(found.origin, "cache");
    EXPECT_EQ(found.kernel->source(), "// the source of csr_rows_f64_i32_o32_a1_b0_k1");
    EXPECT_EQ(fake.generator.compiled, 1);
    EXPECT_EQ(other.counters(), (KernelCounters{0, 1, 0, 0, 0}));
}

TEST(KernelProvider, UsesItsOwnBytesWhenTheDiskIsFull) {
    FakeKernels fake;
    fake.disk.full = true;
    const ProvidedKernel made = fake.provider.get(csr_signature(), on);
    EXPECT_NE(made.kernel, nullptr);
    EXPECT_EQ(made.source_path, "");
    EXPECT_EQ(made.warning, "");
    EXPECT_EQ(fake.disk.finds, 1);
    EXPECT_EQ(fake.disk.puts, 1);
}

TEST(KernelProvider, MemoryModeNeverTouchesTheCache) {
    FakeKernels fake;
    EXPECT_EQ(fake.provider.get(csr_signature(), memory).origin, "compiled");
    EXPECT_EQ(fake.disk.finds, 0);
    EXPECT_EQ(fake.disk.puts, 0);
}

TEST(KernelProvider, ReadonlyModeReadsAndCompilesButNeverWrites) {
    FakeKernels fake;
    EXPECT_EQ(fake.provider.get(csr_signature(), readonly).origin, "compiled");
    EXPECT_EQ(fake.disk.finds, 1);
    EXPECT_EQ(fake.disk.puts, 0);
}

TEST(KernelProvider, LoadModeNeverCompiles) {
    FakeKernels fake;
    const ProvidedKernel missed = fake.provider.get(csr_signature(), load);
    EXPECT_EQ(missed.kernel, nullptr);
    EXPECT_EQ(missed.origin, "generic");
    EXPECT_EQ(missed.warning, "no kernel " + to_string(csr_signature()) +
                                  ": it is not in the cache, and cache mode load does not compile");
    EXPECT_EQ(fake.generator.compiled, 0);
    EXPECT_EQ(fake.provider.counters(), (KernelCounters{0, 0, 0, 0, 1}));
    fake.disk.entries[to_string(csr_signature())] = csr_binary(csr_signature());
    EXPECT_EQ(fake.provider.get(csr_signature(), load).origin, "cache");
}

TEST(KernelProvider, OffAsksNobodyAndIsNoFallback) {
    FakeKernels fake;
    const ProvidedKernel none = fake.provider.get(csr_signature(), off);
    EXPECT_EQ(none.kernel, nullptr);
    EXPECT_EQ(none.warning, "");
    EXPECT_EQ(fake.disk.finds, 0);
    EXPECT_EQ(fake.generator.compiled, 0);
    EXPECT_EQ(fake.provider.counters(), KernelCounters{});
}

TEST(KernelProvider, AFailingCompilerIsAskedOnceAndCounted) {
    FakeKernels fake;
    fake.generator.failure = "csr_rows.cpp:3: error: no";
    testing::internal::CaptureStderr();
    const ProvidedKernel first = fake.provider.get(csr_signature(), on);
    const ProvidedKernel second = fake.provider.get(csr_signature(), on);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(first.warning,
              "no kernel " + to_string(csr_signature()) + ": csr_rows.cpp:3: error: no");
    EXPECT_EQ(second.warning, first.warning);
    EXPECT_EQ(said, "spmvgen: warning: " + first.warning + " (a fallback serves instead)\n");
    EXPECT_EQ(fake.generator.compiled, 1);
    EXPECT_EQ(fake.disk.finds, 2);
    EXPECT_EQ(fake.provider.counters(), (KernelCounters{0, 0, 1, 1, 2}));
}

TEST(KernelProvider, AMissingCompilerIsSaidOnceForAllKernels) {
    FakeKernels fake;
    fake.generator.failure = "cannot load the kernel compiler:\n  a.so: no";
    Signature other = csr_signature();
    other.value = ValueType::f32;
    testing::internal::CaptureStderr();
    const ProvidedKernel first = fake.provider.get(csr_signature(), on);
    const ProvidedKernel second = fake.provider.get(other, on);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "spmvgen: warning: " + first.warning + " (a fallback serves instead)\n");
    EXPECT_EQ(second.warning, "no kernel " + to_string(other) + ": " + fake.generator.failure);
    fake.generator.failure = "csr_rows.cpp:3: error: no";
    other.value = ValueType::c64;
    testing::internal::CaptureStderr();
    EXPECT_EQ(fake.provider.get(other, on).kernel, nullptr);
    EXPECT_NE(testing::internal::GetCapturedStderr(), "");
}

TEST(KernelProvider, QuietSaysNothingAndDebugSaysWhereAKernelCameFrom) {
    FakeKernels fake;
    fake.generator.failure = "no";
    ASSERT_EQ(setenv("SPMVGEN_LOG", "quiet", 1), 0);
    testing::internal::CaptureStderr();
    fake.provider.get(csr_signature(), on);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    ASSERT_EQ(setenv("SPMVGEN_LOG", "debug", 1), 0);
    FakeKernels working;
    testing::internal::CaptureStderr();
    working.provider.get(csr_signature(), on);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "spmvgen: kernel " + to_string(csr_signature()) + ": compiled\n");
    ASSERT_EQ(setenv("SPMVGEN_LOG", "loud", 1), 0);
    EXPECT_EQ(code_and_text([&] { working.provider.get(csr_signature(), on); }),
              "invalid_argument: SPMVGEN_LOG=loud: use one of quiet, info, debug, cache");
    ASSERT_EQ(unsetenv("SPMVGEN_LOG"), 0);
}

TEST(KernelProvider, LogTellsTheRankOfMpi) {
    Log log;
    testing::internal::CaptureStderr();
    ASSERT_EQ(setenv("PMI_RANK", "3", 1), 0);
    log.warn("no compiler");
    ASSERT_EQ(setenv("OMPI_COMM_WORLD_RANK", "12", 1), 0);
    log.warn("no cache");
    ASSERT_EQ(unsetenv("PMI_RANK") + unsetenv("OMPI_COMM_WORLD_RANK"), 0);
    log.warn("no home");
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "spmvgen (rank 3): warning: no compiler\nspmvgen (rank 12): warning: no cache\n"
              "spmvgen: warning: no home\n");
}

TEST(KernelProvider, CountersTellBytesAndTimes) {
    FakeKernels fake;
    fake.provider.get(csr_signature(), on);
    const KernelCounters made = fake.provider.counters();
    const std::string source = "// the source of csr_rows_f64_i32_o32_a1_b0_k1";
    EXPECT_EQ(made.bytes_written,
              static_cast<std::int64_t>(fake.generator.bytes.size() + source.size()));
    EXPECT_EQ(made.bytes_read, 0);
    EXPECT_GT(made.compile_ms, 0);
    EXPECT_GT(made.load_ms, 0);
    KernelProvider other(fake.make());
    other.get(csr_signature(), on);
    const KernelCounters found = other.counters();
    EXPECT_EQ(found.bytes_read, made.bytes_written);
    EXPECT_EQ(found.bytes_written, 0);
    EXPECT_GT(found.find_ms, 0);
    EXPECT_EQ(found.compile_ms, 0);
}

TEST(KernelProvider, CountersForPeople) {
    KernelCounters c{.hits_memory = 12, .hits_store = 3, .compiles_started = 2};
    c.bytes_read = 45100;
    c.bytes_written = 31000;
    c.find_ms = 0.64;
    c.compile_ms = 210;
    c.load_ms = 0.4;
    EXPECT_EQ(
        to_string(c),
        "  from memory      12\n"
        "  imported         0\n"
        "  cache directory  3\n"
        "  kernel sets      0\n"
        "  compiled         2 started, 0 failed, 31.0 kB kept\n"
        "  fallbacks        0\n"
        "  time             0.6 ms looking, 210.0 ms compiling, 0.4 ms loading, 45.1 kB read\n");
}

TEST(KernelProvider, TheModeOfTheEnvironmentGivesWayToAnExplicitOne) {
    ASSERT_EQ(unsetenv("SPMVGEN_CACHE"), 0);
    EXPECT_EQ(effective_mode(CacheMode::automatic), CacheMode::on);
    for (auto& [word, mode] : std::map<std::string, CacheMode>{{"", CacheMode::on},
                                                               {"on", CacheMode::on},
                                                               {"memory", CacheMode::memory},
                                                               {"readonly", CacheMode::readonly},
                                                               {"load", CacheMode::load},
                                                               {"off", CacheMode::off}}) {
        ASSERT_EQ(setenv("SPMVGEN_CACHE", word.c_str(), 1), 0);
        EXPECT_EQ(effective_mode(CacheMode::automatic), mode) << word;
        EXPECT_EQ(effective_mode(CacheMode::memory), CacheMode::memory) << word;
    }
    ASSERT_EQ(setenv("SPMVGEN_CACHE", "On", 1), 0);
    EXPECT_EQ(code_and_text([] { effective_mode(CacheMode::automatic); }),
              "invalid_argument: SPMVGEN_CACHE=On: use one of on, memory, readonly, load, off");
    ASSERT_EQ(unsetenv("SPMVGEN_CACHE"), 0);
}

TEST(KernelProvider, StrictMakesAFallbackAnError) {
    FakeKernels fake;
    fake.generator.failure = "no";
    const std::string name = to_string(csr_signature());
    EXPECT_EQ(code_and_text([&] { fake.provider.get(csr_signature(), {CacheMode::on, "", true}); }),
              "compile: no kernel " + name + ": no");
    EXPECT_EQ(
        code_and_text([&] { fake.provider.get(csr_signature(), {CacheMode::load, "", true}); }),
        "compile: no kernel " + name +
            ": it is not in the cache, and cache mode load does not compile");
    EXPECT_EQ(fake.provider.counters(), (KernelCounters{0, 0, 1, 1, 0}));
}

TEST(KernelProvider, AMissingCompilerIsAFallbackToo) {
    FakeDisk disk;
    KernelProvider provider(
        {[]() -> Generator& { throw Error(ErrorCode::unsupported, "no libspmvgen_jit"); },
         [&](const std::string&, bool writable) {
             return std::make_unique<FakeCache>(disk, writable);
         }});
    EXPECT_THAT(provider.get(csr_signature(), on).warning, HasSubstr(": no libspmvgen_jit"));
}

TEST(KernelProvider, ACacheThatCannotBeOpenedIsPassedOver) {
    FakeKernels fake;
    KernelProvider provider({[&]() -> Generator& { return fake.generator; },
                             [](const std::string&, bool) -> std::unique_ptr<KernelCache> {
                                 throw Error(ErrorCode::io, "no such directory");
                             }});
    EXPECT_EQ(provider.get(csr_signature(), on).origin, "compiled");
}

TEST(KernelProvider, AnEntryThatCannotBeLoadedIsMadeAgain) {
    FakeKernels fake;
    KernelBinary& entry = fake.disk.entries[to_string(csr_signature())];
    entry = csr_binary(csr_signature());
    entry.bytes = "not a shared object";
    testing::internal::CaptureStderr();
    EXPECT_EQ(fake.provider.get(csr_signature(), on).origin, "compiled");
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                HasSubstr("a cache entry is of no use and will be made again"));
    EXPECT_EQ(fake.disk.entries[to_string(csr_signature())].bytes, fake.generator.bytes);
}

TEST(KernelProvider, AnEntryForAnotherSignatureIsNotUsed) {
    FakeKernels fake;
    fake.disk.entries[to_string(csr_signature())] =
        csr_binary(csr_signature(Scale::general, Scale::one));
    EXPECT_EQ(fake.provider.get(csr_signature(), on).origin, "compiled");
}

TEST(KernelProvider, CompiledCodeThatCannotBeLoadedIsAFailedCompilation) {
    FakeKernels fake;
    fake.generator.bytes = "not a shared object";
    const ProvidedKernel none = fake.provider.get(csr_signature(), on);
    EXPECT_EQ(none.kernel, nullptr);
    EXPECT_THAT(none.warning, HasSubstr("its shared object cannot be loaded"));
    EXPECT_EQ(fake.disk.puts, 0);
    EXPECT_EQ(fake.provider.counters(), (KernelCounters{0, 0, 1, 1, 1}));
}

TEST(KernelProvider, ATargetOfAnotherMachineIsRefused) {
    FakeKernels fake;
    Signature other = csr_signature();
#if defined(__x86_64__)
    other.target = parse_target("aarch64");
    const std::string expected =
        "unsupported: target aarch64 cannot run here: this machine is x86-64; use native";
#else
    other.target = parse_target("x86-64-v2");
    const std::string expected =
        "unsupported: target x86-64-v2 cannot run here: this machine is aarch64; use native";
#endif
    EXPECT_EQ(code_and_text([&] { fake.provider.get(other, on); }), expected);
    EXPECT_EQ(fake.generator.compiled, 0);
}

// Kernels of GPUs.

struct GpuKernels : testing::Test {
    FakeKernels fake;
    std::shared_ptr<FakeDevice> device = std::make_shared<FakeDevice>();
    Signature signature = gpu_signature();

    static Signature gpu_signature() {
        Signature s;
        s.kernel = "csr_classical";
        s.target = parse_target("sm_90");
        return s;
    }
};

TEST_F(GpuKernels, AreMadeOnceForEachDevice) {
    const ProvidedGpuKernel first = fake.provider.get(signature, on, device);
    ASSERT_NE(first.kernel, nullptr);
    EXPECT_EQ(first.origin, "compiled");
    EXPECT_EQ(first.kernel->source, "// the source of " + kernel_name(signature));
    EXPECT_EQ(first.kernel->device, device);
    EXPECT_EQ(fake.provider.get(signature, on, device).kernel, first.kernel);
    const auto other = std::make_shared<FakeDevice>();
    const ProvidedGpuKernel second = fake.provider.get(signature, on, other);
    EXPECT_EQ(second.origin, "memory") << "an equal device has the same code";
    EXPECT_NE(second.kernel, first.kernel);
    EXPECT_EQ(fake.provider.counters(), (KernelCounters{2, 0, 1, 0, 0}));
}

TEST_F(GpuKernels, AreWhatTheDeviceLoads) {
    for (const BinaryKind kind : {BinaryKind::cubin, BinaryKind::hsaco, BinaryKind::simt}) {
        FakeKernels own;
        own.provider.get(signature, on, std::make_shared<FakeDevice>("sm_90", kind));
        EXPECT_EQ(own.disk.entries.at(to_string(signature)).kind, kind);
    }
}

TEST_F(GpuKernels, StayLoadedUnlessTheyAreSharedObjects) {
    for (const BinaryKind kind : {BinaryKind::cubin, BinaryKind::hsaco, BinaryKind::simt}) {
        FakeKernels own;
        KernelProvider provider = own.make(1);
        const auto loads = std::make_shared<FakeDevice>("sm_90", kind);
        const std::weak_ptr idle = provider.get(signature, on, loads).kernel;
        Signature other = signature;
        other.beta = Scale::one;
        const ProvidedGpuKernel held = provider.get(other, on, loads);
        EXPECT_EQ(idle.expired(), kind == BinaryKind::simt) << to_string(kind);
        EXPECT_EQ(provider.get(signature, on, loads).origin, "memory");
        EXPECT_EQ(own.generator.compiled, 2);
    }
}

TEST_F(GpuKernels, PtxServesWhereNothingMakesCubins) {
    fake.generator.unsupported = {BinaryKind::cubin};
    EXPECT_EQ(fake.provider.get(signature, on, device).origin, "compiled");
    EXPECT_EQ(fake.disk.entries.at(to_string(signature)).kind, BinaryKind::ptx);
    KernelProvider other(fake.make());
    EXPECT_EQ(other.get(signature, load, device).origin, "cache");
}

TEST_F(GpuKernels, ACompilerThatFailsIsNotAskedForPtx) {
    fake.generator.failure = "csr_classical.cu:3: error: no";
    const std::string text = code_and_text([&] { fake.provider.get(signature, on, device); });
    EXPECT_EQ(text, "compile: no kernel " + to_string(signature) +
                        ": csr_classical.cu:3: error: no; device cuda:0 has no generic kernel to "
                        "fall back to");
    EXPECT_EQ(code_and_text([&] { fake.provider.get(signature, on, device); }), text);
    EXPECT_EQ(fake.generator.compiled, 1);
    EXPECT_EQ(fake.provider.counters(), (KernelCounters{0, 0, 1, 1, 0}));
}

TEST_F(GpuKernels, ADeviceThatRefusesABinaryIsAskedAgain) {
    device->log->refuses_to_load = true;
    EXPECT_EQ(code_and_text([&] { fake.provider.get(signature, on, device); }),
              "io: cuda:0: no room for the kernel");
    device->log->refuses_to_load = false;
    EXPECT_EQ(fake.provider.get(signature, on, device).origin, "compiled");
    EXPECT_EQ(fake.provider.counters(), (KernelCounters{0, 0, 2, 0, 0}));
}

}  // namespace
}  // namespace spmvgen
