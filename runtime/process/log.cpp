#include "process/log.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "spmvgen/error.hpp"

namespace spmvgen {

LogWords log_words() {
    const char* variable = std::getenv("SPMVGEN_LOG");
    const std::string text = variable != nullptr ? variable : "";
    LogWords words;
    std::istringstream parts(text);
    for (std::string word; std::getline(parts, word, ',');) {
        if (word == "quiet")
            words.level = LogLevel::quiet;
        else if (word == "info")
            words.level = LogLevel::info;
        else if (word == "debug")
            words.level = LogLevel::debug;
        else if (word == "cache")
            words.cache = true;
        else
            throw Error(ErrorCode::invalid_argument,
                        fmt::format("SPMVGEN_LOG={}: use one of quiet, info, debug, cache", text));
    }
    return words;
}

std::string log_name() {
    for (const char* variable :
         {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "PALS_RANKID"})
        if (const char* rank = std::getenv(variable); rank != nullptr && *rank != '\0')
            return fmt::format("spmvgen (rank {})", rank);
    return "spmvgen";
}

void Log::warn(const std::string& message, const std::string& about) {
    const std::string line = log_name() + ": warning: " + message + "\n";
    if (log_level() >= LogLevel::info) write_once(line, about.empty() ? line : about);
}

void Log::debug(const std::string& message) {
    const std::string line = log_name() + ": " + message + "\n";
    if (log_level() >= LogLevel::debug) write_once(line, line);
}

void Log::write_once(const std::string& line, const std::string& about) {
    const std::lock_guard lock(mutex_);
    if (said_.insert(about).second) std::fputs(line.c_str(), stderr);
}

}  // namespace spmvgen
