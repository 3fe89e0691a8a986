#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "clang/AST/DeclTemplate.h"
#include "specializer/syntax/source.hpp"

namespace spmvgen::specializer {

/// What the emitted text consists of: every function and type that a step reaches, in an order in
/// which each comes after what it needs. Names are given at the end, when it is known how many
/// specialisations of one template there are; until then texts hold placeholders.
class Entities {
  public:
    explicit Entities(clang::ASTContext& context) : source_(context) {}

    /// Takes the function and all it reaches; recursion is refused (rule 11).
    void add_step(clang::FunctionDecl* function) { reference(function); }

    /// Placeholder for the name of a helper function, whose text is taken when first seen.
    std::string reference(clang::FunctionDecl* function);
    /// The type as source text, with placeholders for the names of our own types.
    std::string spell(clang::QualType type);
    /// Placeholder for a vector type that an alias template or a file-scope alias names.
    std::string reference_vector(clang::QualType type, const clang::NamedDecl& alias);
    /// Placeholder for an enumeration.
    std::string reference(const clang::TagDecl* tag);
    /// Placeholder for a named constant.
    std::string reference(const clang::VarDecl* constant);

    /// The fields that a helper uses of its parameter number `index`, a view; none before it has
    /// been taken.
    const std::vector<std::string>& view_fields(const clang::FunctionDecl& function,
                                                unsigned index) {
        return view_fields_[{function.getCanonicalDecl(), index}];
    }
    void set_view_fields(const clang::FunctionDecl& function, unsigned index,
                         std::vector<std::string> fields) {
        view_fields_[{function.getCanonicalDecl(), index}] = std::move(fields);
    }

    /// All texts in order, names in place.
    std::string text() const;
    const Source& source() const { return source_; }

  private:
    struct Entity {
        std::string name;                    ///< in the template
        std::vector<std::string> arguments;  ///< short forms of what its template is bound to
        std::string text;
        bool in_progress = true;
        bool is_constant = false;  ///< of a literal value: nothing need come before it
    };

    int enter(const void* key, std::string name, std::vector<std::string> arguments);
    void leave(int id, std::string text);
    std::vector<std::string> final_names() const;

    Source source_;
    std::map<const void*, int> ids_;  // looked up only, never walked: its order is not ours
    std::map<std::pair<const void*, unsigned>, std::vector<std::string>> view_fields_;  // the same
    std::vector<Entity> entities_;
    std::vector<int> order_;
};

/// `typedef ELEMENT NAME __attribute__((vector_size(BYTES)))` with the attributes of `alias`.
std::string vector_typedef(clang::QualType type, const std::string& element,
                           const std::string& name, const clang::Decl* alias,
                           clang::ASTContext& context);

}  // namespace spmvgen::specializer
