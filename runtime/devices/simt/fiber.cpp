#include "devices/simt/fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define SPMVGEN_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SPMVGEN_ASAN 1
#endif
#endif
#ifdef SPMVGEN_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// The own switch swaps return addresses, which a hardware shadow stack (CET) forbids: ucontext
// there.
#if defined(__x86_64__) && defined(__linux__) && !(defined(__CET__) && (__CET__ & 2)) && \
    !defined(SPMVGEN_SIMT_UCONTEXT)
#define SPMVGEN_OWN_SWITCH 1
#else
#include <ucontext.h>
#endif

#ifdef SPMVGEN_OWN_SWITCH
// Saves the registers that a call keeps, and the stack pointer to *rdi; takes up what rsi points
// to. The floating-point control words are left: kernels do not change them.
asm(R"(
.pushsection .text
.local spmvgen_simt_switch
.type spmvgen_simt_switch, @function
.p2align 4
spmvgen_simt_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    popq %rcx
    jmpq *%rcx
.size spmvgen_simt_switch, .-spmvgen_simt_switch
.local spmvgen_simt_first
.type spmvgen_simt_first, @function
spmvgen_simt_first:
    movq %r12, %rdi
    callq *%r13
    ud2
.size spmvgen_simt_first, .-spmvgen_simt_first
.popsection
)");
extern "C" {
void spmvgen_simt_switch(void** save, void* load);
void spmvgen_simt_first();
}
#endif

namespace spmvgen {

#ifdef SPMVGEN_OWN_SWITCH
struct Fiber::Machine {
    void* stack_pointer = nullptr;
};

namespace {

void make_machine(Fiber::Machine& machine, std::byte* stack, std::size_t bytes, void (*body)(void*),
                  void* argument) {
    auto top = (reinterpret_cast<std::uintptr_t>(stack) + bytes) & ~std::uintptr_t{15};
    // r15, r14, r13, r12, rbx, rbp, the return address; then two words so that `first` starts
    // aligned and below zeros.
    auto* words = reinterpret_cast<void**>(top) - 9;
    words[0] = words[1] = words[4] = words[5] = words[7] = words[8] = nullptr;
    words[2] = reinterpret_cast<void*>(body);
    words[3] = argument;
    words[6] = reinterpret_cast<void*>(&spmvgen_simt_first);
    machine.stack_pointer = words;
}

void switch_machine(Fiber::Machine& from, Fiber::Machine& to) {
    spmvgen_simt_switch(&from.stack_pointer, to.stack_pointer);
}

}  // namespace
#else
struct Fiber::Machine {
    ucontext_t context;
    void (*body)(void*) = nullptr;
    void* argument = nullptr;
};

namespace {

void first(unsigned high, unsigned low) {
    auto address = static_cast<std::uintptr_t>(std::uint64_t{high} << 32 | low);
    auto* machine = reinterpret_cast<Fiber::Machine*>(address);
    machine->body(machine->argument);
}

void make_machine(Fiber::Machine& machine, std::byte* stack, std::size_t bytes, void (*body)(void*),
                  void* argument) {
    getcontext(&machine.context);
    machine.context.uc_stack.ss_sp = stack;
    machine.context.uc_stack.ss_size = bytes;
    machine.context.uc_link = nullptr;
    machine.body = body;
    machine.argument = argument;
    const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&machine));
    // makecontext passes ints only.
    makecontext(&machine.context, reinterpret_cast<void (*)()>(first), 2,
                static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
}

void switch_machine(Fiber::Machine& from, Fiber::Machine& to) {
    swapcontext(&from.context, &to.context);
}

}  // namespace
#endif

Fiber::Fiber() : machine_(std::make_unique<Machine>()) {}
Fiber::~Fiber() = default;
Fiber::Fiber(Fiber&&) noexcept = default;
Fiber& Fiber::operator=(Fiber&&) noexcept = default;

void Fiber::make(std::byte* stack, std::size_t bytes, void (*body)(void*), void* argument) {
    stack_ = stack;
    stack_bytes_ = bytes;
    fake_stack_ = nullptr;
#ifdef SPMVGEN_ASAN
    // A fiber that was given up in the middle left its red zones behind.
    __asan_unpoison_memory_region(stack, bytes);
#endif
    make_machine(*machine_, stack, bytes, body, argument);
}

void Fiber::entered([[maybe_unused]] Fiber& from) {
#ifdef SPMVGEN_ASAN
    __sanitizer_finish_switch_fiber(nullptr, &from.stack_, &from.stack_bytes_);
#endif
}

void Fiber::switch_to(Fiber& from, Fiber& to) {
#ifdef SPMVGEN_ASAN
    __sanitizer_start_switch_fiber(&from.fake_stack_, to.stack_, to.stack_bytes_);
#endif
    switch_machine(*from.machine_, *to.machine_);
#ifdef SPMVGEN_ASAN
    __sanitizer_finish_switch_fiber(from.fake_stack_, nullptr, nullptr);
#endif
}

void Fiber::leave_to(Fiber& from, Fiber& to) {
#ifdef SPMVGEN_ASAN
    __sanitizer_start_switch_fiber(nullptr, to.stack_, to.stack_bytes_);
#endif
    switch_machine(*from.machine_, *to.machine_);
    std::abort();
}

std::size_t FiberStacks::guard() {
    static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return page;
}

std::size_t FiberStacks::stride() {
    // One page more than a power of two: else the stacks meet in the same sets of the TLB.
#ifdef SPMVGEN_ASAN
    return 128 * 1024 + guard();
#else
    return 64 * 1024 + guard();
#endif
}

void FiberStacks::reserve(std::size_t count) {
    if (count <= count_) return;
    release();
    void* memory = mmap(nullptr, count * stride(), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    base_ = static_cast<std::byte*>(memory);
    count_ = count;
    for (std::size_t i = 0; i < count; i++)
        if (mprotect(base_ + i * stride(), guard(), PROT_NONE) != 0) throw std::bad_alloc();
}

void FiberStacks::release() {
    if (base_ == nullptr) return;
#ifdef SPMVGEN_ASAN
    __asan_unpoison_memory_region(base_, count_ * stride());
#endif
    munmap(base_, count_ * stride());
    base_ = nullptr;
    count_ = 0;
}

FiberStacks::~FiberStacks() {
    release();
}

}  // namespace spmvgen
