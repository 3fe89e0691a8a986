#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "specializer/syntax/front_end.hpp"

namespace clang {
class FunctionDecl;
}

namespace spmvgen::specializer {

/// What template parameters are bound to, by their names, spelled in C++.
struct Bindings {
    std::map<std::string, std::string> types;      ///< "Value" → "double"
    std::map<std::string, std::string> constants;  ///< "alpha_mode" → "scale::one"
    std::set<std::string> optional;                ///< names that no function need use
    bool operator==(const Bindings&) const = default;
};

/// The virtual file that gives Clang the bindings to resolve, in a namespace that begins so.
inline const std::string bindings_file = "bindings.cpp";
inline const std::string bindings_scope = "spmvgen_bindings";
std::string bindings_text(const std::string& scope, const Bindings& bindings);

/// Instantiates the function templates of `file` in order, with the bindings that were read in
/// namespace `scope`. Throws Error(internal) for a template parameter that nothing binds, a binding
/// that no function uses and a function that is absent or ambiguous; Error(invalid_input) with
/// Clang's messages when the instantiation fails.
std::vector<clang::FunctionDecl*> instantiate(Parsed& parsed, const std::string& file,
                                              const std::vector<std::string>& functions,
                                              const Bindings& bindings, const std::string& scope);

/// Throws Error(invalid_input) with Clang's messages when there are errors in `parsed`;
/// Error(internal) when they are in the bindings.
void check_diagnostics(const Parsed& parsed);

}  // namespace spmvgen::specializer
