#pragma once
#include <string>
#include <vector>

#include "specializer/simplify/simplify.hpp"
#include "specializer/syntax/source.hpp"

namespace spmvgen::specializer {

/// One round of simplification of a plain C++ text.
struct Cleaning {
    TextEdits edits;
    /// Whether another round would find nothing: no edit of this one opens the way to others.
    bool settled = true;
    std::vector<FunctionSignature> functions;  ///< the steps when the edits are done
};

/// What simplify() does, in the words of its comment.
Cleaning clean(clang::ASTContext& context, const std::string& text,
               const std::vector<std::string>& steps);

}  // namespace spmvgen::specializer
