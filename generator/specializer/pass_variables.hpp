#pragma once
#include <string>
#include <vector>

#include "specializer/syntax/front_end.hpp"

namespace spmvgen::specializer {

/// A variable that the templates declare `extern` and use wherever they like.
struct Variable {
    std::string name;
    std::string type;  ///< a pointer or a reference: "const double*"
    bool operator==(const Variable&) const = default;
};

/// `extern TYPE NAME;` for each.
std::string declarations(const std::vector<Variable>& variables);

/// Plain C++ that uses the variables without declaring them, with each of them handed from the
/// steps to where it is used: every function that uses one, or calls one that does, gets it as a
/// first parameter, and every call as a first argument; of a step they come last, in front of its
/// share, thread and threads. Throws Error(internal) for a text that is not legal C++.
std::string pass_variables(const std::string& text, const std::vector<Variable>& variables,
                           const std::vector<std::string>& steps, const FrontEndOptions& options);

}  // namespace spmvgen::specializer
