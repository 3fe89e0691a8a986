#pragma once
#include <optional>

#include "clang/AST/Stmt.h"
#include "specializer/source.hpp"

namespace spmvgen::specializer {

/// A loop `for (T i = A; i < B; ++i)` with constants, that runs once or never.
struct ShortLoop {
    bool runs = false;
    const clang::VarDecl* variable = nullptr;
    llvm::APSInt value;  ///< of the variable in the one run
};

/// Recognises a loop that runs at most once and whose variable is only read in the body; no break
/// or continue belongs to it.
std::optional<ShortLoop> short_loop(const clang::ForStmt* loop, const clang::ASTContext& context);

}  // namespace spmvgen::specializer
