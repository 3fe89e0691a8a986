#pragma once
#include <chrono>
#include <cstddef>
#include <mutex>
#include <ostream>
#include <string>

namespace spmvgen::cli {

/// How far a long work is: on a terminal one line that is written over, else a line for each tenth.
/// Safe for any number of threads.
class Progress {
  public:
    /// `err` is standard error, or what stands for it; only the former can be a terminal.
    Progress(std::ostream& err, std::string what, std::size_t total);
    /// Ends the line of a terminal.
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// One piece more is done.
    void step(const std::string& what);

  private:
    void draw(const std::string& what);
    std::string remaining() const;

    std::ostream& err_;
    const std::string what_;
    const std::size_t total_;
    const bool terminal_;
    std::mutex mutex_;  ///< guards what follows, and err_
    std::size_t done_ = 0, tenths_ = 0;
    std::chrono::steady_clock::time_point begin_, drawn_;
};

}  // namespace spmvgen::cli
