#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "specializer/syntax/source.hpp"

namespace spmvgen::specializer {

/// How a function uses one of its parameters.
struct ParameterUse {
    int count = 0;
    bool written = false;      ///< or its address is taken
    bool conditional = false;  ///< some use is in a loop or a branch
};

/// What decides whether, and how, a function can be put where it is called.
struct HelperFunction {
    const clang::FunctionDecl* function = nullptr;
    const clang::CompoundStmt* body = nullptr;
    std::vector<ParameterUse> parameters;
    int calls = 0;  ///< of it, in the whole text
    /// The value of the one return at its end; null when there is none.
    const clang::ReturnStmt* result = nullptr;
    bool movable = true;                 ///< one end, no lambda, no name in a pragma
    std::set<std::string> locals;        ///< names, those of inner blocks too
    std::set<std::string> outer_locals;  ///< of its outermost block

    /// Whether it is one expression that may stand anywhere; `return {re, im};` may not.
    bool is_value() const;
    bool is_statement() const;
};

/// The functions that are written in the text, in order; builtins of GPUs are none of them.
std::vector<HelperFunction> helper_functions(const Source& source, const std::string& text);

}  // namespace spmvgen::specializer
