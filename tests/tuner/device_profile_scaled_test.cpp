#include "tuner/profiles/device_profile_scaled.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <thread>

#include "errors.hpp"

namespace spmvgen {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

DeviceProfile gpu(const std::string& device, const std::string& arch, int units,
                  const DeviceSheet& rated) {
    DeviceProfile p;
    p.device = device;
    p.arch = arch;
    p.units = units;
    p.rated = rated;
    return p;
}

/// L2 of 4·10⁷ bytes.
DeviceProfile measured(const std::string& device = "Big", const std::string& arch = "sm_90") {
    DeviceProfile p = gpu(device, arch, 100, {2, 4e12, 4e7});
    p.date = "2026-11-21";
    p.launch_us = {2, 0.25};
    p.kernel_ms = {45, 0.5};
    p.read = {{0, 4e6, 8e12, 0.1}, {0, 4e7, 8e12, 0}, {0, 8e7, 6e12, 0}, {0, 1.6e8, 4e12, 0}};
    p.copy = {{0, 1e9, 3e12, 0}};
    p.gather = {{0, 65536, 1e12, 0}, {0, 524288, 2e11, 0}};
    p.atomics = {{0, 8, 1e9, 0}, {0, 1e9, 1e10, 0}};
    p.file = "device-big.json";
    return p;
}

/// Half the units at the same clock, an eighth of the bandwidth, a quarter of the L2.
DeviceProfile small() {
    return gpu("Small", "sm_80", 50, {2, 0.5e12, 1e7});
}

TEST(DeviceProfileScaled, RatesGoWithWhatTheyAreBoundBy) {
    const DeviceProfile p = scaled(measured(), small());
    const double between = std::sqrt(0.5 * 0.125);
    ASSERT_EQ(p.read.size(), 4u);
    EXPECT_EQ(p.read[0], (DeviceRate{0, 1e6, 4e12, 0})) << "from the L2, and nobody measured it";
    EXPECT_EQ(p.read[1], (DeviceRate{0, 1e7, 4e12, 0})) << "all that it holds";
    EXPECT_DOUBLE_EQ(p.read[2].per_s, between * 6e12) << "half way to four times as much";
    EXPECT_EQ(p.read[3], (DeviceRate{0, 4e7, 0.5e12, 0})) << "from memory";
    EXPECT_THAT(p.copy, ElementsAre(DeviceRate{0, 2.5e8, 0.375e12, 0}));
    EXPECT_THAT(p.gather,
                ElementsAre(DeviceRate{0, 65536, 0.5e12, 0}, DeviceRate{0, 131072, 1e11, 0}))
        << "a multiprocessor's own cache is as large as ever";
    EXPECT_THAT(p.atomics,
                ElementsAre(DeviceRate{0, 8, 0.5e9, 0}, DeviceRate{0, 2.5e8, 1.25e9, 0}));
    EXPECT_EQ(p.launch_us, (Figure{2, 0}));
    EXPECT_EQ(p.kernel_ms, (Figure{45, 0}));
}

TEST(DeviceProfileScaled, OwnCachesStayTheSmallest) {
    DeviceProfile to = small();
    to.rated.l2_bytes = 4e6;
    const DeviceProfile p = scaled(measured(), to);
    EXPECT_THAT(p.gather,
                ElementsAre(DeviceRate{0, 65536, 0.5e12, 0}, DeviceRate{0, 131072, 1e11, 0}));
    EXPECT_EQ(p.read[1], (DeviceRate{0, 4e6, 4e12, 0}));
}

TEST(DeviceProfileScaled, SaysWhatItIs) {
    const DeviceProfile p = scaled(measured(), small());
    EXPECT_EQ(p.device, "Small");
    EXPECT_EQ(p.arch, "sm_80");
    EXPECT_EQ(p.units, 50);
    EXPECT_EQ(p.rated, small().rated);
    EXPECT_EQ(p.source, "scaled");
    EXPECT_THAT(p.assumed, IsEmpty());
    EXPECT_EQ(p.method, "scaled from Big by memory bandwidth 0.12, units x clock 0.5, L2 0.25");
    EXPECT_EQ(p.file, "device-big.json, " + p.method);
    DeviceProfile read = parse_device_profile(to_json(p));
    read.file = p.file;
    EXPECT_EQ(read, p);
}

TEST(DeviceProfileScaled, ThereAndBackIsWhereItWas) {
    DeviceProfile back = scaled(scaled(measured(), small()), measured());
    const DeviceProfile from = measured();
    for (auto list : {&DeviceProfile::read, &DeviceProfile::copy, &DeviceProfile::gather,
                      &DeviceProfile::atomics})
        for (std::size_t i = 0; i < (from.*list).size(); ++i) {
            EXPECT_DOUBLE_EQ((back.*list)[i].bytes, (from.*list)[i].bytes);
            EXPECT_DOUBLE_EQ((back.*list)[i].per_s, (from.*list)[i].per_s);
        }
}

TEST(DeviceProfileScaled, WhatIsNotKnownScalesNothing) {
    DeviceProfile to = small();
    to.rated.clock_ghz = 0;
    EXPECT_EQ(scaled(measured(), to).method,
              "scaled from Big by memory bandwidth 0.12, units 0.5, L2 0.25");
    to.rated = {2, 0, 0};
    DeviceProfile p = scaled(measured(), to);
    EXPECT_EQ(p.method, "scaled from Big by units x clock 0.5");
    EXPECT_EQ(p.read[0], (DeviceRate{0, 4e6, 4e12, 0}));
    EXPECT_EQ(p.read[3], (DeviceRate{0, 1.6e8, 4e12, 0}));
    DeviceProfile unknown = measured();
    unknown.units = 0;
    unknown.rated = {};
    p = scaled(unknown, small());
    EXPECT_EQ(p.method, "taken from Big as it is");
    EXPECT_EQ(p.read[2], (DeviceRate{0, 8e7, 6e12, 0}));
}

TEST(DeviceProfileScaled, TheNearestIsOfTheArchitectureThenOfTheSheet) {
    std::vector<DeviceProfile> all{measured("A", "sm_70"), measured("B", "sm_90"),
                                   measured("C", "sm_90"), measured("D", "sm_100")};
    all[2].rated.memory_bytes_per_s = 1e12;
    const auto from = [&](const char* arch) {
        DeviceProfile wanted = small();
        wanted.arch = arch;
        const auto made = scaled_from_nearest(all, wanted);
        return made ? made->method.substr(0, made->method.find(" by")) : "";
    };
    EXPECT_EQ(from("sm_75"), "scaled from A");
    EXPECT_EQ(from("sm_89"), "scaled from C") << "its bandwidth is nearer than B's";
    EXPECT_EQ(from("sm_90"), "scaled from C");
    EXPECT_EQ(from("sm_120"), "scaled from D");
    EXPECT_EQ(from("gfx942"), "");
    all[2].gather.clear();
    EXPECT_EQ(from("sm_89"), "scaled from B") << "C has no gathers";
    all[1].source = "data sheet";
    all[3].rated.l2_bytes = 0;
    EXPECT_EQ(from("sm_90"), "scaled from A") << "nobody measured B, and D's L2 is not known";
    all[0].arch = "gfx906";
    EXPECT_EQ(from("sm_90"), "");
}

struct DeviceProfileLookUp : testing::Test {
    std::vector<DeviceProfile> all{measured("H", "sm_90"), measured("M", "gfx942")};
    ScaledProfiles made;
    FoundDeviceProfile find(const DeviceProfile& wanted) {
        return find_device_profile(all, wanted, parse_target(wanted.arch), made);
    }
};

TEST_F(DeviceProfileLookUp, TakesAMeasuredOneThenAScaledOneThenWhatThereIs) {
    FoundDeviceProfile found = find(gpu("H", "sm_90", 7, {1, 1e12, 1e7}));
    EXPECT_EQ(found.profile, &all[0]) << "whatever its driver says";
    EXPECT_EQ(found.match, ProfileMatch::device);
    EXPECT_EQ(found.note, "profile of H (measured)");
    found = find(small());
    EXPECT_EQ(found.match, ProfileMatch::scaled);
    EXPECT_EQ(found.note,
              "no measured profile of Small; scaled from H by memory bandwidth 0.12, units x clock "
              "0.5, L2 0.25");
    EXPECT_EQ(found.profile->device, "Small");
    DeviceProfile sister = small();
    sister.arch = "sm_90";
    EXPECT_EQ(find(sister).match, ProfileMatch::scaled) << "another GPU of the architecture";
    found = find(gpu("Unknown", "sm_90", 50, {}));
    EXPECT_EQ(found.profile, &all[0]);
    EXPECT_EQ(found.match, ProfileMatch::architecture);
    found = find(gpu("Unknown", "sm_80", 0, small().rated));
    EXPECT_EQ(found.match, ProfileMatch::vendor) << "how many units is not known";
    found = find(gpu("Other", "gfx942", 50, {2, 1e12, 1e7}));
    EXPECT_EQ(found.profile, &all[1]);
    EXPECT_EQ(found.match, ProfileMatch::architecture) << "nothing is scaled to AMD's";
}

TEST_F(DeviceProfileLookUp, AMeasuredProfileGoesBeforeAnEarlierDataSheet) {
    DeviceProfile sheet = small();
    sheet.source = "data sheet";
    sheet.read = {{0, 1e6, 1e12, 0}};
    all = {sheet, measured("H", "sm_90")};
    EXPECT_EQ(find(gpu("Small", "sm_80", 0, {})).match, ProfileMatch::scaled)
        << "by the figures of the data sheet";
    all.push_back(measured("Small", "sm_80"));
    EXPECT_EQ(find(small()).profile, &all[2]);
    EXPECT_EQ(find_named_profile(all, "Small"), &all[2]);
}

TEST_F(DeviceProfileLookUp, WhatTheDriverDoesNotTellIsOfAFileByThatName) {
    DeviceProfile sheet = small();
    sheet.source = "data sheet";
    sheet.read = {{0, 1e6, 1e12, 0}};
    all.push_back(sheet);
    const FoundDeviceProfile found = find(gpu("Small", "sm_80", 25, {0, 4e12, 0}));
    ASSERT_EQ(found.match, ProfileMatch::scaled);
    EXPECT_EQ(found.profile->method,
              "scaled from H by memory bandwidth 1, units x clock 0.25, L2 0.25");
}

TEST_F(DeviceProfileLookUp, IsOfOneProfileForOneDevice) {
    std::array<const DeviceProfile*, 8> found{};
    {
        std::vector<std::jthread> threads;
        for (auto& place : found) threads.emplace_back([&] { place = find(small()).profile; });
    }
    for (auto* profile : found) EXPECT_EQ(profile, found[0]);
    DeviceProfile other = small();
    other.rated.clock_ghz = 3;
    EXPECT_NE(find(other).profile, found[0]);
    EXPECT_EQ(*found[0], scaled(all[0], small())) << "it stays as it was";
}

constexpr const char* only_sheet = R"({"kind": "device-profile", "schema": 2, "device": "Small",
 "arch": "sm_80", "units": 50, "date": "2026-11-23", "source": "data sheet", "assumed": [],
 "method": "its data sheet", "clock_ghz": 2, "memory_bytes_per_s": 5e11, "l2_bytes": 1e7})";

