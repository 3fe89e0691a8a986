#include "handle/order.hpp"

#include "handle/cache_mode.hpp"
#include "handle/device_speed.hpp"
#include "handle/handle_impl.hpp"
#include "handle/number_types.hpp"

namespace spmvgen {
namespace {

/// What a handle of these options asks the tuner for.
Request request_on(const Device& device, const CsrView& matrix, const Options& options,
                   KernelProvider& provider) {
    Signature types;
    types.target = device.facts().target;
    set_number_types(types, options, matrix.value_type);
    Request request = request_of(options, types);
    request.units = device.facts().units;
    request.device = device.facts().name;
    const KernelPolicy policy{effective_mode(options.cache), options.cache_dir, true,
                              options.kernel_sets};
    if (provider.may_compile(policy)) request.profile = profile_to_predict(types.target, &device);
    return request;
}

}  // namespace

bool may_get_order(const CsrView& matrix, const Options& options, KernelProvider& provider,
                   const Device* device) {
    if (options.reorder != "auto" || device == nullptr || options.op != "N" ||
        options.level == "exhaustive")
        return false;
    return may_choose_order(matrix.rows, matrix.cols, matrix.nnz,
                            request_on(*device, matrix, options, provider));
}

std::optional<OrderChoice> order_that_pays(const CsrView& matrix, const Options& options,
                                           KernelProvider& provider, const Device* device) {
    if (!may_get_order(matrix, options, provider, device)) return std::nullopt;
    return choose_order(matrix, analyse_row_lengths(matrix, options.threads),
                        request_on(*device, matrix, options, provider), options.expected_applies,
                        options.threads);
}

}  // namespace spmvgen
