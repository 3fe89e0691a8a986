#pragma once
#include <string>

#include "text/verb.hpp"

namespace spmvgen::cli {

/// What `spmvgen gallery make --suite` is asked for.
struct SuiteOptions {
    std::string suite;                ///< as expand_suite takes it: "csr-k", "all", a directory
    std::string directory;            ///< made when absent
    double scale = 1;                 ///< size of each matrix beside the full one
    std::string values = "original";  ///< as the original's class has them, or "random"
    int jobs = 0;        ///< matrices that are made at a time; 0 = as cores and memory allow
    double max_nnz = 0;  ///< larger ones are left out; 0 = none
};

/// Lists the matrices of a suite.
void list_suite(const std::string& suite, bool json, std::ostream& out);

/// Writes each matrix of the suite to DIRECTORY/NAME.csr, and what they are to
/// DIRECTORY/suite.json. Throws UsageError for what is spelled wrong; what cannot be made stops the
/// rest.
void make_suite(const SuiteOptions& options, Streams& streams);

}  // namespace spmvgen::cli
