#include "store/files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/random.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "store/key.hpp"

namespace spmvgen {
namespace {

constexpr std::string_view temporary_prefix = "tmp-";
constexpr std::size_t temporary_digits = 32;

[[noreturn]] void fail(int error, const std::string& step) {
    throw std::system_error(error, std::generic_category(), step);
}

template <typename Call>
auto retrying(Call call) {
    auto result = call();
    while (result < 0 && errno == EINTR) result = call();
    return result;
}

std::string temporary_name() {
    char random[temporary_digits / 2];
    if (retrying([&] { return ::getrandom(random, sizeof random, 0); }) != sizeof random)
        fail(errno, "getrandom");
    return std::string(temporary_prefix) + to_hex({random, sizeof random});
}

void write_all(const File& file, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto n = retrying([&] { return ::write(file.get(), bytes.data(), bytes.size()); });
        if (n < 0) fail(errno, "write");
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
}

/// A write beyond RLIMIT_FSIZE would end the process by SIGXFSZ.
void check_size_limit(std::size_t bytes) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes) fail(EFBIG, "write");
}

void sync_file(const File& file) {
    if (retrying([&] { return ::fsync(file.get()); }) != 0) fail(errno, "fsync");
}

/// A full NFS or quota may be told of only here.
void close_checked(File& file) {
    if (::close(file.release()) != 0 && errno != EINTR) fail(errno, "close");
}

}  // namespace

