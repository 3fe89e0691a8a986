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

/// Adds what is made while it lives. Where some of several are not kept, only a count of each shows
/// it.
class Counting {
  public:
    explicit Counting(WarmResult& result) : result_(result), before_(kernel_counters()) {}
    ~Counting() {
        const KernelCounters after = kernel_counters();
        const std::int64_t compiled = made(after) - made(before_);
        result_.compiled += compiled;
        result_.there += found(after) - found(before_);
        if (compiled > 0 && after.bytes_written == before_.bytes_written)
            result_.failure = not_kept;
    }
    Counting(const Counting&) = delete;
    Counting& operator=(const Counting&) = delete;

  private:
    static std::int64_t made(const KernelCounters& c) {
        return c.compiles_started - c.compiles_failed;
    }
    static std::int64_t found(const KernelCounters& c) {
        return c.hits_store + c.hits_memory + c.hits_imported + c.hits_set;
    }
    WarmResult& result_;
    const KernelCounters before_;
};

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
    try {
        const Handle handle = [&] {
            const Counting counting(result);
            return Handle(matrix.view(), options);
        }();
        result.kernel = handle.info().kernel + "@" + handle.info().target;
        if (all_modes)  // those that need no kernel make none
            for (const Scale alpha : all_scales)
                for (const Scale beta : all_scales) {
                    const Counting counting(result);
                    handle.prepare(alpha, beta);
                }
    } catch (const Error& error) {
        result.failure = error.what();
    }
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
