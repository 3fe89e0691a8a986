#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

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
        constexpr Scale modes[] = {Scale::zero, Scale::one, Scale::general, Scale::device};
        auto table = std::make_unique<VariantTable>();
        for (const Scale alpha : modes)
            for (const Scale beta : modes)
                if (const auto& kernel = made_[place(alpha) * scales + place(beta)])
                    table->get(alpha, beta, [&](Scale a, Scale b) { return make(a, b, *kernel); });
        return table;
    }

  private:
    static constexpr std::size_t scales = 4;
    static std::size_t place(Scale s) { return static_cast<std::size_t>(s); }

    std::array<std::atomic<const Kernel*>, scales * scales> known_{};
    std::mutex making_;  ///< guards made_
    std::array<std::unique_ptr<const Kernel>, scales * scales> made_;
};

/// The vectors that a kernel is for.
struct ProductVectors {
    int num_rhs = 1;
    VectorForm x = VectorForm::dense, y = VectorForm::dense;
};

/// The same for every number of right-hand sides up to 64, in every form. Safe for any number of
/// threads; a table that is there is found without a lock.
template <typename Kernel>
class VariantTables {
  public:
    static constexpr std::size_t most_rhs = 64;

    VariantTables() = default;
    VariantTables(const VariantTables&) = delete;
    VariantTables& operator=(const VariantTables&) = delete;
    ~VariantTables() {
        for (auto& table : tables_) delete table.load(std::memory_order_relaxed);
    }

    VariantTable<Kernel>& of(const ProductVectors& vectors) {
        auto& place = tables_[place_of(vectors)];
        if (auto* known = place.load(std::memory_order_acquire)) return *known;
        auto made = std::make_unique<VariantTable<Kernel>>();
        VariantTable<Kernel>* none = nullptr;
        // Where another thread was first, its table counts.
        if (!place.compare_exchange_strong(none, made.get(), std::memory_order_acq_rel))
            return *none;
        return *made.release();
    }

    /// As VariantTable's, of all tables.
    template <typename F>
    void for_each(F f) {
        for (auto& table : tables_)
            if (auto* known = table.load(std::memory_order_acquire)) known->for_each(f);
    }
    /// As VariantTable's: make(vectors, alpha, beta, kernel).
    template <typename Make>
    std::unique_ptr<VariantTables> made_anew(Make make) const {
        auto all = std::make_unique<VariantTables>();
        for (std::size_t i = 0; i < tables_.size(); ++i)
            if (const auto* known = tables_[i].load(std::memory_order_acquire)) {
                const ProductVectors vectors = vectors_at(i);
                auto anew = known->made_anew([&](Scale alpha, Scale beta, const Kernel& kernel) {
                    return make(vectors, alpha, beta, kernel);
                });
                all->tables_[i].store(anew.release(), std::memory_order_release);
            }
        return all;
    }

  private:
    static constexpr std::size_t forms = 3;
    static std::size_t place_of(const ProductVectors& v) {
        const auto form = static_cast<std::size_t>(v.x) * forms + static_cast<std::size_t>(v.y);
        return form * most_rhs + static_cast<std::size_t>(v.num_rhs) - 1;
    }
    static ProductVectors vectors_at(std::size_t place) {
        const std::size_t form = place / most_rhs;
        return {static_cast<int>(place % most_rhs) + 1, static_cast<VectorForm>(form / forms),
                static_cast<VectorForm>(form % forms)};
    }

    std::array<std::atomic<VariantTable<Kernel>*>, most_rhs * forms * forms> tables_{};
};

}  // namespace spmvgen
