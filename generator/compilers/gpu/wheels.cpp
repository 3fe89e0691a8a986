#include "compilers/gpu/wheels.hpp"

#include <link.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace spmvgen {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> loaded_libraries() {
    std::vector<std::string> paths;
    const auto add = [](dl_phdr_info* info, std::size_t, void* to) {
        if (info->dlpi_name != nullptr && *info->dlpi_name == '/')
            static_cast<std::vector<std::string>*>(to)->emplace_back(info->dlpi_name);
        return 0;
    };
    ::dl_iterate_phdr(add, &paths);
    return paths;
}

/// "…/site-packages" of a library somewhere below it; "" of others.
std::string packages_of(const std::string& library) {
    for (const std::string_view name : {"/site-packages", "/dist-packages"})
        if (const auto at = library.rfind(std::string(name) + "/"); at != std::string::npos)
            return library.substr(0, at + name.size());
    return "";
}

void add_new(std::vector<std::string>& folders, const std::string& folder) {
    if (std::ranges::find(folders, folder) == folders.end()) folders.push_back(folder);
}

void add_wheels(std::vector<std::string>& folders, const std::string& packages) {
    std::vector<std::string> found;
    std::error_code absent;
    for (auto& wheel : fs::directory_iterator(fs::path(packages) / "nvidia", absent))
        if (fs::is_directory(wheel.path() / "lib", absent))
            found.push_back((wheel.path() / "lib").string());
    std::ranges::sort(found);
    for (auto& folder : found) add_new(folders, folder);
}

bool is_of_cuda(const fs::path& library) {
    const std::string name = library.filename().string();
    return std::ranges::any_of(
        std::initializer_list<std::string_view>{"libcudart", "libcublas", "libcusparse",
                                                "libcusolver", "libcufft", "libcurand",
                                                "libnvJitLink"},
        [&](std::string_view known) { return name.starts_with(known); });
}

}  // namespace

std::vector<std::string> folders_beside_loaded_libraries() {
    const std::vector<std::string> libraries = loaded_libraries();
    std::vector<std::string> folders;
    for (auto& library : libraries)
        if (const std::string packages = packages_of(library); !packages.empty())
            add_wheels(folders, packages);
    for (auto& library : libraries)
        if (is_of_cuda(library)) add_new(folders, fs::path(library).parent_path().string());
    return folders;
}

}  // namespace spmvgen
