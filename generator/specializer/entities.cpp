#include "specializer/entities.hpp"

#include <algorithm>
#include <set>

#include "clang/AST/Attr.h"
#include "llvm/ADT/StringExtras.h"
#include "specializer/dependence.hpp"
#include "specializer/folding.hpp"
#include "specializer/rules.hpp"
#include "specializer/syntax/constants.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::specializer {
namespace {

constexpr char open = '\x01';
constexpr char close = '\x02';

std::string placeholder(int id) {
    return open + std::to_string(id) + close;
}

std::string builtin_name(clang::QualType type, const clang::ASTContext& context) {
    clang::PrintingPolicy policy(context.getLangOpts());
    return type.getAsString(policy);
}

/// "f64", "i32", "complex_f64", "8", "zero": what tells two specialisations apart in a name.
std::string short_form(const clang::TemplateArgument& argument, const clang::ASTContext& context) {
    std::string text;
    if (argument.getKind() == clang::TemplateArgument::Integral) {
        if (auto* type = argument.getIntegralType()->getAs<clang::EnumType>())
            for (auto* e : type->getDecl()->enumerators())
                if (llvm::APSInt::isSameValue(e->getInitVal(), argument.getAsIntegral()))
                    return e->getNameAsString();
        text = llvm::toString(argument.getAsIntegral(), 10);
    } else if (argument.getKind() == clang::TemplateArgument::Type) {
        const auto type = argument.getAsType().getCanonicalType();
        if (type->isRealFloatingType() || (type->isIntegerType() && !type->isBooleanType()))
            return (type->isFloatingType()        ? "f"
                    : type->isSignedIntegerType() ? "i"
                                                  : "u") +
                   std::to_string(context.getTypeSize(type));
        if (auto* tag = type->getAsTagDecl()) return tag->getNameAsString();
        text = builtin_name(type, context);
    }
    std::ranges::replace_if(
        text, [](unsigned char c) { return !llvm::isAlnum(static_cast<char>(c)); }, '_');
    return text;
}

std::vector<std::string> short_forms(const clang::TemplateArgumentList* arguments,
                                     const clang::ASTContext& context) {
    std::vector<std::string> forms;
    if (arguments)
        for (auto& a : arguments->asArray()) forms.push_back(short_form(a, context));
    return forms;
}

std::string with_names(const std::string& text, const std::vector<std::string>& names) {
    std::string result;
    std::size_t position = 0;
    for (std::size_t at; (at = text.find(open, position)) != text.npos;) {
        const auto end = text.find(close, at);
        result += text.substr(position, at - position);
        result += names[static_cast<std::size_t>(std::stoi(text.substr(at + 1, end - at - 1)))];
        position = end + 1;
    }
    return result + text.substr(position);
}

/// The declaration of a constant with its comment: `constexpr int NAME = 4;`.
std::string constant_text(const clang::VarDecl& constant, const std::string& name,
                          const Source& source) {
    const auto whole = source.text(constant.getLocation());
    const unsigned begin = source.begin(constant.getBeginLoc());
    TextEdits edits;
    edits.replace(source.range(constant.getLocation()), name);
    const auto* init = constant.getInit();
    if (depends_on_bindings(const_cast<clang::Expr*>(init)))  // on other constants
        edits.replace(source.range(init->getSourceRange()),
                      literal(*specializer::constant(init, source.context), init->getType()));
    // With a comment behind it.
    const unsigned end = with_comments(whole, {begin, source.end(constant.getEndLoc()) + 1}).end;
    return comment_above(whole, begin) + edits.apply(whole, {begin, end});
}

}  // namespace

int Entities::enter(const void* key, std::string name, std::vector<std::string> arguments) {
    const int id = static_cast<int>(entities_.size());
    ids_[key] = id;
    entities_.push_back({std::move(name), std::move(arguments), "", true});
    return id;
}

void Entities::leave(int id, std::string text) {
    auto& entity = entities_[static_cast<std::size_t>(id)];
    entity.text = std::move(text);
    entity.in_progress = false;
    order_.push_back(id);
}

std::string Entities::reference(clang::FunctionDecl* function) {
    const auto* key = function->getCanonicalDecl();
    if (auto known = ids_.find(key); known != ids_.end()) {
        if (entities_[static_cast<std::size_t>(known->second)].in_progress)
            refuse(Rule::recursion, source_.place(function->getLocation()),
                   "function '" + function->getNameAsString() +
                       "' calls itself; write a loop, or a bound that ends it");
        return placeholder(known->second);
    }
    const clang::FunctionDecl* definition = nullptr;
    if (!function->isDefined(definition))
        refuse(Rule::runtime_library, source_.place(function->getLocation()),
               "function '" + function->getNameAsString() +
                   "' has no definition; kernels call only what the dialect defines");
    const int id = enter(key, function->getNameAsString(),
                         short_forms(function->getTemplateSpecializationArgs(), source_.context));
    leave(id,
          folded_function(const_cast<clang::FunctionDecl*>(definition), placeholder(id), *this));
    return placeholder(id);
}

std::string Entities::reference(const clang::TagDecl* tag) {
    const auto* key = tag->getCanonicalDecl();
    if (auto known = ids_.find(key); known != ids_.end()) return placeholder(known->second);
    const auto* spec = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(tag);
    const int id =
        enter(key, tag->getNameAsString(),
              short_forms(spec ? &spec->getTemplateInstantiationArgs() : nullptr, source_.context));
    leave(id, folded_type(const_cast<clang::TagDecl*>(tag), placeholder(id), *this));
    return placeholder(id);
}

