#include "cache/warm_kernels.hpp"

#include <array>

#include "handle/kernels/compile_kernel.hpp"
#include "handle/kernels/kernel_sources.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::cli {
namespace {

struct Mode {
    Scale alpha, beta;
};

constexpr std::array all_scales{Scale::zero, Scale::one, Scale::general};

/// The modes of a kernel that a name stands for. Without an epilogue, which no name has, α = 0 is
/// nothing for a CPU's kernel, and y = y for none.
std::vector<Mode> modes_of(bool gpu) {
    std::vector<Mode> modes;
    for (const Scale alpha : {Scale::one, Scale::general})
        for (const Scale beta : all_scales) modes.push_back({alpha, beta});
    if (gpu) modes.insert(modes.end(), {{Scale::zero, Scale::zero}, {Scale::zero, Scale::general}});
    return modes;
}

const std::string not_kept = "compiled, but not kept: the warning above says why";

void warm_one(Store& store, const Signature& signature, WarmResult& result) {
    const auto kinds = loadable_kinds(architecture(signature.target).kind);
    for (const BinaryKind kind : kinds)
        if (store.find(signature, kind)) {
            ++result.there;
            return;
        }
    if (store.put(compile_kernel(load_generator(), signature, kinds)))
        ++result.compiled;
    else
        result.failure = not_kept;
}

}  // namespace

WarmResult warm_handle(const CsrMatrix& matrix, Options options, bool all_modes) {
    options.cache = CacheMode::on;
    options.strict = true;
    WarmResult result;
    const KernelCounters before = kernel_counters();
    try {
        const Handle handle(matrix.view(), options);
        result.kernel = handle.info().kernel + "@" + handle.info().target;
        if (all_modes)  // those that need no kernel make none
            for (const Scale alpha : all_scales)
                for (const Scale beta : all_scales) handle.prepare(alpha, beta);
    } catch (const Error& error) {
        result.failure = error.what();
    }
    const KernelCounters after = kernel_counters();
    result.compiled = (after.compiles_started - after.compiles_failed) -
                      (before.compiles_started - before.compiles_failed);
    result.there =
        (after.hits_store + after.hits_memory + after.hits_imported + after.hits_set) -
        (before.hits_store + before.hits_memory + before.hits_imported + before.hits_set);
    if (result.compiled > 0 && after.bytes_written == before.bytes_written &&
        result.failure.empty())
        result.failure = not_kept;
    return result;
}

WarmResult warm_signature(Store& store, const Signature& signature, bool all_modes) {
    WarmResult result;
    result.kernel = to_string(signature);
    const bool gpu = architecture(signature.target).kind != TargetKind::host;
    try {
        if (!all_modes) warm_one(store, signature, result);
        if (all_modes)
            for (const Mode& mode : modes_of(gpu)) {
                Signature one = signature;
                one.alpha = mode.alpha;
                one.beta = mode.beta;
                warm_one(store, one, result);
            }
    } catch (const Error& error) {
        result.failure = error.what();
    }
    return result;
}

}  // namespace spmvgen::cli
