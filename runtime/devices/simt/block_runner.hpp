#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "devices/simt/abi.h"
#include "devices/simt/fiber.hpp"
#include "devices/simt/shared_memory.hpp"
#include "devices/simt/simt.hpp"

namespace spmvgen {

/// What a device thread is doing.
enum class ThreadState : unsigned char { ready, at_barrier, at_warp_operation, returned };

struct DeviceThread {
    ThreadState state = ThreadState::ready;
    unsigned fiber = 0;
    int line = 0;                   ///< of the barrier
    spmvgen_simt_warp_call call{};  ///< the warp operation; a copy, so that a warp's lie together
    unsigned long long result = 0;  ///< of the warp operation
};

/// What each thread of a block waits for, as text: "threads 0-31 wait at __syncthreads() in line 3;
/// …".
std::string describe_waits(const std::vector<DeviceThread>& threads);

/// Runs blocks one after another in one operating system thread. A fiber takes device threads until
/// one of them waits; so threads that never wait cost no switch. What waits is taken up in rounds:
/// first all warp operations that are complete, then, when nothing else can go on, the barrier.
class BlockRunner {
  public:
    BlockRunner();
    BlockRunner(const BlockRunner&) = delete;
    BlockRunner& operator=(const BlockRunner&) = delete;

    /// Makes ready for blocks of a launch, in the operating system thread that will run them.
    void begin(const spmvgen_simt_kernel& kernel, void* const* arguments, const SimtLaunch& launch);

    /// Runs one block. Returns "" or what the kernel did wrong.
    std::string run(spmvgen_simt_index block);

  private:
    struct Context : spmvgen_simt_context {
        BlockRunner* runner;
    };
    static void barrier(spmvgen_simt_context* context, int line);
    static unsigned long long warp_operation(spmvgen_simt_context* context,
                                             const spmvgen_simt_warp_call* call);
    static void fiber_body(void* runner);

    unsigned size() const { return static_cast<unsigned>(threads_.size()); }
    unsigned in_order(unsigned i) const { return reverse_ ? size() - 1 - i : i; }
    void start_threads();
    void take_threads(unsigned fiber);
    void run_ready();
    void enter(unsigned thread);
    void suspend();
    [[noreturn]] void fail(std::string text);
    bool acceptable(const spmvgen_simt_warp_call& call) const;
    /// Why a call is not acceptable.
    std::string refusal(const spmvgen_simt_warp_call& call) const;
    bool complete_warp(unsigned first);
    void complete_group(unsigned first, std::uint64_t group);
    bool release_barrier();

    Context context_{};
    const spmvgen_simt_kernel* kernel_ = nullptr;
    void* const* arguments_ = nullptr;
    SharedMemory shared_;
    bool reverse_ = false;
    unsigned warp_ = 32;

    std::vector<spmvgen_simt_index> places_;  ///< threadIdx of each thread
    std::vector<DeviceThread> threads_;
    std::vector<Fiber> fibers_;
    FiberStacks stacks_;
    Fiber main_;
    unsigned started_ = 0;         ///< threads
    unsigned starting_fiber_ = 0;  ///< the one being entered for the first time
    unsigned current_ = 0;         ///< the running thread
    std::vector<unsigned> ready_;  ///< threads to take up, in order
    std::size_t next_ready_ = 0;
    std::string error_;
};

}  // namespace spmvgen
