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
#include "store/entry.hpp"
#include "store/files.hpp"
#include "store/state.hpp"

namespace spmvgen {
namespace {

void warn_on_standard_error(const std::string& text) {
    if (("," + environment("SPMVGEN_LOG") + ",").find(",quiet,") == std::string::npos)
        fmt::print(stderr, "spmvgen: warning: {}\n", text);
}

/// Path of an entry below the store's directory.
std::string entry_path(const Key& key) {
    const std::string digest = key.digest();
    return digest.substr(0, shard_digits) + "/" + digest.substr(shard_digits) +
           std::string(entry_suffix);
}

}  // namespace

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
    const File shard = open_below(directory, name.substr(0, shard_digits));
    const File file = shard ? open_file(shard.get(), name.substr(shard_digits + 1)) : File();
    if (!file) {
        if (errno == ENOENT) return {};
        throw std::system_error(errno, std::generic_category(), "open");
    }
    const struct stat seen = status(file);
    if (const std::string why = why_unsafe_entry(seen); !why.empty()) {
        ++state_->rejected;
        warn_once(name, fmt::format("kernel cache entry {} is not used: {}; the kernel is made "
                                    "again",
                                    full_path(name), why));
        return {};
    }
    const auto size = static_cast<std::uint64_t>(seen.st_size);
    try {
        read_preamble(read_bytes(file, std::min<std::uint64_t>(size, preamble_bytes)), size);
        KernelBinary found = decode_entry(read_bytes(file, size), key);
        note_use(file, seen);
        return found;
    } catch (const BadEntry& e) {
        ++state_->rejected;
        if (!e.newer()) reject(directory, name, seen, e.what());
        return {};
    }
}

void Store::note_use(const File& file, const struct stat& seen) const {
    constexpr std::int64_t to_the = 86400;  // a write to the disk a day and entry, not one a hit
    const std::int64_t now = options_.clock();
    if (!options_.writable || std::abs(now - std::int64_t{seen.st_mtime}) < to_the) return;
    set_changed(file, now);
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
        prune_if_due();
        return true;
    } catch (const std::runtime_error& e) {
        ++state_->write_failures;
        const bool ours = dynamic_cast<const Error*>(&e) != nullptr;
        warn_once(ours ? e.what() : "write",
                  fmt::format("kernel cache {}: kernels are not kept: {}", directory_, e.what()));
        return false;
    }
}

EntryLock Store::lock(const Signature& signature, BinaryKind kind) {
    if (!options_.writable) return {};
    try {
        const std::string name = entry_path(key_of(signature, kind, options_.maker));
        return EntryLock::take(make_shard(name), name.substr(shard_digits + 1),
                               options_.lock_limit);
    } catch (const std::runtime_error&) {
        return {};  // put() will say it
    }
}

/// The directory of the entry, made where it does not exist.
File Store::make_shard(const std::string& name) {
    Opened opened = open_usable();
    if (opened.problem.empty() && !opened.file) {
        make_directories(directory_);
        opened = open_usable();
    }
    if (!opened.file)
        throw std::runtime_error(opened.problem.empty() ? "it cannot be made" : opened.problem);
    return make_directory(opened.file, name.substr(0, shard_digits));
}

void Store::publish(const std::string& name, const std::string& entry) {
    const File shard = make_shard(name);
    publish_file(shard.get(), name.substr(shard_digits + 1), entry, wants_sync());
}

bool Store::wants_sync() const {
    if (options_.sync) return *options_.sync;
    const std::string asked = environment("SPMVGEN_CACHE_FSYNC");
    if (!asked.empty() && asked != "0" && asked != "1")
        warn_once("fsync", "SPMVGEN_CACHE_FSYNC is '" + asked + "': use 0 or 1; 0 is taken");
    return asked == "1";
}

Store::Counters Store::counters() const {
    return {state_->hits, state_->misses, state_->rejected, state_->written,
            state_->write_failures};
}

}  // namespace spmvgen
