// The layers of the provider: what comes before what, in which mode, and where it is counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../handle/fakes.hpp"
#include "set_samples.hpp"
#include "sets/compatible.hpp"

namespace spmvgen {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Layers : public testing::Test {
  protected:
    void SetUp() override { unsetenv("SPMVGEN_KERNEL_SETS"); }

    /// A set with the fake kernel for a target.
    std::string fake_set(const Target& target) {
        KernelBinary binary = csr_binary(csr_signature());
        binary.signature.target = target;
        SetEntries entries;
        add_entry(entries, binary);
        return encode_set(header_for(entries, "fake"), entries);
    }
    std::string fake_set() { return fake_set(csr_signature().target); }
    /// The same in a file.
    std::string file_of(const std::string& set) {
        const auto path = directory_.path() / "fake.spmvset";
        write_file(path, set);
        return path.string();
    }
    static std::string origin(KernelProvider& provider, CacheMode mode,
                              const std::string& sets = "") {
        return provider.get(csr_signature(), {mode, "", false, sets}).origin;
    }

    TemporaryDirectory directory_;
    FakeKernels fakes_;
};

TEST_F(Layers, SetsServeWhereTheCacheHasNothing) {
    const std::string sets = file_of(fake_set());
    EXPECT_EQ(origin(fakes_.provider, CacheMode::on, sets), "set");
    EXPECT_EQ(origin(fakes_.provider, CacheMode::on, sets), "memory");
    EXPECT_EQ(fakes_.generator.compiled, 0);
    EXPECT_EQ(fakes_.disk.puts, 0) << "what a set has need not be kept twice";
    EXPECT_EQ(fakes_.disk.finds, 1) << "the user's directory comes first";
    EXPECT_EQ(fakes_.provider.counters().hits_set, 1);
    EXPECT_GT(fakes_.provider.counters().bytes_read, 0);
}

TEST_F(Layers, EachModeHasItsOwn) {
    const std::string sets = file_of(fake_set());
    const std::pair<CacheMode, const char*> modes[] = {{CacheMode::on, "set"},
                                                       {CacheMode::readonly, "set"},
                                                       {CacheMode::memory, "set"},
                                                       {CacheMode::load, "set"},
                                                       {CacheMode::off, "generic"}};
    for (auto& [mode, wanted] : modes) {
        FakeKernels fakes;
        EXPECT_EQ(origin(fakes.provider, mode, sets), wanted);
        EXPECT_EQ(fakes.generator.compiled, 0);
    }
    FakeKernels fakes;
    origin(fakes.provider, CacheMode::memory, sets);
    EXPECT_EQ(fakes.disk.finds, 0);
}

TEST_F(Layers, ImportedThenDirectoryThenSets) {
    const std::string sets = file_of(fake_set());
    fakes_.disk.entries[to_string(csr_signature())] = csr_binary(csr_signature());
    EXPECT_EQ(origin(fakes_.provider, CacheMode::on, sets), "cache");
    KernelProvider other = fakes_.make();
    EXPECT_EQ(other.import_kernels(fake_set()).accepted, 1);
    EXPECT_EQ(origin(other, CacheMode::on, sets), "imported");
    EXPECT_EQ(other.counters().hits_imported, 1);
    EXPECT_EQ(other.counters().hits_store, 0);
}

TEST_F(Layers, CodeOfACompatibleTargetServes) {
    Target native = csr_signature().target;
    const std::vector<Target> all = compatible_targets(native, BinaryKind::shared_object);
    const std::string sets = file_of(fake_set(all.back()));  // the lowest level
    EXPECT_EQ(origin(fakes_.provider, CacheMode::load, sets), "set");
}

TEST_F(Layers, ACompilationThatFailedDoesNotHideASet) {
    fakes_.generator.failure = "no";
    EXPECT_EQ(origin(fakes_.provider, CacheMode::on), "generic");
    EXPECT_EQ(origin(fakes_.provider, CacheMode::on, file_of(fake_set())), "set");
}

TEST_F(Layers, WhatIsMissingIsNamedWithTheSetsThatWereSearched) {
    const std::string sets = file_of(small_set());
    const KernelPolicy policy{CacheMode::load, "", false, sets};
    EXPECT_THAT(fakes_.provider.get(csr_signature(), policy).warning,
                HasSubstr("it is not in the cache, nor in the kernel set that was searched, and "
                          "cache mode load does not compile"));
    EXPECT_THROW(fakes_.provider.get(csr_signature(), {CacheMode::load, "", true, sets}), Error);
}

TEST_F(Layers, WhatCannotBeLoadedIsPassedOver) {
    const Signature native = csr_signature();
    KernelBinary broken = small_binary(native.beta, to_string(native.target));
    SetEntries entries;
    add_entry(entries, broken);  // its payload is no shared object
    const std::string sets = file_of(encode_set(header_for(entries, "broken"), entries));
    EXPECT_EQ(origin(fakes_.provider, CacheMode::on, sets), "compiled");
}

TEST_F(Layers, ExportedKernelsAreImported) {
    EXPECT_EQ(origin(fakes_.provider, CacheMode::memory), "compiled");
    const std::string blob = fakes_.provider.export_kernels();
    EXPECT_EQ(set_from_bytes(blob).size(), 1u);
    EXPECT_EQ(fakes_.provider.export_kernels(), blob);
    FakeKernels others;
    const ImportReport report = others.provider.import_kernels(blob);
    EXPECT_EQ(report.accepted, 1);
    EXPECT_EQ(report.rejected, 0);
    EXPECT_EQ(others.provider.export_kernels(), blob) << "what was imported is given on";
    EXPECT_EQ(origin(others.provider, CacheMode::load), "imported");
    EXPECT_EQ(others.provider.export_kernels(), blob);
    EXPECT_EQ(others.generator.compiled, 0);
}

TEST_F(Layers, ABlobThatIsNoneIsRejected) {
    for (const std::string blob : {"", "nonsense"}) {
        const ImportReport report = fakes_.provider.import_kernels(blob);
        EXPECT_EQ(report.accepted, 0);
        EXPECT_EQ(report.rejected, 1);
        EXPECT_THAT(report.reasons, ElementsAre(HasSubstr("too few for a kernel set")));
    }
    EXPECT_EQ(set_from_bytes(fakes_.provider.export_kernels()).size(), 0u);
}

TEST_F(Layers, DamagedAndForeignKernelsOfABlobAreRejectedAndTheRestTaken) {
    std::string damaged = small_set();
    damaged[damaged.size() - 40] ^= 1;
    const ImportReport report = fakes_.provider.import_kernels(damaged);
    EXPECT_EQ(report.accepted, 2);
    EXPECT_EQ(report.rejected, 1);
    EXPECT_THAT(report.reasons, ElementsAre("damaged: its checksum does not match"));
    EXPECT_EQ(set_from_bytes(fakes_.provider.export_kernels()).size(), 2u);

    const ImportReport foreign =
        fakes_.provider.import_kernels(read_file(SPMVGEN_GOLDEN "/set_v1.spmvset"));
    EXPECT_EQ(foreign.accepted, 0);
    EXPECT_EQ(foreign.rejected, 2);
    EXPECT_THAT(foreign.reasons, ElementsAre("made by another spmvgen (version 9.8.7)"));
}

}  // namespace
}  // namespace spmvgen
