#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "handle/kernels/kernel_sources.hpp"
#include "handle/kernels/stopwatch.hpp"
#include "handle/making/handle_makers.hpp"
#include "handle/plan/planned_matrix.hpp"
#include "handle/plan/team_size.hpp"
#include "kernel/refuse.hpp"
#include "spmvgen/error.hpp"
#include "spmvgen/handle_pair.hpp"

namespace spmvgen {
namespace {

/// With a kernel for the rows as they stand; `known.planned` is for these options alone.
std::unique_ptr<HandleImpl> make_as_it_stands(const CsrView& matrix, const HandleInput& input,
                                              KernelProvider& provider,
                                              const std::shared_ptr<Device>& device,
                                              const GpuInput& known) {
    const auto make = [&](const Options& o) {
        if (device == nullptr)
            return make_host_handle(matrix, o, provider, input.arrays, input.at_hand);
        GpuInput gpu = known;
        if (&o != &input.options) gpu.planned = nullptr;
        return make_gpu_handle(matrix, o, provider, device, gpu);
    };
    return make_within_limit(input.options, make);
}

/// What the device does of an order of the rows, which are there or are copied where that pays.
reordering::ClusteringElsewhere clustering_on_device(CsrOnDevice& csr, const Options& options,
                                                     KernelProvider& provider,
                                                     const std::shared_ptr<Device>& device) {
    if (!may_order_on_device(options)) return {};
    const KernelPolicy policy{effective_mode(options.cache), options.cache_dir, true,
                              options.kernel_sets};
    AnalysisOnDevice analysis(provider, policy, device);
    return {.search =
                [&csr, analysis](reordering::RegionSearch& search) mutable {
                    return csr.pays(analysis.compiles_search(csr.matrix())) &&
                           analysis.search(csr.view(), search);
                },
            .cluster =
                [&csr, analysis](reordering::RegionsToCluster& regions) mutable {
                    return csr.pays(analysis.compiles_clusters(csr.matrix())) &&
                           analysis.cluster(csr.view(), regions);
                }};
}

/// With the rows in that order; null where its arrays would be too large.
std::unique_ptr<HandleImpl> make_in_order(const CsrView& matrix, Options options,
                                          KernelProvider& provider, std::shared_ptr<Device> device,
                                          ChosenOrder chosen) {
    options.reorder = to_string(chosen.choice.order.method);
    const std::string reason = chosen.choice.reason;
    try {
        auto impl =
            make_reordered_handle(matrix, options, provider, std::move(device), std::move(chosen));
        impl->tell_reason_before(reason);
        return impl;
    } catch (const TooLarge&) {
        return nullptr;
    }
}

/// The order and the kernel are chosen, and the matrix is converted. `matrix` is the input's, on
/// this host as far as it is there.
std::unique_ptr<HandleImpl> choose_and_convert(const CsrView& matrix, const HandleInput& input,
                                               KernelProvider& provider,
                                               const std::shared_ptr<Device>& device,
                                               DeviceCsr* on_device) {
    const Options& options = input.options;
    if (names_order(options.reorder))
        return make_reordered_handle(matrix, options, provider, device);
    const Stopwatch watch;
    std::optional<PlannedMatrix> planned;
    std::optional<OrderChoice> order;
    std::optional<CsrOnDevice> csr;
    if (device != nullptr && may_get_order(matrix, options, provider, *device)) {
        planned.emplace(matrix, options, provider, *device, on_device);
        csr.emplace(*device, matrix, on_device != nullptr ? &on_device->on_device() : nullptr);
        order = order_that_pays(on_device != nullptr ? on_device->on_host() : matrix, options,
                                *planned, clustering_on_device(*csr, options, provider, device));
    }
    double ms = watch.ms();
    std::unique_ptr<HandleImpl> impl;
    if (order)
        impl = make_in_order(matrix, options, provider, device,
                             {std::move(*order), *planned, on_device, *csr});
    if (impl == nullptr) {
        ms = watch.ms();
        impl = make_as_it_stands(matrix, input, provider, device,
                                 {.on_device = on_device,
                                  .planned = planned ? &*planned : nullptr,
                                  .csr = csr ? &*csr : nullptr});
        if (order) impl->tell_reason_before("rows in clusters would take too much memory");
    }
    const double analysis = planned ? planned->analysis_ms() : 0;
    impl->tell_more_time(analysis, &Info::analysis_ms);
    impl->tell_more_time(ms - analysis, &Info::choice_ms);
    return impl;
}

/// The same of a matrix in the device's memory, of which no more comes to this host than has to.
std::unique_ptr<HandleImpl> make_from_device(const HandleInput& input, KernelProvider& provider,
                                             const std::shared_ptr<Device>& device) {
    const Options& options = input.options;
    const Stopwatch watch;
    const KernelPolicy policy{effective_mode(options.cache), options.cache_dir, true,
                              options.kernel_sets};
    DeviceCsr on_device(*device, input.matrix, options.threads,
                        AnalysisOnDevice(provider, policy, device));
    if (names_order(options.reorder) || options.op != "N") on_device.complete();
    const double ms = watch.ms();
    auto impl = choose_and_convert(on_device.on_host(), input, provider, device, &on_device);
    impl->tell_more_time(ms, &Info::convert_ms);
    return impl;
}

/// The handle is told what it was made of.
void bind(HandleInput& input, HandleImpl& impl) {
    impl.keep(std::move(input.owner), input.matrix, input.arrays != Arrays::callers);
    impl.tell_given(input.given_type, input.given_entries, std::move(input.given_on));
    for (auto order = input.orders.rbegin(); order != input.orders.rend(); ++order)
        impl.tell_order(std::move(*order));
    if (!input.reason.empty()) impl.tell_reason_before(input.reason);
    impl.tell_op(input.op);
    impl.tell_more_time(input.convert_ms, &Info::convert_ms);
}

/// make(the given matrix as CSR, its device); errors are told of what the caller gave.
template <typename View, typename Make>
auto make_of_given(const View& matrix, const Options& asked, std::shared_ptr<Device> device,
                   Make make) {
    const Options options = with_effective_mode(asked);
    check_array_options(options);
    device = device_for(options, std::move(device));
    const TeamSize team(options.threads);
    try {
        return make(csr_input(matrix, options, device), device);
    } catch (const Error& error) {
        const std::string text = in_callers_words(matrix, options.index_base == 1, error.what());
        if (text == error.what()) throw;
        throw Error(error.code(), text);
    }
}

void check_pair(const Options& options, const std::string& transpose) {
    if (options.op != "N")
        refuse("options.op is " + options.op +
               ", but a pair has A and its transpose: leave it N, and give the op of the second");
    if (transpose != "T" && transpose != "H")
        refuse("transpose is '" + transpose + "': use T or H");
}

}  // namespace

std::unique_ptr<HandleImpl> make_of_input(HandleInput input, KernelProvider& provider,
                                          const std::shared_ptr<Device>& device) {
    const TeamSize team(input.options.threads);
    input = with_op_done(std::move(input), device.get());
    auto impl = is_deferred(input.options) ? make_deferred_handle(input, provider, device)
                : input.on_device
                    ? make_from_device(input, provider, device)
                    : choose_and_convert(input.matrix, input, provider, device, nullptr);
    bind(input, *impl);
    return impl;
}

std::unique_ptr<HandleImpl> make_within_limit(
    const Options& options,
    const std::function<std::unique_ptr<HandleImpl>(const Options&)>& make) {
    const Stopwatch watch;
    try {
        return make(options);
    } catch (const TooLarge& error) {
        const bool asked_for = options.format != "auto" || options.kernel != "auto" ||
                               !options.rule.empty() || !options.params.empty();
        if (asked_for) throw;
        const double ms = watch.ms();
        Options csr = options;
        csr.format = "csr";
        auto impl = make(csr);
        impl->tell_reason_before(error.why());
        impl->tell_more_time(ms, &Info::choice_ms);
        return impl;
    }
}

void check_array_options(const Options& o) {
    if (o.owner != nullptr && o.copy)
        refuse(
            "options.owner is for borrowed arrays, but options.copy is true: make that false, or "
            "leave owner out");
    if (o.device_arrays && o.device == "host")
        refuse(
            "options.device_arrays is for GPUs, but options.device is host: leave it false, or "
            "name the device that has the arrays");
    if (o.device_arrays && o.compile == "behind")
        refuse(
            "options.compile is behind, which is for arrays in host memory: leave it now, or leave "
            "device_arrays false");
    if (o.index_base != 0 && o.index_base != 1)
        refuse("options.index_base is " + std::to_string(o.index_base) + ": use 0 or 1");
    if (o.index_base == 1 && o.device_arrays)
        refuse(
            "options.index_base is 1, but options.device_arrays: give device arrays that count "
            "from 0");
    if (o.memory_limit < 0)
        refuse("options.memory_limit is " + std::to_string(o.memory_limit) +
               ": use 0 (padded formats at most half of the free memory) or a number of bytes");
}

std::shared_ptr<Device> device_for(const Options& options, std::shared_ptr<Device> device) {
    if (options.device == "host") return nullptr;
    return device != nullptr ? device : open_device(options.device);
}

template <typename View>
std::unique_ptr<HandleImpl> make_handle_impl(const View& matrix, const Options& options,
                                             KernelProvider& provider,
                                             std::shared_ptr<Device> device) {
    return make_of_given(matrix, options, std::move(device),
                         [&](HandleInput input, const std::shared_ptr<Device>& on) {
                             ask_op(input, options.op);
                             return make_of_input(std::move(input), provider, on);
                         });
}

std::unique_ptr<HandleImpl> make_handle_impl_of_vectors(const CsrView& matrix,
                                                        const Options& options,
                                                        KernelProvider& provider) {
    return make_of_given(matrix, options, nullptr,
                         [&](HandleInput input, const std::shared_ptr<Device>& on) {
                             input.arrays = Arrays::taken_over;
                             ask_op(input, options.op);
                             return make_of_input(std::move(input), provider, on);
                         });
}

template <typename View>
HandlePair make_pair_of(const View& matrix, const Options& options, const std::string& transpose,
                        KernelProvider& provider) {
    check_pair(options, transpose);
    return make_of_given(
        matrix, options, nullptr, [&](HandleInput input, const std::shared_ptr<Device>& on) {
            HandleInput other = input.copy();
            // Of the two, one reads the CSR row by row.
            (input.by_columns ? other : input).options.transpose_by_atomics = false;
            ask_op(input, "N");
            ask_op(other, transpose);
            auto product = make_of_input(std::move(input), provider, on);
            auto transposed = make_of_input(std::move(other), provider, on);
            return HandlePair{HandleImpl::wrap(std::move(product)),
                              HandleImpl::wrap(std::move(transposed))};
        });
}

template std::unique_ptr<HandleImpl> make_handle_impl(const CsrView&, const Options&,
                                                      KernelProvider&, std::shared_ptr<Device>);
template HandlePair make_pair_of(const CsrView&, const Options&, const std::string&,
                                 KernelProvider&);
template std::unique_ptr<HandleImpl> make_handle_impl(const CooView&, const Options&,
                                                      KernelProvider&, std::shared_ptr<Device>);
template HandlePair make_pair_of(const CooView&, const Options&, const std::string&,
                                 KernelProvider&);
template std::unique_ptr<HandleImpl> make_handle_impl(const CscView&, const Options&,
                                                      KernelProvider&, std::shared_ptr<Device>);
template HandlePair make_pair_of(const CscView&, const Options&, const std::string&,
                                 KernelProvider&);
template std::unique_ptr<HandleImpl> make_handle_impl(const BsrView&, const Options&,
                                                      KernelProvider&, std::shared_ptr<Device>);
template HandlePair make_pair_of(const BsrView&, const Options&, const std::string&,
                                 KernelProvider&);

}  // namespace spmvgen
