#include "handle/kernels/kernel_provider.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "handle/kernels/compile_kernel.hpp"
#include "handle/kernels/kernel_sources.hpp"
#include "handle/kernels/stopwatch.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

bool reads_cache(CacheMode mode) {
    return mode == CacheMode::on || mode == CacheMode::readonly || mode == CacheMode::load;
}
bool compiles(CacheMode mode) {
    return mode == CacheMode::on || mode == CacheMode::readonly || mode == CacheMode::memory;
}

/// Adds the time from its construction to its destruction.
class Timed {
  public:
    explicit Timed(std::atomic<std::int64_t>& sum_ns) : sum_ns_(sum_ns) {}
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;
    ~Timed() { sum_ns_ += static_cast<std::int64_t>(watch_.ms() * 1e6); }

  private:
    std::atomic<std::int64_t>& sum_ns_;
    Stopwatch watch_;
};

double in_ms(std::int64_t ns) {
    return static_cast<double>(ns) / 1e6;
}

std::int64_t size_of_texts(const KernelBinary& binary) {
    return static_cast<std::int64_t>(binary.bytes.size() + binary.source.size());
}

void log_counters() {
    try {
        if (!log_words().cache) return;
    } catch (const Error&) {
        return;  // handles have said that the variable is wrong
    }
    std::fputs((log_name() + ": kernels of this process\n" +
                to_string(KernelProvider::process().counters()))
                   .c_str(),
               stderr);
}

/// Where else a kernel was looked for that is not in the cache.
std::string text_of_missing(const std::vector<NamedSet>& sets) {
    const auto searched = std::ranges::count(sets, "", &NamedSet::problem);
    if (searched == 0) return "";
    return fmt::format(", nor in the {} that {} searched",
                       searched == 1 ? "kernel set" : fmt::format("{} kernel sets", searched),
                       searched == 1 ? "was" : "were");
}

}  // namespace

KernelProvider::KernelProvider(KernelSources sources) : sources_(std::move(sources)) {}

KernelProvider& KernelProvider::process() {
    // Never destroyed: a handle in a static object may outlive every other static. A Store lives
    // for one look-up; what it warns of is said once for the process.
    static auto* provider = [] {
        auto* made = new KernelProvider(
            default_kernel_sources([](const std::string& text) { process().warn(text); }));
        std::atexit(log_counters);
        return made;
    }();
    return *provider;
}

ProvidedKernel KernelProvider::get(const Signature& signature, const KernelPolicy& policy) {
    ProvidedKernel provided = get_or_nothing(signature, policy);
    if (provided.kernel == nullptr && policy.mode != CacheMode::off)
        fall_back(provided.warning, policy);
    return provided;
}

ProvidedKernel KernelProvider::get_or_nothing(const Signature& signature,
                                              const KernelPolicy& policy) {
    if (const std::string why = why_not_runnable(signature.target); !why.empty())
        throw Error(ErrorCode::unsupported, fmt::format("target {} cannot run here: {}; use native",
                                                        to_string(signature.target), why));
    if (policy.mode == CacheMode::off) return {nullptr, "generic", "", ""};
    static const Loader<LoadedKernel> loader{
        {BinaryKind::shared_object},
        [](const KernelBinary& binary) { return std::make_shared<const LoadedKernel>(binary); },
        false,
        false};
    ProvidedKernel provided = provide(host_, loader, signature, policy);
    host_.unload_idle(sources_.most_idle);
    return provided;
}

ProvidedGpuKernel KernelProvider::get(const Signature& signature, const KernelPolicy& policy,
                                      const std::shared_ptr<Device>& device) {
    Loader<GpuKernel> loader{{device->facts().loads},
                             [&](const KernelBinary& binary) {
                                 return std::make_shared<const GpuKernel>(GpuKernel{
                                     device, device->load(binary), binary.source, binary.facts});
                             },
                             true,
                             true};
    // The driver compiles PTX itself, where nothing here makes code for the device.
    if (device->facts().loads == BinaryKind::cubin) loader.kinds.push_back(BinaryKind::ptx);
    Table<GpuKernel>& table = table_of(device);
    ProvidedGpuKernel provided = provide(table, loader, signature, policy);
    if (device->facts().loads == BinaryKind::simt) table.unload_idle(sources_.most_idle);
    if (provided.kernel == nullptr)
        throw Error(ErrorCode::compile, provided.warning + "; device " + device->facts().text +
                                            " has no generic kernel to fall back to");
    return provided;
}

