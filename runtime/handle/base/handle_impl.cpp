#include "handle/base/handle_impl.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "formats/layout.hpp"
#include "handle/base/apply_memory.hpp"
#include "handle/kernels/kernel_sources.hpp"
#include "handle/plan/device_options.hpp"
#include "handle/plan/levels.hpp"
#include "handle/plan/planning.hpp"
#include "handle/plan/request_of_options.hpp"
#include "kernel/refuse.hpp"
#include "matrix/reorder/reordering.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"
#include "tuner/profiles/device_profile.hpp"

namespace spmvgen {

void check_counts(const Options& o) {
    constexpr int most_threads = 4096, most_rhs = 64;
    if (o.num_rhs < 1 || o.num_rhs > most_rhs)
        refuse(fmt::format("options.num_rhs is {}: use 1…{}", o.num_rhs, most_rhs));
    if (o.threads < 0 || o.threads > most_threads)
        refuse(fmt::format("options.threads is {}: use 0 (what OpenMP would use) or 1…{}",
                           o.threads, most_threads));
}

namespace {

/// None where it is left to the choice.
ReorderMethod parse_reorder(const std::string& text) {
    if (!names_order(text)) return ReorderMethod::none;
    try {
        return *parse_reorder_option(text);
    } catch (const Error& error) {
        throw Error(error.code(), std::string("options.reorder: ") + error.what());
    }
}

void check_updates(const Options& o) {
    if (o.updates != "seldom" && o.updates != "often")
        refuse(fmt::format("options.updates is '{}': use seldom or often", o.updates));
    if (o.updates == "often" && !o.updatable)
        refuse(
            "options.updates is often, but options.updatable is false: leave one of them "
            "out");
    if (o.updates == "often" && names_order(o.reorder))
        refuse(
            fmt::format("options.updates is often, but options.reorder is {}, which puts new "
                        "values in order first: leave one of them out",
                        o.reorder));
}

void check_options(const Options& o) {
    check_counts(o);
    if (o.encodings != "auto" && o.encodings != "none")
        refuse(fmt::format("options.encodings is '{}': use auto or none", o.encodings));
    check_compile(o.compile);
    check_updates(o);
    const ReorderMethod method = parse_reorder(o.reorder);
    if (o.permuted_vectors && (method == ReorderMethod::none || method == ReorderMethod::rows))
        refuse(
            "options.permuted_vectors is for reordered matrices: set options.reorder to rcm or "
            "band-k, or leave it false");
}

/// Whether a kernel gives the same bits each time.
bool is_deterministic(const Signature& s) {
    const KernelEntry& entry = kernel_entry(s.kernel);
    if (parse_epilogue(s.epilogue).has_reductions() && !has_fixed_rows(entry)) return false;
    switch (entry.determinism) {
        case Determinism::always:
            return true;
        case Determinism::by_parameter:
            return s.params.at("deterministic") == 1;
        case Determinism::never:
            break;
    }
    return false;
}

/// Of several vectors, whose rows of x are what a product mostly takes.
GatheredRows gathered_rows(const Signature& s, const Info& info) {
    if (s.num_rhs == 1) return {};
    const double row = static_cast<double>(size_of(s.value)) * s.num_rhs;
    return {.count = static_cast<double>(info.nnz) / static_cast<double>(param(s, "block_rows", 1)),
            .row_bytes = row,
            .x_bytes = row * static_cast<double>(std::min(info.cols, info.nnz))};
}

}  // namespace

void check_compile(std::string_view text) {
    if (text != "now" && text != "behind")
        refuse(fmt::format("options.compile is '{}': use now or behind", text));
}

Scale scale_of(ValueType type, const void* number, bool on_device) {
    if (on_device) return Scale::device;
    return dispatch(type, [&](auto tag) {
        using Value = decltype(tag);
        const Value v = *static_cast<const Value*>(number);
        return v == Value(0) ? Scale::zero : v == Value(1) ? Scale::one : Scale::general;
    });
}

HandleImpl::HandleImpl(const Options& options, KernelProvider& provider)
    : provider_(provider),
      // The generic kernel has no epilogue.
      policy_{effective_mode(options.cache), options.cache_dir,
              options.strict || !options.epilogue.empty(), options.kernel_sets},
      epilogue_(parse_epilogue(options.epilogue)),
      num_rhs_(options.num_rhs),
      updatable_(options.updatable),
      chosen_for_updates_(options.updates == "often" && options.kernel == "auto" &&
                          options.format == "auto" && options.rule.empty()),
      threads_(options.threads),
      pack_(parse_pack_vectors(options.pack_vectors)) {
    check_options(options);
    check_level(options);
    if (!epilogue_.names.empty() && num_rhs_ != 1)
        refuse(
            fmt::format("options.epilogue has operands, which are for one vector, but "
                        "options.num_rhs is {}: use 1",
                        num_rhs_));
    info_.device = options.device;
    info_.op = options.op;
}

bool HandleImpl::transposes() const {
    // The generic kernel has no signature.
    return !signature_.kernel.empty() && kernel_entry(signature_.kernel).transposes;
}

void HandleImpl::keep(std::shared_ptr<const void> arrays, const CsrView& matrix, bool own) {
    if (!borrows(matrix)) return;
    kept_arrays_ = std::move(arrays);
    owns_arrays_ = own;
}

bool reads_arrays(const StoredMatrix& stored, const CsrView& matrix) {
    return std::ranges::any_of(stored.arrays, [&](auto& array) {
        return array.second != nullptr &&
               (array.second == matrix.row_ptr || array.second == matrix.col_idx ||
                array.second == matrix.values);
    });
}

double bytes_read_of(const CsrView& matrix, const StoredMatrix& stored) {
    const auto reads = [&](const void* array) {
        return array != nullptr && std::ranges::any_of(stored.arrays, [&](auto& named) {
                   return named.second == array;
               });
    };
    const auto bytes = [&](const void* array, std::int64_t count, std::size_t element) {
        return reads(array) ? static_cast<double>(count) * static_cast<double>(element) : 0;
    };
    return bytes(matrix.row_ptr, matrix.rows + 1, size_of(matrix.offset_type)) +
           bytes(matrix.col_idx, matrix.nnz, size_of(matrix.index_type)) +
           bytes(matrix.values, matrix.nnz, size_of(matrix.value_type));
}

void HandleImpl::set_types(const Options& options, ValueType matrix) {
    set_number_types(signature_, options, matrix);
    plain_storage_ = storage_type(signature_);
}

void HandleImpl::set_types_around(const Options& options, ValueType matrix) {
    set_types(options, matrix);
    plain_storage_ = matrix;
    signature_.storage.reset();
    if (matrix != signature_.value) signature_.storage = matrix;
}

Signature HandleImpl::general_signature(const RowFeatures& features, const Request& request) const {
    const auto& params = kernel_entry(signature_.kernel).params;
    Request named = request;
    if (std::ranges::any_of(params, &Parameter::of_matrix)) {
        // Fitted to this matrix: the same kernel, fitted to none.
        named.format = "auto";
        named.kernel = signature_.kernel;
    } else if (request.kernel != "auto" || request.format != "auto" || !request.params.empty()) {
        // Asked for: what else is made would be another answer.
        return for_any_matrix(signature_, {}, plain_storage_);
    }
    // Else columns or values may have led to this kernel: what row lengths alone lead to.
    Signature general =
        for_any_matrix(choose(features, named).signature, request.params, plain_storage_);
    general.alpha = signature_.alpha;
    return general;
}

void HandleImpl::take(const Choice& choice) {
    signature_ = choice.signature;
    info_.reason = choice.reason;
    if (chosen_for_updates_)
        info_.reason += "; among formats that take new values in few products (updates often)";
    if (!choice.warning.empty()) provider_.warn(choice.warning);
    info_.deterministic = is_deterministic(signature_);
}

void HandleImpl::take(LevelChoice level) {
    take(level.choice);
    info_.measured = std::move(level.measured);
    info_.measured_us = level.measured_us;
    info_.measure_ms = level.measure_ms;
    info_.kernel_ms = level.kernel_ms;
    info_.analysis_ms += level.analysis_ms;
    info_.predicted_us = level.predicted_us;
    info_.profile = level.profile;
    if (!level.warning.empty()) provider_.warn(level.warning);
    level_warning_ = std::move(level.warning);
}

void HandleImpl::predict(const Device* device, int threads) {
    if (info_.nnz == 0 || info_.predicted_us > 0) return;  // by counted work
    const auto [profile, match, note] = nearest_profile(signature_.target, device);
    if (match != ProfileMatch::device && match != ProfileMatch::scaled) return;
    if (profile == nullptr) return;
    info_.profile = profile->file;
    info_.predicted_us =
        predict_us(*profile, static_cast<double>(info_.bytes), threads,
                   device != nullptr ? std::max(info_.launches, 1) : threads > 1,
                   device != nullptr ? gathered_rows(signature_, info_) : GatheredRows());
}

void HandleImpl::tell_choice_ms(const Stopwatch& watch) {
    info_.choice_ms =
        watch.ms() - info_.analysis_ms - info_.kernel_ms - info_.measure_ms - info_.convert_ms;
}

void HandleImpl::describe(const CsrView& matrix, const StoredMatrix& stored) {
    info_.format = to_string(stored.format);
    info_.storage = to_string(storage_type(signature_));
    info_.vectors = to_string(signature_.value);
    info_.accumulator = to_string(accumulator_type(signature_));
    info_.target = to_string(signature_.target);
    info_.rows = transposes() ? matrix.cols : matrix.rows;
    info_.cols = transposes() ? matrix.rows : matrix.cols;
    info_.nnz = matrix.nnz;
    info_.stored = stored.stored;
    info_.matrix_bytes = stored.bytes;
    info_.bytes = stored.bytes + (matrix.rows + matrix.cols) * num_rhs_ *
                                     static_cast<std::int64_t>(size_of(signature_.value));
}

void HandleImpl::check_type(ValueType type, const char* call) const {
    if (type == signature_.value) return;
    refuse(fmt::format("{}: the {}, but α, x, β and y are {}; use {}", call,
                       signature_.storage
                           ? fmt::format("handle's vectors are {}", to_string(signature_.value))
                           : fmt::format("matrix is {}", to_string(signature_.value)),
                       to_string(type), to_string(signature_.value)));
}

HandleImpl::Modes HandleImpl::modes_of(ValueType type, const Operands& o) const {
    check_type(type, "apply");
    if (o.alpha == nullptr || o.beta == nullptr) refuse("apply: α or β is null");
    return {info_.nnz > 0 ? scale_of(type, o.alpha, o.device_scalars) : Scale::zero,
            scale_of(type, o.beta, o.device_scalars)};
}

HandleImpl::Modes HandleImpl::checked_modes(ValueType type, const Operands& o) {
    const Modes modes = modes_of(type, o);
    if (o.epilogue.size() != epilogue_.names.size())
        refuse(fmt::format("apply: the epilogue has operands, as '{}': give them, with apply_with",
                           epilogue_.names.front().name));
    check_operands(o, modes.alpha != Scale::zero);
    if (o.workspace != nullptr) check_workspace(o, workspace_bytes(modes.alpha, modes.beta));
    return modes;
}

void HandleImpl::check_workspace(const Operands& o, std::size_t needed) const {
    const WorkspaceMemory& given = *o.workspace;
    if (given.bytes < needed)
        refuse(
            fmt::format("apply: the workspace has {} bytes, but this product needs {}: ask "
                        "workspace_bytes",
                        given.bytes, needed));
    if (needed > 0 && given.data == nullptr) refuse("apply: the workspace is null");
    const auto overlaps = [&](const void* vector, std::int64_t rows) {
        const auto bytes = static_cast<std::size_t>(rows * width_of(o)) * size_of(signature_.value);
        return vector != nullptr && overlap(given.data, needed, vector, bytes);
    };
    if (needed > 0 && (overlaps(o.x, info_.cols) || overlaps(o.y, info_.rows)))
        refuse("apply: the workspace overlaps x or y; use memory of its own");
}

void HandleImpl::check_operands(const Operands& o, bool needs_x) const {
    const auto element = size_of(signature_.value);
    const auto x_bytes = static_cast<std::size_t>(info_.cols * width_of(o)) * element;
    const auto y_bytes = static_cast<std::size_t>(info_.rows * width_of(o)) * element;
    if (y_bytes > 0 && o.y == nullptr)
        refuse(fmt::format("apply: y is null, but has {} elements", info_.rows * width_of(o)));
    if (!needs_x) return;
    if (o.x == nullptr)
        refuse(fmt::format("apply: x is null, but has {} elements", info_.cols * width_of(o)));
    // apply_many has compared vectors of other forms.
    if (is_dense(vectors_of(o)) && overlap(o.x, x_bytes, o.y, y_bytes))
        refuse("apply: x and y overlap; use different arrays");
}

void HandleImpl::tell_given(ValueType type, std::int64_t entries, std::shared_ptr<Device> device) {
    given_type_ = type;
    given_entries_ = entries;
    given_on_ = std::move(device);
}

PackVectors parse_pack_vectors(std::string_view text) {
    if (text == "auto") return PackVectors::automatic;
    if (text == "always") return PackVectors::always;
    if (text == "never") return PackVectors::never;
    refuse(fmt::format("options.pack_vectors is '{}': use auto, always or never", text));
}

}  // namespace spmvgen
