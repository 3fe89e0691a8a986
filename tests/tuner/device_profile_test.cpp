#include "tuner/profiles/device_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

DeviceProfile sample() {
    DeviceProfile p;
    p.device = "Some GPU";
    p.arch = "sm_80";
    p.units = 108;
    p.rated = {1.41, 1.5e12, 4e7};
    p.date = "2026-11-21";
    p.source = "data sheet";
    p.assumed = {"gather", "launch_us"};
    p.method = "by hand";
    p.launch_us = {2, 0.25};
    p.read = {{1, 1e6, 8e9, 0.5}, {1, 4e6, 4e9, 0}, {2, 1e6, 16e9, 0}};
    p.gather = {{1, 1e6, 1e9, 0.125}};
    p.kernel_ms = {45, 0};
    return p;
}

/// A file of schema 1.
constexpr const char* first_schema =
    R"({"kind": "device-profile", "schema": 1, "device": "x86-64-v3",
 "date": "2026-11-20", "method": "m", "launch_us": 2.5,
 "read": [{"threads": 0, "bytes": 1e6, "bytes_per_s": 4e12}]})";

TEST(DeviceProfile, SurvivesItsText) {
    const DeviceProfile p = parse_device_profile(to_json(sample()));
    EXPECT_EQ(p, sample());
    EXPECT_EQ(to_json(p), to_json(sample()));
}

TEST(DeviceProfile, ReadsTheFirstSchema) {
    DeviceProfile expected;
    expected.device = "x86-64-v3";
    expected.date = "2026-11-20";
    expected.method = "m";
    expected.launch_us = {2.5, 0};
    expected.read = {{0, 1e6, 4e12, 0}};
    EXPECT_EQ(parse_device_profile(first_schema), expected);
    EXPECT_EQ(parse_device_profile(to_json(expected)), expected) << "written as schema 2";
}

TEST(DeviceProfile, WithoutAFigureStreamingSpeaksForIt) {
    DeviceProfile p = parse_device_profile(first_schema);
    EXPECT_DOUBLE_EQ(p.copy_rate(1e6, 0), 4e12);
    EXPECT_DOUBLE_EQ(p.gather_rate(1e6, 0), 4e12 / 32) << "a sector each";
    EXPECT_DOUBLE_EQ(p.atomic_rate(1e6, 0), 4e12 / 32);
    p.read[0].threads = 1;
    EXPECT_DOUBLE_EQ(p.gather_rate(1e6, 1), 4e12 / 64) << "a line each";
    EXPECT_DOUBLE_EQ(sample().gather_rate(1e3, 2), 2e9) << "twice what one thread does";
}

DeviceProfile named(const std::string& device, const std::string& arch) {
    DeviceProfile p = sample();
    p.device = device;
    p.arch = arch;
    return p;
}

TEST(DeviceProfile, IsFoundByNameThenArchitectureThenVendor) {
    const std::vector<DeviceProfile> all{named("A100", "sm_80"),    named("A100 80GB", "sm_80"),
                                         named("V100", "sm_70"),    named("MI50", "gfx906"),
                                         named("MI300X", "gfx942"), named("x86-64-v4", "")};
    const auto note = [&](const char* device, const char* target) {
        return find_device_profile(all, device, parse_target(target)).note;
    };
    EXPECT_EQ(note("A100 80GB", "sm_80"), "profile of A100 80GB (data sheet)");
    EXPECT_EQ(note("A30", "sm_80"),
              "no profile of A30; that of A100 (data sheet), of the same architecture");
    EXPECT_EQ(note("H100", "sm_90"),
              "no profile of H100; that of A100 (data sheet), of the same vendor");
    EXPECT_EQ(note("T4", "sm_75"),
              "no profile of T4; that of V100 (data sheet), of the same vendor");
    EXPECT_EQ(note("MI210", "gfx90a:sramecc+:xnack-"),
              "no profile of MI210; that of MI50 (data sheet), of the same vendor");
    EXPECT_EQ(note("x86-64-v4", "x86-64-v4"), "profile of x86-64-v4 (data sheet)");
    EXPECT_EQ(note("x86-64-v3", "x86-64-v3"),
              "no profile of x86-64-v3; that of x86-64-v4 (data sheet), of the same vendor");
    const FoundDeviceProfile none = find_device_profile(all, "aarch64", parse_target("aarch64"));
    EXPECT_EQ(none.profile, nullptr);
    EXPECT_EQ(none.note, "");
    EXPECT_EQ(find_device_profile(all, "A30", parse_target("sm_80")).match,
              ProfileMatch::architecture);
    EXPECT_EQ(find_device_profile(all, "H100", parse_target("sm_90")).match, ProfileMatch::vendor);
}

