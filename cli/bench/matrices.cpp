#include "bench/matrices.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>

#include "matrix/suites/suites.hpp"
#include "options/options.hpp"

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

/// Of a twin: "thermal2", "gallery:thermal2:scale=0.1".
std::string structure_of(std::string_view name) {
    constexpr std::string_view gallery = "gallery:";
    if (name.starts_with(gallery)) name.remove_prefix(gallery.size());
    const Twin* const twin = find_twin(name.substr(0, name.find(':')));
    return twin == nullptr ? "" : std::string(twin->structure);
}

std::vector<BenchMatrix> all_of(const std::string& suite, double scale) {
    const auto expanded = resolve("--suite", [&] { return expand_suite(suite, {.scale = scale}); });
    std::vector<BenchMatrix> all;
    for (auto& matrix : expanded) all.push_back({matrix.name, matrix.source, matrix.structure});
    return all;
}

}  // namespace

std::vector<BenchMatrix> bench_matrices(const std::vector<std::string>& named,
                                        const std::string& suite, double scale) {
    if (suite.empty() && scale != 1) throw UsageError("--scale: is for --suite");
    std::vector<BenchMatrix> matrices;
    for (auto& source : named)
        matrices.push_back({name_of(source), source, structure_of(name_of(source))});
    if (!suite.empty()) std::ranges::move(all_of(suite, scale), std::back_inserter(matrices));
    if (matrices.empty())
        throw UsageError("no matrix is named: give A.mtx, gallery:SPEC or --suite");
    std::map<std::string, int> names;
    std::set<std::string> sources;
    for (auto& matrix : matrices) {
        ++names[matrix.name];
        if (!sources.insert(matrix.source).second)
            throw UsageError(matrix.source + " is named twice");
    }
    for (auto& matrix : matrices)
        if (names[matrix.name] > 1) matrix.name = matrix.source;
    return matrices;
}

}  // namespace spmvgen::cli