KernelProvider::Distance KernelProvider::distance(const Signature& signature,
                                                  const KernelPolicy& policy,
                                                  const std::shared_ptr<Device>& device) {
    // Whoever makes a kernel holds its mutex: no wait for a compiler here.
    const bool waits = !compiles(policy.mode);
    const auto locked = [&](std::mutex& mutex) {
        return waits ? std::unique_lock(mutex) : std::unique_lock(mutex, std::try_to_lock);
    };
    const auto loaded = [&](auto& slot) -> std::optional<bool> {
        const auto lock = locked(slot.mutex);
        if (!lock.owns_lock()) return std::nullopt;
        return slot.kernel != nullptr || slot.binary != nullptr;
    };
    const auto is_loaded = device == nullptr ? loaded(host_.slot_of(signature))
                                             : loaded(table_of(device).slot_of(signature));
    if (!is_loaded) return Distance::compiler;
    if (*is_loaded) return Distance::memory;
    const std::unique_ptr<KernelCache> cache = open_cache(policy);
    const BinaryKind kind = device == nullptr ? BinaryKind::shared_object : device->facts().loads;
    if (device != nullptr) {
        Shared& shared = shared_of(signature, kind);
        const auto lock = locked(shared.mutex);
        if (!lock.owns_lock()) return Distance::compiler;
        if (shared.binary != nullptr) return Distance::found;
    }
    std::error_code trouble;
    const bool kept =
        cache != nullptr && std::filesystem::exists(cache->path_of(signature, kind), trouble);
    const auto in = [&](const std::vector<NamedSet>& sets) {
        return search_sets(
            sets, signature, {kind}, this_maker(), [](const FoundInSet&) { return true; },
            [&](const std::string& text) { log_.warn(text); });
    };
    const bool listed =
        kept || in(imported()) ||
        in(*sets_.of(policy.kernel_sets, [&](const std::string& text) { log_.warn(text); }));
    return listed ? Distance::found : Distance::compiler;
}

bool KernelProvider::may_compile(const KernelPolicy& policy) {
    const auto warn_of = [this](const std::string& text) { warn(text); };
    return policy.mode != CacheMode::load && sets_.of(policy.kernel_sets, warn_of)->empty() &&
           imported().empty() && has_generator();
}

const CompileTimes& KernelProvider::compile_times(const std::shared_ptr<Device>& device) {
    return device == nullptr ? host_.compile_times : table_of(device).compile_times;
}

KernelProvider::Table<GpuKernel>& KernelProvider::table_of(const std::shared_ptr<Device>& device) {
    const std::lock_guard lock(mutex_);
    return gpus_[device];
}

template <typename Kernel>
KernelProvider::Slot<Kernel>& KernelProvider::Table<Kernel>::slot_of(const Signature& signature) {
    const std::lock_guard lock(mutex);
    auto& slot = slots[to_string(signature)];
    if (slot == nullptr) slot = std::make_unique<Slot<Kernel>>();
    return *slot;
}

KernelProvider::Shared& KernelProvider::shared_of(const Signature& signature, BinaryKind kind) {
    const std::lock_guard lock(sharing_);
    return shared_[{to_string(signature), kind}];
}

template <typename Kernel>
void KernelProvider::Table<Kernel>::unload_idle(std::int64_t most) {
    const std::lock_guard lock(mutex);
    if (loaded <= std::max(limit, most)) return;
    for (auto& [name, slot] : slots) {
        // Whose mutex is held is in use.
        const std::unique_lock own(slot->mutex, std::try_to_lock);
        if (!own.owns_lock() || slot->kernel.use_count() != 1) continue;
        slot->kernel.reset();
        --loaded;
    }
    limit = loaded + most;
}

