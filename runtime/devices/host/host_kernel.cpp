#include "devices/host/host_kernel.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <omp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

[[noreturn]] void refuse(ErrorCode code, const Signature& signature, const std::string& why) {
    throw Error(code, fmt::format("kernel {}: {}", to_string(signature), why));
}

std::size_t padded(std::int64_t bytes) {
    return (static_cast<std::size_t>(bytes) + 63) / 64 * 64;
}

}  // namespace

LoadedKernel::LoadedKernel(const KernelBinary& binary)
    : signature_(binary.signature), launch_(binary.launch), source_(binary.source) {
    if (binary.kind != BinaryKind::shared_object)
        refuse(ErrorCode::invalid_argument, signature_, "only a shared object can be run");
    if (const std::string why = why_not_runnable(signature_.target); !why.empty())
        refuse(ErrorCode::unsupported, signature_, "cannot run here: " + why);
    library_.emplace(kernel_name(signature_), binary.bytes, "kernel " + to_string(signature_));
    for (auto& step : launch_.steps) {
        void* symbol = library_->symbol(step.symbol);
        if (symbol == nullptr)
            refuse(ErrorCode::io, signature_,
                   fmt::format("its shared object lacks the symbol '{}'", step.symbol));
        functions_.push_back(reinterpret_cast<StepFunction>(symbol));
    }
    if (functions_.empty()) refuse(ErrorCode::io, signature_, "its launch description has no step");
}

BoundKernel::BoundKernel(std::shared_ptr<const LoadedKernel> kernel, const StoredMatrix& matrix)
    : kernel_(std::move(kernel)), arguments_(kernel_->signature(), kernel_->launch(), matrix) {}

std::size_t BoundKernel::workspace_bytes(int threads) const {
    std::size_t bytes = 0;
    for (auto& space : kernel_->launch().workspace)
        bytes += padded(space.bytes_per_thread * threads);
    return bytes;
}

void BoundKernel::run_steps(const BoundArguments::Filled& arguments, int thread,
                            int team) const noexcept {
    const auto& steps = kernel_->launch().steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (i > 0 && team > 1) {  // a team of one may be within another team's region
#pragma omp barrier
        }
        void* const* own = arguments.data() + arguments_.first(i);
        if (steps[i].rule == StepRule::per_thread)
            kernel_->function(i)(own, thread, team);
        else if (thread == 0)
            kernel_->function(i)(own, 0, team);
    }
}

void BoundKernel::run(const Operands& operands, int threads, std::byte* scratch) const noexcept {
    const LaunchDescription& launch = kernel_->launch();
    BoundArguments::Workspaces spaces{};
    for (std::size_t i = 0; i < launch.workspace.size(); ++i) {
        spaces[i] = scratch;
        scratch += padded(launch.workspace[i].bytes_per_thread * threads);
    }
    BoundArguments::Filled arguments;
    arguments_.fill(operands, spaces, arguments);
    if (threads == 1) return run_steps(arguments, 0, 1);  // a region of one thread costs its start
#pragma omp parallel num_threads(threads)
    run_steps(arguments, omp_get_thread_num(), omp_get_num_threads());
}

namespace {

/// A file descriptor that is closed at the end of its scope.
class Descriptor {
  public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd_ >= 0) close(fd_);
    }
    int get() const { return fd_; }

  private:
    int fd_;
};

bool write_all(int fd, const std::string& bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t n = write(fd, bytes.data() + done, bytes.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += static_cast<std::size_t>(n);
    }
    return true;
}

std::uint64_t next_number() {
    static std::atomic<std::uint64_t> count{0};
    return count.fetch_add(1, std::memory_order_relaxed);
}

/// A spelling of the descriptor's path that no call had before. The dynamic loader takes a path
/// that it has seen for the library that it loaded then, and descriptor numbers come again.
std::string unique_descriptor_path(int fd) {
    std::string path = "/proc/self/fd/";
    for (std::uint64_t n = next_number(); n != 0; n >>= 1) path += (n & 1) != 0 ? "./" : "/";
    return path + std::to_string(fd);
}

/// Null when the system has no memory files or does not run code from them.
void* open_in_memory(const std::string& name, const std::string& bytes) {
    const Descriptor file(memfd_create(name.substr(0, 200).c_str(), MFD_CLOEXEC));
    if (file.get() < 0 || !write_all(file.get(), bytes)) return nullptr;
    return dlopen(unique_descriptor_path(file.get()).c_str(), RTLD_NOW | RTLD_LOCAL);
}

/// The same through a private file, which is gone again when this returns.
void* open_through_file(const std::string& bytes, const std::string& what) {
    const char* folder = std::getenv("TMPDIR");
    std::string path = fmt::format("{}/spmvgen-{}-{}-XXXXXX",
                                   folder != nullptr && *folder != '\0' ? folder : "/tmp", getpid(),
                                   next_number());
    const Descriptor file(mkostemp(path.data(), O_CLOEXEC));
    if (file.get() < 0)
        throw Error(ErrorCode::io,
                    fmt::format("{}: cannot create {}: {}", what, path, std::strerror(errno)));
    void* library = nullptr;
    if (write_all(file.get(), bytes)) library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    unlink(path.c_str());
    return library;
}

}  // namespace

void MemoryLibrary::Close::operator()(void* library) const noexcept {
    dlclose(library);
}

MemoryLibrary::MemoryLibrary(const std::string& name, const std::string& bytes,
                             const std::string& what)
    : library_(open_in_memory(name, bytes)) {
    if (library_ == nullptr) library_.reset(open_through_file(bytes, what));
    if (library_ == nullptr) {
        const char* why = dlerror();
        throw Error(ErrorCode::io,
                    fmt::format("{}: its shared object cannot be loaded: {}", what,
                                why != nullptr ? why : "the temporary file cannot be written"));
    }
}

void* MemoryLibrary::symbol(const std::string& name) const {
    return dlsym(library_.get(), name.c_str());
}

Buffer ScratchPool::take(std::size_t bytes) {
    if (bytes == 0) return {};
    {
        const std::lock_guard lock(mutex_);
        while (!free_.empty()) {
            Buffer block = std::move(free_.back());
            free_.pop_back();
            if (block.bytes() >= bytes) return block;
            --blocks_;
        }
        free_.reserve(++blocks_);
    }
    return Buffer(bytes);
}

void ScratchPool::reserve(std::size_t bytes, int blocks) {
    if (bytes == 0) return;
    std::vector<std::unique_ptr<Loan>> loans;
    for (int i = 0; i < blocks; ++i) loans.push_back(std::make_unique<Loan>(*this, bytes));
}

void ScratchPool::give_back(Buffer block) noexcept {
    if (block.bytes() == 0) return;
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(block));
}

}  // namespace spmvgen