TEST(DeviceProfile, HasASheet) {
    DeviceProfile p = sample();
    p.read[2].bytes = 1234567;
    p.convert_bytes_per_s = {6.789e9, 0.02};
    EXPECT_EQ(sheet(p),
              "device      Some GPU, sm_80, 108 units, data sheet 2026-11-21\n"
              "rated       1.41 GHz, memory 1.50 TB/s, L2 40.0 MB\n"
              "assumed     gather, launch_us\n"
              "launch      2 µs ±25.0 %\n"
              "read        1 threads: 1.00 MB: 8.00 GB/s ±50.0 %, 4.00 MB: 4.00 GB/s\n"
              "            2 threads: 1.23 MB: 16.0 GB/s\n"
              "gather      1 threads: 1.00 MB: 1.00 G/s ±12.5 %\n"
              "kernels     a further one 45 ms\n"
              "convert     6.79 GB/s of CSR ±2.0 %\n");
}

TEST(DeviceProfile, HasAFileName) {
    EXPECT_EQ(device_file_name(sample()), "device-some-gpu.json");
}

TEST(DeviceProfile, InterpolatesOverTheLogarithmOfTheBytes) {
    const DeviceProfile p = sample();
    EXPECT_DOUBLE_EQ(p.read_rate(2e6, 1), 6e9);  // half way
    EXPECT_DOUBLE_EQ(p.read_rate(1e3, 1), 8e9);
    EXPECT_DOUBLE_EQ(p.read_rate(1e6, 1), 8e9);
    EXPECT_DOUBLE_EQ(p.read_rate(1e9, 1), 4e9);
    EXPECT_DOUBLE_EQ(p.read_rate(1e9, 2), 16e9);
}

TEST(DeviceProfile, ATeamThatWasNotMeasuredDoesWhatThreadsOfTheNearestDo) {
    const DeviceProfile p = sample();
    EXPECT_DOUBLE_EQ(p.read_rate(1e9, 64), 32 * 16e9);
    EXPECT_DOUBLE_EQ(p.read_rate(1e9, 3), 1.5 * 16e9);
    DeviceProfile wide = p;
    std::erase_if(wide.read, [](const DeviceRate& rate) { return rate.threads != 2; });
    EXPECT_DOUBLE_EQ(wide.read_rate(1e9, 1), 0.5 * 16e9);
}

