#pragma once
#include <string>

#include "clang/AST/Decl.h"
#include "specializer/entities.hpp"

namespace spmvgen::specializer {

/// The text of an instantiated (or plain) function: the template's own text with parameters bound,
/// constants of the bindings folded, `if constexpr` decided and helpers called by their
/// placeholders; `static inline`, its comment above. What it calls is entered into `entities`.
std::string folded_function(clang::FunctionDecl* function, const std::string& name,
                            Entities& entities);

/// The same for a struct, an instantiated class template or an enumeration.
std::string folded_type(clang::TagDecl* type, const std::string& name, Entities& entities);

}  // namespace spmvgen::specializer
