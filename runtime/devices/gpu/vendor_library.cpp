#include "devices/gpu/vendor_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

std::string path_of(void* handle, const std::string& name) {
    link_map* map = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return name;
    std::error_code unresolved;
    const auto path = std::filesystem::canonical(map->l_name, unresolved);
    return unresolved ? map->l_name : path.string();
}

/// `name`, and why it does not open when it is there: "libamdhip64.so.6 (libhsa…: cannot open …)".
std::string tried(const std::string& name) {
    const char* text = dlerror();
    const std::string why = text != nullptr ? text : "";
    const bool absent = why.starts_with(name + ": cannot open shared object file: No such file");
    return absent || why.empty() ? name : name + " (" + why + ")";
}

}  // namespace

VendorLibrary::VendorLibrary(const std::string& what, const char* variable,
                             const std::vector<std::string>& names) {
    const char* chosen = secure_getenv(variable);
    const bool is_chosen = chosen != nullptr && *chosen != '\0';
    std::string all;
    for (auto& name : is_chosen ? std::vector<std::string>{chosen} : names) {
        handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle_ != nullptr) {
            path_ = path_of(handle_, name);
            return;
        }
        all += (all.empty() ? "" : ", ") + tried(name);
    }
    throw Error(ErrorCode::unsupported,
                "no " + what + " is found: looked for " + all +
                    (is_chosen ? std::string(", which ") + variable + " names" : ""));
}

VendorLibrary::VendorLibrary(const std::string& name)
    : handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) {
        const char* why = dlerror();
        throw Error(ErrorCode::unsupported, why != nullptr ? why : name + " cannot be opened");
    }
    path_ = path_of(handle_, name);
}

void* VendorLibrary::find(const char* symbol) const {
    return dlsym(handle_, symbol);
}

void* VendorLibrary::get(const char* symbol) const {
    if (void* address = find(symbol)) return address;
    throw Error(ErrorCode::unsupported, path_ + " has no function " + symbol);
}

}  // namespace spmvgen
