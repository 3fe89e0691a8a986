#pragma once
#include <cstdint>
#include <vector>

#include "options/operands.hpp"
#include "options/run_options.hpp"

namespace spmvgen::cli {

/// The rows of a matrix that have entries, as a list.
class NonemptyRows {
  public:
    /// The arrays of `all` must outlive it.
    explicit NonemptyRows(const CsrView& all);
    NonemptyRows(const NonemptyRows&) = delete;
    NonemptyRows& operator=(const NonemptyRows&) = delete;
    const RowListView& list() const { return list_; }
    /// What an apply reads of y, beside what it writes.
    std::int64_t bytes_of_y(const Operands& operands) const;

  private:
    Buffer rows_, offsets_;
    RowListView list_;
};

/// Throws UsageError where the result would be another one than that of the whole matrix.
void check_nonempty_rows(const RunOptions& o, const Operands& operands);

}  // namespace spmvgen::cli
