#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "samples.hpp"
#include "store/store.hpp"

// What happens between processes. Children leave by _exit and tell by their status.
namespace spmvgen {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

template <typename Body>
pid_t start(Body body) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(body());
    return child;
}

int status_of(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

constexpr int skip = 77;

/// A mount namespace of this process's own, in which it may mount.
bool may_mount() {
    const std::string user = std::to_string(::geteuid()), group = std::to_string(::getegid());
    if (::unshare(CLONE_NEWNS | (user == "0" ? 0 : CLONE_NEWUSER)) != 0) return false;
    if (user != "0") {
        std::ofstream("/proc/self/uid_map") << user + " " + user + " 1";
        std::ofstream("/proc/self/setgroups") << "deny";
        std::ofstream("/proc/self/gid_map") << group + " " + group + " 1";
    }
    return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

TEST(Processes, KilledWhilePublishing) {
    const TemporaryDirectory directory;
    Warnings warnings;
    const StoreOptions options = sample_options(directory.path().string(), warnings);
    const KernelBinary large = filled_binary(1 << 19, 'a');
    // In the same directory, and nobody's to lose.
    KernelBinary bystander = sample_binary();
    bystander.signature.num_rhs = 3;
    while (fs::path(Store(options).path_of(bystander.signature)).parent_path() !=
           fs::path(Store(options).path_of(sample_signature())).parent_path())
        ++bystander.signature.num_rhs;
    ASSERT_TRUE(Store(options).put(bystander));
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_TRUE(Store(options).put(large));
    const auto one_put = std::chrono::steady_clock::now() - begin;
    constexpr int rounds = 200;
    for (int round = 0; round < rounds; ++round) {
        // The child writes without end; the moments of its death sweep over two writes.
        const pid_t child = start([&] {
            for (char fill = 'b';; ++fill) Store(options).put(filled_binary(1 << 19, fill));
            return 0;
        });
        std::this_thread::sleep_for(one_put * 2 * round / rounds);
        ::kill(child, SIGKILL);
        ASSERT_EQ(status_of(child), 128 + SIGKILL);
        Store store(options);
        const auto found = store.find(sample_signature());
        ASSERT_TRUE(found) << "an entry was lost in round " << round;
        ASSERT_TRUE(is_uniform(found->bytes) && found->bytes.size() == large.bytes.size());
        const auto entries = store.list(Store::Check::everything);
        ASSERT_EQ(entries.size(), 2u);
        ASSERT_EQ(entries[0].problem + entries[1].problem, "");
        ASSERT_TRUE(same(*store.find(bystander.signature), bystander));
    }
    const auto torn = files_below(directory.path()).size() - 2;
    RecordProperty("torn_temporary_files", static_cast<int>(torn));
    StoreOptions later = options;
    later.clock = [] { return std::int64_t{std::time(nullptr)} + 7200; };
    const auto cleaned = Store(later).prune({});
    EXPECT_EQ(cleaned.temporary, static_cast<std::int64_t>(torn));
    EXPECT_EQ(cleaned.left, 2);
    EXPECT_EQ(files_below(directory.path()).size(), 2u);
    EXPECT_THAT(warnings.texts(), ElementsAre());
}

TEST(Processes, ThirtyTwoOnOneColdKey) {
    const TemporaryDirectory directory;
    std::vector<pid_t> children;
    for (int i = 0; i < 32; ++i)
        children.push_back(start([&] {
            Warnings warnings;
            Store store(sample_options((directory.path() / "cold").string(), warnings));
            for (int round = 0; round < 25; ++round) {
                const auto found = store.find(sample_signature());
                if (found && !is_uniform(found->bytes)) return 1;
                if (!store.put(filled_binary(20000, static_cast<char>('A' + i)))) return 2;
                if (!store.find(sample_signature())) return 3;
            }
            return warnings.texts().empty() ? 0 : 4;
        }));
    for (pid_t child : children) EXPECT_EQ(status_of(child), 0);
    EXPECT_EQ(files_below(directory.path()).size(), 1u) << "one entry, and nothing left behind";
}

TEST(Processes, DirectoryThatCannotBeWritten) {
    const TemporaryDirectory directory;
    const std::string cache = (directory.path() / "cache").string();
    ASSERT_EQ(::chmod(directory.path().c_str(), 0755), 0);
    fs::create_directory(cache);
    if (::geteuid() == 0) {
        ASSERT_EQ(::chown(cache.c_str(), 65534, 65534), 0);
    }
    const int status = status_of(start([&] {
        // Root may write everywhere: become nobody.
        if (::geteuid() == 0 &&
            (::setgroups(0, nullptr) != 0 || ::setgid(65534) != 0 || ::setuid(65534) != 0))
            return skip;
        Warnings warnings;
        Store store(sample_options(cache, warnings));
        KernelBinary other = sample_binary();
        other.signature.num_rhs = 1;
        if (!store.put(sample_binary())) return 1;
        ::chmod(store.path_of(sample_signature()).c_str(), 0400);
        ::chmod(fs::path(store.path_of(sample_signature())).parent_path().c_str(), 0500);
        ::chmod(cache.c_str(), 0500);
        if (!store.find(sample_signature())) return 2;
        if (store.put(other) || store.put(other) || store.put(sample_binary())) return 3;
        if (store.counters().write_failures != 3) return 4;
        if (store.clear() != 0 || !store.find(sample_signature())) return 5;
        if (warnings.texts() !=
            std::vector{
                "kernel cache " + cache + ": kernels are not kept: mkdir: Permission denied",
                "kernel cache " + cache + " is not cleared: 1 of its files could not be removed"})
            return 6;
        ::chmod(store.path_of(sample_signature()).c_str(), 0);
        if (store.find(sample_signature()) || warnings.texts().size() != 3) return 7;
        ::chmod(cache.c_str(), 0700);
        return 0;
    }));
    if (status == skip) GTEST_SKIP() << "[SKIP] root here may not become another user";
    EXPECT_EQ(status, 0);
}

TEST(Processes, FileSizeLimitDoesNotEndTheProcess) {
    const TemporaryDirectory directory;
    const int status = status_of(start([&] {
        const rlimit limit{1000, 1000};
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return skip;
        Warnings warnings;
        Store store(sample_options(directory.path().string(), warnings));
        if (store.put(sample_binary())) return 1;
        if (store.find(sample_signature())) return 2;
        if (!files_below(directory.path()).empty()) return 3;
        return warnings.texts() == std::vector{"kernel cache " + directory.path().string() +
                                               ": kernels are not kept: write: File too large"}
                   ? 0
                   : 4;
    }));
    if (status == skip) GTEST_SKIP() << "[SKIP] no file size limit can be set here";
    EXPECT_EQ(status, 0);
}

TEST(Processes, FullDisk) {
    const TemporaryDirectory directory;
    const std::string cache = directory.path().string();
    const int status = status_of(start([&] {
        if (!may_mount() || ::mount("tmpfs", cache.c_str(), "tmpfs", 0, "size=256k,mode=0700") != 0)
            return skip;
        Warnings warnings;
        Store store(sample_options(cache, warnings));
        if (!store.put(filled_binary(100000, 'a'))) return 1;
        KernelBinary other = filled_binary(200000, 'b');
        other.signature.num_rhs = 1;
        if (store.put(other)) return 2;
        if (store.put(filled_binary(200000, 'c'))) return 3;
        const auto found = store.find(sample_signature());
        if (!found || found->bytes != std::string(100000, 'a')) return 4;
        if (files_below(cache).size() != 1) return 5;
        if (warnings.texts() !=
            std::vector{"kernel cache " + cache +
                        ": kernels are not kept: write: No space left on device"})
            return 6;
        if (store.clear() != 1 || !store.put(other)) return 7;
        return 0;
    }));
    if (status == skip) GTEST_SKIP() << "[SKIP] no tmpfs can be mounted here";
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace spmvgen
