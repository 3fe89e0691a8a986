#include "tuner/rules/choose.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "formats/format_storage.hpp"
#include "spmvgen/epilogue.hpp"
#include "spmvgen/error.hpp"
#include "tuner/csr_k/csr_k.hpp"
#include "tuner/plan/kernel_plan.hpp"
#include "tuner/rules/paper_rules.hpp"
#include "tuner/rules/rules.hpp"

namespace spmvgen {
namespace {

/// Of the first rule that applies with a kernel that is free.
Pick pick_first(const Situation& s, std::span<const Rule> rules) {
    for (auto& rule : rules) {
        const Pick chosen = rule.pick(s);
        if (find_kernel(s.among, chosen.kernel) != nullptr)
            return {chosen.kernel, fmt::format("{}: {}", chosen.reason, chosen.kernel),
                    chosen.params};
    }
    return {};
}

Pick pick(const Situation& s, const RuleSet& set) {
    const KernelEntry& first = *s.among.front();
    if (s.request.kernel != "auto") return {first.id, "named by the caller", {}};
    if (s.among.size() == 1)
        return {first.id,
                fmt::format("the one kernel of format {}{}", to_string(first.format),
                            s.request.params.empty() ? "" : " with these parameters"),
                {}};
    if (Pick chosen = pick_first(s, set.by_matrix); !chosen.kernel.empty()) return chosen;
    if (Pick chosen = pick_first(s, set.rules); !chosen.kernel.empty()) return chosen;
    return {first.id, fmt::format("no rule applies: {}", first.id), {}};
}

/// Sets parameter "deterministic" of kernels that have it when the request asks for that.
void set_determinism(Signature& s, const KernelEntry& entry, const Request& request) {
    if (!request.deterministic) return;
    if (parse_epilogue(s.epilogue).has_reductions() && !has_fixed_rows(entry))
        throw Error(
            ErrorCode::invalid_argument,
            fmt::format("kernel {} gives rows to threads in any order, and so adds up the sums of "
                        "the epilogue, which contradicts the determinism that is requested: use "
                        "another kernel",
                        entry.id));
    if (entry.determinism == Determinism::always) return;
    if (entry.determinism == Determinism::never)
        throw Error(
            ErrorCode::invalid_argument,
            fmt::format("kernel {} adds its sums atomically, in any order, which contradicts "
                        "the determinism that is requested: use another kernel",
                        entry.id));
    const auto [it, absent] = s.params.try_emplace("deterministic", 1);
    if (it->second != 1)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("parameter deterministic={} of kernel {} contradicts the "
                                "determinism that is requested: leave it out",
                                it->second, entry.id));
}

/// Sets parameter "conjugate" of a kernel that transposes: real numbers need it for neither op.
void set_conjugate(Signature& s, const KernelEntry& entry, const Request& request) {
    if (!entry.transposes) return;
    const std::int64_t wanted = request.op == Op::conj_transpose && is_complex(s.value) ? 1 : 0;
    const auto [it, absent] = s.params.try_emplace("conjugate", wanted);
    if (it->second != wanted && is_complex(s.value))
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("parameter conjugate={} of kernel {} contradicts op {}: leave it "
                                "out",
                                it->second, entry.id, to_string(request.op)));
}

/// What of the values was made use of.
std::string exact_text(const Signature& s, const RowFeatures& f, const Request& request) {
    const auto code = s.params.find("value_code");
    const std::int64_t value_code = code != s.params.end() ? code->second : 0;
    if (value_code != 0)
        return fmt::format("; values stored as {}", value_code == 1   ? "integers of 8 bits"
                                                    : value_code == 2 ? "the one that all are"
                                                                      : "numbers of a dictionary");
    if (storage_type(s) == stored_type(request, f.value_type)) return "";
    return fmt::format("; values are exact in {}", to_string(storage_type(s)));
}

/// Whether the kernel reads arrays of CSR where they are.
bool borrows(const KernelEntry& entry, const Request& request) {
    return request.csr_index && storage_of(entry.format).has_csr_arrays;
}

