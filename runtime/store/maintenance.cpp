/// What is done to a store as a whole: list, verify, prune, clear.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "store/entry.hpp"
#include "store/files.hpp"
#include "store/quantities.hpp"
#include "store/state.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t default_max_bytes = 1'000'000'000;
/// An entry that was written or used less long ago stays: whoever made it may not have had it yet.
constexpr std::int64_t young_seconds = 600;
/// From one prune to the next.
constexpr std::int64_t prune_interval_seconds = 600;

bool made_by(const Maker& maker, const Key& key) {
    const Key own = key_of(Signature{}, BinaryKind::shared_object, maker);
    for (const char* name : {"format", "launch_abi", "generator", "compiler", "compiler_series"})
        if (auto it = key.fields.find(name);
            it == key.fields.end() || it->second != own.fields.at(name))
            return false;
    return true;
}

/// Whether `now` is at most `seconds` from `then`, whichever is first: clocks differ.
bool is_within(std::int64_t seconds, std::int64_t then, std::int64_t now) {
    return std::abs(now - then) < seconds;
}

}  // namespace

/// An entry that may be removed.
struct Store::Candidate {
    std::string path;  ///< below the directory
    struct stat seen;
};

std::int64_t Store::max_bytes() const {
    if (options_.max_bytes) return *options_.max_bytes;
    const char* variable = std::getenv("SPMVGEN_CACHE_MAX_SIZE");
    const std::string asked = variable != nullptr ? variable : "";
    if (asked.empty()) return default_max_bytes;
    if (const auto size = parse_size(asked)) return *size;
    warn_once("max size", "SPMVGEN_CACHE_MAX_SIZE is '" + asked +
                              "': use a size such as 200M or 1.5G, or 0 for no limit; 1G is taken");
    return default_max_bytes;
}

std::vector<Store::Entry> Store::list(Check check) const {
    return inspect_all(check, false);
}

std::vector<Store::Entry> Store::verify(bool remove) {
    return inspect_all(Check::everything, remove && options_.writable);
}

std::vector<Store::Entry> Store::inspect_all(Check check, bool remove) const {
    std::vector<Entry> entries;
    try {
        const File directory = open_or_warn();
        if (!directory) return entries;
        for_each_file(directory, [&](const StoredFile& at) {
            if (!is_entry_name(at.name)) return;
            struct stat seen{};
            auto entry = inspect(at, check, seen);
            if (!entry) return;
            entry->removed = remove && entry->damaged &&
                             remove_file(at.shard, at.name, [&](const struct stat& now) {
                                 return same_file(now, seen);
                             }) == Removal::done;
            entries.push_back(std::move(*entry));
        });
    } catch (const std::system_error& e) {
        warn_once("list",
                  fmt::format("kernel cache {} cannot be listed: {}", directory_, e.what()));
    }
    return entries;
}

std::optional<Store::Entry> Store::inspect(const StoredFile& at, Check check,
                                           struct stat& seen) const {
    Entry entry;
    entry.path = full_path(at.path());
    try {
        const File file = open_file(at.shard.get(), at.name);
        if (!file && errno == ENOENT) return {};
        if (!file) throw std::system_error(errno, std::generic_category(), "open");
        seen = status(file);
        entry.bytes = seen.st_size;
        entry.used = seen.st_mtime;
        const auto size = static_cast<std::uint64_t>(entry.bytes);
        const Preamble parts =
            read_preamble(read_bytes(file, std::min<std::uint64_t>(size, preamble_bytes)), size);
        const auto front = preamble_bytes + parts.header_bytes;
        const std::string bytes = read_bytes(file, check == Check::everything ? size : front);
        const Summary s =
            read_summary(std::string_view(bytes).substr(preamble_bytes, parts.header_bytes));
        entry.name = s.name;
        entry.target = s.target;
        entry.compiler = s.compiler;
        entry.version = s.version;
        entry.created = s.created;
        entry.current = made_by(options_.maker, s.key);
        const std::string digest =
            at.shard_name + at.name.substr(0, at.name.size() - entry_suffix.size());
        if (s.key.digest() != digest) throw BadEntry("its name is not the digest of its key");
        if (check == Check::everything) decode_entry(bytes, s.key);
        entry.problem = why_unsafe_entry(seen);
    } catch (const BadEntry& e) {
        entry.problem = e.what();
        entry.damaged = !e.newer();
    } catch (const std::runtime_error& e) {
        entry.problem = e.what();
    }
    return entry;
}

