#pragma once

#include <string>
#include <vector>

#include "inlining/helper_functions.hpp"

namespace spmvgen::specializer {

// What has to hold of a call before a function's text may stand in its place.

/// The call that is the whole statement, or all that it assigns, declares or returns; nullptr
/// without one.
clang::CallExpr* whole_call(clang::Stmt* s);

/// Whether argument `i` can take the parameter's place wherever that is used.
bool may_stand_in(const clang::CallExpr* call, unsigned i, const ParameterUse& use);

/// Whether every reference is to a place that can be written out, which no other argument reads:
/// that one was read before the call.
bool references_are_places(const clang::CallExpr* call, Source& source, const std::string& text);

/// Whether an argument other than number `but` names what `place` begins with.
bool is_named_elsewhere(const clang::Expr* place, const clang::CallExpr* call, unsigned but,
                        Source& source, const std::string& text);

/// Whether an argument that no parameter uses does something.
bool loses_effects(const clang::CallExpr* call, const std::vector<ParameterUse>& parameters);

/// Whether the block, or the head of the loop, declares a variable of that name.
bool declares(const clang::Stmt* s, const std::string& name);

}  // namespace spmvgen::specializer
