#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "inlining/expression_place.hpp"
#include "inlining/helper_functions.hpp"

namespace spmvgen::specializer {

/// The text without blank lines around it.
std::string_view trimmed_lines(std::string_view text);

/// A helper as far as it is put together.
struct Composed {
    HelperFunction helper;
    std::string body;  ///< what comes before its value
    std::optional<PlacedText> value;

    std::ptrdiff_t lines() const { return std::ranges::count(body, '\n'); }
    /// Whether its value is all there is.
    bool is_value() const { return helper.is_value() && trimmed_lines(body).empty(); }
};

/// The expression without implicit conversions.
const clang::Expr* bare(const clang::Expr* e);

bool is_integer_literal(const clang::Expr* e);

/// An expression that may stand several times: no load, no call, at most so many operators.
bool is_cheap(const clang::Expr* e, int operators = 2);

/// Whether a reference to the expression may be written out at each use: a name, or an element by
/// a cheap index.
bool is_cheap_place(const clang::Expr* e);

}  // namespace spmvgen::specializer
