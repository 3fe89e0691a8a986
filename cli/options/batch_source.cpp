#include "options/batch_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "options/operands.hpp"
#include "options/options.hpp"

namespace spmvgen::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> in_directory(const std::string& path) {
    std::vector<std::string> names;
    for (auto& entry : fs::directory_iterator(path)) {
        const std::string name = entry.path().filename();
        if (name.ends_with(".mtx") || name.ends_with(".mtx.gz")) names.push_back(entry.path());
    }
    std::ranges::sort(names);
    if (names.empty())
        throw Error(ErrorCode::invalid_input,
                    path + ": the directory has no matrices (.mtx, .mtx.gz)");
    return names;
}

std::vector<std::string> in_list(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw Error(ErrorCode::io, path + ": cannot be read: is it a directory or a list?");
    std::vector<std::string> names;
    for (std::string line; std::getline(file, line);) {
        if (line.ends_with('\r')) line.pop_back();
        if (line.empty() || line.starts_with('#')) continue;
        if (line.starts_with("%%MatrixMarket"))
            throw Error(ErrorCode::invalid_input,
                        path + ": a matrix, not a list of matrices: drop --batch");
        const bool generated = line.starts_with("gallery:");
        names.push_back(generated ? line : (fs::path(path).parent_path() / line).string());
    }
    if (names.empty()) throw Error(ErrorCode::invalid_input, path + ": the list has no matrices");
    return names;
}

std::vector<std::string> names_in(const std::string& path) {
    std::error_code trouble;
    if (fs::is_directory(path, trouble)) try {
            return in_directory(path);
        } catch (const fs::filesystem_error& error) {
            throw Error(ErrorCode::io, path + ": " + error.code().message());
        }
    return in_list(path);
}

}  // namespace

std::vector<CsrView> SourcedBatch::views() const {
    std::vector<CsrView> all;
    for (auto& matrix : matrices) all.push_back(matrix.view());
    return all;
}

SourcedBatch load_batch(const std::string& path, const std::string& value) {
    SourcedBatch batch;
    batch.names = names_in(path);
    for (auto& name : batch.names) {
        SourcedMatrix source = load_matrix(name);
        batch.seconds += source.seconds;
        if (!value.empty()) {
            const ValueType type = parse_computed_type("--value", value);
            if (type != source.matrix.value_type)
                source.matrix =
                    resolve("--value", [&] { return convert_values(source.matrix.view(), type); });
        }
        batch.matrices.push_back(std::move(source.matrix));
        const ValueType own = batch.matrices.back().value_type,
                        first = batch.matrices.front().value_type;
        if (own != first)
            throw Error(ErrorCode::invalid_input,
                        fmt::format("{}: its values are {}, those of {} are {}: give one type with "
                                    "--value",
                                    name, to_string(own), batch.names.front(), to_string(first)));
    }
    return batch;
}

}  // namespace spmvgen::cli
