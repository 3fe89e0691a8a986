// Tuning files on the disk: plain or of gzip, damaged, in directories that are not there.
#include "tuner/files/tuning_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "../store/samples.hpp"  // TemporaryDirectory
#include "matrix/files/inflater.hpp"
#include "record_samples.hpp"
#include "tuner/profiles/device_profile.hpp"
#include "tuner/records/record_json.hpp"
#include "tuner/records/tuning_db.hpp"

namespace spmvgen {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class TuningFiles : public testing::Test {
  protected:
    ~TuningFiles() override { ::unsetenv("SPMVGEN_TUNING_DB"); }
    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
    void write(const std::string& name, const std::string& bytes) const {
        std::ofstream(path(name), std::ios::binary) << bytes;
    }
    std::vector<TuningFile> read(const std::string& prefix) const {
        return tuning_files_of(folder_.path().string(), prefix);
    }

    TemporaryDirectory folder_;
};

TEST_F(TuningFiles, OfGzipAreInflatedWhateverTheirName) {
    write("device-a.json", "plain");
    write("device-b.json.gz", deflate_all("packed"));
    write("device-c.json", deflate_all("packed, too"));
    write("device-d.json.gz", "not packed");
    write("device-e.json.bz2", "of no concern");
    std::vector<std::string> texts;
    for (auto& file : read("device-")) {
        texts.push_back(file.label() + ": " + file.readable_text());
        EXPECT_EQ(file.place, TuningPlace::given);
    }
    EXPECT_THAT(texts, ElementsAre("device-a.json: plain", "device-b.json.gz: packed",
                                   "device-c.json: packed, too", "device-d.json.gz: not packed"));
}

TEST_F(TuningFiles, ThatAreDamagedAreLeftOutLikeAnyOther) {
    const std::string text = to_json(std::vector{sample_record()});
    const std::string whole = deflate_all(text);
    std::string changed = whole;
    changed[changed.size() - 6] = static_cast<char>(changed[changed.size() - 6] + 1);  // the CRC
    write("records-1.json.gz", whole.substr(0, whole.size() / 2));
    write("records-2.json.gz", whole.substr(0, 1));
    write("records-3.json.gz", changed);
    write("records-4.json.gz", deflate_all(text.substr(0, text.size() / 2)));
    write("records-5.json.gz", whole + "rest");
    fs::create_directory(path("records-6.json.gz"));
    ASSERT_EQ(::mkfifo(path("records-7.json").c_str(), 0600), 0);
    write("records-8.json.gz", whole);
    std::vector<std::string> warnings;
    const auto records = read_record_files(read("records-"), warnings);
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(records[0].record, sample_record());
    EXPECT_EQ(records[0].file, path("records-8.json.gz"));
    const auto left_out = [this](int number, const std::string& why, const char* end = ".json.gz") {
        return "tuning file " + path("records-" + std::to_string(number) + end) +
               " is left out: " + why;
    };
    EXPECT_THAT(warnings, ElementsAre(left_out(1, "the gzip data is truncated"),
                                      left_out(2, "it is not JSON"),
                                      left_out(3, "the gzip data is corrupt: incorrect data check"),
                                      left_out(4, "it is not JSON"),
                                      left_out(5, "other data follow the end of the gzip data"),
                                      left_out(6, "it is not a regular file"),
                                      left_out(7, "it is not a regular file", ".json")));
}

TEST_F(TuningFiles, OfOtherKindsAreLeftOutWithTheSameWords) {
    write("device-1.json.gz", deflate_all("{}").substr(0, 12));
    std::vector<std::string> warnings;
    EXPECT_THAT(read_device_profiles(read("device-"), warnings), IsEmpty());
    EXPECT_THAT(warnings, ElementsAre("tuning file " + path("device-1.json.gz") +
                                      " is left out: the gzip data is truncated"));
}

TEST_F(TuningFiles, InflateToNoMoreThanALimit) {
    std::string bomb = deflate_all(" ");
    const std::string part = deflate_all(std::string(most_tuning_bytes / 16, ' '));
    for (int i = 0; i < 16; ++i) bomb += part;  // deflating it all at once takes a second
    EXPECT_LT(bomb.size(), std::size_t{1} << 18);
    write("records-1.json.gz", bomb);
    EXPECT_EQ(read("records-").at(0).problem, "it inflates to more than 134217728 bytes");
    std::string last = "nothing";
    try {
        inflate_all(deflate_all("12345"), 4);
    } catch (const Error& error) {
        last = error.what();
    }
    EXPECT_EQ(last, "it inflates to more than 4 bytes");
    EXPECT_EQ(inflate_all(deflate_all("12345"), 5), "12345");
    EXPECT_EQ(inflate_all(deflate_all(""), 0), "");
    const std::string members = deflate_all("one ") + deflate_all("two");
    EXPECT_EQ(inflate_all(members, 100), "one two");
}

TEST_F(TuningFiles, ComeFromBesideTheLibraryAndTheDirectoryOfTheVariableFirst) {
    const std::string& shipped = shipped_tuning_folder();
    EXPECT_THAT(shipped_tuning_places(), testing::Contains(shipped));
    EXPECT_EQ(fs::canonical(shipped), fs::canonical(SPMVGEN_SHIPPED)) << "of the build tree";
    write("device-nvidia-h200.json.gz", deflate_all("mine"));
    ::setenv("SPMVGEN_TUNING_DB", folder_.path().c_str(), 1);
    const auto files = tuning_files("device-nvidia-h200");
    ASSERT_EQ(files.size(), 2u) << "the built-in one is in the folder, too";
    EXPECT_EQ(files[0].text, "mine");
    EXPECT_EQ(files[1].name, shipped + "/device-nvidia-h200.json");
    EXPECT_EQ(files[1].place, TuningPlace::shipped);
    EXPECT_EQ(describe_tuning_places(), folder_.path().string() + ", then " + shipped);
}

TEST_F(TuningFiles, ADirectoryThatIsNotThereIsSaidOnce) {
    EXPECT_EQ(given_tuning_trouble(), "");
    write("file", "");
    for (auto& [name, why] : {std::pair("nowhere", "No such file or directory"),
                              std::pair("file", "Not a directory")}) {
        ::setenv("SPMVGEN_TUNING_DB", path(name).c_str(), 1);
        const std::string trouble = "the directory of tuning files " + path(name) +
                                    " ($SPMVGEN_TUNING_DB) is not used: " + why;
        EXPECT_EQ(given_tuning_trouble(), trouble);
        testing::internal::CaptureStderr();
        EXPECT_FALSE(tuning_files("device-").empty()) << "those that ship are used";
        EXPECT_FALSE(tuning_files("dense-").empty());
        EXPECT_EQ(testing::internal::GetCapturedStderr(), "spmvgen: warning: " + trouble + "\n");
    }
    ::setenv("SPMVGEN_TUNING_DB", "", 1);
    EXPECT_EQ(given_tuning_trouble(), "") << "an empty variable is an unset one";
}

// Compiled in is a profile for each family, and nothing else.
TEST_F(TuningFiles, BuiltInAreProfilesOfEachFamilyAlone) {
    std::vector<TuningFile> files;
    std::vector<std::string> warnings, families, labels, others;
    for (auto& [name, text] : built_in_tuning_files()) {
        if (!name.starts_with("device-"))
            others.emplace_back(name);
        else
            files.push_back({std::string(name), std::string(text), TuningPlace::built_in});
    }
    EXPECT_THAT(others, ElementsAre("cpu-costs.json", "gpu-correction.json", "gpu-costs.json",
                                    "gpu-several-costs.json"));
    const auto profiles = read_device_profiles(files, warnings);
    EXPECT_THAT(warnings, IsEmpty());
    for (auto& profile : profiles) {
        families.push_back(vendor_of(profile.arch));
        labels.push_back(profile.file);
    }
    EXPECT_THAT(families, ElementsAre("amd", "nvidia", "x86-64"));
    EXPECT_THAT(labels, ElementsAre("device-amd-mi300x.json (built into libspmvgen)",
                                    "device-nvidia-h200.json (built into libspmvgen)",
                                    "device-x86-64-v4.json (built into libspmvgen)"));
    for (const char* arch : {"x86-64-v2", "x86-64-v3", "sm_75", "sm_120", "gfx906", "gfx1201"})
        EXPECT_NE(find_device_profile(profiles, "another", parse_target(arch)).profile, nullptr)
            << arch;
}

}  // namespace
}  // namespace spmvgen
