#include "bench/matrices.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "verb.hpp"

namespace spmvgen::cli {
namespace {

constexpr std::array<std::string_view, 3> endings{".mtx", ".mtx.gz", ".csr"};

/// "memplus" of "/path/memplus.mtx.gz"; a specification of the gallery stays as it is.
std::string name_of(const std::string& source) {
    if (source.starts_with("gallery:")) return source;
    std::string name = std::filesystem::path(source).filename().string();
    for (auto& ending : endings)
        if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
    return name;
}

bool is_matrix_file(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    return std::ranges::any_of(endings, [&](auto ending) { return name.ends_with(ending); });
}

std::vector<std::string> files_of(const std::string& folder) {
    std::vector<std::string> files;
    for (auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.is_regular_file() && is_matrix_file(entry.path()))
            files.push_back(entry.path().string());
    std::ranges::sort(files);
    if (files.empty())
        throw UsageError("--suite: " + folder + " has no matrices: no .mtx, .mtx.gz or .csr");
    return files;
}

}  // namespace

std::vector<BenchMatrix> bench_matrices(const std::vector<std::string>& named,
                                        const std::string& suite, double) {
    std::vector<std::string> sources = named;
    if (!suite.empty()) {
        if (!std::filesystem::is_directory(suite))
            throw UsageError("--suite: '" + suite + "' is no folder");
        for (auto& file : files_of(suite)) sources.push_back(file);
    }
    if (sources.empty())
        throw UsageError("no matrix is named: give A.mtx, gallery:SPEC or --suite");
    std::map<std::string, int> times;
    for (auto& source : sources) ++times[name_of(source)];
    std::vector<BenchMatrix> matrices;
    for (auto& source : sources) {
        const std::string name = name_of(source);
        if (times[name] > 1 && std::ranges::count(sources, source) > 1)
            throw UsageError(source + " is named twice");
        matrices.push_back({times[name] > 1 ? source : name, source});
    }
    return matrices;
}

}  // namespace spmvgen::cli