TEST(DeviceProfile, PredictsBytesOverBandwidthAndLaunches) {
    // 4 MB at 4 GB/s: 1000 µs
    EXPECT_DOUBLE_EQ(predict_us(sample(), 4e6, 1, 3), 1006);
    EXPECT_DOUBLE_EQ(predict_us(sample(), 4e6, 1, 0), 1000);
    // A row of three sectors is two gathers; what is less than the bytes does not count.
    DeviceProfile gpu = sample();
    gpu.read = {{0, 1e6, 8e9, 0}};
    gpu.gather = {{0, 1e6, 1e9, 0}};
    EXPECT_DOUBLE_EQ(predict_us(gpu, 1e6, 0, 1, {1e6, 72, 1e8}), 2002);
    EXPECT_DOUBLE_EQ(predict_us(gpu, 1e9, 0, 1, {1e6, 72, 1e8}), 125'002);
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
    EXPECT_EQ(refusal("{\"kind\": " + std::string(100000, '[')),
              "it nests too deeply for a file of tuning_db");
    EXPECT_EQ(refusal("[]"), "it is no device-profile");
    EXPECT_EQ(refusal(changed("device-profile", "dense-profile")), "it is no device-profile");
    EXPECT_EQ(refusal(changed("\"schema\": 2", "\"schema\": 3")),
              "its schema is 3, but this version reads 1 and 2");
    EXPECT_EQ(refusal(changed("\"schema\"", "\"scheme\"")),
              "its schema is null, but this version reads 1 and 2");
    EXPECT_EQ(refusal(changed("\"date\"", "\"day\"")),
              "field 'date' is missing or of another type");
    EXPECT_EQ(refusal(changed("\"launch_us\": {\"value\":2.0", "\"launch_us\": {\"value\":0")),
              "field 'launch_us': field 'value' is not a positive number up to 1e+18");
    EXPECT_EQ(refusal(changed("\"launch_us\": {", "\"launch\": {")),
              "field 'launch_us' is missing or of another type");
    EXPECT_EQ(refusal(changed("\"spread\":0.25", "\"spread\":-1")),
              "field 'launch_us': field 'spread' is not a number from 0 on");
    EXPECT_EQ(refusal(changed("\"units\": 108", "\"units\": 1.5")),
              "field 'units' is not a whole number of 0…1048576");
    EXPECT_EQ(refusal(changed("\"assumed\": [", "\"assumed\": [1,")),
              "field 'assumed' is missing or of another type");
    EXPECT_EQ(refusal(changed("\"threads\":2", "\"threads\":-2")),
              "field 'threads' is not a whole number of 0…65536");
    EXPECT_EQ(refusal(changed("\"threads\":2", "\"threads\":1e99")),
              "field 'threads' is not a whole number of 0…65536");
    EXPECT_EQ(refusal(changed("\"bytes\":1000000.0", "\"bytes\":null")),
              "field 'bytes' is missing or of another type");
    EXPECT_EQ(refusal(changed("\"per_s\":1000000000.0", "\"per_s\":0.5")),
              "fields 'bytes' and 'per_s' are at least 1");
    EXPECT_EQ(refusal(changed("\"gather\": [", "\"gather\": 5, \"other\": [")),
              "field 'gather' is no list, or empty");
    EXPECT_EQ(refusal(changed("\"read\": [", "\"read\": 5, \"other\": [")),
              "field 'read' is no list, or empty");
    EXPECT_EQ(refusal(changed("\"read\": [", "\"read\": [], \"other\": [")),
              "field 'read' is no list, or empty");
}

TEST(DeviceProfile, BrokenAndNewerFilesAreLeftOutWithOneWarningEach) {
    const std::vector<TuningFile> files{
        {"/a/device-a.json", "{"},
        {"/a/device-b.json", to_json(sample())},
        {"device-c.json", changed("\"schema\": 2", "\"schema\": 9")}};
    std::vector<std::string> warnings;
    const auto profiles = read_device_profiles(files, warnings);
    ASSERT_EQ(profiles.size(), 1u);
    EXPECT_EQ(profiles[0].file, "device-b.json");
    EXPECT_THAT(warnings,
                testing::ElementsAre("tuning file /a/device-a.json is left out: it is not JSON",
                                     "tuning file device-c.json is left out: its schema is 9, but "
                                     "this version reads 1 and 2"));
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
    for (const char* device :
         {"Tesla V100-SXM2-32GB", "NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-80GB"}) {
        const DeviceProfile* made = find_device_profile(device);
        ASSERT_NE(made, nullptr) << device;
        EXPECT_THAT(made->method, testing::StartsWith("scaled from NVIDIA H")) << device;
    }
    for (const char* arch : {"gfx906", "gfx90a", "gfx942"}) {
        const FoundDeviceProfile found = find_device_profile("of another name", parse_target(arch));
        ASSERT_NE(found.profile, nullptr) << arch;
        EXPECT_EQ(found.match, ProfileMatch::architecture) << arch;
        EXPECT_EQ(found.profile->source, "data sheet");
        EXPECT_THAT(found.profile->assumed, testing::Contains("gather"));
    }
    EXPECT_EQ(find_device_profile("another device"), nullptr);
}

}  // namespace
}  // namespace spmvgen
