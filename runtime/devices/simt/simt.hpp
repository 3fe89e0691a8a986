#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "devices/simt/abi.h"

namespace spmvgen {

/// In which order the threads of a block are started and taken up again after a wait. A missing
/// barrier may give right results in one order; it seldom does in both.
enum class ThreadOrder { forward, reverse };

struct SimtLaunch {
    spmvgen_simt_index grid{1, 1, 1};   ///< blocks
    spmvgen_simt_index block{1, 1, 1};  ///< threads; at most 1024 in all
    unsigned warp = 32;                 ///< 32 or 64 threads
    ThreadOrder order = ThreadOrder::forward;
    std::size_t dynamic_shared_bytes = 0;
};

class BlockRunner;

/// Runs kernels written in the CUDA/HIP dialect on the host: the threads of a block as fibers of
/// one operating system thread, blocks spread over OpenMP's threads. Keeps its stacks from launch
/// to launch. Any thread may call run(); launches of one executor come one after another.
class SimtExecutor {
  public:
    SimtExecutor();
    ~SimtExecutor();
    SimtExecutor(const SimtExecutor&) = delete;
    SimtExecutor& operator=(const SimtExecutor&) = delete;

    /// Runs `kernel` and returns when all blocks have. arguments[i] points to argument i of the
    /// kernel, as for cuLaunchKernel; the shared object of the kernel stays loaded meanwhile.
    /// Throws Error(invalid_argument) for a launch that the kernel or the executor cannot take, and
    /// Error(internal) for a kernel that misuses barriers, warp operations or dynamic shared
    /// memory: the message names kernel, block, and which threads wait in which line; what the
    /// kernel has written until then stays. A kernel that reads or writes where it must not is not
    /// caught here but by AddressSanitizer; one that spins for ever is not caught.
    void run(const spmvgen_simt_kernel& kernel, void* const* arguments, const SimtLaunch& launch);

  private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<BlockRunner>> runners_;  ///< one per OpenMP thread
};

/// The text to put ahead of a kernel's own when compiling it for the executor: abi.h and dialect.h.
/// Ends with a `#line 1`, so that messages count the kernel's own lines.
std::string_view simt_dialect();

}  // namespace spmvgen
