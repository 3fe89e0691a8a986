#include "store/entry_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "store/files.hpp"

namespace spmvgen {
namespace {

enum class Try { locked, busy, impossible };

Try try_lock(const File& file) {
    int result = ::flock(file.get(), LOCK_EX | LOCK_NB);
    while (result != 0 && errno == EINTR) result = ::flock(file.get(), LOCK_EX | LOCK_NB);
    return result == 0 ? Try::locked : errno == EWOULDBLOCK ? Try::busy : Try::impossible;
}

bool exists(const File& shard, const std::string& name) {
    struct stat found{};
    return ::fstatat(shard.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0;
}

/// Whether `file` still has that name: who held the lock before removed it.
bool is_named(const File& shard, const std::string& name, const File& file) {
    struct stat named{}, own{};
    return ::fstatat(shard.get(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           ::fstat(file.get(), &own) == 0 && same_file(named, own);
}

}  // namespace

EntryLock::EntryLock(File shard, std::string name, File file)
    : shard_(std::move(shard)), name_(std::move(name)), file_(std::move(file)) {}

EntryLock::~EntryLock() {
    if (!file_) return;
    if (is_named(shard_, name_, file_)) ::unlinkat(shard_.get(), name_.c_str(), 0);
    ::flock(file_.get(), LOCK_UN);  // a child process may have the descriptor, too
}

EntryLock EntryLock::take(File shard, const std::string& name, std::chrono::milliseconds limit) {
    using std::chrono::milliseconds;
    const auto end = std::chrono::steady_clock::now() + limit;
    const std::string lock = lock_name(name);
    for (milliseconds pause{1};;) {
        File file(::openat(shard.get(), lock.c_str(),
                           O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
        const Try outcome = file ? try_lock(file) : Try::impossible;
        if (outcome == Try::impossible) return {};
        if (outcome == Try::locked && is_named(shard, lock, file)) {
            ::futimens(file.get(), nullptr);  // a file that a crash left is in use again
            return {std::move(shard), lock, std::move(file)};
        }
        if (outcome == Try::locked) continue;
        if (exists(shard, name) || std::chrono::steady_clock::now() >= end) return {};
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, milliseconds(20));
    }
}

}  // namespace spmvgen
