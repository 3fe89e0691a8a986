#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "samples.hpp"
#include "store_fixture.hpp"

// Who makes a kernel that several processes miss.
namespace spmvgen {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class Lock : public StoreTest {
  protected:
    Store open_with(milliseconds limit) {
        StoreOptions options = sample_options(directory(), warnings_);
        options.lock_limit = limit;
        return Store(options);
    }
    fs::path lock_path() { return fs::path(path()).replace_extension(".lock"); }
    /// A process that holds the lock, until it is killed.
    pid_t start_holder() {
        int ready[2];
        EXPECT_EQ(::pipe(ready), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            const EntryLock held = open().lock(sample_signature());
            const char answer = held ? 'y' : 'n';
            if (::write(ready[1], &answer, 1) == 1) ::pause();
            ::_exit(1);
        }
        char answer = 0;
        EXPECT_EQ(::read(ready[0], &answer, 1), 1);
        EXPECT_EQ(answer, 'y');
        ::close(ready[0]);
        ::close(ready[1]);
        return child;
    }
    static void end(pid_t child) {
        ::kill(child, SIGKILL);
        ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    }
};

TEST_F(Lock, IsGivenBackAndLeavesNothing) {
    Store store = open();
    for (int round = 0; round < 3; ++round) {
        const EntryLock held = store.lock(sample_signature());
        EXPECT_TRUE(held);
        EXPECT_TRUE(fs::exists(lock_path()));
    }
    EXPECT_TRUE(files_below(directory()).empty());
}

TEST_F(Lock, IsForOneEntry) {
    Store store = open();
    const EntryLock held = store.lock(sample_signature());
    Signature other = sample_signature();
    other.num_rhs = 3;
    EXPECT_TRUE(open_with(milliseconds(0)).lock(other));
    EXPECT_TRUE(open_with(milliseconds(0)).lock(sample_signature(), BinaryKind::object));
    EXPECT_FALSE(open_with(milliseconds(0)).lock(sample_signature()));
}

TEST_F(Lock, WaitsAtMostForItsLimit) {
    Store first = open();
    const EntryLock held = first.lock(sample_signature());
    const auto begin = steady_clock::now();
    EXPECT_FALSE(open_with(milliseconds(100)).lock(sample_signature()));
    EXPECT_GE(steady_clock::now() - begin, milliseconds(100));
    EXPECT_TRUE(fs::exists(lock_path())) << "it belongs to the first one";
}

TEST_F(Lock, EndsWithTheEntryThatTheOtherWrites) {
    Store first = open();
    const EntryLock held = first.lock(sample_signature());
    std::jthread writer([&] {
        std::this_thread::sleep_for(milliseconds(50));
        EXPECT_TRUE(first.put(sample_binary()));
    });
    Store second = open();
    EXPECT_FALSE(second.lock(sample_signature()));
    EXPECT_TRUE(finds(second));
}

TEST_F(Lock, OfAProcessThatDiedIsFree) {
    end(start_holder());
    EXPECT_TRUE(fs::exists(lock_path())) << "it had no time to remove it";
    EXPECT_TRUE(open_with(milliseconds(0)).lock(sample_signature()));
    EXPECT_FALSE(fs::exists(lock_path()));
}

TEST_F(Lock, OfAProcessThatDiesMeanwhileBecomesFree) {
    const pid_t child = start_holder();
    EXPECT_FALSE(open_with(milliseconds(0)).lock(sample_signature()));
    std::jthread killer([&] {
        std::this_thread::sleep_for(milliseconds(50));
        end(child);
    });
    EXPECT_TRUE(open().lock(sample_signature()));
}

TEST_F(Lock, HoldsNothingWhereNothingCanBeWritten) {
    EXPECT_FALSE(open(false).lock(sample_signature()));
    EXPECT_FALSE(fs::exists(directory()));
    write_file(directory(), "a file where the directory would be");
    EXPECT_FALSE(open().lock(sample_signature()));
    EXPECT_TRUE(warnings_.texts().empty()) << "put() says it";
}

TEST_F(Lock, AThingThatIsNoFileOfOursIsPassedBy) {
    fs::create_directories(lock_path());
    EXPECT_FALSE(open().lock(sample_signature()));
    fs::remove(lock_path());
    fs::create_symlink(temporary_.path() / "elsewhere", lock_path());
    EXPECT_FALSE(open().lock(sample_signature()));
    EXPECT_FALSE(fs::exists(temporary_.path() / "elsewhere"));
}

TEST_F(Lock, ThatACrashLeftIsRemovedAfterAnHour) {
    end(start_holder());
    EXPECT_EQ(open().prune({}).temporary, 0);
    EXPECT_EQ(open().clear(), 0);
    ASSERT_TRUE(fs::exists(lock_path()));
    set_mtime(lock_path(), std::time(nullptr) - 3700);
    EXPECT_EQ(open().prune({}).temporary, 1);
    EXPECT_FALSE(fs::exists(lock_path()));
}

}  // namespace
}  // namespace spmvgen
