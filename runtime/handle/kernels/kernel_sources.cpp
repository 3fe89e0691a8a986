#include "handle/kernels/kernel_sources.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "handle/kernels/jit_loader.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "spmvgen/error.hpp"
#include "store/store.hpp"

namespace spmvgen {
namespace {

class StoreCache : public KernelCache {
  public:
    explicit StoreCache(StoreOptions options) : store_(std::move(options)) {}
    std::optional<KernelBinary> find(const Signature& s, BinaryKind kind) override {
        return store_.find(s, kind);
    }
    bool put(const KernelBinary& binary) override { return store_.put(binary); }
    std::shared_ptr<const void> lock(const Signature& s, BinaryKind kind) override {
        return std::make_shared<const EntryLock>(store_.lock(s, kind));
    }
    std::string path_of(const Signature& s, BinaryKind kind) const override {
        return store_.path_of(s, kind);
    }

  private:
    Store store_;
};

}  // namespace

KernelSources default_kernel_sources(std::function<void(const std::string&)> warn) {
    return {load_generator, [warn = std::move(warn)](const std::string& directory, bool writable) {
                StoreOptions options;
                options.directory = directory;
                options.writable = writable;
                options.warn = warn;
                return std::make_unique<StoreCache>(std::move(options));
            }};
}

std::optional<CacheMode> parse_cache_mode(std::string_view text) {
    if (text == "on") return CacheMode::on;
    if (text == "memory") return CacheMode::memory;
    if (text == "readonly") return CacheMode::readonly;
    if (text == "load") return CacheMode::load;
    if (text == "off") return CacheMode::off;
    return std::nullopt;
}

CacheMode effective_mode(CacheMode mode) {
    if (mode != CacheMode::automatic) return mode;
    const char* variable = std::getenv("SPMVGEN_CACHE");
    const std::string word = variable != nullptr ? variable : "";
    if (word.empty()) return CacheMode::on;
    if (const auto named = parse_cache_mode(word)) return *named;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("SPMVGEN_CACHE={}: use one of {}", word, cache_mode_names));
}

Options with_effective_mode(Options options) {
    options.cache = effective_mode(options.cache);
    return options;
}

}  // namespace spmvgen
