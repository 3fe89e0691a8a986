#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spmvgen {

/// A gallery matrix that stands for one that a paper measured: the same class of structure and
/// about the same rows, nonzeros, mean and longest row; not the original.
struct Twin {
    std::string_view name;           ///< the original's
    std::string_view suite;          ///< where it is listed: "csr-k", "gospmv", "lightspmv"
    std::string_view structure;      ///< its class: "road", "mesh", "stencil", "fem", "circuit",
                                     ///< "graph", "web", "band"
    double rows, nnz, longest;       ///< the original's, as listed; longest 0 = not known
    std::string_view specification;  ///< of the generator: "stencil5:nx=1000,ny=1000"
    std::string_view difference;     ///< how it differs from the original
};

/// All twins, in the order of the papers' tables.
std::span<const Twin> twins();

/// The twin of that name, or null.
const Twin* find_twin(std::string_view name);

/// A matrix of a suite.
struct SuiteMatrix {
    std::string name;       ///< "ecology1"
    std::string structure;  ///< class of structure, as of a twin; "other" for a file without a twin
    std::string source;     ///< what load_matrix takes: "gallery:ecology1", or a path
    double nnz = 0;         ///< about so many nonzeros; 0 = not known
    const Twin* twin = nullptr;  ///< of that name, or null

    bool made() const { return source.starts_with("gallery:"); }
};

/// How the twins of a suite are to be made.
struct SuiteRequest {
    double scale = 1;            ///< above 0, at most 1: the size of each beside the full one
    bool random_values = false;  ///< instead of those that the original's class has
};

/// The matrices that `suites` names, separated by commas: "csr-k", "gospmv", "lightspmv", "all"
/// (twins, in the order of the tables), or a directory. In a directory NAME.csr, NAME.mtx,
/// NAME.mtx.gz, NAME/NAME.mtx and NAME/NAME.mtx.gz count, the first of them that is there. A file
/// takes the place of the twin of its name; others follow, by name. Nothing is made or read.
/// Throws Error(invalid_argument) when a name is no suite and no directory, a directory holds no
/// matrix, or the request asks for what a file cannot be given.
std::vector<SuiteMatrix> expand_suite(std::string_view suites, const SuiteRequest& request = {});

}  // namespace spmvgen
