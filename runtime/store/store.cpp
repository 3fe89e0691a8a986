#include "store/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <set>
#include <string_view>
#include <system_error>

#include "spmvgen/error.hpp"
#include "spmvgen/spmvgen.hpp"
#include "store/directory.hpp"
#include "store/entry.hpp"

namespace spmvgen {
namespace {

constexpr std::string_view suffix = ".spmvk";
constexpr std::size_t shard_digits = 2, digest_digits = 64;
constexpr std::int64_t stale_after_seconds = 3600;

bool is_hex(std::string_view text, std::size_t digits) {
    return text.size() == digits &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_entry_name(std::string_view name) {
    return name.ends_with(suffix) &&
           is_hex(name.substr(0, name.size() - suffix.size()), digest_digits - shard_digits);
}

/// Path of an entry below the store's directory.
std::string entry_path(const Key& key) {
    const std::string digest = key.digest();
    return digest.substr(0, shard_digits) + "/" + digest.substr(shard_digits) + std::string(suffix);
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

void warn_on_standard_error(const std::string& text) {
    if (environment("SPMVGEN_LOG") != "quiet") fmt::print(stderr, "spmvgen: warning: {}\n", text);
}

bool same_file(const struct stat& a, const struct stat& b) {
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

enum class Removal { done, not_wanted, refused };

/// Removes a regular file that `wanted` approves of by its status.
Removal remove_file(const File& directory, const std::string& name, auto&& wanted) {
    struct stat now{};
    if (::fstatat(directory.get(), name.c_str(), &now, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(now.st_mode) || !wanted(now))
        return Removal::not_wanted;
    if (::unlinkat(directory.get(), name.c_str(), 0) == 0) return Removal::done;
    return errno == ENOENT ? Removal::not_wanted : Removal::refused;
}

/// Calls visit(shard, shard name, file name) for everything in the directories that can hold
/// entries.
void for_each_file(const File& directory, auto&& visit) {
    for_each_name(directory, [&](const std::string& shard_name) {
        if (!is_hex(shard_name, shard_digits)) return;
        const File shard(::openat(directory.get(), shard_name.c_str(),
                                  O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
        if (!shard) return;
        for_each_name(shard, [&](const std::string& name) { visit(shard, shard_name, name); });
    });
}

bool made_by(const Maker& maker, const Key& key) {
    const Key own = key_of(Signature{}, BinaryKind::shared_object, maker);
    for (const char* name : {"format", "launch_abi", "generator", "compiler", "compiler_series"})
        if (auto it = key.fields.find(name);
            it == key.fields.end() || it->second != own.fields.at(name))
            return false;
    return true;
}

}  // namespace

struct Store::State {
    std::atomic<std::int64_t> hits = 0, misses = 0, rejected = 0, written = 0, write_failures = 0;
    std::mutex mutex;
    std::set<std::string> warned;  ///< guarded by mutex
};

/// The directory, or why not; neither when it does not exist yet.
struct Store::Opened {
    File file;
    std::string problem;
};

Store::Store(std::string directory, bool writable)
    : Store([&] {
          StoreOptions options;
          options.directory = std::move(directory);
          options.writable = writable;
          return options;
      }()) {}

Store::Store(StoreOptions options)
    : options_(std::move(options)), state_(std::make_unique<State>()) {
    Location location = locate_directory(options_.directory);
    directory_ = std::move(location.path);
    given_ = location.given;
    if (!options_.warn) options_.warn = warn_on_standard_error;
    if (!options_.clock) options_.clock = [] { return std::int64_t{std::time(nullptr)}; };
}

Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Store::Opened Store::open_usable() const {
    if (directory_.empty())
        return {{}, "there is no home directory; set SPMVGEN_CACHE_DIR to a directory"};
    File file = open_directory(directory_);
    if (!file) return {{}, errno == ENOENT ? "" : std::generic_category().message(errno)};
    // Judged by the descriptor that is used, not by the path, which somebody may exchange.
    std::string problem = why_unsafe(status(file), given_);
    return {problem.empty() ? std::move(file) : File(), problem};
}

File Store::open_or_warn() const {
    Opened opened = open_usable();
    if (!opened.problem.empty())
        warn_once("directory",
                  fmt::format("kernel cache {} is not used: {}", directory_, opened.problem));
    return std::move(opened.file);
}

std::string Store::problem() const {
    return open_usable().problem;
}

std::string Store::full_path(const std::string& name) const {
    return directory_ + "/" + name;
}

std::string Store::path_of(const Signature& signature, BinaryKind kind) const {
    return full_path(entry_path(key_of(signature, kind, options_.maker)));
}

void Store::warn_once(const std::string& kind, const std::string& text) const {
    {
        const std::lock_guard lock(state_->mutex);
        if (!state_->warned.insert(kind).second) return;
    }
    options_.warn(text);
}

std::optional<KernelBinary> Store::find(const Signature& signature, BinaryKind kind) {
    const Key key = key_of(signature, kind, options_.maker);
    const std::string name = entry_path(key);
    std::optional<KernelBinary> found;
    try {
        if (const File directory = open_or_warn()) found = read(directory, name, key);
    } catch (const std::system_error& e) {
        ++state_->rejected;
        warn_once(name, fmt::format("kernel cache entry {} cannot be read ({}): the kernel is made "
                                    "again",
                                    full_path(name), e.what()));
    }
    ++(found ? state_->hits : state_->misses);
    if (found) {
        found->signature = signature;
        found->kind = kind;
    }
    return found;
}

std::optional<KernelBinary> Store::read(const File& directory, const std::string& name,
                                        const Key& key) {
    const File file = open_file(directory.get(), name);
    if (!file) {
        if (errno == ENOENT) return {};
        throw std::system_error(errno, std::generic_category(), "open");
    }
    const struct stat seen = status(file);
    const auto size = static_cast<std::uint64_t>(seen.st_size);
    try {
        read_preamble(read_bytes(file, std::min<std::uint64_t>(size, preamble_bytes)), size);
        return decode_entry(read_bytes(file, size), key);
    } catch (const BadEntry& e) {
        ++state_->rejected;
        if (!e.newer()) reject(directory, name, seen, e.what());
        return {};
    }
}

void Store::reject(const File& directory, const std::string& name, const struct stat& seen,
                   const std::string& reason) {
    // Another process may have put a sound entry there since.
    const bool removed =
        options_.writable && remove_file(directory, name, [&](const struct stat& now) {
                                 return same_file(now, seen);
                             }) == Removal::done;
    warn_once(name, fmt::format("kernel cache entry {} is damaged ({}): {}, the kernel is made "
                                "again",
                                full_path(name), reason, removed ? "removed" : "left there"));
}

bool Store::put(const KernelBinary& binary) {
    if (!options_.writable) return false;
    try {
        const Key key = key_of(binary.signature, binary.kind, options_.maker);
        publish(entry_path(key), encode_entry(key, binary, {version(), options_.clock()}));
        ++state_->written;
        return true;
    } catch (const std::runtime_error& e) {
        ++state_->write_failures;
        const bool ours = dynamic_cast<const Error*>(&e) != nullptr;
        warn_once(ours ? e.what() : "write",
                  fmt::format("kernel cache {}: kernels are not kept: {}", directory_, e.what()));
        return false;
    }
}

void Store::publish(const std::string& name, const std::string& entry) {
    Opened opened = open_usable();
    if (opened.problem.empty() && !opened.file) {
        make_directories(directory_);
        opened = open_usable();
    }
    if (!opened.file)
        throw std::runtime_error(opened.problem.empty() ? "it cannot be made" : opened.problem);
    const File shard = make_directory(opened.file.get(), name.substr(0, shard_digits));
    publish_file(shard.get(), name.substr(shard_digits + 1), entry, wants_sync());
}

bool Store::wants_sync() const {
    if (options_.sync) return *options_.sync;
    const std::string asked = environment("SPMVGEN_CACHE_FSYNC");
    if (!asked.empty() && asked != "0" && asked != "1")
        warn_once("fsync", "SPMVGEN_CACHE_FSYNC is '" + asked + "': use 0 or 1; 0 is taken");
    return asked == "1";
}

std::vector<Store::Entry> Store::list(Check check) const {
    std::vector<Entry> entries;
    try {
        const File directory = open_or_warn();
        if (!directory) return entries;
        for_each_file(directory, [&](const File& shard, const std::string& shard_name,
                                     const std::string& name) {
            if (!is_entry_name(name)) return;
            auto entry = inspect(shard, shard_name + name.substr(0, name.size() - suffix.size()),
                                 name, check);
            if (!entry) return;
            entry->path = full_path(shard_name + "/" + name);
            entries.push_back(std::move(*entry));
        });
    } catch (const std::system_error& e) {
        warn_once("list",
                  fmt::format("kernel cache {} cannot be listed: {}", directory_, e.what()));
    }
    return entries;
}

std::optional<Store::Entry> Store::inspect(const File& shard, const std::string& digest,
                                           const std::string& name, Check check) const {
    Entry entry;
    try {
        const File file = open_file(shard.get(), name);
        if (!file && errno == ENOENT) return {};
        if (!file) throw std::system_error(errno, std::generic_category(), "open");
        entry.bytes = status(file).st_size;
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
        if (s.key.digest() != digest) throw BadEntry("its name is not the digest of its key");
        if (check == Check::everything) decode_entry(bytes, s.key);
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
        const auto remove = [&](const File& shard, const std::string&, const std::string& name) {
            const bool entry = is_entry_name(name), temporary = is_temporary_name(name);
            const Removal removal = remove_file(shard, name, [&](const struct stat& s) {
                return entry || (temporary && now - std::int64_t{s.st_mtime} > stale_after_seconds);
            });
            removed += entry && removal == Removal::done;
            refused += removal == Removal::refused;
        };
        if (opened.file) for_each_file(opened.file, remove);
        if (refused > 0) problem = fmt::format("{} of its files could not be removed", refused);
    } catch (const std::system_error& e) {
        problem = e.what();
    }
    if (!problem.empty())
        warn_once("clear", fmt::format("kernel cache {} is not cleared: {}", directory_, problem));
    return removed;
}

Store::Counters Store::counters() const {
    return {state_->hits, state_->misses, state_->rejected, state_->written,
            state_->write_failures};
}

}  // namespace spmvgen
