#include "warm_kernels.hpp"

#include "handle/jit_loader.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::cli {
namespace {

struct Mode {
    Scale alpha, beta;
};

/// With α = 0 a CPU needs no kernel, and y = y nobody.
std::vector<Mode> modes_of(bool gpu, bool all) {
    if (!all) return {{Scale::one, Scale::zero}};
    std::vector<Mode> modes;
    for (const Scale alpha : {Scale::one, Scale::general})
        for (const Scale beta : {Scale::zero, Scale::one, Scale::general})
            modes.push_back({alpha, beta});
    if (gpu) modes.insert(modes.end(), {{Scale::zero, Scale::zero}, {Scale::zero, Scale::general}});
    return modes;
}

const std::string not_kept = "compiled, but not kept: the warning above says why";

/// What a device of that kind loads, the best first.
std::vector<BinaryKind> kinds_for(TargetKind kind) {
    if (kind == TargetKind::cuda) return {BinaryKind::cubin, BinaryKind::ptx};
    return {loadable_kind(kind)};
}

KernelBinary compile(const Signature& signature, const std::vector<BinaryKind>& kinds) {
    Generator& generator = load_generator();
    const KernelSource source = generator.emit(signature);
    for (const BinaryKind kind : kinds) try {
            KernelBinary binary = generator.compile(source, kind);
            binary.source = source.text;
            return binary;
        } catch (const Error& error) {
            if (error.code() != ErrorCode::unsupported || kind == kinds.back()) throw;
        }
    throw Error(ErrorCode::internal, "nothing to compile to");
}

void warm_one(Store& store, const Signature& signature, WarmResult& result) {
    const auto kinds = kinds_for(architecture(signature.target).kind);
    for (const BinaryKind kind : kinds)
        if (store.find(signature, kind)) {
            ++result.there;
            return;
        }
    if (store.put(compile(signature, kinds)))
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
        for (const Mode& mode : modes_of(options.device != "host", all_modes))
            handle.prepare(mode.alpha, mode.beta);
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
            for (const Mode& mode : modes_of(gpu, true)) {
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
