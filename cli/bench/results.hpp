#pragma once
#include <compare>
#include <fstream>
#include <set>
#include <string>

#include "text/output.hpp"

namespace spmvgen::cli {

/// What a result is of.
struct ResultKey {
    std::string matrix, value, numbers, name;  ///< "own" or "random" numbers; of the case
    auto operator<=>(const ResultKey&) const = default;
};

/// A file of results: a header line, then one JSON object a line, each written at once, so that a
/// run that is cut short leaves what it has. A run that goes on with a file adds its own header.
class ResultFile {
  public:
    /// "" = no file; "-" = `out`, with which nothing goes on. A file that is there is an error
    /// unless `resume`, which takes over its rows: a torn last line is dropped, with a word to
    /// `err`. Throws Error(io), and Error(invalid_argument) when a line is no result or the file's
    /// header does not suit `header` (device, machine, versions and method must agree).
    ResultFile(const std::string& path, const Json& header, bool resume, Streams& streams);

    /// Whether there is a row of that.
    bool has(const ResultKey& key) const { return keys_.contains(key); }
    /// Throws Error(io).
    void add(const Json& row);

    std::size_t taken_over() const { return keys_.size(); }
    /// Of those taken over.
    int wrong() const { return wrong_; }

  private:
    void read(const Json& header, std::ostream& err);
    void write(const Json& line);

    std::string path_;
    std::ofstream file_;
    std::ostream& to_;  ///< file_, or standard output
    std::set<ResultKey> keys_;
    int wrong_ = 0;
};

/// In each header's "kind".
inline constexpr const char* bench_kind = "spmvgen bench";

}  // namespace spmvgen::cli
