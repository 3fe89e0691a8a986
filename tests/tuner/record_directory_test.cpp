#include "tuner/records/record_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "../store/samples.hpp"  // TemporaryDirectory
#include "record_samples.hpp"
#include "spmvgen/error.hpp"
#include "tuner/records/record_json.hpp"
#include "tuner/records/tuning_db.hpp"

namespace spmvgen {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

/// An environment variable for the time of a test.
class Variable {
  public:
    Variable(const char* name, const std::string& value) : name_(name) {
        if (const char* old = std::getenv(name)) old_ = old;
        ::setenv(name, value.c_str(), 1);
    }
    ~Variable() {
        if (old_)
            ::setenv(name_, old_->c_str(), 1);
        else
            ::unsetenv(name_);
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

  private:
    const char* name_;
    std::optional<std::string> old_;
};

class RecordDirectory : public testing::Test {
  protected:
    std::string path() const { return (temporary_.path() / "data" / "tuning").string(); }
    Location place() const { return {path(), true}; }
    std::vector<SourcedRecord> read() {
        return read_record_files(read_own_files(place(), "record-", warnings_), warnings_);
    }
    std::string refusal() {
        try {
            keep_record(sample_record(), place());
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::io);
            return error.what();
        }
        return "kept";
    }

    TemporaryDirectory temporary_;
    std::vector<std::string> warnings_;
};

TEST_F(RecordDirectory, AKeptRecordIsReadBack) {
    EXPECT_THAT(read(), IsEmpty()) << "there is no directory yet, which is nothing to warn of";
    const std::string file = keep_record(sample_record(), place());
    EXPECT_THAT(fs::path(file).filename().string(),
                MatchesRegex("record-[0-9a-f]{16}-[0-9a-f]{32}\\.json"));
    const auto records = read();
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(records[0].record, sample_record());
    EXPECT_EQ(records[0].file, file);
    EXPECT_THAT(warnings_, IsEmpty());
    struct stat seen{};
    ASSERT_EQ(::stat(path().c_str(), &seen), 0);
    EXPECT_EQ(seen.st_mode & 07777u, 0700u);
}

TEST_F(RecordDirectory, EqualRecordsAreOneFileOthersAreNot) {
    TuningRecord slower = sample_record();
    slower.kernels.back().us = 2.75;
    keep_record(sample_record(), place());
    keep_record(slower, place());
    keep_record(sample_record("another name"), place());
    keep_record(sample_record(), place());
    EXPECT_EQ(read().size(), 3u);
    EXPECT_EQ(record_file_name(slower).substr(0, 24),
              record_file_name(sample_record()).substr(0, 24))
        << "the same question";
}

/// What both processes write: 20 records of their own and 20 that the other one writes, too.
void write_records(const Location& place, int process) {
    for (int i = 0; i < 20; ++i) {
        keep_record(sample_record("both", 1000 + i), place);
        TuningRecord own = sample_record("own", 2000 + i);
        own.kernels.front().us = 1.5 + 0.01 * process;
        keep_record(own, place);
    }
}

TEST_F(RecordDirectory, TwoProcessesAtOnceLoseNothing) {
    std::vector<pid_t> children;
    for (const int process : {0, 1}) {
        children.push_back(::fork());
        if (children.back() != 0) continue;
        try {
            write_records(place(), process);
            ::_exit(0);
        } catch (const Error&) {
            ::_exit(1);
        }
    }
    // Whatever is seen in between is whole.
    std::size_t seen = 0;
    for (int i = 0; i < 50 && seen < 60; ++i) {
        const std::size_t now = read().size();
        EXPECT_GE(now, seen);
        seen = now;
    }
    for (const pid_t child : children) {
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(read().size(), 60u);
    EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(RecordDirectory, WhatIsBrokenIsLeftOutAndTheOthersCount) {
    keep_record(sample_record(), place());
    const auto write = [&](const std::string& name, const std::string& text) {
        std::ofstream(path() + "/" + name) << text;
        ::chmod((path() + "/" + name).c_str(), 0600);
    };
    write("record-1.json", to_json(std::vector{sample_record("cut")}).substr(0, 700));
    write("record-2.json", "{\"kind\": \"device-profile\", \"schema\": 1}");
    write("record-3.json", std::string(1000, '\0'));
    write("record-4.json", "");
    write("note.txt", "no record");
    write("tmp-00112233445566778899aabbccddeeff", "{");
    EXPECT_EQ(read().size(), 1u);
    EXPECT_THAT(
        warnings_,
        ElementsAre("tuning file " + path() + "/record-1.json is left out: it is not JSON",
                    "tuning file " + path() + "/record-2.json is left out: it is no tuning-records",
                    "tuning file " + path() + "/record-3.json is left out: it is not JSON",
                    "tuning file " + path() + "/record-4.json is left out: it is not JSON"));
}

TEST_F(RecordDirectory, LinksAndThingsThatAreNoFilesAreLeftOut) {
    const std::string file = keep_record(sample_record(), place());
    fs::create_symlink(file, path() + "/record-link.json");
    fs::create_directory(path() + "/record-folder.json");
    ASSERT_EQ(::mkfifo((path() + "/record-pipe.json").c_str(), 0600), 0);
    EXPECT_EQ(read().size(), 1u);
    EXPECT_THAT(
        warnings_,
        ElementsAre("tuning file " + path() +
                        "/record-folder.json is left out: not a regular file: Invalid argument",
                    "tuning file " + path() +
                        "/record-link.json is left out: Too many levels of symbolic links",
                    "tuning file " + path() +
                        "/record-pipe.json is left out: not a regular file: Invalid argument"));
}

TEST_F(RecordDirectory, WhatOthersMayWriteToIsNotTrusted) {
    const std::string file = keep_record(sample_record(), place());
    ::chmod(file.c_str(), 0620);
    EXPECT_THAT(read(), IsEmpty());
    EXPECT_THAT(warnings_, ElementsAre("tuning file " + file +
                                       " is left out: its group may write "
                                       "to it (mode 0620)"));
    warnings_.clear();
    ::chmod(path().c_str(), 0770);
    EXPECT_THAT(read(), IsEmpty());
    const std::string why = "its group may write to it (mode 0770); chmod 700 mends that";
    EXPECT_THAT(warnings_,
                ElementsAre("the directory of tuning records " + path() + " is not used: " + why));
    EXPECT_EQ(refusal(), "tuning records cannot be kept in " + path() + ": " + why +
                             "; $SPMVGEN_RECORDS_DIR names another directory");
}

TEST_F(RecordDirectory, AFileThatIsNoRecordForItsSize) {
    const std::string file = keep_record(sample_record(), place());
    fs::resize_file(file, (16 << 20) + 1);
    EXPECT_THAT(read(), IsEmpty());
    EXPECT_THAT(warnings_, ElementsAre("tuning file " + file +
                                       " is left out: it has 16777217 bytes, a record has no more "
                                       "than 16777216"));
}

TEST_F(RecordDirectory, WhereNothingCanBeWritten) {
    std::ofstream(temporary_.path() / "data") << "a file in the way";
    EXPECT_EQ(refusal(), "tuning records cannot be kept in " + path() + ": mkdir " + path() +
                             ": Not a directory; $SPMVGEN_RECORDS_DIR names another directory");
    EXPECT_THAT(read(), IsEmpty());
    EXPECT_THAT(warnings_, ElementsAre("the directory of tuning records " + path() +
                                       " is not used: Not a directory"));
}

// In a process of another user when this one is root's, who may write everywhere.
TEST_F(RecordDirectory, ADirectoryThatMayOnlyBeRead) {
    keep_record(sample_record("kept before"), place());
    fs::permissions(temporary_.path(), fs::perms{0755});
    fs::permissions(temporary_.path() / "data", fs::perms{0755});
    fs::permissions(path(), fs::perms{0555});
    const std::string expected = "tuning records cannot be kept in " + path() +
                                 ": create: Permission denied; $SPMVGEN_RECORDS_DIR names another "
                                 "directory";
    const pid_t child = ::fork();
    if (child == 0) {
        if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
        ::_exit(refusal() == expected ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(read().size(), 1u);
    fs::permissions(path(), fs::perms{0700});
}

TEST_F(RecordDirectory, IsWhereTheVariablesSay) {
    const Variable own("SPMVGEN_RECORDS_DIR", "");
    const Variable home("HOME", "/home/somebody");
    {
        const Variable data("XDG_DATA_HOME", "");
        EXPECT_EQ(locate_records().path, "/home/somebody/.local/share/spmvgen/tuning");
    }
    const Variable data("XDG_DATA_HOME", "/data");
    EXPECT_EQ(locate_records().path, "/data/spmvgen/tuning");
    EXPECT_FALSE(locate_records().given);
    const Variable asked("SPMVGEN_RECORDS_DIR", "/elsewhere/");
    EXPECT_EQ(locate_records().path, "/elsewhere");
    EXPECT_TRUE(locate_records().given);
    EXPECT_EQ(locate_records("/here").path, "/here");
}

TEST_F(RecordDirectory, AllPlacesAreRead) {
    const Variable own("SPMVGEN_RECORDS_DIR", path());
    const Variable shared("SPMVGEN_TUNING_DB", temporary_.path().string());
    std::ofstream(temporary_.path() / "records-shared.json")
        << to_json(std::vector{sample_record("shared", 700)});
    keep_record(sample_record("own", 800));
    const TuningDb db(read_record_files(all_record_files(warnings_), warnings_));
    std::vector<std::string> names;
    for (auto& source : db.records()) names.push_back(source.record.matrix);
    EXPECT_THAT(names, testing::IsSupersetOf({"own", "shared"}));
    EXPECT_THAT(warnings_, IsEmpty());
}

}  // namespace
}  // namespace spmvgen
