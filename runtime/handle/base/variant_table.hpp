#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>

#include "spmvgen/types.hpp"

namespace spmvgen {

/// One matrix's kernels for the modes of α and β, each made at its first use. Safe for any number
/// of threads; a kernel that is there is found without a lock.
template <typename Kernel>
class VariantTable {
  public:
    /// The kernel for these modes: make(alpha, beta) at the first request. What make throws passes
    /// through, and the next request makes anew.
    template <typename Make>
    const Kernel& get(Scale alpha, Scale beta, Make make) {
        const std::size_t index = place(alpha) * scales + place(beta);
        if (const Kernel* known = known_[index].load(std::memory_order_acquire)) return *known;
        const std::lock_guard lock(making_);
        if (made_[index] == nullptr) {
            made_[index] = std::make_unique<const Kernel>(make(alpha, beta));
            known_[index].store(made_[index].get(), std::memory_order_release);
        }
        return *made_[index];
    }

    /// Calls f with each kernel that was made. No get() may run at the same time.
    template <typename F>
    void for_each(F f) {
        for (auto& kernel : made_)
            if (kernel != nullptr) f(*kernel);
    }

    /// A table with a kernel for each mode that this one has: make(alpha, beta, kernel). What make
    /// throws passes through. No get() may run at the same time.
    template <typename Make>
    std::unique_ptr<VariantTable> made_anew(Make make) const {
        constexpr Scale modes[] = {Scale::zero, Scale::one, Scale::general};
        auto table = std::make_unique<VariantTable>();
        for (const Scale alpha : modes)
            for (const Scale beta : modes)
                if (const auto& kernel = made_[place(alpha) * scales + place(beta)])
                    table->get(alpha, beta, [&](Scale a, Scale b) { return make(a, b, *kernel); });
        return table;
    }

  private:
    static constexpr std::size_t scales = 3;
    static std::size_t place(Scale s) { return s == Scale::zero ? 0 : s == Scale::one ? 1 : 2; }

    std::array<std::atomic<const Kernel*>, scales * scales> known_{};
    std::mutex making_;  ///< guards made_
    std::array<std::unique_ptr<const Kernel>, scales * scales> made_;
};

}  // namespace spmvgen