int Store::clear() {
    int removed = 0, refused = 0;
    std::string problem = options_.writable ? "" : "it is open for reading only";
    try {
        Opened opened = problem.empty() ? open_usable() : Opened();
        if (!opened.problem.empty()) problem = opened.problem;
        const std::int64_t now = options_.clock();
        const auto remove = [&](const StoredFile& at) {
            const bool entry = is_entry_name(at.name), passing = is_passing_name(at.name);
            const Removal removal = remove_file(at.shard, at.name, [&](const struct stat& s) {
                return entry || (passing && now - std::int64_t{s.st_mtime} > stale_after_seconds);
            });
            removed += entry && removal == Removal::done;
            refused += removal == Removal::refused;
        };
        if (opened.file) {
            for_each_file(opened.file, remove);
            const auto any = [](const struct stat&) { return true; };
            refused += remove_file(opened.file, choices_name, any) == Removal::refused;
        }
        if (refused > 0) problem = fmt::format("{} of its files could not be removed", refused);
    } catch (const std::system_error& e) {
        problem = e.what();
    }
    if (!problem.empty())
        warn_once("clear", fmt::format("kernel cache {} is not cleared: {}", directory_, problem));
    return removed;
}

Store::Pruned Store::prune(const Limits& limits) {
    std::string problem = options_.writable ? "" : "it is open for reading only";
    try {
        Opened opened = problem.empty() ? open_usable() : Opened();
        if (!opened.problem.empty()) problem = opened.problem;
        if (opened.file) return remove_beyond(opened.file, limits);
    } catch (const std::system_error& e) {
        problem = e.what();
    }
    if (!problem.empty())
        warn_once("prune", fmt::format("kernel cache {} is not pruned: {}", directory_, problem));
    return {};
}

Store::Pruned Store::remove_beyond(const File& directory, const Limits& limits) const {
    const std::int64_t now = options_.clock();
    Pruned done;
    std::vector<Candidate> entries;
    for_each_file(directory, [&](const StoredFile& at) {
        struct stat seen{};
        if (is_passing_name(at.name))
            done.temporary += remove_file(at.shard, at.name, [&](const struct stat& s) {
                                  return now - std::int64_t{s.st_mtime} > stale_after_seconds;
                              }) == Removal::done;
        if (!is_entry_name(at.name) ||
            ::fstatat(at.shard.get(), at.name.c_str(), &seen, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(seen.st_mode))
            return;
        entries.push_back({at.path(), seen});
        ++done.left;
        done.left_bytes += seen.st_size;
    });
    std::ranges::sort(entries, {}, [](const Candidate& c) {
        return std::pair(std::int64_t{c.seen.st_mtime}, c.path);
    });
    for (const Candidate& entry : entries) {
        const std::int64_t used = entry.seen.st_mtime;
        const bool beyond = (limits.bytes && done.left_bytes > *limits.bytes) ||
                            (limits.age_seconds && now - used > *limits.age_seconds);
        if (!beyond) continue;
        if (is_within(young_seconds, used, now)) {
            ++done.young;
            continue;
        }
        // Replaced or found since it was looked at: it is in use.
        const Removal removal = remove_file(directory, entry.path, [&](const struct stat& s) {
            return same_file(s, entry.seen) && s.st_mtime == entry.seen.st_mtime;
        });
        done.refused += removal == Removal::refused;
        if (removal != Removal::done) continue;
        ++done.entries;
        done.bytes += entry.seen.st_size;
        --done.left;
        done.left_bytes -= entry.seen.st_size;
    }
    return done;
}

void Store::prune_if_due() const {
    const std::int64_t limit = max_bytes();
    if (limit == 0) return;
    try {
        const File directory = open_usable().file;
        File stamp;
        if (!directory || !take_prune_lock(directory, stamp)) return;
        remove_beyond(directory, {.bytes = limit});
    } catch (const std::system_error& e) {
        warn_once("prune", fmt::format("kernel cache {} is not pruned: {}", directory_, e.what()));
    }
}

/// Whether it is due and no other process is at it; the lock is held as long as `stamp` is open.
bool Store::take_prune_lock(const File& directory, File& stamp) const {
    const std::int64_t now = options_.clock();
    const auto is_due = [&](const struct stat& s) {
        return !is_within(prune_interval_seconds, s.st_mtime, now);
    };
    struct stat last{};
    const bool first =
        ::fstatat(directory.get(), prune_stamp, &last, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
    if (!first && !is_due(last)) return false;
    stamp = File(::openat(directory.get(), prune_stamp,
                          O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    // Where files cannot be locked, two that prune at once remove the same entries.
    if (!stamp || (::flock(stamp.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK))
        return false;
    if (!first && !is_due(status(stamp))) return false;
    return set_changed(stamp, now);
}

}  // namespace spmvgen
