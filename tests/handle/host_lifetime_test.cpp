// Handles come and go without leaving anything in the process.
#include <gtest/gtest.h>
#include <malloc.h>
#include <omp.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "../store/samples.hpp"
#include "all_formats.hpp"
#include "handle/kernels/kernel_sources.hpp"

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

/// Makes, uses and destroys ten thousand handles, each by one of these cases in turn.
void expect_no_growth(const std::vector<Case>& cases,
                      const std::function<bool(const Case&)>& is_right) {
    int wrong = 0;
    const auto use = [&](std::size_t i) { wrong += !is_right(cases[i % cases.size()]); };
    // The kernels, which stay loaded, and what malloc and the compiler keep.
    for (std::size_t i = 0; i < 20 * cases.size(); ++i) use(i);
    const Held before = held();
    for (std::size_t i = 0; i < 10'000; ++i) use(i);
    const Held after = held();
    EXPECT_EQ(wrong, 0);
    testing::Test::RecordProperty("allocated_growth",
                                  static_cast<int>(after.allocated - before.allocated));
    testing::Test::RecordProperty("resident_growth",
                                  static_cast<int>(after.resident - before.resident));
    // One byte a handle would be more.
    EXPECT_LT(after.allocated - before.allocated, 10'000);
    EXPECT_LT(after.resident - before.resident, 1 << 20);
    EXPECT_EQ(after.descriptors, before.descriptors);
    EXPECT_LE(after.mappings, before.mappings + 2);
}

TEST(HostLifetime, TenThousandHandlesLeaveNoMemory) {
    if (sanitized) GTEST_SKIP() << "[SKIP] a sanitizer's own memory grows; LeakSanitizer looks";
    omp_set_num_threads(1);
    const TemporaryDirectory directory;
    AllFormats formats((directory.path() / "cache").string());
    KernelProvider provider(default_kernel_sources());
    expect_no_growth(all_cases(formats), [&](const Case& c) {
        const Handle handle = make_handle(c.matrix->view(), c.options, provider);
        return AllFormats::multiplies(handle, *c.matrix, c.options.op);
    });
}

// Of three, one is planned, one ends with its plain CSR, and one has a plan made behind it, in a
// thread that its end waits for.
TEST(HostLifetime, TenThousandLazyHandlesLeaveNoMemory) {
    if (sanitized) GTEST_SKIP() << "[SKIP] a sanitizer's own memory grows; LeakSanitizer looks";
    omp_set_num_threads(1);
    const TemporaryDirectory directory;
    AllFormats formats((directory.path() / "cache").string());
    KernelProvider provider(default_kernel_sources());
    std::vector<Case> cases(3, formats.cases()[1]);
    for (Case& c : cases) {
        c.options.format = c.options.kernel = "auto";
        c.options.level = "lazy";
    }
    cases[2].options.compile = "behind";
    cases[2].options.level = "rule";
    int planned = 0;
    expect_no_growth(cases, [&](const Case& c) {
        const Handle handle = make_handle(c.matrix->view(), c.options, provider);
        const bool right = AllFormats::multiplies(handle, *c.matrix, "N");
        if (&c == &cases[1]) return right;
        handle.prepare(Scale::one, Scale::zero);
        planned += &c == &cases[0] && !handle.info().reason.starts_with("plain CSR, until");
        return right && AllFormats::multiplies(handle, *c.matrix, "N");
    });
    EXPECT_GE(planned, 10'000 / 3);
}

}  // namespace
}  // namespace spmvgen
