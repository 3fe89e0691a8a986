#include "compilers/gpu/dynamic_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

std::string resolved_path(void* handle, const std::string& name) {
    link_map* map = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return name;
    std::error_code ignored;
    const auto path = std::filesystem::canonical(map->l_name, ignored);
    return ignored ? map->l_name : path.string();
}

/// What is loaded already comes first: comgr must be the one that hiprtc itself uses.
void* open_one(const std::string& name) {
    void* loaded = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    return loaded != nullptr ? loaded : dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
}

}  // namespace

DynamicLibrary::DynamicLibrary(const std::string& what, const std::vector<std::string>& names) {
    std::string tried;
    for (auto& name : names) {
        handle_ = open_one(name);
        if (handle_ != nullptr) {
            path_ = resolved_path(handle_, name);
            return;
        }
        tried += (tried.empty() ? "" : ", ") + name;
    }
    throw Error(ErrorCode::unsupported, what + " is not found: looked for " + tried);
}

void* DynamicLibrary::symbol(const char* name) const {
    if (void* address = dlsym(handle_, name)) return address;
    throw Error(ErrorCode::unsupported, path_ + " has no function " + name);
}

}  // namespace spmvgen
