// The generator and the cache that a process uses unless it is told otherwise.
#include "handle/kernels/jit_loader.hpp"
#include "handle/kernels/kernel_provider.hpp"
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

}  // namespace spmvgen
