#include "handle/making/handle_input.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "handle/kernels/stopwatch.hpp"
#include "handle/plan/device_csr.hpp"
#include "kernel/refuse.hpp"
#include "matrix/coo_matrix.hpp"
#include "matrix/layouts/index_base.hpp"
#include "matrix/transpose.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

constexpr const char* base_one_reason = "indices are copies that count from 0";

Op checked_op(const Options& o) {
    try {
        return parse_op(o.op);
    } catch (const Error& error) {
        throw Error(error.code(), std::string("options.op: ") + error.what());
    }
}

/// The transposing kernel of the device's kind.
std::string_view atomic_kernel(const Options& o) {
    return transposing_kernel(o.device != "host").id;
}

bool names_transposing_kernel(const Options& o) {
    return std::ranges::any_of(kernel_registry(), [&](const KernelEntry& entry) {
        return entry.id == o.kernel && entry.transposes;
    });
}

bool names_format(const Options& o) {
    return std::ranges::any_of(kernel_registry(), [&](const KernelEntry& entry) {
        return to_string(entry.format) == o.format;
    });
}

/// The options of a handle that reads the caller's matrix as it is: for op T and H with the kernel
/// that transposes.
Options with_atomics(Options o) {
    if (o.deterministic)
        refuse(
            "options.transpose_by_atomics adds in any order, which contradicts "
            "options.deterministic: leave one of them out");
    if (o.cache == CacheMode::off)
        refuse(
            "options.transpose_by_atomics cannot be had with cache mode off (options.cache, "
            "SPMVGEN_CACHE), which always runs the generic CSR kernel: use another mode");
    if (!o.rule.empty())
        refuse("options.transpose_by_atomics runs kernel " + std::string(atomic_kernel(o)) +
               ", of which rule " + o.rule + " knows nothing: leave one of them out");
    if (o.kernel != "auto" && !names_transposing_kernel(o))
        refuse("options.transpose_by_atomics runs kernel " + std::string(atomic_kernel(o)) +
               ", not " + o.kernel + ": leave options.kernel auto");
    if (o.kernel == "auto" && o.format != "csr" && names_format(o))
        refuse("options.transpose_by_atomics reads A in csr, not " + o.format +
               ": leave options.format auto");
    if (o.kernel == "auto") o.kernel = atomic_kernel(o);
    o.transpose_by_atomics = true;
    return o;
}

/// The given matrix as it is.
HandleInput as_given(const CsrView& matrix, const Options& options,
                     const std::shared_ptr<Device>& device) {
    HandleInput input{.matrix = matrix,
                      .options = options,
                      .on_device = options.device_arrays,
                      .owner = options.owner,
                      .given_type = matrix.value_type,
                      .given_entries = matrix.nnz,
                      .given_on = options.device_arrays ? device : nullptr};
    input.options.owner = nullptr;
    return input;
}

/// Numbers that begin at 0, of ones that begin at 1.
void count_from_zero(HandleInput& input) {
    struct Kept {
        FromZero<CsrView> arrays;
        std::shared_ptr<const void> owner;  ///< of the values
    };
    const Stopwatch watch;
    auto kept = std::make_shared<const Kept>(
        Kept{from_zero(input.matrix, input.options.threads), input.owner});
    input.matrix = kept->arrays.view;
    input.owner = std::move(kept);
    input.options.index_base = 0;
    input.reason = base_one_reason;
    input.convert_ms += watch.ms();
}

/// Entries on this host, counted from 0.
HandleInput of_entries(const CooView& matrix, const Options& options) {
    const Stopwatch watch;
    validate(matrix);
    SortedCoo sorted = sort_entries(matrix, options.threads);
    HandleInput input = as_given({}, options, nullptr);
    take_own(input, std::make_shared<const CsrMatrix>(std::move(sorted.matrix)));
    input.given_type = matrix.value_type;
    input.given_entries = matrix.nnz;
    if (options.updatable && !sorted.in_order) input.orders.push_back(std::move(sorted.order));
    input.convert_ms = watch.ms();
    return input;
}

}  // namespace

void take_own(HandleInput& input, std::shared_ptr<const CsrMatrix> matrix) {
    input.matrix = matrix->view();
    input.on_device = false;
    input.arrays = Arrays::own;
    input.owner = std::move(matrix);
    input.options.copy = false;
    input.options.owner = nullptr;
    input.options.device_arrays = false;
    input.options.index_base = 0;
}

HandleInput with_op_done(HandleInput input, Device* device) {
    Options& options = input.options;
    const Op op = checked_op(options);
    if (!is_transposed(op) && options.transpose_by_atomics)
        refuse(
            "options.transpose_by_atomics is for options.op T and H: leave it out, or use one of "
            "them");
    if (is_transposed(op) && (options.transpose_by_atomics || names_transposing_kernel(options))) {
        options = with_atomics(std::move(options));
        return input;
    }
    options.op = "N";
    if (!is_transposed(op) && (op == Op::none || !is_complex(input.matrix.value_type)))
        return input;
    const Stopwatch watch;
    std::optional<DeviceCsr> downloaded;
    if (input.on_device) {
        downloaded.emplace(*device, input.matrix, options.threads);
        downloaded->complete();
    }
    const CsrView& matrix = downloaded ? downloaded->on_host() : input.matrix;
    validate(matrix, options.threads);
    ValueOrder order;
    ValueOrder* const kept_order = options.updatable ? &order : nullptr;
    auto own = std::make_shared<const CsrMatrix>(
        op == Op::conjugate
            ? conjugate(matrix, options.threads, kept_order)
            : transpose(matrix, op == Op::conj_transpose, options.threads, kept_order));
    take_own(input, std::move(own));
    if (input.options.updatable) input.orders.push_back(std::move(order));
    input.convert_ms += watch.ms();
    return input;
}

HandleInput csr_input(const CsrView& matrix, const Options& options,
                      const std::shared_ptr<Device>& device) {
    HandleInput input = as_given(matrix, options, device);
    if (options.index_base == 1) count_from_zero(input);
    return input;
}

HandleInput csr_input(const CooView& matrix, const Options& options,
                      const std::shared_ptr<Device>& device) {
    const Stopwatch watch;
    if (options.device_arrays) {
        const DownloadedEntries downloaded = download(*device, matrix);
        HandleInput input = of_entries(downloaded.view, options);
        input.given_on = device;
        return input;
    }
    if (options.index_base == 0) return of_entries(matrix, options);
    const FromZero<CooView> from_one = from_zero(matrix, options.threads);
    HandleInput input = of_entries(from_one.view, options);
    input.reason = base_one_reason;
    input.convert_ms = watch.ms();
    return input;
}

HandleInput HandleInput::copy() const {
    HandleInput other{.matrix = matrix,
                      .options = options,
                      .on_device = on_device,
                      .arrays = arrays,
                      .owner = owner,
                      .given_type = given_type,
                      .given_entries = given_entries,
                      .given_on = given_on,
                      .by_columns = by_columns,
                      .op = op,
                      .reason = reason,
                      .convert_ms = convert_ms,
                      .at_hand = at_hand};
    for (auto& order : orders) other.orders.push_back(copy_of(order));
    return other;
}

void ask_op(HandleInput& input, const std::string& op) {
    input.op = input.options.op = op;
    if (!input.by_columns) return;
    input.options = options_of_transpose(std::move(input.options));
    input.reason = "CSC is CSR of the transpose, of which this is op " + input.options.op +
                   (input.reason.empty() ? "" : "; " + input.reason);
}

}  // namespace spmvgen
