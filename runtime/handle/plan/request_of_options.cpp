#include "handle/plan/request_of_options.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <string_view>

#include "formats/format_storage.hpp"
#include "handle/plan/device_options.hpp"
#include "handle/plan/planning.hpp"
#include "kernel/refuse.hpp"
#include "measure/timing.hpp"
#include "registry_convert.hpp"
#include "registry_permute.hpp"
#include "spmvgen/error.hpp"
#include "tuner/profiles/device_profile.hpp"

namespace spmvgen {
namespace {

/// Expected applies from which on the tuner may look at all columns and values: each pass takes
/// about as long as an apply on this CPU, and saves a part of one.
constexpr std::int64_t worth_looking = 20;

// What one thread of a usual CPU takes for an entry and for a row of small matrices, about, and a
// product that is shared out whatever a parallel region costs.
constexpr double entry_us = 0.4e-3;
constexpr double row_us = 2e-3;
constexpr double surely_shared_us = 200;

/// The type that option `name` gives, else `preset`.
ValueType parsed(const char* name, const std::string& text, ValueType preset) {
    if (text.empty()) return preset;
    try {
        return parse_value_type(text);
    } catch (const Error& error) {
        throw Error(error.code(), fmt::format("options.{}: {}", name, error.what()));
    }
}

bool fits(ValueType narrow, ValueType wide) {
    return narrow == wide || is_narrower(narrow, wide);
}

void check_vectors(ValueType vectors, ValueType stored, ValueType matrix) {
    if (is_storage_only(vectors))
        refuse(
            fmt::format("options.vectors is {}, a storage type: use f32 or f64 vectors, and "
                        "options.storage {}",
                        to_string(vectors), to_string(vectors)));
    if (is_complex(vectors) != is_complex(matrix))
        refuse(
            fmt::format("options.vectors is {}, but the matrix is {}: real and complex numbers "
                        "do not mix; give the matrix's values as {}",
                        to_string(vectors), to_string(matrix), to_string(vectors)));
    if (!fits(stored, vectors))
        refuse(
            fmt::format("options.vectors {} is narrower than the matrix's values, {}: set "
                        "options.storage to {} to round them, or leave options.vectors out",
                        to_string(vectors), to_string(stored), to_string(vectors)));
}

}  // namespace

void check_encodings(std::string_view text) {
    if (text != "auto" && text != "none")
        refuse(fmt::format("unknown encodings '{}': use auto or none", text));
}

void set_number_types(Signature& s, const Options& o, ValueType matrix) {
    const ValueType stored = parsed("storage", o.storage, matrix);
    const ValueType vectors = parsed("vectors", o.vectors, matrix);
    const ValueType sums = parsed("accumulator", o.accumulator, vectors);
    if (!fits(stored, matrix))
        refuse(
            fmt::format("options.storage {} is not a narrower type of the numbers that the "
                        "matrix has, {}: use f16 or bf16 for f32; these or f32 for f64; c32 for "
                        "c64",
                        to_string(stored), to_string(matrix)));
    check_vectors(vectors, stored, matrix);
    if (!fits(vectors, sums))
        refuse(
            fmt::format("options.accumulator {} is not wider than the vectors, {}: use f64 for "
                        "f32, c64 for c32, or leave it out",
                        to_string(sums), to_string(vectors)));
    s.value = vectors;
    s.storage.reset();
    s.accumulator.reset();
    if (stored != vectors) s.storage = stored;
    if (sums != vectors) s.accumulator = sums;
}

namespace {

void check_is_product(std::string_view kernel) {
    for (auto& helper : helper_kernels())
        if (kernel == helper.id)
            refuse(
                fmt::format("options.kernel {} is no product: it runs around one when "
                            "options.reorder or apply_many asks for that; leave it auto",
                            kernel));
    if (is_conversion(kernel))
        refuse(
            fmt::format("options.kernel {} is no product: it converts a matrix on its device, when "
                        "a handle needs that; leave it auto",
                        kernel));
}

}  // namespace

Request request_of(const Options& options, const Signature& types) {
    if (options.kernel != "auto") check_is_product(options.kernel);
    return {.format = options.format,
            .kernel = options.kernel,
            .rule = options.rule,
            .params = options.params,
            .target = types.target,
            .num_rhs = options.num_rhs,
            .deterministic = options.deterministic,
            .vectors = types.value,
            .storage = storage_type(types),
            .look = options.expected_applies == 0 || options.expected_applies >= worth_looking,
            .applies = options.expected_applies,
            .encode = may_encode(options),
            .often_updated = options.updates == "often",
            .in_order_only = options.memory_limit != 0,
            .accumulator = types.accumulator,
            .epilogue = options.epilogue,
            .op = options.transpose_by_atomics ? parse_op(options.op) : Op::none};
}

int host_threads(const CsrView& matrix, const Options& options) {
    return host_threads(matrix.rows, matrix.nnz, options);
}

int host_threads(std::int64_t rows, std::int64_t nnz, const Options& options) {
    const int wanted = options.threads != 0 ? options.threads : omp_get_max_threads();
    const int most = std::min(wanted, omp_get_thread_limit());  // a team never gets more
    if (options.all_threads) return most;
    if (most == 1 || rows + nnz < serial_work) return 1;
    const double alone_us =
        entry_us * static_cast<double>(nnz) + row_us * static_cast<double>(rows);
    if (options.deterministic || alone_us > surely_shared_us) return most;
    const DeviceProfile* profile = profile_to_predict(parse_target(options.target), nullptr);
    const double region_us = profile != nullptr && profile->has_region(most)
                                 ? profile->region_us(most)
                                 : parallel_region_us(most);
    const double saved_us =
        alone_us * (1 - 1.0 / most) / measured_core_speed(usual_cached_loads_per_s);
    return saved_us > region_us ? most : 1;
}

std::vector<int> smaller_teams(int threads, const Options& options) {
    if (threads == 1 || options.all_threads || options.deterministic) return {};
    std::vector<int> teams{1};
    if (keeps_idle_threads())
        for (int team = 2; team < threads; team *= 2) teams.push_back(team);
    return teams;
}

bool needs_rows_only(const Options& options) {
    const auto is_given = [&](const char* name) { return options.params.contains(name); };
    if (options.level != "rule" || options.expected_applies != 0) return false;
    if (may_encode(options) && !is_given("value_code")) return false;
    const bool named = options.kernel != "auto";
    const std::string format =
        named ? std::string(to_string(kernel_entry(options.kernel).format)) : options.format;
    const auto storages = format_storages();
    const auto storage = std::ranges::find(storages, format, [](const FormatStorage& s) {
        return std::string_view(to_string(s.format));
    });
    return storage != storages.end() && storage->rows_suffice != nullptr &&
           storage->rows_suffice(named ? options.kernel : "", options.params);
}

}  // namespace spmvgen