/// What the values allow without loss, for this kernel.
void set_exact_values(Signature& s, const KernelEntry& entry, const Request& request,
                      const std::optional<ExactValues>& exact) {
    if (!exact || borrows(entry, request)) return;
    const auto code = std::ranges::find(entry.params, "value_code", &Parameter::name);
    if (code != entry.params.end()) {
        const std::int64_t wanted = exact->value_code;
        const auto [it, open] = s.params.try_emplace("value_code", 0);
        if (open && allows(*code, wanted)) it->second = wanted;
        if (it->second != 0) return;
    }
    s.storage = exact->storage;
}

double most_stored(const RowFeatures& f, Format format) {
    const auto most = storage_of(format).most_stored;
    return most != nullptr ? most(f) : static_cast<double>(f.nnz);
}

constexpr std::int64_t limit_of_32_bits = std::int64_t{1} << 31;

/// The type of CSR's columns where the request says what it is.
IndexType columns_as_given(const RowFeatures& f, const Request& request, IndexType otherwise) {
    // There may be more columns than an array of the narrow type has numbers for.
    if (request.csr_index == IndexType::i32 && f.cols >= limit_of_32_bits) return IndexType::i64;
    return request.csr_index.value_or(otherwise);
}

void set_types(Signature& s, const RowFeatures& f, const Request& request, Format format) {
    // Beside CSR's columns, row numbers are stored as indices too. CSR-k has CSR's arrays as they
    // are.
    const bool columns_only =
        format == Format::csr && architecture(request.target).kind == TargetKind::host;
    const std::int64_t largest = columns_only ? f.cols : std::max(f.rows, f.cols);
    s.index = largest < limit_of_32_bits ? IndexType::i32 : IndexType::i64;
    s.offset = most_stored(f, format) < static_cast<double>(limit_of_32_bits) ? IndexType::i32
                                                                              : IndexType::i64;
    if (!storage_of(format).has_csr_arrays) return;
    s.index = columns_as_given(f, request, s.index);
    s.offset = request.csr_offset.value_or(s.offset);
}

}  // namespace

Params without_matrix_params(const Signature& signature, const Request& request) {
    Params params = signature.params;
    for (auto& parameter : kernel_entry(signature.kernel).params)
        if (parameter.of_matrix && !request.params.contains(parameter.name))
            params.erase(parameter.name);
    return params;
}

Signature signature_for(const KernelEntry& entry, const Request& request, ValueType value,
                        const Params& params, const std::optional<ExactValues>& exact) {
    Signature signature;
    signature.kernel = entry.id;
    signature.value = vectors_type(request, value);
    signature.storage = stored_type(request, value);
    signature.accumulator = request.accumulator;
    signature.epilogue = request.epilogue;
    signature.num_rhs = request.num_rhs;
    signature.params = request.params;
    signature.target = request.target;
    set_exact_values(signature, entry, request, exact);
    set_determinism(signature, entry, request);
    set_conjugate(signature, entry, request);
    signature.params.merge(params);
    return complete(std::move(signature));
}

Signature for_any_matrix(Signature s, const Params& given, ValueType storage) {
    for (auto& parameter : kernel_entry(s.kernel).params)
        if (parameter.of_matrix && !given.contains(parameter.name)) s.params.erase(parameter.name);
    s.storage = storage;
    return complete(std::move(s));
}

