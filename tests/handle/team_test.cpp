// How many threads of a CPU products take, before kernels are weighed.
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>

#include "handle/plan/planning.hpp"
#include "handle/plan/request_of_options.hpp"
#include "matrix/suites/gallery.hpp"
#include "measure/timing.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {
namespace {

Options with_threads(int threads, bool all = false) {
    Options options;
    options.threads = threads;
    options.all_threads = all;
    return options;
}

TEST(HostThreads, AreAtMostThoseOfTheOptions) {
    EXPECT_EQ(host_threads(100, 500, with_threads(3)), 1) << "a team would take longer to begin";
    EXPECT_EQ(host_threads(100, 500, with_threads(3, true)), 3);
    EXPECT_EQ(host_threads(1 << 20, 1 << 24, with_threads(3)), 3);
    EXPECT_EQ(host_threads(1 << 20, 1 << 24, with_threads(1)), 1);
    EXPECT_EQ(host_threads(1 << 20, 1 << 24, with_threads(0)), omp_get_max_threads());
}

TEST(HostThreads, DependOnTheSizeAloneWhereResultsAreToBeTheSame) {
    Options options = with_threads(3);
    options.deterministic = true;
    EXPECT_EQ(host_threads(100, 500, options), 1);
    EXPECT_EQ(host_threads(1000, 5000, options), 3);
    EXPECT_TRUE(smaller_teams(3, options).empty());
}

/// In steps of √2, so that it is the same each time but for CPUs in between.
TEST(CoreSpeed, IsMeasuredInSteps) {
    const double loads = cached_loads_per_s();
    EXPECT_EQ(measured_core_speed(loads), 1);
    EXPECT_EQ(measured_core_speed(1.1 * loads), 1);
    EXPECT_EQ(measured_core_speed(loads / 2), 2);
    EXPECT_NEAR(measured_core_speed(loads / 1.5), std::sqrt(2), 1e-12);
    EXPECT_EQ(measured_core_speed(loads / 1000), 4);
    EXPECT_EQ(measured_core_speed(1000 * loads), 0.5);
}

TEST(CoreSpeed, ChangesAProfileUnlessResultsAreToBeTheSame) {
    const Target native = parse_target("native");
    const DeviceProfile* const as_it_is = profile_to_predict(native, nullptr);
    if (as_it_is == nullptr) GTEST_SKIP() << "no profile of " << to_string(native);
    Options options;
    options.deterministic = true;
    EXPECT_EQ(profile_of_this_cpu(native, options), as_it_is);
    options.deterministic = false;
    const DeviceProfile* const here = profile_of_this_cpu(native, options);
    const double bytes = as_it_is->gather.front().bytes;
    const double rate = as_it_is->gather_rate(bytes, 1);
    EXPECT_NEAR(here->gather_rate(bytes, 1), measured_core_speed(rate) * rate, 1e-6 * rate);
    EXPECT_EQ(profile_of_this_cpu(native, options), here) << "made once";
}

TEST(SmallerTeams, AreOfOneThreadWhereOthersWouldBeEndedAndBegunAnew) {
    EXPECT_TRUE(smaller_teams(1, with_threads(1)).empty());
    EXPECT_TRUE(smaller_teams(8, with_threads(8, true)).empty());
    const std::vector<int> one{1}, more{1, 2, 4};
    EXPECT_EQ(smaller_teams(8, with_threads(8)), keeps_idle_threads() ? more : one);
}

TEST(HostThreads, AreTold) {
    const CsrMatrix a = make_gallery_matrix("stencil5:nx=10,ny=10");
    Options options = with_threads(2);
    options.cache = CacheMode::off;
    EXPECT_EQ(Handle(a.view(), options).info().threads, 1);
    options.all_threads = true;
    const Handle two(a.view(), options);
    EXPECT_EQ(two.info().threads, 2);
    EXPECT_NE(to_string(two.info()).find("\nthreads:  2\n"), std::string::npos);
}

}  // namespace
}  // namespace spmvgen
