#include "tuner/device_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

DeviceProfile sample() {
    return {.device = "Some GPU",
            .date = "2026-11-21",
            .method = "by hand",
            .launch_us = 2,
            .read = {{1, 1e6, 8e9}, {1, 4e6, 4e9}, {2, 1e6, 16e9}}};
}

TEST(DeviceProfile, SurvivesItsText) {
    const DeviceProfile p = parse_device_profile(to_json(sample()));
    EXPECT_EQ(p, sample());
    EXPECT_EQ(to_json(p), to_json(sample()));
}

TEST(DeviceProfile, InterpolatesOverTheLogarithmOfTheBytes) {
    const DeviceProfile p = sample();
    EXPECT_DOUBLE_EQ(p.read_rate(2e6, 1), 6e9);  // half way
    EXPECT_DOUBLE_EQ(p.read_rate(1e3, 1), 8e9);
    EXPECT_DOUBLE_EQ(p.read_rate(1e6, 1), 8e9);
    EXPECT_DOUBLE_EQ(p.read_rate(1e9, 1), 4e9);
    EXPECT_DOUBLE_EQ(p.read_rate(1e9, 2), 16e9);
    EXPECT_DOUBLE_EQ(p.read_rate(1e9, 64), 16e9) << "the nearest number of threads";
}

TEST(DeviceProfile, PredictsBytesOverBandwidthAndLaunches) {
    // 4 MB at 4 GB/s: 1000 µs
    EXPECT_DOUBLE_EQ(predict_us(sample(), 4e6, 1, 3), 1006);
    EXPECT_DOUBLE_EQ(predict_us(sample(), 4e6, 1, 0), 1000);
}

std::string refusal(const std::string& text) {
    try {
        parse_device_profile(text);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_input);
        return error.what();
    }
    return "accepted";
}

std::string changed(const std::string& from, const std::string& to) {
    std::string text = to_json(sample());
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

TEST(DeviceProfile, SaysWhatIsWrongWithAText) {
    EXPECT_EQ(refusal(""), "it is not JSON");
    EXPECT_EQ(refusal("[]"), "it is no device-profile");
    EXPECT_EQ(refusal(changed("device-profile", "dense-profile")), "it is no device-profile");
    EXPECT_EQ(refusal(changed("\"schema\": 1", "\"schema\": 2")),
              "its schema is 2, but this version reads 1");
    EXPECT_EQ(refusal(changed("\"schema\"", "\"scheme\"")),
              "its schema is null, but this version reads 1");
    EXPECT_EQ(refusal(changed("\"date\"", "\"day\"")),
              "field 'date' is missing or of another type");
    EXPECT_EQ(refusal(changed("\"launch_us\": 2.0", "\"launch_us\": 0")),
              "field 'launch_us' is not a positive number up to 1e+18");
    EXPECT_EQ(refusal(changed("\"threads\": 2", "\"threads\": -2")),
              "field 'threads' is not a whole number of 0…65536");
    EXPECT_EQ(refusal(changed("\"threads\": 2", "\"threads\": 1e99")),
              "field 'threads' is not a whole number of 0…65536");
    EXPECT_EQ(refusal(changed("\"bytes\": 1000000.0", "\"bytes\": null")),
              "field 'bytes' is missing or of another type");
    EXPECT_EQ(refusal(changed("\"read\": [", "\"read\": 5, \"other\": [")),
              "field 'read' is no list, or empty");
    EXPECT_EQ(refusal(changed("\"read\": [", "\"read\": [], \"other\": [")),
              "field 'read' is no list, or empty");
}

TEST(DeviceProfile, BrokenAndNewerFilesAreLeftOutWithOneWarningEach) {
    const std::vector<TuningFile> files{
        {"/a/device-a.json", "{"},
        {"/a/device-b.json", to_json(sample())},
        {"device-c.json", changed("\"schema\": 1", "\"schema\": 9")}};
    std::vector<std::string> warnings;
    const auto profiles = read_device_profiles(files, warnings);
    ASSERT_EQ(profiles.size(), 1u);
    EXPECT_EQ(profiles[0].file, "device-b.json");
    EXPECT_THAT(warnings,
                testing::ElementsAre("tuning file /a/device-a.json is left out: it is not JSON",
                                     "tuning file device-c.json is left out: its schema is 9, but "
                                     "this version reads 1"));
}

TEST(DeviceProfile, WhatIsShippedIsSound) {
    std::vector<std::string> warnings;
    const auto files = tuning_files("device-");
    const auto profiles = read_device_profiles(files, warnings);
    EXPECT_THAT(warnings, testing::IsEmpty());
    EXPECT_EQ(profiles.size(), files.size());
    const DeviceProfile* h200 = find_device_profile("NVIDIA H200");
    ASSERT_NE(h200, nullptr);
    EXPECT_EQ(h200->file, "device-nvidia-h200.json");
    EXPECT_NE(find_device_profile("x86-64-v4"), nullptr);
    EXPECT_EQ(find_device_profile("another device"), nullptr);
}

}  // namespace
}  // namespace spmvgen
