#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/output.hpp"

namespace spmvgen::cli {

/// A line of a file, with its place for messages.
struct BenchLine {
    std::string where;  ///< "R.jsonl:3"
    Json json;
};

/// The lines of a file of `spmvgen bench`, plain or gzipped: headers and results. A torn last line
/// is left out and told in `notes`. Throws Error(io) for a file that cannot be read or is damaged,
/// and Error(invalid_input) for an empty one, for one that does not begin with a header, and for a
/// line that is no JSON object.
std::vector<BenchLine> read_bench_lines(const std::string& path, std::vector<std::string>& notes);

/// The fields of a JSON object. Everything throws Error(invalid_input) with the line's place and
/// the field's name: "R.jsonl:3: stream.us: …".
class Fields {
  public:
    /// `prefix` stands before the fields' names: "stream.".
    Fields(const Json& object, std::string where, std::string prefix = "");

    bool has(std::string_view name) const { return object_.contains(name); }
    std::string text(std::string_view name) const;
    std::int64_t count(std::string_view name) const;
    /// Finite and at least 0; of a time above 0.
    double number(std::string_view name) const;
    double time(std::string_view name) const;
    /// An object in a field.
    Fields part(std::string_view name) const;
    const Json& json() const { return object_; }
    const std::string& where() const { return where_; }

    [[noreturn]] void refuse(std::string_view name, std::string_view expected) const;

  private:
    const Json& at(std::string_view name) const;

    const Json& object_;
    std::string where_, prefix_;
};

}  // namespace spmvgen::cli
