#pragma once
#include <memory>
#include <span>
#include <string>

#include "devices/device.hpp"
#include "devices/operands.hpp"
#include "formats/stored_matrix.hpp"
#include "handle/kernel_provider.hpp"
#include "handle/levels.hpp"
#include "matrix/csr_matrix.hpp"
#include "spmvgen/spmvgen.hpp"
#include "tuner/choose.hpp"

namespace spmvgen {

/// What is behind a handle: one class for CPUs, one for GPUs.
class HandleImpl {
  public:
    HandleImpl(const HandleImpl&) = delete;
    HandleImpl& operator=(const HandleImpl&) = delete;
    virtual ~HandleImpl() = default;
    virtual void apply(ValueType type, const Operands& operands, Stream stream) = 0;
    virtual void prepare(Scale alpha, Scale beta, Stream stream) = 0;
    /// Source of the kernel for α = 1, β = 0; "" = there is none.
    virtual std::string source() const = 0;
    /// new → old, of a reordered matrix; empty when there is no new order.
    virtual std::span<const std::int32_t> row_order() const { return {}; }
    const Info& info() const { return info_; }

    /// Takes over that the handle was made of `transposed`, a transpose that took `ms` to make;
    /// keeps it when it is still read.
    void keep(std::shared_ptr<const CsrMatrix> transposed, double ms);

    static Handle wrap(std::unique_ptr<HandleImpl> impl) { return Handle(std::move(impl)); }

  protected:
    /// Throws Error(invalid_argument) for options that no device takes.
    HandleImpl(const Options& options, KernelProvider& provider);

    /// What the options ask of the tuner, for the target in signature_.
    Request request_for(const Options& options) const;
    /// Takes over what the tuner chose.
    void take(const Choice& choice);
    /// The same with what the level made of it.
    void take(LevelChoice level);
    /// Fills in what an apply is predicted to take, with `threads` of a CPU. info_ tells its bytes
    /// and launches. `device` is null for the host.
    void predict(const Device* device, int threads);
    /// Takes over how the kernel was had.
    template <typename Kernel>
    void tell_origin(const Provided<Kernel>& provided) {
        info_.origin = provided.origin;
        info_.source_path = provided.source_path;
        info_.warning = provided.warning;
        if (!level_warning_.empty())
            info_.warning += (info_.warning.empty() ? "" : "; ") + level_warning_;
    }
    /// Fills in what info_ says of the matrix, which is stored as `stored` for signature_.
    void describe(const CsrView& matrix, const StoredMatrix& stored);

    struct Modes {
        Scale alpha, beta;  ///< α is zero, too, when A has no entries
    };
    /// The modes of α and β of an apply. Throws Error(invalid_argument) for operands that do not
    /// fit.
    Modes checked_modes(ValueType type, const Operands& operands) const;

    KernelProvider& provider_;
    KernelPolicy policy_;
    Signature signature_;  ///< of the kernel for α = 1, β = 0
    int num_rhs_ = 1;
    Info info_;

    /// Whether the kernel transposes, so that x belongs to the rows of the stored matrix.
    bool transposes() const;
    /// Whether an apply reads arrays of the matrix that the handle was made of.
    virtual bool borrows(const CsrView&) const { return false; }

  private:
    void check_operands(const Operands& operands, bool needs_x) const;

    std::shared_ptr<const CsrMatrix> transposed_;
    std::string level_warning_;  ///< part of info_.warning
};

/// Threads of an apply on this CPU.
int host_threads(const CsrView& matrix, const Options& options);

/// What the options ask for. `device` stands for options.device, which is else opened.
std::unique_ptr<HandleImpl> make_handle_impl(const CsrView& matrix, const Options& options,
                                             KernelProvider& provider,
                                             std::shared_ptr<Device> device);
/// With options.reorder: a handle of the matrix in that order, which is made with the other
/// options, and what is around it. `device` is null for the host.
std::unique_ptr<HandleImpl> make_reordered_handle(const CsrView& matrix, const Options& options,
                                                  KernelProvider& provider,
                                                  std::shared_ptr<Device> device);
std::unique_ptr<HandleImpl> make_host_handle(const CsrView& matrix, const Options& options,
                                             KernelProvider& provider);
/// `device` is what options.device names.
std::unique_ptr<HandleImpl> make_gpu_handle(const CsrView& matrix, const Options& options,
                                            KernelProvider& provider,
                                            std::shared_ptr<Device> device);

}  // namespace spmvgen
