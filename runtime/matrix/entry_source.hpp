#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "matrix/buffer.hpp"
#include "matrix/value_classes.hpp"
#include "spmvgen/matrix.hpp"

namespace spmvgen {

/// The entries begin … end-1 of a matrix; 0 <= begin <= end <= nnz.
struct EntryRange {
    std::int64_t begin = 0, end = 0;
    bool operator==(const EntryRange&) const = default;
};

/// Where columns and values come from of a matrix whose row offsets alone are on this host: for
/// what looks at parts of it. For one thread.
class EntrySource {
  public:
    virtual ~EntrySource() = default;
    /// Columns of these ranges, one behind another, of the matrix' index type; each is within the
    /// matrix. Throws Error(invalid_argument) that names the entry where one is not.
    virtual Buffer columns(std::span<const EntryRange> ranges) = 0;
    /// Says that values of these ranges will be wanted next: they may come with the next columns.
    virtual void expect_values(std::vector<EntryRange> /*ranges*/) {}
    /// Values of these ranges, of the matrix' value type.
    virtual Buffer values(std::span<const EntryRange> ranges) = 0;
    /// What all values have in common, where that can be found out without bringing them here.
    virtual std::optional<ValueTraits> value_traits() { return std::nullopt; }
    /// The matrix with all of its columns on this host, as long as the source lives; values may be
    /// missing. Throws as validate().
    virtual const CsrView& pattern() = 0;
    /// All of the matrix on this host, as long as the source lives. Throws as validate().
    virtual const CsrView& all() = 0;
};

/// The last range goes on where it ends at `next`, which else becomes one of its own; an empty one
/// is left out.
inline void append(std::vector<EntryRange>& ranges, const EntryRange& next) {
    if (next.begin == next.end) return;
    if (!ranges.empty() && ranges.back().end == next.begin)
        ranges.back().end = next.end;
    else
        ranges.push_back(next);
}

}  // namespace spmvgen
