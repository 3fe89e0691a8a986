#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "devices/host/bound_kernel.hpp"
#include "devices/host/scratch_pool.hpp"
#include "formats/stored_matrix.hpp"
#include "handle/kernel_provider.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {

/// What is behind a handle. All but the table of variants and the scratch pools stays as the
/// constructor left it.
struct Handle::Impl {
    Impl(const CsrView& matrix, const Options& options, KernelProvider& provider);

    void apply(ValueType type, const Operands& operands);

    Info info;
    /// The kernel for α = 1, β = 0; null when precompiled code serves.
    std::unique_ptr<BoundKernel> base;

  private:
    /// The kernel for one mode of α and β; without a kernel, the base kernel and an update of y
    /// serve.
    using Variant = std::unique_ptr<BoundKernel>;
    static constexpr std::size_t beta_modes = 3, variant_count = 2 * beta_modes;

    void prepare(const CsrView& matrix, const Options& options);
    void keep_csr(const CsrView& matrix, bool copy);
    void describe(const CsrView& matrix);
    void check_operands(ValueType type, const Operands& operands, bool needs_x) const;
    const Variant& variant(Scale alpha, Scale beta);
    void run(const BoundKernel& kernel, const Operands& operands);
    void run_base_and_update(const Operands& operands);

    KernelProvider& provider_;
    KernelPolicy policy_;
    Signature signature_;
    CsrView csr_;  ///< the arrays that the generic kernel reads
    StoredMatrix stored_;
    int num_rhs_ = 1;
    int threads_ = 1;
    std::array<std::atomic<const Variant*>, variant_count> variants_{};
    std::mutex making_;  ///< guards made_
    std::array<std::unique_ptr<const Variant>, variant_count> made_;
    ScratchPool workspaces_;
    ScratchPool products_;
};

}  // namespace spmvgen
