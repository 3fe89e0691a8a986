#pragma once
#include <optional>

#include "clang/AST/Stmt.h"
#include "specializer/simplify/arithmetic.hpp"

namespace spmvgen::specializer {

/// A loop `for (T i = A; i < B; ++i)` with constants, that runs once or never.
struct ShortLoop {
    bool runs = false;
    const clang::VarDecl* variable = nullptr;
    std::int64_t value = 0;  ///< of the variable in the one run
};

/// Recognises a loop that runs at most once and whose variable is only read in the body; no break
/// or continue belongs to it. The bounds are what `known` can tell.
std::optional<ShortLoop> short_loop(const clang::ForStmt* loop, const ExpressionCleaner& known);

}  // namespace spmvgen::specializer
