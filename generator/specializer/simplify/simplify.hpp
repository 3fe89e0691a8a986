#pragma once
#include <string>
#include <vector>

#include "specializer/syntax/front_end.hpp"

namespace spmvgen::specializer {

/// A parameter of an emitted function, as spelled but for __restrict__.
struct FunctionParameter {
    std::string type;  ///< "const int*"
    std::string name;
    bool operator==(const FunctionParameter&) const = default;
};

struct FunctionSignature {
    std::string name;
    std::vector<FunctionParameter> parameters;
    bool operator==(const FunctionSignature&) const = default;
};

struct SimplifiedText {
    std::string text;
    std::vector<FunctionSignature> functions;  ///< the steps, in the order asked for
};

/// Whether helpers stay functions or are put where they are called.
enum class Helpers { stay, inlined };

/// Rewrites plain C++ until nothing is left to do: loops that run once become their body, `* 1` and
/// `+ 0` go, arrays of one element become scalars, helpers are inlined (inlining/), needless
/// braces, variables, parameters (of the steps as well), functions and types go. Throws
/// Error(internal) with Clang's messages when the text is not legal C++.
SimplifiedText simplify(const std::string& text, const std::vector<std::string>& steps,
                        const FrontEndOptions& options, Helpers helpers);

}  // namespace spmvgen::specializer
