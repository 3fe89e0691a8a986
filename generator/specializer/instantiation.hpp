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

/// The virtual file that includes the template and gives Clang the bindings to resolve.
inline const std::string bindings_file = "bindings.cpp";
std::string bindings_text(const std::string& template_file, const Bindings& bindings);

/// Instantiates the function templates in a parsed bindings_file, in order. Throws
/// Error(internal) for a template parameter that nothing binds, a binding that no function uses and
/// a function that is absent or ambiguous; Error(invalid_input) with Clang's messages when the
/// instantiation fails.
std::vector<clang::FunctionDecl*> instantiate(Parsed& parsed, const std::string& file,
                                              const std::vector<std::string>& functions,
                                              const Bindings& bindings);

/// Throws Error(invalid_input) with Clang's messages when there are errors in `parsed`;
/// Error(internal) when they are in the bindings.
void check_diagnostics(const Parsed& parsed);

}  // namespace spmvgen::specializer