std::string Entities::reference(const clang::VarDecl* constant) {
    if (auto known = ids_.find(constant); known != ids_.end()) return placeholder(known->second);
    const int id = enter(constant, constant->getNameAsString(), {});
    leave(id, constant_text(*constant, placeholder(id), source_));
    entities_[static_cast<std::size_t>(id)].is_constant = true;
    return placeholder(id);
}

std::string Entities::reference_vector(clang::QualType type, const clang::NamedDecl& alias) {
    const bool is_template = llvm::isa<clang::TypeAliasTemplateDecl>(alias);
    const void* key = is_template ? static_cast<const void*>(type.getCanonicalType().getTypePtr())
                                  : static_cast<const void*>(&alias);
    if (auto known = ids_.find(key); known != ids_.end()) return placeholder(known->second);
    const auto* vector = type->getAs<clang::VectorType>();
    const int id = enter(key, alias.getNameAsString(),
                         {short_form(vector->getElementType(), source_.context),
                          std::to_string(vector->getNumElements())});
    const auto* templated = is_template
                                ? llvm::cast<clang::TypeAliasTemplateDecl>(alias).getTemplatedDecl()
                                : static_cast<const clang::Decl*>(&alias);
    leave(id, comment_above(source_.text(alias.getBeginLoc()), source_.begin(alias.getBeginLoc())) +
                  vector_typedef(type, spell(vector->getElementType()), placeholder(id), templated,
                                 source_.context) +
                  ";");
    return placeholder(id);
}

std::string Entities::spell(clang::QualType type) {
    type = type.getCanonicalType();
    const std::string qualifiers = std::string(type.isConstQualified() ? "const " : "") +
                                   (type.isVolatileQualified() ? "volatile " : "");
    const auto* bare = type.getTypePtr();
    if (auto* pointer = bare->getAs<clang::PointerType>()) {
        std::string text = spell(pointer->getPointeeType()) + "*";
        if (type.isConstQualified()) text += " const";
        return type.isRestrictQualified() ? text + " __restrict__" : text;
    }
    if (auto* tag = bare->getAsTagDecl()) return qualifiers + reference(tag);
    if (auto* vector = bare->getAs<clang::VectorType>()) {
        const void* key = bare;
        if (!ids_.contains(key)) {
            const int id = enter(key,
                                 short_form(vector->getElementType(), source_.context) + "x" +
                                     std::to_string(vector->getNumElements()),
                                 {});
            leave(id, vector_typedef(type.getUnqualifiedType(), spell(vector->getElementType()),
                                     placeholder(id), nullptr, source_.context) +
                          ";");
        }
        return qualifiers + placeholder(ids_.at(key));
    }
    return qualifiers + builtin_name(type.getUnqualifiedType(), source_.context);
}

/// One specialisation keeps the template's name; of several, each gets what tells it apart.
std::vector<std::string> Entities::final_names() const {
    std::map<std::string, std::vector<const Entity*>> groups;
    for (auto& e : entities_) groups[e.name].push_back(&e);
    std::vector<std::string> names;
    std::set<std::string> taken;
    for (auto& [name, group] : groups)
        if (group.size() == 1) taken.insert(name);
    for (auto& e : entities_) {
        const auto& group = groups[e.name];
        std::string name = e.name;
        for (std::size_t i = 0; group.size() > 1 && i < e.arguments.size(); ++i) {
            const bool differs = std::ranges::any_of(group, [&](const Entity* other) {
                return i >= other->arguments.size() || other->arguments[i] != e.arguments[i];
            });
            if (differs) name += "_" + e.arguments[i];
        }
        if (group.size() > 1) {
            std::string unique = name;
            for (int n = 2; !taken.insert(unique).second; ++n)
                unique = name + "_" + std::to_string(n);
            name = unique;
        }
        names.push_back(name);
    }
    return names;
}

std::string Entities::text() const {
    const auto names = final_names();
    std::string constants, others;
    for (const int id : order_) {
        const Entity& e = entities_[static_cast<std::size_t>(id)];
        if (e.is_constant)
            constants += with_names(e.text, names);  // ends its line
        else
            others += with_names(e.text, names) + "\n\n";
    }
    return constants + (constants.empty() ? "" : "\n") + others;
}

std::string vector_typedef(clang::QualType type, const std::string& element,
                           const std::string& name, const clang::Decl* alias,
                           clang::ASTContext& context) {
    const auto* vector = type->getAs<clang::VectorType>();
    std::string attributes;
    if (alias) {
        if (auto* aligned = alias->getAttr<clang::AlignedAttr>())
            attributes += ", aligned(" + std::to_string(aligned->getAlignment(context) / 8) + ")";
        if (alias->hasAttr<clang::MayAliasAttr>()) attributes += ", may_alias";
    }
    const auto bytes = context.getTypeSizeInChars(vector->getElementType()).getQuantity() *
                       static_cast<long>(vector->getNumElements());
    return "typedef " + element + " " + name + " __attribute__((vector_size(" +
           std::to_string(bytes) + ")" + attributes + "))";
}

}  // namespace spmvgen::specializer
