#include "specializer/simplify/single_elements.hpp"

#include "clang/AST/TypeLoc.h"
#include "specializer/syntax/constants.hpp"

namespace spmvgen::specializer {
namespace {

/// The initialiser as it is written.
const clang::InitListExpr* written_list(const clang::VarDecl* array) {
    const auto* list = llvm::dyn_cast_or_null<clang::InitListExpr>(
        array->getInit() ? array->getInit()->IgnoreImplicit() : nullptr);
    return list && list->isSemanticForm() && list->getSyntacticForm() ? list->getSyntacticForm()
                                                                      : list;
}

clang::QualType element_type(const clang::VarDecl* array) {
    return array->getType()->getAsArrayTypeUnsafe()->getElementType();
}

}  // namespace

void SingleElements::note_local(const clang::VarDecl* array) {
    const auto* type = source_.context.getAsConstantArrayType(array->getType());
    if (type && type->getSize() == 1 && !type->getElementType()->isArrayType())
        uses_[array].scalar = has_plain_initialiser(array);
}

void SingleElements::note_parameter(const clang::ParmVarDecl* pointer) {
    if (pointer->getType()->isPointerType() &&
        pointer->getType()->getPointeeType()->isArithmeticType())
        uses_[pointer];
}

const clang::VarDecl* SingleElements::named(const clang::Expr* e) const {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e->IgnoreParenImpCasts());
    const auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    return v && uses_.contains(v) ? v : nullptr;
}

const clang::VarDecl* SingleElements::given(const clang::Expr* argument,
                                            const ExpressionCleaner& expressions) {
    if (const auto* whole = named(argument)) return whole;
    const auto* left = expressions.left_of(argument);
    const auto* part = named(left);
    if (part)
        edits_.keep_only(source_.range(argument->getSourceRange()),
                         source_.range(left->getSourceRange()));
    return part;
}

void SingleElements::element(const clang::VarDecl* noted, const clang::ArraySubscriptExpr* use) {
    uses_.at(noted).subscripts.push_back(
        {source_.end(use->getBase()->getEndLoc()), source_.end(use->getRBracketLoc())});
}

void SingleElements::passed(const clang::VarDecl* given, const clang::ParmVarDecl* parameter) {
    const auto to = uses_.find(parameter);
    if (given && to != uses_.end())
        links_.emplace_back(given, parameter);
    else if (given)
        uses_.at(given).scalar = false;
    else if (to != uses_.end())
        to->second.scalar = false;
}

void SingleElements::whole(const clang::Decl* d) {
    const auto* v = llvm::dyn_cast<clang::VarDecl>(d);
    if (const auto found = uses_.find(v); found != uses_.end()) found->second.scalar = false;
}

/// What is passed and what takes it are scalars together, or not at all.
void SingleElements::settle() {
    for (bool changed = true; changed;) {
        changed = false;
        for (auto& [given, parameter] : links_) {
            Use& a = uses_.at(given);
            Use& b = uses_.at(parameter);
            if (a.scalar == b.scalar) continue;
            a.scalar = b.scalar = false;
            changed = true;
        }
    }
}

void SingleElements::rewrite_one(const clang::VarDecl* decl, const Use& use) {
    const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(decl);
    if (!use.scalar) {
        // The index may have been a loop variable that is gone.
        for (auto& subscript : use.subscripts) edits_.replace(subscript, "[0]");
        return;
    }
    if (parameter)
        make_reference(parameter);
    else
        make_variable(decl);
    for (auto& subscript : use.subscripts) edits_.remove(subscript);
}

/// `double* sum` to `double& sum`, `const double* sum` to `double sum`.
void SingleElements::make_reference(const clang::ParmVarDecl* parameter) {
    const auto loc = parameter->getTypeSourceInfo()->getTypeLoc().getUnqualifiedLoc();
    const auto pointer = loc.getAs<clang::PointerTypeLoc>();
    const Range star = source_.range(pointer.getStarLoc());
    if (!parameter->getType()->getPointeeType().isConstQualified()) {
        edits_.replace(star, "&");
        return;
    }
    const auto text = source_.text(parameter->getBeginLoc());
    const unsigned begin = source_.begin(parameter->getBeginLoc());
    constexpr std::string_view keyword = "const ";
    if (text.substr(begin).starts_with(keyword))
        edits_.remove({begin, begin + static_cast<unsigned>(keyword.size())});
    edits_.remove(star);
}

void SingleElements::make_variable(const clang::VarDecl* array) {
    const auto loc = array->getTypeSourceInfo()->getTypeLoc().getUnqualifiedLoc();
    const auto brackets = loc.getAs<clang::ArrayTypeLoc>();
    edits_.remove(source_.range(brackets.getBracketsRange()));
    const auto* extent = brackets.getSizeExpr();
    if (extent && !llvm::isa<clang::IntegerLiteral>(extent->IgnoreParenImpCasts()))
        settled_ = false;
    const auto* list = written_list(array);
    if (!list) return;
    const auto element = element_type(array);
    const Range all = source_.range(list->getSourceRange());
    if (list->getNumInits() == 1)
        edits_.keep_only(all, source_.range(list->getInit(0)->getSourceRange()));
    else if (element->isArithmeticType())
        edits_.replace(
            all, element->isIntegerType() ? "0" : floating_literal(llvm::APSInt::get(0), element));
}

bool SingleElements::has_plain_initialiser(const clang::VarDecl* array) const {
    const auto loc = array->getTypeSourceInfo()->getTypeLoc().getUnqualifiedLoc();
    const auto* list = written_list(array);
    if (!loc.getAs<clang::ArrayTypeLoc>() || (array->getInit() && !list)) return false;
    return !list || list->getNumInits() <= 1;
}

}  // namespace spmvgen::specializer
