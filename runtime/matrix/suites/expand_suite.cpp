// What a suite's name or a directory stands for.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "matrix/suites/suites.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& what) {
    throw Error(ErrorCode::invalid_argument, "suite: " + what);
}

/// Names of the files that hold a matrix, the one that is read fastest first.
constexpr std::array<std::string_view, 3> endings{".csr", ".mtx", ".mtx.gz"};

/// "ecology1" of "ecology1.mtx.gz"; empty for a file of another kind.
std::string matrix_name(const std::string& file) {
    for (const std::string_view ending : endings)
        if (file.size() > ending.size() && file.ends_with(ending))
            return file.substr(0, file.size() - ending.size());
    return {};
}

/// The file of a matrix in a directory, or an empty path.
fs::path find_matrix(const fs::path& directory, const std::string& name) {
    for (const fs::path& base : {directory, directory / name})
        for (const std::string_view ending : endings) {
            const fs::path file = base / (name + std::string(ending));
            if (fs::is_regular_file(file)) return file;
        }
    return {};
}

/// Path of each matrix in a directory by its name.
std::map<std::string, fs::path> matrices_in(const fs::path& directory) {
    std::map<std::string, fs::path> found;
    std::error_code error;
    for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string file = entry->path().filename().string();
        const std::string name = entry->is_directory() ? file : matrix_name(file);
        if (name.empty()) continue;
        if (const fs::path path = find_matrix(directory, name); !path.empty()) found[name] = path;
    }
    if (error) refuse(fmt::format("{}: {}", directory.string(), error.message()));
    if (found.empty())
        refuse(
            fmt::format("{} holds no matrix: no NAME.csr, NAME.mtx or NAME.mtx.gz, nor one in "
                        "a directory NAME",
                        directory.string()));
    return found;
}

bool is_suite(std::string_view name) {
    return name == "all" || std::ranges::find(twins(), name, &Twin::suite) != twins().end();
}

SuiteMatrix made_matrix(const Twin& twin, const SuiteRequest& request) {
    std::string source = fmt::format("gallery:{}", twin.name);
    char separator = ':';
    const auto add = [&](const std::string& parameter) {
        source += separator + parameter;
        separator = ',';
    };
    if (request.scale != 1) add(fmt::format("scale={}", request.scale));
    if (request.random_values) add("random_values=1");
    return {std::string(twin.name), std::string(twin.structure), source, twin.nnz * request.scale,
            &twin};
}

/// A suite in the making.
class Expansion {
  public:
    explicit Expansion(const SuiteRequest& request) : request_(request) {}

    void add_twins(std::string_view suite) {
        for (const Twin& twin : twins())
            if (suite == "all" || twin.suite == suite) place(made_matrix(twin, request_), false);
    }

    void add_files(const fs::path& directory) {
        for (const auto& [name, path] : matrices_in(directory)) {
            if (request_.scale != 1 || request_.random_values)
                refuse(fmt::format("{} is a file, which is neither scaled nor given other values",
                                   path.string()));
            const Twin* twin = find_twin(name);
            place({name, std::string(twin != nullptr ? twin->structure : "other"), path.string(),
                   twin != nullptr ? twin->nnz : 0, twin},
                  true);
        }
    }

    std::vector<SuiteMatrix> take() { return std::move(matrices_); }

  private:
    void place(SuiteMatrix matrix, bool replaces) {
        const auto known = std::ranges::find(matrices_, matrix.name, &SuiteMatrix::name);
        if (known == matrices_.end())
            matrices_.push_back(std::move(matrix));
        else if (replaces)
            *known = std::move(matrix);
    }

    const SuiteRequest& request_;
    std::vector<SuiteMatrix> matrices_;
};

}  // namespace

std::vector<SuiteMatrix> expand_suite(std::string_view suites, const SuiteRequest& request) {
    if (!(request.scale > 0 && request.scale <= 1))
        refuse(fmt::format("scale {}: use a number above 0, at most 1", request.scale));
    Expansion expansion(request);
    for (std::size_t begin = 0; begin <= suites.size();) {
        const std::size_t end = std::min(suites.find(',', begin), suites.size());
        const std::string_view name = suites.substr(begin, end - begin);
        begin = end + 1;
        if (is_suite(name))
            expansion.add_twins(name);
        else if (std::error_code none; !name.empty() && fs::is_directory(name, none))
            expansion.add_files(name);
        else
            refuse(fmt::format("'{}' is no suite (csr-k, gospmv, lightspmv, all) and no directory",
                               name));
    }
    return expansion.take();
}

}  // namespace spmvgen
