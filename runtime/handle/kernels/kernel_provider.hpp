#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "devices/device.hpp"
#include "devices/host/host_kernel.hpp"
#include "handle/kernels/compile_kernel.hpp"
#include "process/log.hpp"
#include "sets/search.hpp"
#include "spmvgen/generator.hpp"
#include "spmvgen/kernels.hpp"
#include "spmvgen/spmvgen.hpp"
#include "tuner/recall/choice_memory.hpp"

namespace spmvgen {

/// Where a provider looks and keeps kernels on disk: what it needs of a Store.
class KernelCache {
  public:
    virtual ~KernelCache() = default;
    virtual std::optional<KernelBinary> find(const Signature& signature, BinaryKind kind) = 0;
    virtual bool put(const KernelBinary& binary) = 0;
    /// Held while a kernel is made, so that other processes wait for it and find it then; comes
    /// after a wait for the one that others make, of limited time. Null: nobody else can have made
    /// it since it was looked for.
    virtual std::shared_ptr<const void> lock(const Signature&, BinaryKind) { return nullptr; }
    virtual std::string path_of(const Signature& signature, BinaryKind kind) const = 0;
};

/// What a provider is made of; tests put their own here.
struct KernelSources {
    /// The generator; called at the first compilation only. May throw Error.
    std::function<Generator&()> generator;
    /// The cache in a directory ("" = the default one).
    std::function<std::unique_ptr<KernelCache>(const std::string& directory, bool writable)> cache;
    /// Kernels in shared objects that stay loaded though nobody else has them: some ten thousand
    /// such objects are all that a process can map.
    std::int64_t most_idle = 512;
    /// Where the cache in a directory ("" = the default one) is; null = choices are kept in memory
    /// alone.
    std::function<Location(const std::string& directory)> place = {};
};

/// How one kernel may be had (see Options).
struct KernelPolicy {
    CacheMode mode = CacheMode::on;
    std::string directory;
    bool strict = false;
    std::string kernel_sets = {};  ///< as in Options
};

/// A kernel in a GPU, and all that its launches need.
struct GpuKernel {
    std::shared_ptr<Device> device;
    std::unique_ptr<DeviceKernel> loaded;
    std::string source;                        ///< "" when the binary came without
    std::map<std::string, KernelFacts> facts;  ///< by symbol
};

/// A kernel and how it was had, or, with `kernel` null, why there is none.
template <typename Kernel>
struct Provided {
    std::shared_ptr<const Kernel> kernel;
    std::string origin;       ///< "memory", "imported", "cache", "set", "compiled" or "generic"
    std::string source_path;  ///< the cache entry that holds the source; "" = none
    std::string warning;      ///< why the generic kernel has to serve; "" with a kernel or mode off
};
using ProvidedKernel = Provided<LoadedKernel>;
using ProvidedGpuKernel = Provided<GpuKernel>;

/// Signature → loaded kernel. Looks in memory, in what was imported, in the cache directory and in
/// kernel sets, then compiles (and keeps the result), as the policy allows. Requests for one
/// signature that come at the same time make it once, those of other processes with the same cache
/// directory included. A failure of cache or compiler is not an
/// exception but a ProvidedKernel without a kernel; it is logged once for each cause, counted, and
/// not tried again for that signature (the cache is). For a GPU, which has no generic kernel, it is
/// an exception. Kernels in shared objects (the host's, and those of the SIMT executor) that nobody
/// else has are unloaded when there are more than KernelSources::most_idle of them, and loaded
/// again from memory. Those of GPUs stay loaded, and devices open, as long as the provider lives.
/// Safe for any number of threads.
class KernelProvider {
  public:
    explicit KernelProvider(KernelSources sources);

    /// Throws Error(unsupported) when this machine cannot run the signature's target, and with
    /// policy.strict Error(compile) instead of a fallback.
    ProvidedKernel get(const Signature& signature, const KernelPolicy& policy);

    /// The same without a fallback: a kernel that cannot be had is nothing to count, to log or to
    /// throw.
    ProvidedKernel get_or_nothing(const Signature& signature, const KernelPolicy& policy);

    /// How far a kernel is: loaded, found (in the cache directory, a set or what was imported), or
    /// to be compiled, or being made now, which is not waited for. `device` is null for the host.
    /// Loads and counts nothing; an entry may be of no use yet.
    enum class Distance { memory, found, compiler };
    Distance distance(const Signature& signature, const KernelPolicy& policy,
                      const std::shared_ptr<Device>& device);

    /// Whether a kernel of this host need not be compiled.
    bool has_at_hand(const Signature& signature, const KernelPolicy& policy) {
        return distance(signature, policy, nullptr) != Distance::compiler;
    }

    /// Whether any kernel may be had: there is a compiler, the policy lets it be used, and no
    /// kernel sets say which kernels there are to be.
    bool may_compile(const KernelPolicy& policy);

    /// What compilations for the device took so far in this process, each over its kernel's
    /// compile_effort(). `device` is null for the host.
    const CompileTimes& compile_times(const std::shared_ptr<Device>& device);

    /// The same for a GPU; kernels are kept for each device, and what one of them has loaded serves
    /// all that are equal to it. Throws Error(compile) when there is no
    /// kernel to be had, and what Device::load throws, which is tried again at the next request.
    ProvidedGpuKernel get(const Signature& signature, const KernelPolicy& policy,
                          const std::shared_ptr<Device>& device);

