// How many threads of a CPU a product takes: fewer where a team would take longer to begin than it
// saves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "matrix/suites/gallery.hpp"
#include "tuner/chooser/chooser.hpp"
#include "tuner/profiles/device_profile.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int most = 16;

/// Every thread adds as much; a team takes two microseconds for each of its threads to begin.
DeviceProfile even_cpu() {
    DeviceProfile profile;
    profile.device = "even";
    profile.launch_us.value = 32;
    profile.units = most;
    for (const int threads : {1, 4, most}) {
        if (threads > 1) profile.regions.push_back({threads, 2.0 * threads, 0});
        profile.read.push_back({.threads = threads, .bytes = 1e6, .per_s = 1e10 * threads});
        profile.gather.push_back({.threads = threads, .bytes = 32768, .per_s = 1e9 * threads});
        profile.gather.push_back({.threads = threads, .bytes = 1e8, .per_s = 1e9 * threads});
    }
    return profile;
}

Choice chosen(const CsrMatrix& matrix, const DeviceProfile& profile, std::vector<int> teams,
              const std::string& kernel = "auto") {
    Request request{.kernel = kernel,
                    .target = parse_target("x86-64-v4"),
                    .threads = most,
                    .smaller_teams = std::move(teams)};
    request.profile = &profile;
    return choose_for(matrix.view(), analyse_row_lengths(matrix.view()), request, 1);
}

CsrMatrix grid(int side) {
    return make_gallery_matrix("stencil5:nx=" + std::to_string(side) +
                               ",ny=" + std::to_string(side));
}

TEST(CpuTeams, SmallProductsTakeOneThreadAndLargeOnesAll) {
    const DeviceProfile profile = even_cpu();
    const Choice small = chosen(grid(64), profile, {1});
    EXPECT_EQ(small.threads, 1);
    EXPECT_THAT(small.reason, HasSubstr("; 1 of 16 threads, with all of which it would be "));
    EXPECT_THAT(small.reason, HasSubstr(" µs, 32.0 of them to begin"));
    const Choice large = chosen(grid(800), profile, {1});
    EXPECT_EQ(large.threads, 0);
    EXPECT_THAT(large.reason, Not(HasSubstr("of 16 threads")));
}

TEST(CpuTeams, ATeamBetweenIsTakenWhereItMayBe) {
    const DeviceProfile profile = even_cpu();
    const CsrMatrix middle = grid(90);
    EXPECT_EQ(chosen(middle, profile, {1, 4}).threads, 4);
    EXPECT_EQ(chosen(middle, profile, {}).threads, 0) << "none is offered";
}

TEST(CpuTeams, ANamedKernelHasItsTeamToo) {
    const DeviceProfile profile = even_cpu();
    const Choice choice = chosen(grid(64), profile, {1}, "csr_vector");
    EXPECT_EQ(choice.signature.kernel, "csr_vector");
    EXPECT_EQ(choice.threads, 1);
}

TEST(DeviceProfile, HasRegionsOfTeams) {
    DeviceProfile profile = even_cpu();
    EXPECT_EQ(profile.region_us(1), 0);
    EXPECT_EQ(profile.region_us(2), 8) << "the smallest team that was measured";
    EXPECT_EQ(profile.region_us(4), 8);
    EXPECT_EQ(profile.region_us(10), 20) << "half way";
    EXPECT_DOUBLE_EQ(profile.region_us(64), 48) << "by the logarithm";
    EXPECT_TRUE(profile.has_region(32));
    EXPECT_FALSE(profile.has_region(33)) << "more than twice a team that was measured";
    EXPECT_EQ(parse_device_profile(to_json(profile)), profile);
    EXPECT_THAT(sheet(profile), HasSubstr("\nregions     4 threads: 8 µs, 16 threads: 32 µs\n"));
    profile.regions.clear();
    EXPECT_EQ(profile.region_us(4), 32) << "the launch is all that is known";
    EXPECT_DOUBLE_EQ(profile.region_us(256), 64);
    EXPECT_TRUE(profile.has_region(32));
    EXPECT_FALSE(profile.has_region(33));
    EXPECT_EQ(profile.region_us(1), 0);
}

TEST(DeviceProfile, RefusesRegionsThatAreNone) {
    const auto refusal = [](const std::string& regions) {
        std::string text = to_json(even_cpu());
        const auto from = text.find("\"regions\": [");
        text.replace(from, text.find("],", from) + 1 - from, "\"regions\": " + regions);
        try {
            parse_device_profile(text);
            return std::string();
        } catch (const std::exception& error) {
            return std::string(error.what());
        }
    };
    EXPECT_THAT(refusal("[]"), HasSubstr("field 'regions' is no list, or empty"));
    EXPECT_THAT(refusal("7"), HasSubstr("field 'regions' is no list, or empty"));
    EXPECT_THAT(refusal(R"([{"threads": 2, "us": 0, "spread": 0}])"),
                HasSubstr("field 'us' is not a positive number up to 1e+18"));
}

}  // namespace
}  // namespace spmvgen
