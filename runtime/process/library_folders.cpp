#include "process/library_folders.hpp"

#include <dlfcn.h>
#include <link.h>

#include <climits>

namespace spmvgen {
namespace {

/// In the library, whoever asks: a function's address may be one in the program.
constexpr char here = 0;

std::vector<std::filesystem::path> find_folders() {
    // As the dynamic linker noted it then: a later chdir or a relative path does no harm.
    Dl_info info{};
    void* own = nullptr;
    char origin[PATH_MAX] = "";
    if (dladdr1(&here, &info, &own, RTLD_DL_LINKMAP) == 0 ||
        dlinfo(own, RTLD_DI_ORIGIN, origin) != 0)
        return {};
    const std::filesystem::path folder = origin;
    const auto file = folder / std::filesystem::path(info.dli_fname).filename();
    std::error_code unresolved;
    const auto real = std::filesystem::canonical(file, unresolved);
    if (unresolved || real.parent_path() == folder) return {folder};
    return {real.parent_path(), folder};
}

}  // namespace

std::string library_file() {
    Dl_info info{};
    if (library_folders().empty() || dladdr(&here, &info) == 0) return "";
    const auto name = std::filesystem::path(info.dli_fname).filename();
    return (library_folders().back() / name).string();
}

const std::vector<std::filesystem::path>& library_folders() {
    // Asking the linker takes a look at every symbol of the library.
    static const std::vector<std::filesystem::path> folders = find_folders();
    return folders;
}

}  // namespace spmvgen
