// Which files of profiles are read for a device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "../store/samples.hpp"  // TemporaryDirectory
#include "tuner/files/tuning_files.hpp"
#include "tuner/profiles/dense_profile.hpp"
#include "tuner/profiles/device_profile.hpp"

namespace spmvgen {
namespace {

std::vector<std::string> labels_of(const std::vector<TuningFile>& files) {
    std::vector<std::string> labels;
    for (auto& file : files) labels.push_back(file.label());
    return labels;
}

TEST(FilesOfProfiles, AnotherVendorsNameIsNone) {
    EXPECT_TRUE(may_be_of_vendor("device-x86-64-v4.json", "x86-64"));
    EXPECT_FALSE(may_be_of_vendor("device-nvidia-h200.json", "x86-64"));
    EXPECT_FALSE(may_be_of_vendor("device-x86-64-v4.json", "nvidia"));
    EXPECT_TRUE(may_be_of_vendor("device-our-cluster.json", "nvidia"));
    EXPECT_TRUE(may_be_of_vendor("device-our-cluster.json", "aarch64"));
    EXPECT_FALSE(may_be_of_vendor("dense-amd-mi300x.json", ""));
    EXPECT_TRUE(may_be_of_vendor("", "amd"));
}

// Else those that ship would not be found by what they are of.
TEST(FilesOfProfiles, ThoseThatShipHaveTheNameOfTheirVendor) {
    for (auto& file : tuning_files("device-")) {
        const std::string vendor = vendor_of(parse_device_profile(file.text).arch);
        EXPECT_TRUE(may_be_of_vendor(file.label(), vendor)) << file.name;
        EXPECT_FALSE(may_be_of_vendor(file.label(), "another")) << file.name;
    }
    for (auto& file : tuning_files("dense-")) {
        DenseProfile named;
        named.device = parse_dense_profile(file.text).device;
        const std::string name = profile_file_name(named);
        EXPECT_TRUE(file.label().starts_with(name.substr(0, name.rfind('.')))) << file.name;
    }
}

TEST(FilesOfProfiles, WhatIsWantedIsPickedOfThoseThatShipAlone) {
    TemporaryDirectory folder;
    std::ofstream(folder.path() / "device-nvidia-mine.json") << "mine";
    ::setenv("SPMVGEN_TUNING_DB", folder.path().c_str(), 1);
    const auto of_cpus = [](std::string_view name) { return may_be_of_vendor(name, "x86-64"); };
    const auto files = tuning_files("device-", of_cpus);
    ::unsetenv("SPMVGEN_TUNING_DB");
    EXPECT_THAT(labels_of(files),
                testing::ElementsAre("device-nvidia-mine.json", "device-x86-64-v3.json",
                                     "device-x86-64-v4.json"));
}

TEST(FilesOfProfiles, ProfilesOfOtherVendorsAreLeftOutWithoutAWord) {
    std::vector<TuningFile> files = tuning_files("device-");
    files.push_back({"device-broken.json", "{", TuningPlace::given});
    std::vector<std::string> warnings;
    const auto of_cpus = read_device_profiles(files, warnings, "x86-64");
    EXPECT_THAT(warnings, testing::ElementsAre("tuning file device-broken.json is left out: it is "
                                               "not JSON"));
    ASSERT_EQ(of_cpus.size(), 2u);
    EXPECT_EQ(of_cpus.front().arch, "x86-64-v3");
    EXPECT_EQ(of_cpus.back().arch, "x86-64-v4");
    // Data sheets without rates still get those of a measured GPU.
    const auto of_gpus = read_device_profiles(files, warnings, "nvidia");
    EXPECT_EQ(std::ranges::count(of_gpus, "nvidia",
                                 [](const DeviceProfile& p) { return vendor_of(p.arch); }),
              std::ssize(of_gpus));
    EXPECT_TRUE(
        std::ranges::none_of(of_gpus, [](const DeviceProfile& p) { return p.read.empty(); }));
}

// Schema 1 does not tell the architecture of a GPU, which is found by its name.
TEST(FilesOfProfiles, AProfileWithoutAnArchitectureIsKept) {
    const auto shipped = tuning_files("device-x86-64-v4");
    ASSERT_FALSE(shipped.empty());
    DeviceProfile profile = parse_device_profile(shipped.front().text);
    profile.device = "Some GPU";
    profile.arch = "";
    const TuningFile file{"device-some.json", to_json(profile), TuningPlace::given};
    std::vector<std::string> warnings;
    EXPECT_EQ(read_device_profiles({&file, 1}, warnings, "nvidia").size(), 1u);
    EXPECT_THAT(warnings, testing::IsEmpty());
}

TEST(FilesOfProfiles, OneThatIsAskedForByItsArchitectureIsTheOneOfThatName) {
    for (auto [name, arch] : {std::pair("x86-64-v4", "x86-64-v4"), {"NVIDIA H200", "sm_90"}}) {
        const FoundDeviceProfile found = find_device_profile(name, parse_target(arch));
        const DeviceProfile* const among_all = find_device_profile(name);
        ASSERT_NE(found.profile, nullptr) << name;
        ASSERT_NE(among_all, nullptr) << name;
        EXPECT_EQ(*found.profile, *among_all) << name;
    }
}

}  // namespace
}  // namespace spmvgen
