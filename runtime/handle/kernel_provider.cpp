#include "handle/kernel_provider.hpp"

#include <fmt/format.h>

#include "handle/jit_loader.hpp"
#include "spmvgen/error.hpp"
#include "store/store.hpp"

namespace spmvgen {
namespace {

class StoreCache : public KernelCache {
  public:
    StoreCache(const std::string& directory, bool writable) : store_(directory, writable) {}
    std::optional<KernelBinary> find(const Signature& s) override { return store_.find(s); }
    bool put(const KernelBinary& binary) override { return store_.put(binary); }
    std::string path_of(const Signature& s) const override { return store_.path_of(s); }

  private:
    Store store_;
};

bool reads_cache(CacheMode mode) {
    return mode == CacheMode::on || mode == CacheMode::readonly || mode == CacheMode::load;
}
bool compiles(CacheMode mode) {
    return mode == CacheMode::on || mode == CacheMode::readonly || mode == CacheMode::memory;
}

}  // namespace

KernelSources default_kernel_sources() {
    return {load_generator, [](const std::string& directory, bool writable) {
                return std::make_unique<StoreCache>(directory, writable);
            }};
}

KernelProvider::KernelProvider(KernelSources sources) : sources_(std::move(sources)) {}

KernelProvider& KernelProvider::process() {
    // Never destroyed: a handle in a static object may outlive every other static.
    static auto* provider = new KernelProvider(default_kernel_sources());
    return *provider;
}

ProvidedKernel KernelProvider::get(const Signature& signature, const KernelPolicy& policy) {
    if (const std::string why = why_not_runnable(signature.target); !why.empty())
        throw Error(ErrorCode::unsupported, fmt::format("target {} cannot run here: {}; use native",
                                                        to_string(signature.target), why));
    if (policy.mode == CacheMode::off) return {nullptr, "generic", "", ""};
    Slot& slot = slot_of(signature);
    const std::lock_guard lock(slot.mutex);
    const char* origin = "memory";
    if (slot.kernel != nullptr) {
        ++hits_memory_;
    } else {
        const std::unique_ptr<KernelCache> cache = open_cache(policy);
        if (cache != nullptr && find_in_cache(slot, signature, *cache)) {
            origin = "cache";
        } else if (!compiles(policy.mode)) {
            return fall_back(signature, policy,
                             "it is not in the cache, and cache mode load does not compile");
        } else if (compile(slot, signature, policy.mode == CacheMode::on ? cache.get() : nullptr)) {
            origin = "compiled";
        } else {
            return fall_back(signature, policy, slot.failure);
        }
    }
    log_.debug(fmt::format("kernel {}: {}", to_string(signature), origin));
    return {slot.kernel, origin, slot.source_path, ""};
}

KernelProvider::Slot& KernelProvider::slot_of(const Signature& signature) {
    const std::lock_guard lock(mutex_);
    auto& slot = slots_[to_string(signature)];
    if (slot == nullptr) slot = std::make_unique<Slot>();
    return *slot;
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

bool KernelProvider::find_in_cache(Slot& slot, const Signature& signature, KernelCache& cache) {
    const auto binary = cache.find(signature);
    if (!binary) return false;
    try {
        if (!(binary->signature == signature))
            throw Error(ErrorCode::io,
                        fmt::format("kernel {}: the cache gave {} instead", to_string(signature),
                                    to_string(binary->signature)));
        slot.kernel = std::make_shared<LoadedKernel>(*binary);
    } catch (const Error& error) {
        log_.warn(
            fmt::format("a cache entry is of no use and will be made again: {}", error.what()));
        return false;
    }
    if (!binary->source.empty()) slot.source_path = cache.path_of(signature);
    ++hits_store_;
    return true;
}

bool KernelProvider::compile(Slot& slot, const Signature& signature, KernelCache* keep) {
    if (!slot.failure.empty()) return false;
    ++compiles_started_;
    KernelBinary binary;
    try {
        Generator& generator = sources_.generator();
        const KernelSource source = generator.emit(signature);
        binary = generator.compile(source, BinaryKind::shared_object);
        binary.source = source.text;
        slot.kernel = std::make_shared<LoadedKernel>(binary);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        ++compiles_failed_;
        slot.failure = error.what();
        if (slot.failure.empty()) slot.failure = "the compiler failed without saying why";
        return false;
    }
    if (keep != nullptr && keep->put(binary)) slot.source_path = keep->path_of(signature);
    return true;
}

ProvidedKernel KernelProvider::fall_back(const Signature& signature, const KernelPolicy& policy,
                                         const std::string& why) {
    const std::string warning = fmt::format("no kernel {}: {}", to_string(signature), why);
    if (policy.strict) throw Error(ErrorCode::compile, warning);
    ++fallbacks_;
    log_.warn(warning + " (a fallback serves instead)");
    return {nullptr, "generic", "", warning};
}

KernelCounters KernelProvider::counters() const {
    return {hits_memory_, hits_store_, compiles_started_, compiles_failed_, fallbacks_};
}

KernelCounters kernel_counters() {
    return KernelProvider::process().counters();
}

}  // namespace spmvgen
