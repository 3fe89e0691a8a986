#include "handle/plan/check_times.hpp"

#include <gtest/gtest.h>

namespace spmvgen {
namespace {

constexpr Check megabytes{.written_bytes = 10e6, .read_bytes = 50e6};

TEST(CheckTimes, ByTheBytesBeforeTheFirst) {
    EXPECT_DOUBLE_EQ(CheckTimes(0).expected_ms(megabytes), 10 + 10);
    EXPECT_DOUBLE_EQ(CheckTimes(0).expected_ms({}), 0);
}

TEST(CheckTimes, ByTheQuickestSoFar) {
    CheckTimes times(0);
    times.add(megabytes, 40);
    EXPECT_DOUBLE_EQ(times.expected_ms(megabytes), 40);
    times.add(megabytes, 30);
    times.add(megabytes, 60);
    EXPECT_DOUBLE_EQ(times.expected_ms(megabytes), 30);
}

TEST(CheckTimes, OneThatMetABusyMachineIsNoReasonToStop) {
    CheckTimes times(0);
    times.add(megabytes, 1e6);
    EXPECT_DOUBLE_EQ(times.expected_ms(megabytes), 8 * 20);
    times.add(megabytes, 0);
    EXPECT_DOUBLE_EQ(times.expected_ms(megabytes), 20.0 / 8);
}

TEST(CheckTimes, OneWithoutBytesTellsNothing) {
    CheckTimes times(0);
    times.add({}, 5);
    EXPECT_DOUBLE_EQ(times.expected_ms(megabytes), 20);
}

TEST(CheckTimes, ParallelRegionsCountBesideOtherPrograms) {
    CheckTimes times(8);
    EXPECT_DOUBLE_EQ(times.expected_ms(megabytes), 20 + 6 * 8);
    times.add(megabytes, 40 + 6 * 8);
    EXPECT_DOUBLE_EQ(times.expected_ms(megabytes), 40 + 6 * 8) << "what they take is no slowness";
}

}  // namespace
}  // namespace spmvgen