namespace {

/// `params`, and with priority over them those picked, as far as the target allows.
Params with_picked_params(Params params, const KernelEntry& kernel, const Params& picked,
                          const Target& target) {
    for (auto& [name, value] : picked) {
        const auto parameter = std::ranges::find(kernel.params, name, &Parameter::name);
        const bool known = parameter != kernel.params.end();
        if (known && parameter->of_matrix) continue;
        const bool limited = known && parameter->within_wavefront;
        params[name] = limited ? std::min<std::int64_t>(value, target.wavefront) : value;
    }
    return params;
}

Params params_of(const RuleSet& set, const KernelEntry& kernel, const Situation& situation) {
    return set.params != nullptr ? set.params(kernel, situation)
                                 : planned_params(kernel, situation);
}

/// What the kernel's values are stored as; the type given where reading that is faster.
std::optional<ExactValues> exact_for(const KernelEntry& entry, const Situation& situation) {
    std::optional<ExactValues> exact = situation.request.exact;
    const ValueType given = stored_type(situation.request, situation.f.value_type);
    const double bytes = static_cast<double>(situation.f.nnz) * static_cast<double>(size_of(given));
    if (exact && bytes < plan_of(entry.id).least_narrow_bytes * situation.request.threads)
        exact->storage = given;
    return exact;
}

Signature signature_of(const KernelEntry& entry, const Params& picked, const RuleSet& set,
                       const Situation& situation) {
    const RowFeatures& f = situation.f;
    const Request& request = situation.request;
    Signature signature = signature_for(
        entry, request, f.value_type,
        with_picked_params(params_of(set, entry, situation), entry, picked, request.target),
        exact_for(entry, situation));
    set_types(signature, f, request, entry.format);
    return signature;
}

Choice choice_of(const Pick& chosen, const RuleSet& set, const Situation& situation) {
    const RowFeatures& f = situation.f;
    const Request& request = situation.request;
    const KernelEntry& entry = kernel_entry(chosen.kernel);
    Choice choice{signature_of(entry, chosen.params, set, situation), chosen.reason, ""};
    choice.reason += exact_text(choice.signature, f, request);
    if (entry.format == Format::csr_k) choice.reason += "; " + plan_csr_k(entry, situation).reason;
    if (entry.format == Format::bcsr && request.blocks) {
        const Params& params = choice.signature.params;
        const bool has_size = params.at("block_rows") == request.blocks->rows &&
                              params.at("block_cols") == request.blocks->cols;
        if (has_size) choice.reason += "; " + request.blocks->reason;
        choice.warning = request.blocks->warning;
    }
    return choice;
}

RuleSet rules_for(const Request& request) {
    return architecture(request.target).kind != TargetKind::host ? gpu_rules() : cpu_rules();
}

}  // namespace

Signature with_parameters(const RowFeatures& f, const Request& request) {
    const Situation situation{f, request, candidates(request)};
    return signature_of(*situation.among.front(), {}, rules_for(request), situation);
}

Choice choose(const RowFeatures& f, const Request& request) {
    if (request.kernel != "auto" && kernel_entry(request.kernel).batch)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("kernel {} is for batches of matrices: give them to a BatchHandle "
                                "or to spmvgen run --batch",
                                request.kernel));
    if (!request.rule.empty() && request.kernel == "auto") {
        const PaperRule& rule = paper_rule(request.rule);
        const Request asked = with_paper_rule(request, rule);
        const Situation situation{f, asked, candidates(asked)};
        const RuleSet set = rule.rules(architecture(request.target).kind != TargetKind::host);
        const Pick chosen = pick_first(situation, set.rules);
        if (chosen.kernel.empty())
            throw Error(ErrorCode::invalid_argument,
                        fmt::format("rule {} chooses none of the kernels of format {} that the "
                                    "parameters leave: leave out the parameters or the rule",
                                    rule.name, asked.format));
        return choice_of(chosen, set, situation);
    }
    const Situation situation{f, request, candidates(request)};
    const RuleSet set = rules_for(request);
    return choice_of(pick(situation, set), set, situation);
}

