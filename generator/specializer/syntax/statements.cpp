#include "specializer/syntax/statements.hpp"

#include "llvm/Support/Casting.h"

namespace spmvgen::specializer {

namespace {

/// A GPU array's `__shared__` stands before its declaration, where the AST knows nothing of it.
unsigned with_shared(std::string_view text, unsigned begin) {
    constexpr std::string_view keyword = "__shared__ ";
    return text.substr(0, begin).ends_with(keyword) ? begin - static_cast<unsigned>(keyword.size())
                                                    : begin;
}

}  // namespace

Range statement_range(const clang::Stmt* s, const Source& source) {
    if (auto* i = llvm::dyn_cast<clang::IfStmt>(s)) {
        const Range last = statement_range(i->getElse() ? i->getElse() : i->getThen(), source);
        return {source.begin(i->getBeginLoc()), last.end};
    }
    if (auto* f = llvm::dyn_cast<clang::ForStmt>(s))
        return {source.begin(f->getBeginLoc()), statement_range(f->getBody(), source).end};
    Range range = source.range(s->getSourceRange());
    const auto text = source.text(s->getBeginLoc());
    range.begin = with_shared(text, range.begin);
    const bool complete = text[range.begin] == '{' || text[range.end - 1] == ';';
    return complete ? range : with_semicolon(text, range);
}

void remove_statement(const clang::Stmt* s, bool in_block, const Source& source, TextEdits& edits) {
    const Range range = statement_range(s, source);
    const auto text = source.text(s->getBeginLoc());
    if (in_block)
        edits.remove(with_comments(text, with_pragmas(text, range)));
    else
        edits.replace(range, "{}");
}

void keep_statement(const clang::Stmt* all, const clang::Stmt* live, const Source& source,
                    TextEdits& edits) {
    const auto text = source.text(all->getBeginLoc());
    edits.keep_only(with_pragmas(text, statement_range(all, source)),
                    statement_range(live, source));
}

void remove_declaration(const clang::Decl& d, const Source& source, TextEdits& edits) {
    const auto text = source.text(d.getBeginLoc());
    const Range range{source.declaration_begin(d), source.end(d.getEndLoc())};
    edits.remove(with_comments(text, with_semicolon(text, range)));
}

}  // namespace spmvgen::specializer