/// Code that was unloaded, or was made for an equal device. What this one refuses is looked for as
/// if there were none.
template <typename Kernel>
bool KernelProvider::load_again(Slot<Kernel>& slot, const Loader<Kernel>& loader,
                                const std::shared_ptr<const KernelBinary>& binary) {
    if (binary == nullptr) return false;
    try {
        slot.kernel = load(loader, *binary);
    } catch (const Error& error) {
        log_.debug(fmt::format("code in memory is of no use: {}", error.what()));
        return false;
    }
    slot.binary = binary;
    return true;
}

template <typename Kernel>
Provided<Kernel> KernelProvider::provide(Table<Kernel>& table, const Loader<Kernel>& loader,
                                         const Signature& signature, const KernelPolicy& policy) {
    Slot<Kernel>& slot = table.slot_of(signature);
    const std::lock_guard lock(slot.mutex);
    const auto without = [&](const std::string& why) -> Provided<Kernel> {
        return {nullptr, "generic", "", fmt::format("no kernel {}: {}", to_string(signature), why)};
    };
    const char* origin = "memory";
    const bool was_loaded = slot.kernel != nullptr;
    Shared* const shared =
        slot.kernel == nullptr && loader.shares ? &shared_of(signature, loader.kinds[0]) : nullptr;
    std::unique_lock<std::mutex> making;
    if (shared != nullptr) making = std::unique_lock(shared->mutex);
    if (was_loaded || load_again(slot, loader, shared != nullptr ? shared->binary : slot.binary)) {
        ++hits_memory_;
    } else {
        const std::unique_ptr<KernelCache> cache = open_cache(policy);
        KernelCache* keep = policy.mode == CacheMode::on ? cache.get() : nullptr;
        const auto sets = [&] {
            const Timed timed(find_ns_);
            return sets_.of(policy.kernel_sets, [&](auto& text) { log_.warn(text); });
        }();
        if (find_in_sets(slot, loader, signature, imported(), hits_imported_))
            origin = "imported";
        else if (cache != nullptr && find_in_cache(slot, loader, signature, *cache))
            origin = "cache";
        else if (find_in_sets(slot, loader, signature, *sets, hits_set_))
            origin = "set";
        else if (!compiles(policy.mode))
            return without("it is not in the cache" + text_of_missing(*sets) +
                           ", and cache mode load does not compile");
        else if (const char* made = make_kernel(table, slot, loader, signature, keep))
            origin = made;
        else
            return without(slot.failure);
        if (shared != nullptr) shared->binary = slot.binary;
    }
    if (!was_loaded) ++table.loaded;
    log_.debug(fmt::format("kernel {}: {}", to_string(signature), origin));
    return {slot.kernel, origin, slot.source_path, ""};
}

std::unique_ptr<KernelCache> KernelProvider::open_cache(const KernelPolicy& policy) {
    if (!reads_cache(policy.mode)) return nullptr;
    try {
        return sources_.cache(policy.directory, policy.mode == CacheMode::on);
    } catch (const Error& error) {
        log_.warn(fmt::format("the kernel cache cannot be used: {}", error.what()));
        return nullptr;
    }
}

template <typename Kernel>
bool KernelProvider::find_in_cache(Slot<Kernel>& slot, const Loader<Kernel>& loader,
                                   const Signature& signature, KernelCache& cache) {
    for (const BinaryKind kind : loader.kinds) {
        const auto binary = [&] {
            const Timed timed(find_ns_);
            return cache.find(signature, kind);
        }();
        if (!binary) continue;
        try {
            if (!(binary->signature == signature))
                throw Error(ErrorCode::io,
                            fmt::format("kernel {}: the cache gave {} instead",
                                        to_string(signature), to_string(binary->signature)));
            slot.kernel = load(loader, *binary);
            slot.binary = std::make_shared<const KernelBinary>(*binary);
        } catch (const Error& error) {
            log_.warn(
                fmt::format("a cache entry is of no use and will be made again: {}", error.what()));
            continue;
        }
        if (!binary->source.empty()) slot.source_path = cache.path_of(signature, kind);
        ++hits_store_;
        bytes_read_ += size_of_texts(*binary);
        return true;
    }
    return false;
}

