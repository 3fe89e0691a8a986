/// Level `recorded`: from records to a choice.
#include <fmt/format.h>

#include <algorithm>

#include "registry.hpp"
#include "spmvgen/error.hpp"
#include "tuner/records/signature_name.hpp"
#include "tuner/records/tuning_db.hpp"
#include "tuner/rules/choose.hpp"
#include "tuner/rules/rules.hpp"

namespace spmvgen {
namespace {

/// The request that leads to that kernel with its parameters; nothing when it does not leave that
/// free.
std::optional<Request> narrowed(const Request& request, const Signature& kernel) {
    if (find_kernel(candidates(request), kernel.kernel) == nullptr) return {};
    Request narrow = request;
    narrow.format = "auto";
    narrow.kernel = kernel.kernel;
    // What that matrix decided, this one decides anew.
    narrow.params = without_matrix_params(kernel, {});
    for (auto& [name, value] : request.params) {
        const auto own = narrow.params.find(name);
        if (own != narrow.params.end() ? own->second != value : !kernel.params.contains(name))
            return {};
        narrow.params[name] = value;
    }
    return narrow;
}

std::optional<Choice> choose_kernel(const FoundRecord& found, const TimedKernel& timed,
                                    const Request& request,
                                    const std::function<Choice(const Request&)>& choose) try {
    const auto kernel = parse_kernel_name(timed.kernel, request.target);
    if (kernel && kernel_entry(kernel->kernel).format == Format::bcsr && !found.alike_blocks)
        return {};
    const auto narrow = kernel ? narrowed(request, *kernel) : std::nullopt;
    if (!narrow) return {};
    Choice choice = choose(*narrow);
    const bool fastest = &timed == &found.source->record.kernels.front();
    choice.reason = fmt::format("{}: {}, {:.2f} µs there{}", to_string(found), kernel->kernel,
                                timed.us, fastest ? "" : ", the fastest that can be used here");
    return choice;
} catch (const Error&) {  // determinism or types that this kernel does not have
    return {};
}

}  // namespace

Question question_of(const Request& r, ValueType matrix) {
    const bool gpu = architecture(r.target).kind != TargetKind::host;
    return {.value = vectors_type(r, matrix),
            .storage = stored_type(r, matrix),
            .accumulator = r.accumulator,
            .num_rhs = r.num_rhs,
            .op = r.op,
            .deterministic = r.deterministic,
            .threads = gpu ? 0 : r.threads};
}

std::optional<Choice> choose_recorded(std::span<const FoundRecord> found, const Request& request,
                                      const std::function<Choice(const Request&)>& choose) {
    for (auto& record : found)
        for (auto& timed : record.source->record.kernels)
            if (auto choice = choose_kernel(record, timed, request, choose)) return choice;
    return {};
}

}  // namespace spmvgen