    KernelCounters counters() const;

    /// What handles with that policy chose before: kept in the cache directory as kernels are, else
    /// in memory alone.
    ChoiceMemory& choices(const KernelPolicy& policy);

    /// As the functions of spmvgen/kernels.hpp.
    std::string export_kernels();
    ImportReport import_kernels(std::string blob);

    /// Logs a warning, once for what it is `about`; "" = the same one once.
    void warn(const std::string& message, const std::string& about = "") {
        log_.warn(message, about);
    }

    /// The one that handles use.
    static KernelProvider& process();

  private:
    /// All that is known of one signature; its mutex is held while the kernel is made.
    template <typename Kernel>
    struct Slot {
        std::mutex mutex;
        std::shared_ptr<const Kernel> kernel;
        std::shared_ptr<const KernelBinary> binary;  ///< what it was loaded from, for export
        std::string source_path;
        std::string failure;  ///< why it could not be compiled; "" = not tried, or it could
    };
    template <typename Kernel>
    struct Table {
        std::mutex mutex;  ///< guards slots and limit; taken before that of a slot, if both
        std::map<std::string, std::unique_ptr<Slot<Kernel>>> slots;
        std::atomic<std::int64_t> loaded{0};  ///< kernels in slots
        std::int64_t limit = 0;               ///< of loaded, up to which none is unloaded
        CompileTimes compile_times;
        Slot<Kernel>& slot_of(const Signature& signature);
        /// Unloads kernels that nobody else has, if `most` more are loaded than the last time left.
        void unload_idle(std::int64_t most);
    };
    /// The code that equal devices share. Its mutex is held while a kernel is made for one of them,
    /// after the mutex of its slot.
    struct Shared {
        std::mutex mutex;
        std::shared_ptr<const KernelBinary> binary;
    };
    Shared& shared_of(const Signature& signature, BinaryKind kind);
    /// What makes a binary run.
    template <typename Kernel>
    struct Loader {
        std::vector<BinaryKind> kinds;  ///< what it loads, the best first
        std::function<std::shared_ptr<const Kernel>(const KernelBinary&)> load;
        bool may_recover;  ///< a binary that it refuses now, it may load later: out of memory
        bool shares;       ///< there may be more such devices
    };
    template <typename Kernel>
    bool load_again(Slot<Kernel>& slot, const Loader<Kernel>& loader,
                    const std::shared_ptr<const KernelBinary>& binary);
    template <typename Kernel>
    Provided<Kernel> provide(Table<Kernel>& table, const Loader<Kernel>& loader,
                             const Signature& signature, const KernelPolicy& policy);
    template <typename Kernel>
    bool find_in_cache(Slot<Kernel>& slot, const Loader<Kernel>& loader, const Signature& signature,
                       KernelCache& cache);
    /// Looks in sets; `hits` counts.
    template <typename Kernel>
    bool find_in_sets(Slot<Kernel>& slot, const Loader<Kernel>& loader, const Signature& signature,
                      const std::vector<NamedSet>& sets, std::atomic<std::int64_t>& hits);
    std::vector<NamedSet> imported();
    /// Where a kernel comes from that was not found: "compiled", or "cache" when another process
    /// made it meanwhile; null when it cannot be made.
    template <typename Kernel>
    const char* make_kernel(Table<Kernel>& table, Slot<Kernel>& slot, const Loader<Kernel>& loader,
                            const Signature& signature, KernelCache* keep);
    template <typename Kernel>
    bool compile(Table<Kernel>& table, Slot<Kernel>& slot, const Loader<Kernel>& loader,
                 const Signature& signature, KernelCache* keep);
    template <typename Kernel>
    std::shared_ptr<const Kernel> load(const Loader<Kernel>& loader, const KernelBinary& binary);
    Table<GpuKernel>& table_of(const std::shared_ptr<Device>& device);
    std::unique_ptr<KernelCache> open_cache(const KernelPolicy& policy);
    void fall_back(const std::string& warning, const KernelPolicy& policy);

    KernelSources sources_;
    Log log_;
    Table<LoadedKernel> host_;
    std::mutex mutex_;  ///< guards gpus_
    std::map<std::shared_ptr<Device>, Table<GpuKernel>> gpus_;
    std::mutex sharing_;  ///< guards shared_
    std::map<std::pair<std::string, BinaryKind>, Shared> shared_;
    OpenedSets sets_;
    std::mutex choosing_;  ///< guards choices_
    /// By directory ("" = in memory alone), and whether it is written to.
    std::map<std::pair<std::string, bool>, ChoiceMemory> choices_;
    std::mutex importing_;  ///< guards imported_
    std::vector<NamedSet> imported_;
    std::atomic<std::int64_t> hits_memory_{0}, hits_store_{0}, hits_imported_{0}, hits_set_{0},
        compiles_started_{0}, compiles_failed_{0}, fallbacks_{0};
    std::atomic<std::int64_t> bytes_read_{0}, bytes_written_{0};
    std::atomic<std::int64_t> find_ns_{0}, compile_ns_{0}, load_ns_{0};
};

/// A handle that gets its kernels from `provider`, which must outlive it. `device` stands for
/// options.device, which is else opened; unused when that is "host".
Handle make_handle(const CsrView& matrix, const Options& options, KernelProvider& provider,
                   std::shared_ptr<Device> device = nullptr);

}  // namespace spmvgen