TEST(DeviceProfileOfASheet, SurvivesItsText) {
    const DeviceProfile p = parse_device_profile(only_sheet);
    EXPECT_EQ(p.rated, small().rated);
    EXPECT_THAT(p.read, IsEmpty());
    EXPECT_EQ(parse_device_profile(to_json(p)), p);
}

std::string changed_sheet(const std::string& from, const std::string& to) {
    std::string text = only_sheet;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

TEST(DeviceProfileOfASheet, SaysWhatIsWrongWithAText) {
    const auto refusal = [](const std::string& from, const std::string& to) {
        return code_and_text([&] { parse_device_profile(changed_sheet(from, to)); });
    };
    const std::string positive = "' is not a positive number up to 1e+18";
    EXPECT_EQ(refusal("\"clock_ghz\": 2", "\"clock_ghz\": 0"),
              "invalid_input: field 'clock_ghz" + positive);
    EXPECT_EQ(refusal("5e11", "-1"), "invalid_input: field 'memory_bytes_per_s" + positive);
    EXPECT_EQ(refusal("1e7", "\"large\""),
              "invalid_input: field 'l2_bytes' is missing or of another type");
    EXPECT_EQ(refusal("\"clock_ghz\": 2", "\"clock_ghz\": 1e-9"),
              "invalid_input: field 'clock_ghz' is at least 0.001");
    const std::string incomplete =
        "invalid_input: without rates it has to have units, clock_ghz, memory_bytes_per_s and "
        "l2_bytes";
    EXPECT_EQ(refusal("\"clock_ghz\"", "\"clock\""), incomplete);
    EXPECT_EQ(refusal("\"l2_bytes\"", "\"l2\""), incomplete);
    EXPECT_EQ(refusal("\"units\": 50", "\"units\": 0"), incomplete);
    EXPECT_EQ(refusal("data sheet\"", "measured\""),
              "invalid_input: field 'launch_us' is missing or of another type");
}

TEST(DeviceProfileOfFasterCores, HasOtherRatesOfTheirOwnCaches) {
    DeviceProfile p;
    p.launch_us = {2, 0};
    p.read = {{1, 1 << 20, 1e10, 0}, {1, 4 << 20, 1e10, 0}, {4, 4 << 20, 4e10, 0}};
    p.copy = {{1, 4096, 1e10, 0}};
    p.gather = {{1, 32768, 1e9, 0}, {4, 32768, 4e9, 0}, {4, 4 << 20, 1e9, 0}};
    p.atomics = {{1, 8, 1e8, 0}};
    p.file = "device-cpu.json";
    const DeviceProfile fast = with_faster_cores(p, 1.5);
    const auto rates = [](const std::vector<DeviceRate>& list) {
        std::vector<double> all;
        for (auto& rate : list) all.push_back(rate.per_s);
        return all;
    };
    EXPECT_THAT(rates(fast.read), ElementsAre(1.5e10, 1e10, 6e10)) << "each of four has 1 MiB";
    EXPECT_THAT(rates(fast.copy), ElementsAre(1.5e10));
    EXPECT_THAT(rates(fast.gather), ElementsAre(1.5e9, 6e9, 1e9)) << "each has the whole";
    EXPECT_EQ(fast.atomics, p.atomics);
    EXPECT_EQ(fast.launch_us, p.launch_us);
    EXPECT_EQ(fast.file, "device-cpu.json, cores 1.5 times as fast");
}

std::vector<DeviceProfile> read_profiles(const std::vector<std::string>& texts,
                                         std::vector<std::string>& warnings) {
    std::vector<TuningFile> files;
    for (auto& text : texts)
        files.push_back({"/a/device-" + std::to_string(files.size()) + ".json", text});
    return read_device_profiles(files, warnings);
}

TEST(DeviceProfileOfASheet, GetsRatesWhenItIsReadWithAMeasuredOne) {
    std::vector<std::string> warnings;
    auto profiles = read_profiles({only_sheet, to_json(measured())}, warnings);
    EXPECT_THAT(warnings, IsEmpty());
    ASSERT_EQ(profiles.size(), 2u);
    const DeviceProfile& p = profiles[0];
    EXPECT_EQ(p.read, scaled(measured(), small()).read);
    EXPECT_EQ(p.source, "scaled");
    const std::string how = "scaled from Big by memory bandwidth 0.12, units x clock 0.5, L2 0.25";
    EXPECT_EQ(p.method, how + ". its data sheet");
    EXPECT_EQ(p.file, "device-0.json, " + how);
    ScaledProfiles made;
    const FoundDeviceProfile found =
        find_device_profile(profiles, gpu("Small", "sm_80", 0, {}), parse_target("sm_80"), made);
    EXPECT_EQ(found.profile, &p) << "it is not scaled again";
    EXPECT_EQ(found.note, "profile of Small (scaled)");
    profiles = read_profiles({only_sheet}, warnings);
    EXPECT_THAT(profiles, IsEmpty());
    EXPECT_THAT(warnings,
                ElementsAre("tuning file device-0.json is left out: it has no rates, and no "
                            "measured profile could be scaled"));
}

TEST(DeviceProfileOfASheet, FiguresOfADeviceAreSharedByItsFiles) {
    DeviceProfile own = measured(), shipped = measured();
    own.rated = {3, 0, 0};
    std::vector<std::string> warnings;
    const auto profiles = read_profiles({to_json(own), to_json(shipped), only_sheet}, warnings);
    ASSERT_EQ(profiles.size(), 3u);
    EXPECT_EQ(profiles[0].rated, (DeviceSheet{3, 4e12, 4e7}));
    EXPECT_EQ(profiles[1].rated, measured().rated);
    EXPECT_EQ(profiles[2].rated, small().rated);
}

}  // namespace
}  // namespace spmvgen
