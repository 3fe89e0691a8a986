#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "spmvgen/kernel.hpp"
#include "store/entry_lock.hpp"
#include "store/files.hpp"
#include "store/key.hpp"

namespace spmvgen {

/// How a Store is opened. The defaults are what the product uses; tests set the rest.
struct StoreOptions {
    std::string directory;  ///< "" = the default: $SPMVGEN_CACHE_DIR, $XDG_CACHE_HOME/spmvgen/v2,
                            ///< ~/.cache/spmvgen/v2
    bool writable = true;   ///< false: nothing is written, nothing removed
    std::optional<bool> sync;                      ///< fsync before an entry gets its name; unset =
                                                   ///< $SPMVGEN_CACHE_FSYNC is "1"
    std::optional<std::int64_t> max_bytes;         ///< entries above that are removed, the ones not
                                                   ///< used for longest first, some time after a
                                                   ///< put; 0 = no limit; unset =
                                                   ///< $SPMVGEN_CACHE_MAX_SIZE, else 1 GB
    std::chrono::milliseconds lock_limit{10'000};  ///< how long lock() waits for other processes
    Maker maker = this_maker();                    ///< goes into the key
    std::function<void(const std::string&)> warn;  ///< unset = a line on standard error, unless
                                                   ///< $SPMVGEN_LOG is "quiet"
    std::function<std::int64_t()> clock;           ///< seconds since 1970; unset = the system's
};

/// The kernel cache on disk: a directory of single-file entries (docs/explanation/store.md). Every
/// trouble with an entry is a miss; no function throws for what is on the disk. Safe for any number
/// of threads and processes on one directory. Each kind of trouble is warned of once for each
/// Store.
class Store {
  public:
    /// `directory` "" = the default: $SPMVGEN_CACHE_DIR, $XDG_CACHE_HOME/spmvgen/v2,
    /// ~/.cache/spmvgen/v2. Created 0700 at the first write. A directory that another user owns is
    /// not used (unless root's and given by `directory` or $SPMVGEN_CACHE_DIR), nor is one that
    /// its group or every user may write to.
    explicit Store(std::string directory = "", bool writable = true);
    explicit Store(StoreOptions options);
    Store(Store&&) noexcept;
    Store& operator=(Store&&) noexcept;
    ~Store();

    /// The binary for `signature`, or nothing.
    std::optional<KernelBinary> find(const Signature& signature,
                                     BinaryKind kind = BinaryKind::shared_object);
    /// Writes an entry; false (and one warning) when that cannot be done. False without a warning
    /// when the store is not writable, which the caller asked for. At most every ten minutes, and
    /// by one process at a time, a put then removes what exceeds the limit.
    bool put(const KernelBinary& binary);

    /// Called before a kernel that was not found is made, which is then kept while the lock is
    /// held. Waits while another process makes it; look again before you make it. Holds nothing
    /// where the other one took longer than the limit, or where the store cannot be written.
    EntryLock lock(const Signature& signature, BinaryKind kind = BinaryKind::shared_object);

    struct Entry {
        std::string path;
        std::string name;  ///< kernel name
        std::string target;
        std::int64_t bytes = 0;
        std::string problem;    ///< "" = sound
        bool damaged = false;   ///< its bytes are wrong; other problems: a later version's, no
                                ///< permission
        std::int64_t used = 0;  ///< when it was last found (to a day) or written, since 1970
        bool removed = false;   ///< verify() removed it
        std::string compiler;   ///< identity of the compiler that made it
        std::string version;    ///< of the spmvgen that made it
        std::string created;    ///< "2026-11-20T23:04:05Z"
        bool current = false;   ///< this spmvgen could find it; others' entries are of no use here
    };
    /// How closely list() looks: at headers only, or at every byte.
    enum class Check { header, everything };
    /// All entries, by path.
    std::vector<Entry> list(Check check = Check::header) const;
    /// Reads every byte of all entries and returns them. `remove`: those that are damaged are
    /// removed, unless another process has put a sound one there since, or the store is not
    /// writable.
    std::vector<Entry> verify(bool remove);
    /// What prune() is to leave.
    struct Limits {
        std::optional<std::int64_t> bytes = {};        ///< of all entries
        std::optional<std::int64_t> age_seconds = {};  ///< since an entry was last used
    };
    struct Pruned {
        std::int64_t entries = 0, bytes = 0;  ///< that were removed
        std::int64_t left = 0, left_bytes = 0;
        std::int64_t temporary = 0;  ///< files of crashed writers that were removed
        std::int64_t young = 0;      ///< entries beyond a limit that stay: used in the last minutes
        std::int64_t refused = 0;    ///< that could not be removed
        bool operator==(const Pruned&) const = default;
    };
    /// Removes entries beyond the limits, the ones not used for longest first, but never one that
    /// was written or used in the last ten minutes; and what crashed writers left more than an hour
    /// ago. Removes nothing, with a warning, when the store is not writable.
    Pruned prune(const Limits& limits);
    /// The limit on the bytes of all entries; 0 = none.
    std::int64_t max_bytes() const;
    /// Removes all entries (and nothing else but what crashed writers left more than an hour ago);
    /// returns how many entries. Removes nothing, with a warning, when the store is not writable.
    int clear();
    const std::string& directory() const { return directory_; }
    /// Where the entry of `signature` is or would be. The source in it can be read with any pager.
    std::string path_of(const Signature& signature,
                        BinaryKind kind = BinaryKind::shared_object) const;
    /// Why the directory is not used; "" = it is, or does not exist yet.
    std::string problem() const;

    /// What happened in this object so far. A find is a hit or a miss; `rejected` are the misses
    /// where there was an entry that could not be used.
    struct Counters {
        std::int64_t hits = 0, misses = 0, rejected = 0, written = 0, write_failures = 0;
    };
    Counters counters() const;

  private:
    struct State;
    struct Opened;
    Opened open_usable() const;
    File open_or_warn() const;
    std::optional<KernelBinary> read(const File& directory, const std::string& name,
                                     const Key& key);
    void note_use(const File& file, const struct stat& seen) const;
    void reject(const File& directory, const std::string& name, const struct stat& seen,
                const std::string& reason);
    File make_shard(const std::string& name);
    void publish(const std::string& name, const std::string& entry);
    struct Candidate;
    std::vector<Entry> inspect_all(Check check, bool remove) const;
    std::optional<Entry> inspect(const StoredFile& at, Check check, struct stat& seen) const;
    Pruned remove_beyond(const File& directory, const Limits& limits) const;
    void prune_if_due() const;
    bool take_prune_lock(const File& directory, File& stamp) const;
    bool wants_sync() const;
    std::string full_path(const std::string& name) const;
    void warn_once(const std::string& kind, const std::string& text) const;

    StoreOptions options_;
    std::string directory_;
    bool given_ = false;
    std::unique_ptr<State> state_;
};

}  // namespace spmvgen
