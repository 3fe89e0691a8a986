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

/// What $SPMVGEN_LOG asks for: words separated by commas, a LogLevel or "cache".
struct LogWords {
    LogLevel level = LogLevel::info;
    bool cache = false;  ///< the counters of kernels when the process ends
    bool operator==(const LogWords&) const = default;
};

/// Throws Error(invalid_argument) for another word.
LogWords log_words();

/// What lines of the library begin with: "spmvgen", in a rank of MPI "spmvgen (rank 3)". The rank
/// is what the launcher put into the environment (Open MPI, PMIx, MPICH, MVAPICH, Cray).
std::string log_name();

inline LogLevel log_level() {
    return log_words().level;
}

/// A log that says the same thing once only. Safe for any number of threads.
class Log {
  public:
    /// `about`: what is warned of once, whatever the message says of it; "" = the message.
    void warn(const std::string& message, const std::string& about = "");
    void debug(const std::string& message);

  private:
    void write_once(const std::string& line, const std::string& about);

    std::mutex mutex_;
    std::set<std::string> said_;
};

}  // namespace spmvgen
