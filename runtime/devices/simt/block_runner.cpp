#include "devices/simt/block_runner.hpp"

#include <fmt/format.h>

#include <utility>

namespace spmvgen {

BlockRunner::BlockRunner() {
    context_.barrier = barrier;
    context_.warp = warp_operation;
    context_.runner = this;
}

void BlockRunner::begin(const spmvgen_simt_kernel& kernel, void* const* arguments,
                        const SimtLaunch& launch) {
    kernel_ = &kernel;
    arguments_ = arguments;
    reverse_ = launch.order == ThreadOrder::reverse;
    warp_ = launch.warp;
    context_.block_dim = launch.block;
    context_.grid_dim = launch.grid;
    context_.warp_size = static_cast<int>(launch.warp);
    places_.clear();
    for (unsigned z = 0; z < launch.block.z; z++)
        for (unsigned y = 0; y < launch.block.y; y++)
            for (unsigned x = 0; x < launch.block.x; x++) places_.push_back({x, y, z});
    threads_.resize(places_.size());
    stacks_.reserve(places_.size());
    if (fibers_.size() < places_.size()) fibers_.resize(places_.size());
    ready_.reserve(places_.size());
    kernel.attach(&context_);
    shared_.attach(kernel, launch.dynamic_shared_bytes);
}

std::string BlockRunner::run(spmvgen_simt_index block) {
    context_.block_idx = block;
    for (auto& thread : threads_) thread.state = ThreadState::ready;
    ready_.clear();
    next_ready_ = 0;
    error_.clear();
    shared_.poison();
    kernel_->attach(&context_);  // the poison went over the module's pointer to the context
    start_threads();
    while (error_.empty()) {
        bool progress = false;
        const unsigned warps = (size() + warp_ - 1) / warp_;
        for (unsigned i = 0; i < warps; i++)
            progress |= complete_warp((reverse_ ? warps - 1 - i : i) * warp_);
        if (!progress && !release_barrier()) break;
        run_ready();
    }
    shared_.release();
    if (error_.empty()) error_ = shared_.check();
    return error_;
}

void BlockRunner::start_threads() {
    started_ = 0;
    for (unsigned fiber = 0; started_ < size() && error_.empty(); fiber++) {
        starting_fiber_ = fiber;
        fibers_[fiber].make(stacks_.stack(fiber), FiberStacks::bytes(fiber), fiber_body, this);
        Fiber::switch_to(main_, fibers_[fiber]);
    }
}

void BlockRunner::fiber_body(void* runner) {
    auto& self = *static_cast<BlockRunner*>(runner);
    const unsigned fiber = self.starting_fiber_;
    self.fibers_[fiber].entered(self.main_);
    self.take_threads(fiber);
    if (self.next_ready_ < self.ready_.size()) {
        self.enter(self.ready_[self.next_ready_++]);
        Fiber::leave_to(self.fibers_[fiber], self.fibers_[self.threads_[self.current_].fiber]);
    }
    Fiber::leave_to(self.fibers_[fiber], self.main_);
}

void BlockRunner::take_threads(unsigned fiber) {
    // When one thread has waited, other fibers have taken the rest meanwhile and the loop ends.
    while (started_ < size()) {
        const unsigned thread = in_order(started_++);
        threads_[thread].fiber = fiber;
        enter(thread);
        kernel_->call(arguments_);
        threads_[current_].state = ThreadState::returned;
    }
}

void BlockRunner::enter(unsigned thread) {
    current_ = thread;
    context_.thread_idx = places_[thread];
}

void BlockRunner::suspend() {
    Fiber& own = fibers_[threads_[current_].fiber];
    if (next_ready_ < ready_.size()) {
        enter(ready_[next_ready_++]);
        Fiber::switch_to(own, fibers_[threads_[current_].fiber]);
    } else {
        Fiber::switch_to(own, main_);
    }
}

void BlockRunner::run_ready() {
    if (next_ready_ < ready_.size()) {
        enter(ready_[next_ready_++]);
        Fiber::switch_to(main_, fibers_[threads_[current_].fiber]);
    }
    ready_.clear();
    next_ready_ = 0;
}

void BlockRunner::fail(std::string text) {
    error_ = std::move(text);
    Fiber::leave_to(fibers_[threads_[current_].fiber], main_);
}

void BlockRunner::barrier(spmvgen_simt_context* context, int line) {
    auto& self = *static_cast<Context*>(context)->runner;
    auto& thread = self.threads_[self.current_];
    thread.state = ThreadState::at_barrier;
    thread.line = line;
    self.suspend();
}

unsigned long long BlockRunner::warp_operation(spmvgen_simt_context* context,
                                               const spmvgen_simt_warp_call* call) {
    auto& self = *static_cast<Context*>(context)->runner;
    auto& thread = self.threads_[self.current_];
    if (!self.acceptable(*call)) self.fail(self.refusal(*call));
    thread.state = ThreadState::at_warp_operation;
    thread.call = *call;
    self.suspend();
    return thread.result;
}

bool BlockRunner::acceptable(const spmvgen_simt_warp_call& call) const {
    const auto width = static_cast<unsigned>(call.width);
    const bool in_mask = !call.masked || (call.mask >> current_ % warp_ & 1) != 0;
    return in_mask && width != 0 && (width & (width - 1)) == 0 && width <= warp_;
}

std::string BlockRunner::refusal(const spmvgen_simt_warp_call& call) const {
    const unsigned lane = current_ % warp_;
    if (call.masked && (call.mask >> lane & 1) == 0)
        return fmt::format(
            "thread {}: {} in line {} has mask {:#x}, which does not name the calling lane {}",
            current_, call.name, call.line, call.mask, lane);
    return fmt::format(
        "thread {}: {} in line {} has width {}; it must be a power of two, at most the warp of "
        "{}",
        current_, call.name, call.line, call.width, warp_);
}

bool BlockRunner::release_barrier() {
    const auto waits = [&](const DeviceThread& t) {
        return t.state == ThreadState::at_barrier && t.line == threads_[0].line;
    };
    bool all_wait = true;
    bool all_returned = true;
    for (const auto& thread : threads_) {
        all_wait &= waits(thread);
        all_returned &= thread.state == ThreadState::returned;
    }
    if (all_returned) return false;
    if (!all_wait) {
        error_ = fmt::format(
            "{}; every thread of the block must reach the same __syncthreads(), and every thread "
            "that a mask names the same warp operation",
            describe_waits(threads_));
        return false;
    }
    for (unsigned i = 0; i < size(); i++) {
        threads_[in_order(i)].state = ThreadState::ready;
        ready_.push_back(in_order(i));
    }
    return true;
}

}  // namespace spmvgen
