#include "tuner/rules/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "formats/format_storage.hpp"
#include "spmvgen/epilogue.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
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
        text += fmt::format("{}'{}'", text.empty() ? "" : ", ", name);
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
            (any_format || entry.format == format))
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
