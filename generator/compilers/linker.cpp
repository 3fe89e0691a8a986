#include "compilers/linker.hpp"

#include <fcntl.h>
#include <lld/Common/Driver.h>
#include <llvm/ADT/SmallString.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "compilers/clang.hpp"
#include "compilers/descriptor.hpp"
#include "compilers/guarded.hpp"
#include "spmvgen/error.hpp"

LLD_HAS_DRIVER(elf)
namespace lld {
std::string getLLDVersion();  // Debian's lld/Common/Version.h includes a file that is not installed
}

namespace spmvgen {
namespace {

[[noreturn]] void fail(const char* what) {
    throw Error(ErrorCode::io,
                std::string("cannot ") + what + " for the linker: " + std::strerror(errno));
}

/// A pipe that a thread empties. lld writes a regular file by making another beside it and renaming
/// that, which needs a folder; into a pipe it writes in one go. The end is told by take(), not by
/// the pipe: a process forked meanwhile holds the pipe open for as long as it lives.
class OutputPipe {
  public:
    OutputPipe() : OutputPipe(make_pipe()) {}
    ~OutputPipe() { take(); }

    std::string path() const { return write_end_.path(); }

    /// What was written; call it when the writer has ended.
    std::string take() {
        if (reader_.joinable()) {
            eventfd_write(ended_.get(), 1);
            reader_.join();
        }
        return std::move(bytes_);
    }

  private:
    explicit OutputPipe(std::array<int, 2> ends)
        : read_end_(ends[0]), write_end_(ends[1]), ended_(eventfd(0, EFD_CLOEXEC)) {
        if (ended_.get() < 0) fail("make an event");
        reader_ = std::thread([this] { read_all(); });
    }

    static std::array<int, 2> make_pipe() {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("make a pipe");
        return ends;
    }

    void read_all() {
        std::array<char, 1 << 16> chunk;
        std::array<pollfd, 2> events{{{read_end_.get(), POLLIN, 0}, {ended_.get(), POLLIN, 0}}};
        for (;;) {
            if (poll(events.data(), events.size(), -1) < 0) continue;  // interrupted by a signal
            if ((events[0].revents & POLLIN) == 0) return;             // ended, and all is read
            const ssize_t n = ::read(read_end_.get(), chunk.data(), chunk.size());
            if (n > 0) bytes_.append(chunk.data(), static_cast<std::size_t>(n));
        }
    }

    Descriptor read_end_, write_end_, ended_;
    std::string bytes_;
    std::thread reader_;
};

/// lld keeps its state in globals: one link at a time, and none after a crash.
struct Linker {
    std::mutex mutex;
    bool usable = true;
    bool first = true;
};

Linker& linker() {
    static Linker linker;
    return linker;
}

/// A code object keeps its symbols and lld's usual hash tables: AMD's loaders and tools read them.
std::vector<const char*> options(LinkedFor machine) {
    std::vector<const char*> options{"ld.lld", "-shared", "--threads=1", "--build-id=none"};
    if (machine == LinkedFor::host)
        options.insert(options.end(),
                       {"--gc-sections", "--strip-all", "--hash-style=gnu", "-znow"});
    else
        options.push_back("--no-undefined");
    return options;
}

/// All that a run of lld reads and writes.
struct Link {
    Link(std::string_view object, LinkedFor machine)
        : input(memfd_create("spmvgen.o", MFD_CLOEXEC)), arguments(options(machine)) {
        if (input.get() < 0) fail("make a file in memory");
        if (!write_all(input.get(), object)) fail("write the object");
        input_path = input.path();
        output_path = output.path();
        arguments.insert(arguments.end(), {"-o", output_path.c_str(), input_path.c_str()});
    }

    std::string run() const {
        std::string log;
        llvm::raw_string_ostream stream(log);
        const lld::Result result =
            lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
        if (!result.canRunAgain) throw Error(ErrorCode::internal, "lld crashed: " + log);
        if (result.retCode != 0)
            throw Error(ErrorCode::compile, "lld cannot link the kernel:\n" + log);
        return "";
    }

    Descriptor input;
    OutputPipe output;
    std::string input_path, output_path;
    std::vector<const char*> arguments;
};

}  // namespace

std::string link_shared_object(std::string_view object, LinkedFor machine) {
    const auto link = std::make_shared<Link>(object, machine);
    std::lock_guard lock(linker().mutex);
    if (!linker().usable)
        throw Error(ErrorCode::internal,
                    "lld crashed before in this process and cannot run again: start a new process");
    linker().usable = false;
    std::unique_lock registry(target_registry(), std::defer_lock);
    if (std::exchange(linker().first, false)) registry.lock();
    try {
        run_guarded("lld", [link] { return link->run(); });
        linker().usable = true;
    } catch (const Error& error) {
        linker().usable = error.code() == ErrorCode::compile;
        throw;
    }
    return link->output.take();
}

std::string linker_version() {
    return lld::getLLDVersion();
}

}  // namespace spmvgen
