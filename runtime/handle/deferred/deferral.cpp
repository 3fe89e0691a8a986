// How a handle that is planned later is made.
#include <memory>
#include <string>
#include <utility>

#include "handle/deferred/deferred_handle.hpp"
#include "handle/making/handle_makers.hpp"
#include "handle/plan/device_options.hpp"
#include "handle/plan/request_of_options.hpp"
#include "kernel/refuse.hpp"
#include "matrix/reorder/reordering.hpp"
#include "registry.hpp"
#include "tuner/rules/choose.hpp"
#include "tuner/rules/paper_rules.hpp"

namespace spmvgen {
namespace {

void check_deferred(const Options& o) {
    const bool lazy = o.level == "lazy";
    const std::string begin = lazy ? "options.level lazy begins with plain CSR, "
                                   : "options.compile behind begins with plain CSR, ";
    const std::string at_once = lazy ? ": use rule, or " : ": use now, or ";
    const auto no = [&](const char* what, const char* instead) {
        refuse(begin + what + at_once + instead);
    };
    if (o.deterministic)
        no("whose bits are not those of the kernel that takes over", "leave deterministic false");
    if (names_order(o.reorder)) no("which has no order of its own", "leave reorder auto");
    if (o.memory_limit != 0)
        no("which stays beside what is planned", "leave options.memory_limit 0");
    if (!o.epilogue.empty()) no("which has no epilogue", "leave epilogue empty");
}

/// What the plan would refuse for whatever matrix, which its thread could only warn of.
void check_plan(const Options& o, ValueType matrix, const Device* device) {
    Signature types;
    if (device == nullptr) {
        check_host_options(o);
        types.target = checked_target(o.target);
    } else {
        check_gpu_options(o, device->facts());
        types.target = checked_target(o, device->facts());
    }
    set_number_types(types, o, matrix);
    const Request request = request_of(o, types);
    const bool ruled = !o.rule.empty() && o.kernel == "auto";
    (void)candidates(ruled ? with_paper_rule(request, paper_rule(o.rule)) : request);
}

std::shared_ptr<const CsrMatrix> copy_of(const CsrView& a) {
    return std::make_shared<const CsrMatrix>(
        CsrMatrix{a.rows, a.cols, a.nnz, a.offset_type, a.index_type, a.value_type,
                  copy_bytes(a.row_ptr, a.rows > 0 ? a.rows + 1 : 0, size_of(a.offset_type)),
                  copy_bytes(a.col_idx, a.nnz, size_of(a.index_type)),
                  copy_bytes(a.values, a.nnz, size_of(a.value_type))});
}

/// Of a handle that multiplies at once.
Options plain_options(Options o) {
    const bool host = o.device == "host";
    o.format = "auto";
    // Else the one that transposes.
    if (o.op == "N") o.kernel = host ? "auto" : plain_kernel(true).id;
    o.expected_applies = host ? 1 : 0;
    o.rule.clear();
    o.params.clear();
    o.reorder = "none";
    return o;
}

/// Of a handle that reads CSR as it is by a kernel that is at hand.
Options chosen_csr_options(Options o) {
    o.format = "csr";
    o.kernel = "auto";
    o.encodings = "none";
    o.expected_applies = 0;
    o.rule.clear();
    o.params.clear();
    o.reorder = "none";
    return o;
}

/// Of the handles that a deferred one is made of: each as it is now, of arrays that stay.
Options at_once(Options o) {
    if (o.level == "lazy") o.level = "rule";
    o.compile = "now";
    o.copy = false;
    o.owner = nullptr;
    return o;
}

/// The three arrays of a matrix on a device, copied.
struct CopyOnDevice {
    std::unique_ptr<DeviceMemory> row_ptr, col_idx, values;
    CsrView view;

    CopyOnDevice(Device& device, const CsrView& a) : view(a) {
        const auto copy = [&](const void* from, std::int64_t count, std::size_t element) {
            const std::size_t bytes = static_cast<std::size_t>(count) * element;
            auto to = device.allocate(bytes);
            if (bytes > 0) device.copy_on_device(to->data(), from, bytes);
            return to;
        };
        row_ptr = copy(a.row_ptr, a.rows > 0 ? a.rows + 1 : 0, size_of(a.offset_type));
        col_idx = copy(a.col_idx, a.nnz, size_of(a.index_type));
        values = copy(a.values, a.nnz, size_of(a.value_type));
        view.row_ptr = row_ptr->data();
        view.col_idx = col_idx->data();
        view.values = values->data();
    }
};

/// The input's matrix with arrays that stay as long as the handle: a copy where that is asked for,
/// and of arrays on this host for a GPU, whose handle would read the caller's while it is made
/// only.
DeferredMatrix matrix_that_stays(const HandleInput& input, const std::shared_ptr<Device>& device) {
    if (input.on_device && input.options.copy) {
        const auto copy = std::make_shared<const CopyOnDevice>(*device, input.matrix);
        return {.view = copy->view, .owner = copy, .device = device, .own = true};
    }
    const bool lent = device != nullptr && !input.on_device && input.owner == nullptr;
    if (input.options.copy || lent) {
        const auto copy = copy_of(input.matrix);
        return {.view = copy->view(), .owner = copy, .own = true};
    }
    return {.view = input.matrix,
            .owner = input.owner,
            .device = input.on_device ? device : nullptr,
            .own = input.arrays != Arrays::callers};
}

/// The matrix as an input of its own, as it is now.
HandleInput input_of(const DeferredMatrix& matrix, const Options& options) {
    Options o = options;
    o.device_arrays = matrix.device != nullptr;
    return {.matrix = matrix.view,
            .options = o,
            .on_device = o.device_arrays,
            .arrays = matrix.own ? Arrays::own : Arrays::callers,
            .owner = matrix.owner,
            .given_type = matrix.view.value_type,
            .given_entries = matrix.view.nnz,
            .given_on = matrix.device,
            .op = o.op};
}

}  // namespace

std::unique_ptr<HandleImpl> make_deferred_handle(const HandleInput& input, KernelProvider& provider,
                                                 const std::shared_ptr<Device>& device) {
    const Options& options = input.options;
    check_deferred(options);
    const Deferral deferral{options.level == "lazy", options.compile == "behind"};
    const Options later = at_once(options);
    check_plan(later, input.matrix.value_type, device.get());
    const auto matrix = std::make_shared<DeferredMatrix>(matrix_that_stays(input, device));
    const auto make = [=, &provider](const Options& o, bool at_hand = false) {
        HandleInput given = input_of(*matrix, o);
        given.at_hand = at_hand;
        return make_of_input(std::move(given), provider, device);
    };
    auto plain = make(plain_options(later));
    plain->tell_reason(deferral.lazy ? "plain CSR, until products have taken as long as planning "
                                       "is predicted to take (level lazy)"
                                     : "plain CSR, while the matrix is planned for "
                                       "(options.compile behind)");
    LaterHandles handles{.planned = [=](std::int64_t applies) {
        Options o = later;
        if (deferral.lazy) o.expected_applies = applies;
        return make(o);
    }};
    if (deferral.lazy && device == nullptr && options.op == "N")
        handles.chosen_csr = [=] { return make(chosen_csr_options(later), true); };
    return std::make_unique<DeferredHandle>(matrix, options, provider, device, std::move(plain),
                                            std::move(handles), deferral);
}

}  // namespace spmvgen
