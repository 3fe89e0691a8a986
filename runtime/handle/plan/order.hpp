#pragma once
#include <optional>

#include "devices/device.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "handle/plan/planned_matrix.hpp"
#include "spmvgen/spmvgen.hpp"
#include "tuner/chooser/order_choice.hpp"

namespace spmvgen {

/// Whether options.reorder leaves the order to the choice, and a matrix of this size could get
/// another one on the device. `device` is null for the host.
bool may_get_order(const CsrView& matrix, const Options& options, KernelProvider& provider,
                   const Device* device);

/// The order that pays, where that is so, of a matrix that may get one; all of it is on this host
/// then.
std::optional<OrderChoice> order_that_pays(const CsrView& matrix, const Options& options,
                                           PlannedMatrix& planned);

}  // namespace spmvgen
