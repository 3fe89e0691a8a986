#pragma once
#include <string>
#include <vector>

#include "matrix/csr_matrix.hpp"
#include "spmvgen/matrix.hpp"

namespace spmvgen::cli {

/// The matrices of a batch as the command line names them.
struct SourcedBatch {
    std::vector<std::string> names;
    std::vector<CsrMatrix> matrices;
    double seconds = 0;  ///< what reading took

    std::vector<CsrView> views() const;
};

/// `path` is a directory, whose matrices (.mtx, .mtx.gz) are taken in the order of their names, or
/// a text file with a matrix a line: a path, counted from that file's directory, or gallery:SPEC;
/// empty lines and such that begin with # do not count. Values become `value`, where that is not
/// "". Throws Error(invalid_input) when there is none, or when values of different types need
/// --value, UsageError for a wrong `value`, and as load_matrix.
SourcedBatch load_batch(const std::string& path, const std::string& value);

}  // namespace spmvgen::cli
