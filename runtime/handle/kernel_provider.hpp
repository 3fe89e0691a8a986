#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "devices/host/loaded_kernel.hpp"
#include "handle/log.hpp"
#include "spmvgen/generator.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {

/// Where a provider looks and keeps kernels on disk: what it needs of a Store.
class KernelCache {
  public:
    virtual ~KernelCache() = default;
    virtual std::optional<KernelBinary> find(const Signature& signature) = 0;
    virtual bool put(const KernelBinary& binary) = 0;
    virtual std::string path_of(const Signature& signature) const = 0;
};

/// What a provider is made of; tests put their own here.
struct KernelSources {
    /// The generator; called at the first compilation only. May throw Error.
    std::function<Generator&()> generator;
    /// The cache in a directory ("" = the default one).
    std::function<std::unique_ptr<KernelCache>(const std::string& directory, bool writable)> cache;
};

/// libspmvgen_jit and the Store.
KernelSources default_kernel_sources();

/// How one kernel may be had (see Options).
struct KernelPolicy {
    CacheMode mode = CacheMode::on;
    std::string directory;
    bool strict = false;
};

/// A kernel and how it was had, or, with `kernel` null, why there is none.
struct ProvidedKernel {
    std::shared_ptr<const LoadedKernel> kernel;
    std::string origin;       ///< "memory", "cache", "compiled" or "generic"
    std::string source_path;  ///< the cache entry that holds the source; "" = none
    std::string warning;      ///< why the generic kernel has to serve; "" with a kernel or mode off
};

/// Signature → loaded kernel. Looks in memory, then in the cache directory, then compiles (and
/// keeps the result), as the policy allows. Requests for one signature that come at the same time
/// make it once. A failure of cache or compiler is not an exception but a ProvidedKernel without a
/// kernel; it is logged once for each cause, counted, and not tried again for that signature (the
/// cache is). Kernels stay loaded as long as the provider lives. Safe for any number of threads.
class KernelProvider {
  public:
    explicit KernelProvider(KernelSources sources);

    /// Throws Error(unsupported) when this machine cannot run the signature's target, and with
    /// policy.strict Error(compile) instead of a fallback.
    ProvidedKernel get(const Signature& signature, const KernelPolicy& policy);

    KernelCounters counters() const;

    /// The one that handles use.
    static KernelProvider& process();

  private:
    /// All that is known of one signature; its mutex is held while the kernel is made.
    struct Slot {
        std::mutex mutex;
        std::shared_ptr<const LoadedKernel> kernel;
        std::string source_path;
        std::string failure;  ///< why it could not be compiled; "" = not tried, or it could
    };
    Slot& slot_of(const Signature& signature);
    std::unique_ptr<KernelCache> open_cache(const KernelPolicy& policy);
    bool find_in_cache(Slot& slot, const Signature& signature, KernelCache& cache);
    bool compile(Slot& slot, const Signature& signature, KernelCache* keep);
    ProvidedKernel fall_back(const Signature& signature, const KernelPolicy& policy,
                             const std::string& why);

    KernelSources sources_;
    Log log_;
    std::mutex mutex_;  ///< guards slots_
    std::map<std::string, std::unique_ptr<Slot>> slots_;
    std::atomic<std::int64_t> hits_memory_{0}, hits_store_{0}, compiles_started_{0},
        compiles_failed_{0}, fallbacks_{0};
};

/// A handle that gets its kernels from `provider`, which must outlive it.
Handle make_handle(const CsrView& matrix, const Options& options, KernelProvider& provider);

}  // namespace spmvgen
