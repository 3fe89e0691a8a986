#pragma once
#include "clang/AST/Stmt.h"
#include "specializer/syntax/source.hpp"

namespace spmvgen::specializer {

/// The text of a statement with the ';' that expressions and discarded branches do not own.
Range statement_range(const clang::Stmt* s, const Source& source);

/// Leaves a statement away: with its comments and pragmas where it is one of a block, else an empty
/// block stays in its place.
void remove_statement(const clang::Stmt* s, bool in_block, const Source& source, TextEdits& edits);

/// Leaves away all of `all` but the statement `live` inside it.
void keep_statement(const clang::Stmt* all, const clang::Stmt* live, const Source& source,
                    TextEdits& edits);

/// Leaves a declaration at the top of the text away, with its comments.
void remove_declaration(const clang::Decl& d, const Source& source, TextEdits& edits);

}  // namespace spmvgen::specializer
