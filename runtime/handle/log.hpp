#pragma once
#include <mutex>
#include <set>
#include <string>

namespace spmvgen {

/// What the library writes to standard error, one line a message; chosen by $SPMVGEN_LOG.
enum class LogLevel {
    quiet,  ///< nothing
    info,   ///< each cause of a fallback once; the default
    debug   ///< beside it, each kernel that is made or found
};

/// The level that $SPMVGEN_LOG names; throws Error(invalid_argument) for another word.
LogLevel log_level();

/// A log that says the same thing once only. Safe for any number of threads.
class Log {
  public:
    void warn(const std::string& message);
    void debug(const std::string& message);

  private:
    void write_once(const std::string& line);

    std::mutex mutex_;
    std::set<std::string> said_;
};

}  // namespace spmvgen
