#pragma once
#include <cstddef>
#include <memory>

namespace spmvgen {

/// A place where execution can be left and taken up again: the operating system thread's own, or
/// one with a stack of a FiberStacks. Stays in the operating system thread that made it.
class Fiber {
  public:
    Fiber();
    ~Fiber();
    Fiber(Fiber&&) noexcept;
    Fiber& operator=(Fiber&&) noexcept;

    /// Makes this fiber one that runs body(argument) on the stack when it is first switched to,
    /// whatever it was before. body must not return and must not throw; it first calls entered().
    void make(std::byte* stack, std::size_t bytes, void (*body)(void*), void* argument);

    /// To be called first by a body that was switched to from `from`.
    void entered(Fiber& from);

    /// Leaves the running fiber `from` and takes up `to`; returns when `from` is taken up again.
    static void switch_to(Fiber& from, Fiber& to);

    /// Leaves `from` for good.
    [[noreturn]] static void leave_to(Fiber& from, Fiber& to);

    struct Machine;  ///< registers, or a pointer to where they are

  private:
    std::unique_ptr<Machine> machine_;
    const void* stack_ = nullptr;
    std::size_t stack_bytes_ = 0;
    void* fake_stack_ = nullptr;  ///< AddressSanitizer's
};

/// Stacks for fibers, each with a page below it that faults.
class FiberStacks {
  public:
    FiberStacks() = default;
    FiberStacks(const FiberStacks&) = delete;
    FiberStacks& operator=(const FiberStacks&) = delete;
    ~FiberStacks();

    /// Makes room for `count` stacks; what was on them is lost. Throws std::bad_alloc.
    void reserve(std::size_t count);
    std::byte* stack(std::size_t i) const { return base_ + i * stride() + guard(); }
    /// Bytes of stack i to be used. They differ, so that the tops of the stacks do not meet in the
    /// same sets of the cache.
    static std::size_t bytes(std::size_t i) { return stride() - guard() - i % 32 * 128; }

  private:
    static std::size_t stride();
    static std::size_t guard();
    void release();
    std::byte* base_ = nullptr;
    std::size_t count_ = 0;
};

}  // namespace spmvgen
