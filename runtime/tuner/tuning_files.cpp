#include "tuner/tuning_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace spmvgen {
namespace {

std::string text_of(const std::filesystem::path& path) {
    std::ostringstream text;
    if (std::ifstream file(path); file) text << file.rdbuf();
    return text.str();
}

bool is_named(std::string_view name, std::string_view prefix) {
    return name.starts_with(prefix) && name.ends_with(".json");
}

}  // namespace

std::vector<TuningFile> tuning_files_of(const std::string& directory, std::string_view prefix) {
    std::vector<TuningFile> files;
    std::error_code trouble;
    for (std::filesystem::directory_iterator it(directory, trouble), end; !trouble && it != end;
         it.increment(trouble))
        if (is_named(it->path().filename().string(), prefix))
            files.push_back({it->path().string(), text_of(it->path())});
    std::ranges::sort(files, {}, &TuningFile::name);
    return files;
}

std::vector<TuningFile> tuning_files(std::string_view prefix) {
    std::vector<TuningFile> files;
    if (const char* directory = secure_getenv("SPMVGEN_TUNING_DB"); directory != nullptr)
        files = tuning_files_of(directory, prefix);
    for (auto& file : embedded_tuning_files())
        if (is_named(file.name, prefix))
            files.push_back({std::string(file.name), std::string(file.text)});
    return files;
}

}  // namespace spmvgen
