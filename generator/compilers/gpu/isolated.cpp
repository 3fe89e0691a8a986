#include "compilers/gpu/isolated.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include "compilers/descriptor.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

using Clock = std::chrono::steady_clock;

// What comes through the pipe: one byte that says what it is, the text, and one byte that says that
// this is all.
constexpr char result_mark = 'r';
constexpr char first_error_mark = '0';
constexpr char end_mark = '.';
constexpr std::size_t output_shown = 2000;

[[noreturn]] void fail(const std::string& what, const char* call) {
    throw Error(ErrorCode::io,
                "cannot " + std::string(call) + " for " + what + ": " + std::strerror(errno));
}

std::string message_of(const std::function<std::string()>& work) {
    try {
        return result_mark + work() + end_mark;
    } catch (const Error& error) {
        const char mark = static_cast<char>(first_error_mark + static_cast<int>(error.code()));
        return mark + std::string(error.what()) + end_mark;
    } catch (const std::exception& error) {
        const char mark =
            static_cast<char>(first_error_mark + static_cast<int>(ErrorCode::internal));
        return mark + std::string(error.what()) + end_mark;
    }
}

[[noreturn]] void run_child(int result, int output, const std::function<std::string()>& work) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP, SIGTERM, SIGINT})
        std::signal(signal, SIG_DFL);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    _exit(write_all(result, message_of(work)) ? 0 : 1);
}

/// Kills and buries the child however its parent leaves.
class Child {
  public:
    explicit Child(pid_t pid) : pid_(pid) {}
    ~Child() {
        kill(pid_, SIGKILL);
        wait(0);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    bool has_ended() { return wait(WNOHANG); }
    /// Waits for the end. Not known where the program has SIGCHLD ignored; false then.
    bool has_failed() {
        wait(0);
        return status_ && *status_ != 0;
    }
    /// How it ended, in words.
    std::string end() {
        wait(0);
        if (!status_) return "its end is unknown";
        if (WIFSIGNALED(*status_)) return sigdescr_np(WTERMSIG(*status_));
        return "exit status " + std::to_string(WEXITSTATUS(*status_));
    }

  private:
    bool wait(int flags) {
        if (buried_) return true;
        int status = 0;
        pid_t pid = 0;
        do pid = waitpid(pid_, &status, flags);
        while (pid < 0 && errno == EINTR);
        if (pid == pid_) status_ = status;
        buried_ = pid != 0;
        return buried_;
    }

    pid_t pid_;
    bool buried_ = false;
    std::optional<int> status_;
};

/// Reads until the end of the pipe, the child's end (another process may hold the pipe open) or the
/// time limit; false at the last.
bool read_until(Clock::time_point deadline, int fd, Child& child, std::string& bytes) {
    std::array<char, 1 << 16> chunk;
    for (bool ended = false;;) {
        pollfd event{fd, POLLIN, 0};
        const int ready = poll(&event, 1, ended ? 0 : 50);
        if (ready > 0) {
            const ssize_t n = ::read(fd, chunk.data(), chunk.size());
            if (n == 0) return true;
            if (n > 0) bytes.append(chunk.data(), static_cast<std::size_t>(n));
        } else if (ended) {
            return true;
        } else if (Clock::now() >= deadline) {
            return false;
        } else if (ready == 0) {
            ended = child.has_ended();
        }
    }
}

std::string last_output(int file) {
    const off_t size = lseek(file, 0, SEEK_END);
    if (size <= 0) return "";
    std::string text(std::min<std::size_t>(static_cast<std::size_t>(size), output_shown), '\0');
    const ssize_t n = pread(file, text.data(), text.size(), size - static_cast<off_t>(text.size()));
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    return "\n" + text;
}

}  // namespace

std::string run_isolated(const std::string& what, std::chrono::milliseconds limit,
                         const std::function<std::string()>& work) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) fail(what, "make a pipe");
    const Descriptor result(ends[0]);
    Descriptor sender(ends[1]);
    const Descriptor output(memfd_create("spmvgen.log", MFD_CLOEXEC));
    if (output.get() < 0) fail(what, "make a file in memory");
    const auto deadline = Clock::now() + limit;
    const pid_t pid = fork();
    if (pid < 0) fail(what, "make a process");
    if (pid == 0) run_child(sender.get(), output.get(), work);
    Child child(pid);
    sender.reset();

    std::string bytes;
    if (!read_until(deadline, result.get(), child, bytes))
        throw Error(ErrorCode::internal, what + " did not end within " +
                                             std::to_string(limit.count()) + " ms and was stopped" +
                                             last_output(output.get()));
    if (bytes.size() < 2 || bytes.back() != end_mark || child.has_failed())
        throw Error(ErrorCode::internal,
                    what + " crashed: " + child.end() + last_output(output.get()));
    const char mark = bytes.front();
    bytes.pop_back();
    bytes.erase(0, 1);
    if (mark != result_mark) throw Error(static_cast<ErrorCode>(mark - first_error_mark), bytes);
    return bytes;
}

}  // namespace spmvgen
