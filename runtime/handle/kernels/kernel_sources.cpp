#include "handle/kernels/kernel_sources.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <system_error>
#include <vector>

#include "handle/kernels/kernel_provider.hpp"
#include "process/library_folders.hpp"
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
    KernelSources sources;
    sources.generator = load_generator;
    sources.cache = [warn = std::move(warn)](const std::string& directory, bool writable) {
        StoreOptions options;
        options.directory = directory;
        options.writable = writable;
        options.warn = warn;
        return std::make_unique<StoreCache>(std::move(options));
    };
    sources.place = locate_directory;
    return sources;
}

ChoiceMemory& KernelProvider::choices(const KernelPolicy& policy) {
    const bool writable = policy.mode == CacheMode::on;
    const bool on_disk = sources_.place && (writable || policy.mode == CacheMode::readonly ||
                                            policy.mode == CacheMode::load);
    const Location place = on_disk ? sources_.place(policy.directory) : Location();
    const std::scoped_lock lock(choosing_);
    return choices_
        .try_emplace({place.path, writable && on_disk},
                     SharedLines(place, choices_name, writable && on_disk))
        .first->second;
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

namespace {

constexpr const char* library_name = "libspmvgen_jit.so";

/// The generator of this process. A failure is not kept: the next call looks again.
struct Loaded {
    std::mutex mutex;
    Generator* generator = nullptr;
    std::string path;
};

Loaded& loaded() {
    static Loaded loaded;
    return loaded;
}

/// What $SPMVGEN_JIT asks for; "" when it says nothing.
std::string chosen_path() {
    const char* path = secure_getenv("SPMVGEN_JIT");
    return path == nullptr ? "" : path;
}

std::vector<std::string> candidates() {
    if (const auto path = chosen_path(); !path.empty()) return {path};
    std::vector<std::string> paths;
    for (auto& folder : library_folders()) {
        paths.push_back(folder / library_name);
        paths.push_back(folder / "spmvgen" / library_name);
    }
    return paths;
}

/// The generator in the library at `path`, or nullptr and why not.
Generator* open_generator(const std::string& path, std::string& why) {
    // A name without a slash would be searched for in the system's folders.
    const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
    void* library = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) {
        why = dlerror();
        return nullptr;
    }
    const auto entry =
        reinterpret_cast<decltype(&spmvgen_generator)>(dlsym(library, "spmvgen_generator"));
    Generator* generator = entry == nullptr ? nullptr : entry(generator_abi);
    if (generator == nullptr) {
        why = entry == nullptr
                  ? "no symbol spmvgen_generator: not a spmvgen library"
                  : "speaks another interface than number " + std::to_string(generator_abi) +
                        " of this libspmvgen: install both from the same build";
        dlclose(library);
    }
    return generator;
}

std::string failure(const std::string& reasons) {
    return no_compiler + reasons +
           (chosen_path().empty()
                ? "\ninstall libspmvgen_jit.so with Clang 19 in one of these places (in Python: "
                  "pip "
                  "install spmvgen[jit]), or set SPMVGEN_JIT to its path"
                : "\nset SPMVGEN_JIT to the path of libspmvgen_jit.so, or unset it");
}

}  // namespace

Generator& load_generator() {
    std::lock_guard lock(loaded().mutex);
    if (loaded().generator != nullptr) return *loaded().generator;
    std::string reasons;
    for (auto& path : candidates()) {
        std::string why;
        if (Generator* generator = open_generator(path, why)) {
            loaded().generator = generator;
            loaded().path = path;
            return *generator;
        }
        // dlerror starts with the path where it speaks of the file itself
        reasons += "\n  ";
        if (!why.starts_with(path)) reasons += path + ": ";
        reasons += why;
    }
    throw Error(ErrorCode::unsupported, failure(reasons));
}

bool has_generator() {
    std::error_code unreadable;
    return std::ranges::any_of(candidates(), [&](const std::string& path) {
        return std::filesystem::exists(path, unreadable);
    });
}

std::string generator_path() {
    std::lock_guard lock(loaded().mutex);
    return loaded().path;
}

}  // namespace spmvgen
