#pragma once
#include <string>

namespace spmvgen::cli {

/// A file that is being written under a temporary name. While one exists, SIGINT, SIGTERM and
/// SIGHUP remove it before they end the process as usual; signals that are ignored or handled
/// otherwise (Interrupt) stay so. Safe to have in several threads. The destructor removes the file
/// unless it was renamed.
class TemporaryFile {
  public:
    explicit TemporaryFile(std::string path);
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    const std::string& path() const { return path_; }

  private:
    std::string path_;
    int slot_;  ///< where signal handlers find the path; -1 = they do not
};

}  // namespace spmvgen::cli
