// Handles come and go without leaving anything in the process.
#include <gtest/gtest.h>
#include <malloc.h>
#include <omp.h>
#include <unistd.h>

#include <fstream>

#include "../store/samples.hpp"
#include "all_formats.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

namespace spmvgen {
namespace {

namespace fs = std::filesystem;

/// What the process holds.
struct Held {
    std::int64_t allocated;  ///< bytes given out by malloc
    std::int64_t resident;
    std::int64_t descriptors, mappings;
};

Held held() {
    const struct mallinfo2 info = ::mallinfo2();
    std::int64_t pages = 0, resident = 0, mappings = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) ++mappings;
    return {static_cast<std::int64_t>(info.uordblks + info.hblkhd), resident * ::getpagesize(),
            std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()),
            mappings};
}

/// All formats plain, and the other ways to make a handle, each once.
std::vector<Case> all_cases(AllFormats& formats) {
    std::vector<Case> cases = formats.cases();
    const Case csr = cases[1];
    const auto add = [&](auto change) {
        cases.push_back(csr);
        cases.back().options.format = "auto";
        change(cases.back().options);
    };
    add([](Options& o) { o.op = "T"; });
    add([](Options& o) { o.op = "T", o.transpose_by_atomics = true; });
    add([](Options& o) { o.reorder = "rcm"; });
    add([](Options& o) { o.copy = false; });
    add([](Options& o) { o.cache = CacheMode::off; });
    return cases;
}

TEST(HostLifetime, TenThousandHandlesLeaveNoMemory) {
    if (sanitized) GTEST_SKIP() << "[SKIP] a sanitizer's own memory grows; LeakSanitizer looks";
    omp_set_num_threads(1);
    const TemporaryDirectory directory;
    AllFormats formats((directory.path() / "cache").string());
    KernelProvider provider(default_kernel_sources());
    const std::vector<Case> cases = all_cases(formats);
    int wrong = 0;
    const auto use = [&](std::size_t i) {
        const Case& c = cases[i % cases.size()];
        const Handle handle = make_handle(c.matrix->view(), c.options, provider);
        wrong += !AllFormats::multiplies(handle, *c.matrix, c.options.op);
    };
    // The kernels, which stay loaded, and what malloc and the compiler keep.
    for (std::size_t i = 0; i < 20 * cases.size(); ++i) use(i);
    const Held before = held();
    for (std::size_t i = 0; i < 10'000; ++i) use(i);
    const Held after = held();
    EXPECT_EQ(wrong, 0);
    RecordProperty("allocated_growth", static_cast<int>(after.allocated - before.allocated));
    RecordProperty("resident_growth", static_cast<int>(after.resident - before.resident));
    // One byte a handle would be more.
    EXPECT_LT(after.allocated - before.allocated, 10'000);
    EXPECT_LT(after.resident - before.resident, 1 << 20);
    EXPECT_EQ(after.descriptors, before.descriptors);
    EXPECT_LE(after.mappings, before.mappings + 2);
}

}  // namespace
}  // namespace spmvgen
