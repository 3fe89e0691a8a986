// Threads that look in sets, import and export at the same time.
#include <gtest/gtest.h>

#include <thread>

#include "../handle/fakes.hpp"
#include "set_samples.hpp"

namespace spmvgen {
namespace {

TEST(LayersThreads, LookImportAndExportAtTheSameTime) {
    FakeKernels fakes;
    const TemporaryDirectory directory;
    const std::string path = directory.path() / "a.spmvset";
    SetEntries entries;
    for (const Scale beta : {Scale::zero, Scale::one})
        add_entry(entries, csr_binary(csr_signature(Scale::one, beta)));
    const std::string set = encode_set(header_for(entries, "fake"), entries);
    write_file(path, set);
    const KernelPolicy policy{CacheMode::load, "", true, path};
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 8; ++thread)
            threads.emplace_back([&, thread] {
                for (const Scale beta : {Scale::zero, Scale::one}) {
                    const auto provided =
                        fakes.provider.get(csr_signature(Scale::one, beta), policy);
                    EXPECT_NE(provided.kernel, nullptr);
                    if (thread % 4 == 0) {
                        EXPECT_EQ(fakes.provider.import_kernels(set).accepted, 2);
                    }
                    set_from_bytes(fakes.provider.export_kernels());
                }
            });
    }
    EXPECT_EQ(set_from_bytes(fakes.provider.export_kernels()).size(), 2u);
    const KernelCounters counters = fakes.provider.counters();
    EXPECT_EQ(counters.hits_set + counters.hits_imported, 2);
    EXPECT_EQ(counters.hits_memory, 14);
}

}  // namespace
}  // namespace spmvgen
