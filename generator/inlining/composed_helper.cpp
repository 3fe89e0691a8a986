#include "inlining/composed_helper.hpp"

namespace spmvgen::specializer {

std::string_view trimmed_lines(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\n");
    if (first == text.npos) return "";
    const auto last = text.find_last_not_of(" \t\n");
    return text.substr(first, last + 1 - first);
}

const clang::Expr* bare(const clang::Expr* e) {
    return e->IgnoreImplicit();
}

bool is_integer_literal(const clang::Expr* e) {
    return llvm::isa<clang::IntegerLiteral>(bare(e));
}

bool is_cheap(const clang::Expr* e, int operators) {
    e = bare(e);
    if (llvm::isa<clang::DeclRefExpr, clang::IntegerLiteral, clang::FloatingLiteral,
                  clang::CXXBoolLiteralExpr>(e))
        return true;
    if (auto* p = llvm::dyn_cast<clang::ParenExpr>(e)) return is_cheap(p->getSubExpr(), operators);
    if (auto* c = llvm::dyn_cast<clang::CXXStaticCastExpr>(e))
        return is_cheap(c->getSubExpr(), operators);
    auto* o = llvm::dyn_cast<clang::BinaryOperator>(e);
    return o && operators > 0 && (o->isAdditiveOp() || o->isMultiplicativeOp()) &&
           is_cheap(o->getLHS(), operators - 1) && is_cheap(o->getRHS(), operators - 1);
}

bool is_cheap_place(const clang::Expr* e) {
    auto* a = llvm::dyn_cast<clang::ArraySubscriptExpr>(bare(e));
    return !a || (is_cheap(a->getBase()) && is_cheap(a->getIdx()));
}

}  // namespace spmvgen::specializer
