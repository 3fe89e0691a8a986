#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "devices/device.hpp"
#include "handle/base/handle_impl.hpp"
#include "handle/conversion/csr_on_device.hpp"
#include "handle/making/handle_input.hpp"
#include "handle/plan/device_csr.hpp"
#include "handle/plan/planned_matrix.hpp"
#include "matrix/reorder/reordering.hpp"
#include "spmvgen/handle_pair.hpp"
#include "spmvgen/spmvgen.hpp"

/// How a handle is made, in four steps: what is given becomes CSR as it is multiplied (csr_input(),
/// with_op_done()), an order and a kernel are chosen, the matrix is converted for it, and what was
/// made is bound to what the caller gave.
namespace spmvgen {

/// All four. View is CsrView, CooView, CscView or BsrView. `device` stands for options.device,
/// which is else opened.
template <typename View>
std::unique_ptr<HandleImpl> make_handle_impl(const View& matrix, const Options& options,
                                             KernelProvider& provider,
                                             std::shared_ptr<Device> device);
/// The same of arrays that the handle takes over with options.owner; options.copy is false.
std::unique_ptr<HandleImpl> make_handle_impl_of_vectors(const CsrView& matrix,
                                                        const Options& options,
                                                        KernelProvider& provider);
/// The same of the matrix and its transpose, as make_handle_pair().
template <typename View>
HandlePair make_pair_of(const View& matrix, const Options& options, const std::string& transpose,
                        KernelProvider& provider);
/// The same of some rows, around a handle of these alone.
std::unique_ptr<HandleImpl> make_handle_impl(const RowListView& matrix, const Options& options,
                                             KernelProvider& provider,
                                             std::shared_ptr<Device> device);

/// The same of CSR that counts from 0. `device` is what the options name, null for the host.
std::unique_ptr<HandleImpl> make_of_input(HandleInput input, KernelProvider& provider,
                                          const std::shared_ptr<Device>& device);

/// make(options); where that throws TooLarge and the options leave the format open, the same of
/// format csr, which tells what was too large.
std::unique_ptr<HandleImpl> make_within_limit(
    const Options& options, const std::function<std::unique_ptr<HandleImpl>(const Options&)>& make);

/// Throws Error(invalid_argument) for options of A's arrays that contradict each other.
void check_array_options(const Options& options);

/// The device that the options name, which `device` stands for where it is not null; null for the
/// host.
std::shared_ptr<Device> device_for(const Options& options, std::shared_ptr<Device> device);

/// An order of the rows that was chosen for a matrix on a GPU.
struct ChosenOrder {
    OrderChoice choice;
    const PlannedMatrix& planned;  ///< what was found out of the matrix before
    DeviceCsr* on_device;          ///< has it in the device's memory; null = nowhere
    /// The same, or a copy of what is on this host.
    CsrOnDevice& csr;
};
/// Whether the device may put rows into an order: else the host has to have them.
inline bool may_order_on_device(const Options& options) {
    return options.level == "rule" && options.expected_applies == 0 && options.memory_limit == 0;
}
/// With options.reorder: a handle of the matrix in that order, which is made with the other
/// options, and what is around it. `device` is null for the host. `chosen` is the matrix's order by
/// that method, where it is known.
std::unique_ptr<HandleImpl> make_reordered_handle(const CsrView& matrix, const Options& options,
                                                  KernelProvider& provider,
                                                  std::shared_ptr<Device> device,
                                                  std::optional<ChosenOrder> chosen = std::nullopt);

/// Whether a handle begins with plain CSR and is planned later: options.compile behind, and level
/// lazy unless bits must stay the same, which is then planned at once.
inline bool is_deferred(const Options& options) {
    return options.compile == "behind" || (options.level == "lazy" && !options.deterministic);
}
/// Such a handle: of plain CSR, until the planned one takes over. With options.copy of a copy, else
/// this reads the arrays as long as it lives: on GPUs those in host memory only where the input
/// owns them, else a copy.
std::unique_ptr<HandleImpl> make_deferred_handle(const HandleInput& input, KernelProvider& provider,
                                                 const std::shared_ptr<Device>& device);

/// With `at_hand` precompiled code serves in place of a kernel that would have to be compiled.
std::unique_ptr<HandleImpl> make_host_handle(const CsrView& matrix, const Options& options,
                                             KernelProvider& provider, Arrays arrays,
                                             bool at_hand = false);
/// What is known of a GPU's matrix beside its arrays on this host.
struct GpuInput {
    /// Has it in the device's memory: what the kernel reads as it is, is copied from there, or
    /// borrowed with options.copy = false; what the device can convert never comes to this host.
    /// Null = nowhere.
    DeviceCsr* on_device = nullptr;
    PlannedMatrix* planned = nullptr;              ///< of this matrix; null = nothing is yet
    std::span<const std::int32_t> row_order = {};  ///< as convert() takes it
    /// The same in the device's memory, where it may have been copied already; null = it was not.
    CsrOnDevice* csr = nullptr;
};
/// `device` is what options.device names.
std::unique_ptr<HandleImpl> make_gpu_handle(const CsrView& matrix, const Options& options,
                                            KernelProvider& provider,
                                            std::shared_ptr<Device> device,
                                            const GpuInput& input = {});

}  // namespace spmvgen