File open_directory(const std::string& path) {
    return File(retrying([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
}

File open_below(const File& directory, const std::string& name) {
    return File(retrying([&] {
        return ::openat(directory.get(), name.c_str(),
                        O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    }));
}

File open_file(int directory, const std::string& path) {
    // O_NONBLOCK: a FIFO that somebody put there must not stop us.
    File file(retrying([&] {
        return ::openat(directory, path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    }));
    if (file && !S_ISREG(status(file).st_mode)) fail(EINVAL, "not a regular file");
    return file;
}

struct stat status(const File& file) {
    struct stat s{};
    if (::fstat(file.get(), &s) != 0) fail(errno, "fstat");
    return s;
}

std::string read_bytes(const File& file, std::uint64_t count, std::uint64_t offset) {
    std::string bytes(count, '\0');
    std::size_t got = 0;
    while (got < count) {
        const auto n = retrying([&] {
            return ::pread(file.get(), bytes.data() + got, count - got,
                           static_cast<off_t>(offset + got));
        });
        if (n < 0) fail(errno, "read");
        if (n == 0) break;
        got += static_cast<std::size_t>(n);
    }
    bytes.resize(got);
    return bytes;
}

bool set_changed(const File& file, std::int64_t seconds) {
    const timespec times[2] = {{0, UTIME_OMIT}, {seconds, 0}};
    return ::futimens(file.get(), times) == 0;
}

void make_directories(const std::string& path) {
    for (std::size_t end = 1; end != std::string::npos;) {
        end = path.find('/', end + 1);
        const std::string part = path.substr(0, end);
        struct stat s{};
        // Looked at first: mkdir of an existing directory may say EACCES or EROFS for EEXIST.
        if (::stat(part.c_str(), &s) == 0 && S_ISDIR(s.st_mode)) continue;
        if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) fail(errno, "mkdir " + part);
    }
}

File make_directory(const File& parent, const std::string& name) {
    if (::mkdirat(parent.get(), name.c_str(), 0700) != 0 && errno != EEXIST) fail(errno, "mkdir");
    File made = open_below(parent, name);
    if (!made) fail(errno, "open");
    return made;
}

void publish_file(int directory, const std::string& name, std::string_view bytes, bool sync) {
    check_size_limit(bytes.size());
    const std::string temporary = temporary_name();
    File file(retrying([&] {
        return ::openat(directory, temporary.c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    }));
    if (!file) fail(errno, "create");
    try {
        write_all(file, bytes);
        if (sync) sync_file(file);
        close_checked(file);
        if (::renameat(directory, temporary.c_str(), directory, name.c_str()) != 0)
            fail(errno, "rename");
    } catch (const std::system_error&) {
        ::unlinkat(directory, temporary.c_str(), 0);
        throw;
    }
    if (sync && retrying([&] { return ::fsync(directory); }) != 0) fail(errno, "fsync");
}

File open_to_append(int directory, const std::string& name) {
    File file(retrying([&] {
        return ::openat(directory, name.c_str(),
                        O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    }));
    if (!file || S_ISREG(status(file).st_mode)) return file;
    errno = EINVAL;
    return File();
}

void append_to(const File& file, std::string_view text) {
    check_size_limit(static_cast<std::size_t>(status(file).st_size) + text.size());
    const auto n = retrying([&] { return ::write(file.get(), text.data(), text.size()); });
    if (n < 0) fail(errno, "write");
}

bool is_temporary_name(std::string_view name) {
    return name.size() == temporary_prefix.size() + temporary_digits &&
           name.starts_with(temporary_prefix) &&
           name.find_first_not_of("0123456789abcdef", temporary_prefix.size()) ==
               std::string_view::npos;
}

void for_each_name(const File& directory, const std::function<void(const std::string&)>& visit) {
    // A descriptor of its own: readdir moves the position, and closedir closes it.
    File own(::openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!own) fail(errno, "open");
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(own.get()), ::closedir);
    if (!stream) fail(errno, "read directory");
    own.release();
    std::vector<std::string> names;
    while (const dirent* found = ::readdir(stream.get()))
        if (std::string_view name = found->d_name; name != "." && name != "..")
            names.emplace_back(name);
    std::ranges::sort(names);
    for (auto& name : names) visit(name);
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

namespace {

bool is_absolute(const std::string& path) {
    return path.starts_with('/');
}

std::string absolute(const std::string& path) {
    std::error_code error;
    std::string whole = std::filesystem::absolute(path, error).string();
    while (whole.size() > 1 && whole.ends_with('/')) whole.pop_back();
    return error ? "" : whole;
}

std::string home_directory() {
    if (const std::string home = environment("HOME"); is_absolute(home)) return home;
    std::vector<char> buffer(16384);
    passwd entry{};
    passwd* found = nullptr;
    if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found &&
        found->pw_dir && is_absolute(found->pw_dir))
        return found->pw_dir;
    return "";
}

std::string default_directory(const UserDirectory& names) {
    // A relative $XDG_CACHE_HOME is to be ignored, says the XDG base directory specification.
    if (const std::string base = environment(names.base_variable); is_absolute(base))
        return absolute(base + names.tail);
    const std::string home = home_directory();
    return home.empty() ? "" : absolute(home + names.base_in_home + names.tail);
}

std::string why_foreign(const struct stat& s, bool roots_too) {
    const uid_t me = ::geteuid(), owner = s.st_uid;
    if (owner == me || (roots_too && owner == 0)) return "";
    return fmt::format("it belongs to user {}, and this process is user {}", owner, me);
}

const char* who_else_writes(unsigned mode) {
    return mode & 0002u ? "every user" : mode & 0020u ? "its group" : nullptr;
}

}  // namespace

Location locate_user_directory(const std::string& directory, const UserDirectory& names) {
    if (!directory.empty()) return {absolute(directory), true};
    if (const std::string asked = environment(names.variable); !asked.empty())
        return {absolute(asked), true};
    return {default_directory(names), false};
}

Location locate_directory(const std::string& directory) {
    return locate_user_directory(directory, {"SPMVGEN_CACHE_DIR", "XDG_CACHE_HOME", "/.cache",
                                             fmt::format("/spmvgen/v{}", store_format)});
}

std::string why_unsafe(const struct stat& directory, bool given) {
    if (const auto why = why_foreign(directory, given); !why.empty()) return why;
    const unsigned mode = directory.st_mode & 07777u;
    const char* who = who_else_writes(mode);
    return who == nullptr
               ? ""
               : fmt::format("{} may write to it (mode {:04o}); chmod 700 mends that", who, mode);
}

std::string why_unsafe_entry(const struct stat& file) {
    if (const auto why = why_foreign(file, true); !why.empty()) return why;
    const unsigned mode = file.st_mode & 07777u;
    const char* who = who_else_writes(mode);
    return who == nullptr ? "" : fmt::format("{} may write to it (mode {:04o})", who, mode);
}

namespace {

constexpr std::size_t digest_digits = 64;
constexpr std::string_view lock_suffix = ".lock";

bool is_hex(std::string_view text, std::size_t digits) {
    return text.size() == digits &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_digest_with(std::string_view suffix, std::string_view name) {
    return name.ends_with(suffix) &&
           is_hex(name.substr(0, name.size() - suffix.size()), digest_digits - shard_digits);
}

}  // namespace

bool is_entry_name(std::string_view name) {
    return is_digest_with(entry_suffix, name);
}

std::string lock_name(std::string_view entry) {
    return std::string(entry.substr(0, entry.size() - entry_suffix.size())) +
           std::string(lock_suffix);
}

bool is_passing_name(std::string_view name) {
    return is_temporary_name(name) || is_digest_with(lock_suffix, name);
}

void for_each_file(const File& directory, const std::function<void(const StoredFile&)>& visit) {
    for_each_name(directory, [&](const std::string& shard_name) {
        if (!is_hex(shard_name, shard_digits)) return;
        const File shard = open_below(directory, shard_name);
        if (!shard) return;
        for_each_name(shard, [&](const std::string& name) { visit({shard, shard_name, name}); });
    });
}

Removal remove_file(const File& directory, const std::string& name,
                    const std::function<bool(const struct stat&)>& wanted) {
    struct stat now{};
    if (::fstatat(directory.get(), name.c_str(), &now, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(now.st_mode) || !wanted(now))
        return Removal::not_wanted;
    if (::unlinkat(directory.get(), name.c_str(), 0) == 0) return Removal::done;
    return errno == ENOENT ? Removal::not_wanted : Removal::refused;
}

}  // namespace spmvgen