template <typename Kernel>
bool KernelProvider::find_in_sets(Slot<Kernel>& slot, const Loader<Kernel>& loader,
                                  const Signature& signature, const std::vector<NamedSet>& sets,
                                  std::atomic<std::int64_t>& hits) {
    if (sets.empty()) return false;
    std::optional<Timed> timed(std::in_place, find_ns_);
    const auto use = [&](const FoundInSet& found) {
        timed.reset();
        slot.kernel = load(loader, found.binary);
        slot.binary = std::make_shared<const KernelBinary>(found.binary);
        bytes_read_ += size_of_texts(found.binary);
        log_.debug(fmt::format("kernel {}: code of {} in {}", to_string(signature),
                               to_string(found.binary.signature.target), found.path));
        return true;
    };
    const bool found = search_sets(sets, signature, loader.kinds, this_maker(), use,
                                   [&](const std::string& text) { log_.warn(text); });
    if (found) ++hits;
    return found;
}

template <typename Kernel>
const char* KernelProvider::make_kernel(Table<Kernel>& table, Slot<Kernel>& slot,
                                        const Loader<Kernel>& loader, const Signature& signature,
                                        KernelCache* keep) {
    if (!slot.failure.empty()) return nullptr;
    const auto lock = [&]() -> std::shared_ptr<const void> {
        const Timed timed(find_ns_);
        return keep != nullptr ? keep->lock(signature, loader.kinds.front()) : nullptr;
    }();
    if (lock != nullptr && find_in_cache(slot, loader, signature, *keep)) return "cache";
    return compile(table, slot, loader, signature, keep) ? "compiled" : nullptr;
}

template <typename Kernel>
bool KernelProvider::compile(Table<Kernel>& table, Slot<Kernel>& slot, const Loader<Kernel>& loader,
                             const Signature& signature, KernelCache* keep) {
    ++compiles_started_;
    KernelBinary binary;
    bool compiled = false;
    try {
        binary = [&] {
            const Timed timed(compile_ns_);
            const Stopwatch watch;
            KernelBinary made = compile_kernel(sources_.generator(), signature, loader.kinds);
            table.compile_times.add(watch.ms() / compile_effort(complete(signature)));
            return made;
        }();
        compiled = true;
        slot.kernel = load(loader, binary);
        slot.binary = std::make_shared<const KernelBinary>(binary);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        if (compiled && loader.may_recover) throw;
        ++compiles_failed_;
        slot.failure = error.what();
        if (slot.failure.empty()) slot.failure = "the compiler failed without saying why";
        return false;
    }
    if (keep != nullptr && keep->put(binary)) {
        slot.source_path = keep->path_of(signature, binary.kind);
        bytes_written_ += size_of_texts(binary);
    }
    return true;
}

template <typename Kernel>
std::shared_ptr<const Kernel> KernelProvider::load(const Loader<Kernel>& loader,
                                                   const KernelBinary& binary) {
    const Timed timed(load_ns_);
    return loader.load(binary);
}

void KernelProvider::fall_back(const std::string& warning, const KernelPolicy& policy) {
    if (policy.strict) throw Error(ErrorCode::compile, warning);
    ++fallbacks_;
    // Without a compiler every kernel would say the same.
    const bool missing = warning.find(no_compiler) != std::string::npos;
    log_.warn(warning + " (a fallback serves instead)", missing ? no_compiler : "");
}

KernelCounters KernelProvider::counters() const {
    return {.hits_memory = hits_memory_,
            .hits_store = hits_store_,
            .compiles_started = compiles_started_,
            .compiles_failed = compiles_failed_,
            .fallbacks = fallbacks_,
            .hits_imported = hits_imported_,
            .hits_set = hits_set_,
            .bytes_read = bytes_read_,
            .bytes_written = bytes_written_,
            .find_ms = in_ms(find_ns_),
            .compile_ms = in_ms(compile_ns_),
            .load_ms = in_ms(load_ns_)};
}

KernelCounters kernel_counters() {
    return KernelProvider::process().counters();
}

std::vector<NamedSet> KernelProvider::imported() {
    const std::lock_guard lock(importing_);
    return imported_;
}

}  // namespace spmvgen
