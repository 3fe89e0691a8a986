#pragma once
#include <string>
#include <vector>

namespace spmvgen::cli {

/// A matrix to be measured.
struct BenchMatrix {
    std::string name;       ///< for tables, and its key in a file of results: "thermal2"
    std::string source;     ///< as load_matrix() takes it
    std::string structure;  ///< class of structure, of a twin by its name: "mesh"; "" = not known
};

/// The matrices that are named and, if `suite` is not empty, those that expand_suite() finds: of
/// the gallery's suites at that scale, or of a directory. Names are unique. Throws UsageError.
std::vector<BenchMatrix> bench_matrices(const std::vector<std::string>& named,
                                        const std::string& suite, double scale);

}  // namespace spmvgen::cli
