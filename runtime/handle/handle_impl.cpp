#include "handle/handle_impl.hpp"

#include <fmt/format.h>

#include "handle/cache_mode.hpp"
#include "matrix/reorder/reordering.hpp"
#include "registry.hpp"
#include "registry_permute.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

constexpr int most_threads = 4096;
constexpr int most_rhs = 64;

[[noreturn]] void refuse(const std::string& message) {
    throw Error(ErrorCode::invalid_argument, message);
}

ReorderMethod parse_reorder(const std::string& text) {
    try {
        return parse_reorder_method(text);
    } catch (const Error& error) {
        throw Error(error.code(), std::string("options.reorder: ") + error.what());
    }
}

void check_options(const Options& o) {
    if (o.num_rhs < 1 || o.num_rhs > most_rhs)
        refuse(fmt::format("options.num_rhs is {}: use 1…{}", o.num_rhs, most_rhs));
    if (o.threads < 0 || o.threads > most_threads)
        refuse(fmt::format("options.threads is {}: use 0 (what OpenMP would use) or 1…{}",
                           o.threads, most_threads));
    if (parse_reorder(o.reorder) == ReorderMethod::none && o.permuted_vectors)
        refuse(
            "options.permuted_vectors is for reordered matrices: set options.reorder to rcm or "
            "band-k, or leave it false");
}

ValueType parse_storage(const std::string& text) {
    try {
        return parse_value_type(text);
    } catch (const Error& error) {
        throw Error(error.code(), std::string("options.storage: ") + error.what());
    }
}

Scale scale_of(ValueType type, const void* number) {
    return dispatch(type, [&](auto tag) {
        using Value = decltype(tag);
        const Value v = *static_cast<const Value*>(number);
        return v == Value(0) ? Scale::zero : v == Value(1) ? Scale::one : Scale::general;
    });
}

bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
    const auto p = reinterpret_cast<std::uintptr_t>(a), q = reinterpret_cast<std::uintptr_t>(b);
    return p < q + b_bytes && q < p + a_bytes;
}

/// Whether a kernel gives the same bits each time.
bool is_deterministic(const Signature& s) {
    switch (kernel_entry(s.kernel).determinism) {
        case Determinism::always:
            return true;
        case Determinism::by_parameter:
            return s.params.at("deterministic") == 1;
        case Determinism::never:
            break;
    }
    return false;
}

}  // namespace

HandleImpl::HandleImpl(const Options& options, KernelProvider& provider)
    : provider_(provider),
      policy_{effective_mode(options.cache), options.cache_dir, options.strict,
              options.kernel_sets},
      num_rhs_(options.num_rhs) {
    check_options(options);
    info_.device = options.device;
    info_.op = options.op;
}

bool HandleImpl::transposes() const {
    // The generic kernel has no signature.
    return !signature_.kernel.empty() && kernel_entry(signature_.kernel).transposes;
}

void HandleImpl::keep(std::shared_ptr<const CsrMatrix> transposed, double ms) {
    if (borrows(transposed->view())) transposed_ = std::move(transposed);
    info_.prepare_ms += ms;
}

Request HandleImpl::request_for(const Options& options) const {
    for (auto& helper : helper_kernels())
        if (options.kernel == helper.id)
            refuse(
                fmt::format("options.kernel {} is no product: it runs around one when "
                            "options.reorder asks for that; leave it auto",
                            helper.id));
    Request request{.format = options.format,
                    .kernel = options.kernel,
                    .params = options.params,
                    .target = signature_.target,
                    .num_rhs = num_rhs_,
                    .deterministic = options.deterministic,
                    .epilogue = options.epilogue,
                    .op = options.transpose_by_atomics ? parse_op(options.op) : Op::none};
    if (!options.storage.empty()) request.storage = parse_storage(options.storage);
    return request;
}

void HandleImpl::take(const Choice& choice) {
    signature_ = choice.signature;
    info_.reason = choice.reason;
    if (!choice.warning.empty()) provider_.warn(choice.warning);
    info_.deterministic = is_deterministic(signature_);
}

void HandleImpl::describe(const CsrView& matrix, const StoredMatrix& stored) {
    info_.format = to_string(stored.format);
    info_.storage = to_string(storage_type(signature_));
    info_.target = to_string(signature_.target);
    info_.rows = transposes() ? matrix.cols : matrix.rows;
    info_.cols = transposes() ? matrix.rows : matrix.cols;
    info_.nnz = matrix.nnz;
    info_.stored = stored.stored;
    info_.matrix_bytes = stored.bytes;
    info_.bytes = stored.bytes + (matrix.rows + matrix.cols) * num_rhs_ *
                                     static_cast<std::int64_t>(size_of(matrix.value_type));
}

HandleImpl::Modes HandleImpl::checked_modes(ValueType type, const Operands& o) const {
    if (type != signature_.value)
        refuse(fmt::format("apply: the matrix is {}, but α, x, β and y are {}; use {}",
                           to_string(signature_.value), to_string(type),
                           to_string(signature_.value)));
    if (o.alpha == nullptr || o.beta == nullptr) refuse("apply: α or β is null");
    const Modes modes{info_.nnz > 0 ? scale_of(type, o.alpha) : Scale::zero,
                      scale_of(type, o.beta)};
    check_operands(o, modes.alpha != Scale::zero);
    return modes;
}

void HandleImpl::check_operands(const Operands& o, bool needs_x) const {
    const auto element = size_of(signature_.value);
    const auto x_bytes = static_cast<std::size_t>(info_.cols * num_rhs_) * element;
    const auto y_bytes = static_cast<std::size_t>(info_.rows * num_rhs_) * element;
    if (y_bytes > 0 && o.y == nullptr)
        refuse(fmt::format("apply: y is null, but has {} elements", info_.rows * num_rhs_));
    if (!needs_x) return;
    if (o.x == nullptr)
        refuse(fmt::format("apply: x is null, but has {} elements", info_.cols * num_rhs_));
    if (overlap(o.x, x_bytes, o.y, y_bytes)) refuse("apply: x and y overlap; use different arrays");
}

}  // namespace spmvgen
