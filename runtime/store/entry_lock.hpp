#pragma once
#include <chrono>
#include <string>

#include "store/files.hpp"

namespace spmvgen {

/// The turn to make the kernel of one entry. While it is held, other processes (and other stores of
/// this one) that want the same kernel wait. A process that dies gives its turn back.
class EntryLock {
  public:
    /// Holds nothing.
    EntryLock() = default;
    EntryLock(EntryLock&&) noexcept = default;
    EntryLock& operator=(EntryLock&&) = delete;
    /// Removes the lock file and lets the next one go on.
    ~EntryLock();
    explicit operator bool() const noexcept { return bool(file_); }

    /// Locks the file beside the entry `name` in the directory `shard`. Waits while another process
    /// holds it, until the entry is there, at most for `limit`. What holds nothing is returned when
    /// the entry is there, the time is over, or files cannot be locked or made: then nobody is
    /// waited for. Never throws.
    static EntryLock take(File shard, const std::string& name, std::chrono::milliseconds limit);

  private:
    EntryLock(File shard, std::string name, File file);

    File shard_;
    std::string name_;
    File file_;
};

}  // namespace spmvgen
