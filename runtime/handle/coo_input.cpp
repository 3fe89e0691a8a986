// Handles of entries in any order.
#include <memory>

#include "handle/base/handle_impl.hpp"
#include "handle/capture_handle.hpp"
#include "handle/kernels/cache_mode.hpp"
#include "handle/kernels/stopwatch.hpp"
#include "handle/plan/input.hpp"
#include "matrix/coo_matrix.hpp"

namespace spmvgen {
namespace {

/// Entries on this host; `given_on` is where the caller's are, null = here.
std::unique_ptr<HandleImpl> make_of_entries(const CooView& matrix, const Options& options,
                                            KernelProvider& provider,
                                            const std::shared_ptr<Device>& device,
                                            std::shared_ptr<Device> given_on) {
    const Stopwatch watch;
    validate(matrix);
    SortedCoo sorted = sort_entries(matrix, options.threads);
    const auto csr = std::make_shared<CsrMatrix>(std::move(sorted.matrix));
    const double ms = watch.ms();
    Options of_csr = options;
    of_csr.copy = false;  // the handle's own
    auto impl = make_of_host_matrix(csr->view(), of_csr, provider, device, nullptr, Arrays::own);
    impl->keep(csr, csr->view(), true);
    impl->tell_given(matrix.value_type, matrix.nnz, std::move(given_on));
    if (options.updatable && !sorted.in_order) impl->tell_order(std::move(sorted.order));
    impl->tell_more_time(ms, &Info::convert_ms);
    return impl;
}

}  // namespace

std::unique_ptr<HandleImpl> make_handle_impl(const CooView& matrix, const Options& asked,
                                             KernelProvider& provider,
                                             std::shared_ptr<Device> device) {
    const Options options = with_effective_mode(asked);
    check_array_options(options);
    device = device_for(options, std::move(device));
    if (options.index_base == 1) return make_of_base_one(matrix, options, provider, device);
    if (!options.device_arrays) return make_of_entries(matrix, options, provider, device, nullptr);
    const DownloadedEntries here = download(*device, matrix);
    return make_of_entries(here.view, options, provider, device, device);
}

Handle::Handle(const CooView& matrix, const Options& options)
    : impl_(make_handle_impl(matrix, options, KernelProvider::process(), nullptr)) {
    capture_handle(matrix, options, info());
}

Handle make_handle(const CooView& matrix, const Options& options, KernelProvider& provider,
                   std::shared_ptr<Device> device) {
    return HandleImpl::wrap(make_handle_impl(matrix, options, provider, std::move(device)));
}

}  // namespace spmvgen
