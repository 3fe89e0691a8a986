#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spmvgen/kernel.hpp"

namespace spmvgen {

/// The kernel cache on disk: a directory of single-file entries (docs/store.md). Every trouble with
/// an entry is a miss; no function throws for what is on the disk. Safe for any number of threads
/// and processes on one directory.
class Store {
  public:
    /// `directory` "" = the default: $SPMVGEN_CACHE_DIR, $XDG_CACHE_HOME/spmvgen/v1,
    /// ~/.cache/spmvgen/v1. Created 0700 at the first write; a directory that another user owns is
    /// not used (unless root's and `directory` was given).
    explicit Store(std::string directory = "", bool writable = true);

    /// The binary for `signature`, or nothing.
    std::optional<KernelBinary> find(const Signature& signature);
    /// Writes an entry; false (and one warning) when that cannot be done.
    bool put(const KernelBinary& binary);

    struct Entry {
        std::string path;
        std::string name;  ///< kernel name
        std::string target;
        std::int64_t bytes = 0;
        std::string problem;  ///< "" = sound
    };
    std::vector<Entry> list() const;
    /// Removes all entries (and nothing else); returns how many.
    int clear();
    const std::string& directory() const { return directory_; }
    /// Where the entry of `signature` is or would be.
    std::string path_of(const Signature& signature) const;

    /// What happened in this object so far.
    struct Counters {
        std::int64_t hits = 0, misses = 0, rejected = 0, written = 0, write_failures = 0;
    };
    Counters counters() const;

  private:
    std::string directory_;
    bool writable_;
};

}  // namespace spmvgen
