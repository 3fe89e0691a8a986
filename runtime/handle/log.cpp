#include "handle/log.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "spmvgen/error.hpp"

namespace spmvgen {

LogLevel log_level() {
    const char* variable = std::getenv("SPMVGEN_LOG");
    const std::string word = variable != nullptr ? variable : "";
    if (word.empty() || word == "info") return LogLevel::info;
    if (word == "quiet") return LogLevel::quiet;
    if (word == "debug") return LogLevel::debug;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("SPMVGEN_LOG={}: use one of quiet, info, debug", word));
}

void Log::warn(const std::string& message) {
    if (log_level() >= LogLevel::info) write_once("spmvgen: warning: " + message + "\n");
}

void Log::debug(const std::string& message) {
    if (log_level() >= LogLevel::debug) write_once("spmvgen: " + message + "\n");
}

void Log::write_once(const std::string& line) {
    const std::lock_guard lock(mutex_);
    if (said_.insert(line).second) std::fputs(line.c_str(), stderr);
}

}  // namespace spmvgen