namespace {

/// What options.updates = "often" promises.
constexpr double most_update_products_cpu = 3, most_update_products_gpu = 4;

bool has_parameters(const KernelEntry& entry, const Request& request) {
    return std::ranges::all_of(request.params, [&](auto& wanted) {
        return std::ranges::find(entry.params, wanted.first, &Parameter::name) !=
               entry.params.end();
    });
}

bool takes_values(const KernelEntry& entry, const Request& request) {
    return std::ranges::all_of(request.params, [&](auto& wanted) {
        const auto parameter = std::ranges::find(entry.params, wanted.first, &Parameter::name);
        return allows(*parameter, wanted.second);
    });
}

/// Whether new values take few enough products for Request::often_updated.
bool takes_updates(const KernelEntry& entry, const Request& request) {
    if (!request.often_updated || entry.batch || entry.transposes) return true;
    const FormatStorage& storage = storage_of(entry.format);
    if (request.in_order_only && !storage.values_in_order) return false;
    return entry.gpu ? storage.update_products.gpu <= most_update_products_gpu
                     : storage.update_products.cpu <= most_update_products_cpu;
}

[[noreturn]] void refuse_updates(std::string_view what, const Request& request) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("options.updates is often, which is not for {}: {}; leave it to the "
                            "choice, or leave updates seldom",
                            what,
                            request.in_order_only
                                ? "with options.memory_limit new values must be stored in order"
                                : "its new values may take more products than that"));
}

std::string names(const Request& request) {
    std::string text;
    for (auto& [name, value] : request.params)
        text += fmt::format("{}'{}'", text.empty() ? "" : ", ", name.view());
    return text;
}

}  // namespace

std::vector<const KernelEntry*> candidates(const Request& request) {
    const bool any_format = request.format == "auto";
    const Format format = any_format ? Format::csr : parse_format(request.format);
    const bool gpu = architecture(request.target).kind != TargetKind::host;
    const bool transposes = request.op != Op::none;
    if (request.kernel != "auto") {
        const KernelEntry& entry = kernel_entry(request.kernel);
        if (!any_format && entry.format != format)
            throw Error(ErrorCode::invalid_argument,
                        fmt::format("kernel {} reads format {}, not {}: leave one of them auto",
                                    entry.id, to_string(entry.format), request.format));
        if (entry.transposes != transposes)
            throw Error(ErrorCode::invalid_argument,
                        entry.transposes
                            ? fmt::format("kernel {} multiplies with the transpose: use op T or "
                                          "H, or use another kernel",
                                          entry.id)
                            : fmt::format("kernel {} does not transpose", entry.id));
        if (!takes_updates(entry, request))
            refuse_updates(fmt::format("kernel {}", entry.id), request);
        return {&entry};
    }
    std::vector<const KernelEntry*> found;
    for (auto& entry : kernel_registry())
        if (entry.gpu == gpu && entry.transposes == transposes && entry.batch == request.batch &&
            entry.refuses == nullptr && (request.num_rhs > 1 || !entry.of_several) &&
            (any_format ? entry.format != request.without : entry.format == format))
            found.push_back(&entry);
    if (found.empty())
        throw Error(ErrorCode::invalid_argument, fmt::format("no kernel{} reads format {} on {}",
                                                             request.batch ? " of batches" : "",
                                                             request.format, request.target.arch));
    std::erase_if(found, [&](auto* entry) { return !takes_updates(*entry, request); });
    if (found.empty()) refuse_updates(fmt::format("format {}", request.format), request);
    std::erase_if(found, [&](auto* entry) { return !has_parameters(*entry, request); });
    if (found.empty())
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("no kernel of format {} has all of the parameters {}",
                                request.format, names(request)));
    if (request.deterministic && parse_epilogue(request.epilogue).has_reductions() &&
        std::ranges::any_of(found, [](auto* entry) { return has_fixed_rows(*entry); }))
        std::erase_if(found, [](auto* entry) { return !has_fixed_rows(*entry); });
    // When none takes the values, complete() says of the kernel that is chosen which it takes.
    if (std::ranges::any_of(found, [&](auto* entry) { return takes_values(*entry, request); }))
        std::erase_if(found, [&](auto* entry) { return !takes_values(*entry, request); });
    return found;
}

const KernelEntry* find_kernel(const std::vector<const KernelEntry*>& among, std::string_view id) {
    const auto found = std::ranges::find(among, id, &KernelEntry::id);
    return found != among.end() ? *found : nullptr;
}

}  // namespace spmvgen
