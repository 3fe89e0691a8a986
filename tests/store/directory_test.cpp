#include "store/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>

#include "samples.hpp"

namespace spmvgen {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

/// Sets the variables that decide where the cache is, and puts the old ones back.
class DirectoryTest : public testing::Test {
  protected:
    DirectoryTest() {
        for (const char* name : {"SPMVGEN_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) {
            if (const char* value = ::getenv(name)) before_[name] = value;
            ::unsetenv(name);
        }
    }
    ~DirectoryTest() override {
        for (const char* name : {"SPMVGEN_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) {
            ::unsetenv(name);
            if (before_.contains(name)) ::setenv(name, before_[name].c_str(), 1);
        }
    }
    static void set(const char* name, const std::string& value) {
        ::setenv(name, value.c_str(), 1);
    }

    std::map<std::string, std::string> before_;
    TemporaryDirectory temporary_;
    Warnings warnings_;
};

TEST_F(DirectoryTest, OrderOfPlaces) {
    EXPECT_EQ(locate_directory("").path,
              std::string(::getpwuid(::geteuid())->pw_dir) + "/.cache/spmvgen/v2");
    set("HOME", "/home/somebody");
    EXPECT_EQ(locate_directory("").path, "/home/somebody/.cache/spmvgen/v2");
    set("XDG_CACHE_HOME", "/var/cache/somebody");
    EXPECT_EQ(locate_directory("").path, "/var/cache/somebody/spmvgen/v2");
    EXPECT_FALSE(locate_directory("").given);
    set("SPMVGEN_CACHE_DIR", "/scratch/kernels");
    EXPECT_EQ(locate_directory("").path, "/scratch/kernels");
    EXPECT_TRUE(locate_directory("").given);
    EXPECT_EQ(locate_directory("/given/").path, "/given");
    EXPECT_TRUE(locate_directory("/given").given);
}

TEST_F(DirectoryTest, EmptyAndRelativeVariables) {
    set("HOME", "/home/somebody");
    set("XDG_CACHE_HOME", "");
    set("SPMVGEN_CACHE_DIR", "");
    EXPECT_EQ(locate_directory("").path, "/home/somebody/.cache/spmvgen/v2");
    set("XDG_CACHE_HOME", "relative");
    EXPECT_EQ(locate_directory("").path, "/home/somebody/.cache/spmvgen/v2");
    set("HOME", "relative");
    EXPECT_EQ(locate_directory("").path,
              std::string(::getpwuid(::geteuid())->pw_dir) + "/.cache/spmvgen/v2");
    EXPECT_EQ(locate_directory("kernels").path, fs::current_path() / "kernels");
}

TEST_F(DirectoryTest, DefaultDirectoryIsMadeForItsOwnerOnly) {
    const fs::path home = temporary_.path() / "home";
    fs::create_directory(home);
    fs::permissions(home, fs::perms(0755));
    set("HOME", home.string());
    const mode_t before = ::umask(0);
    Store store(sample_options("", warnings_));
    const bool put = store.put(sample_binary());
    ::umask(before);
    ASSERT_TRUE(put);
    EXPECT_EQ(store.directory(), home / ".cache/spmvgen/v2");
    for (const char* made : {".cache", ".cache/spmvgen", ".cache/spmvgen/v2"})
        EXPECT_EQ(fs::status(home / made).permissions(), fs::perms(0700)) << made;
    EXPECT_EQ(fs::status(home).permissions(), fs::perms(0755)) << "not ours to change";
}

TEST_F(DirectoryTest, LinkedHome) {
    fs::create_directory(temporary_.path() / "real");
    fs::create_directory_symlink(temporary_.path() / "real", temporary_.path() / "home");
    set("HOME", (temporary_.path() / "home").string());
    Store store(sample_options("", warnings_));
    EXPECT_TRUE(store.put(sample_binary()));
    EXPECT_TRUE(store.find(sample_signature()));
    EXPECT_TRUE(fs::exists(temporary_.path() / "real/.cache/spmvgen/v2"));
    EXPECT_THAT(warnings_.texts(), IsEmpty());
}

TEST_F(DirectoryTest, DirectoryThatOthersMayWriteToIsNotUsed) {
    struct Case {
        bool given;
        unsigned mode;
        const char* problem;
    };
    const std::string world = "every user may write to it (mode ";
    for (auto& [given, mode, problem] : std::initializer_list<Case>{
             {false, 0700, ""},
             {false, 0755, ""},
             {false, 0775, "its group may write to it (mode 0775); chmod 700 mends that"},
             {false, 0777, "every user may write to it (mode 0777); chmod 700 mends that"},
             {true, 0755, ""},
             {true, 0775, "its group may write to it (mode 0775); chmod 700 mends that"},
             {true, 0777, "every user may write to it (mode 0777); chmod 700 mends that"},
             {true, 01777, "every user may write to it (mode 1777); chmod 700 mends that"}}) {
        TemporaryDirectory home;
        set("HOME", home.path().string());
        const fs::path cache = home.path() / ".cache/spmvgen/v2";
        StoreOptions options = sample_options(given ? cache.string() : "", warnings_);
        ASSERT_TRUE(Store(options).put(sample_binary()));
        ASSERT_EQ(::chmod(cache.c_str(), mode), 0);
        Store store(options);
        EXPECT_EQ(store.problem(), problem);
        const bool usable = *problem == 0;
        EXPECT_EQ(store.find(sample_signature()).has_value(), usable);
        EXPECT_EQ(store.put(sample_binary()), usable);
        EXPECT_EQ(store.list().size(), usable ? 1u : 0u);
        EXPECT_EQ(store.clear(), usable ? 1 : 0);
    }
}

TEST_F(DirectoryTest, OwnerRules) {
    struct stat s{};
    s.st_mode = S_IFDIR | 0700;
    s.st_uid = ::geteuid();
    EXPECT_EQ(why_unsafe(s, false), "");
    EXPECT_EQ(why_unsafe(s, true), "");
    s.st_uid = ::geteuid() + 1;
    s.st_uid = 0;
    EXPECT_EQ(why_unsafe(s, true), "") << "root's, asked for by name";
    EXPECT_EQ(why_unsafe(s, false) == "", ::geteuid() == 0);
    s.st_mode = S_IFDIR | 0775;
    EXPECT_EQ(why_unsafe(s, true), "its group may write to it (mode 0775); chmod 700 mends that");
    s.st_mode = S_IFDIR | 0700;
    s.st_uid = ::geteuid() + 1;
    const std::string foreign = "it belongs to user " + std::to_string(s.st_uid) +
                                ", and this process is user " + std::to_string(::geteuid());
    EXPECT_EQ(why_unsafe(s, false), foreign);
    EXPECT_EQ(why_unsafe(s, true), foreign);
}

TEST_F(DirectoryTest, DirectoryOfAnotherUserIsNotUsed) {
    if (::geteuid() != 0) GTEST_SKIP() << "[SKIP] only root can give a directory away";
    const std::string cache = (temporary_.path() / "cache").string();
    const StoreOptions options = sample_options(cache, warnings_);
    ASSERT_TRUE(Store(options).put(sample_binary()));
    ASSERT_EQ(::chown(cache.c_str(), 1, 1), 0);
    Store store(options);
    EXPECT_FALSE(store.find(sample_signature()));
    EXPECT_FALSE(store.find(sample_signature()));
    EXPECT_FALSE(store.put(sample_binary()));
    EXPECT_THAT(warnings_.texts(),
                ElementsAre("kernel cache " + cache +
                                " is not used: it belongs to user 1, and this process is user 0",
                            "kernel cache " + cache +
                                ": kernels are not kept: it belongs to user 1, and this process is "
                                "user 0"));
    EXPECT_EQ(files_below(cache).size(), 1u) << "nothing of another user's is touched";
}

}  // namespace
}  // namespace spmvgen
