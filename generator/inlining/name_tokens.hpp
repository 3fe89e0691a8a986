#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "inlining/expression_place.hpp"

namespace spmvgen::specializer {

// While functions are put into each other, the names of their parameters and locals are tokens in
// their texts: a parameter becomes its argument, a local may need another name.

/// A parameter where an expression at such a place is wanted.
std::string parameter_token(unsigned index, const Place& place);
std::string local_token(std::string_view name);

/// Whether the text is one parameter's token and nothing else.
bool is_parameter_token(std::string_view text);
/// That token where what it stands for has to fit `place`, too.
std::string with_place(std::string_view token, const Place& place);

/// The text with `argument(index, place)` for each parameter.
using ArgumentText = std::function<std::string(unsigned index, const Place& place)>;
std::string with_arguments(std::string_view text, const ArgumentText& argument);

/// The text with other names for locals; those that are not in the map keep theirs.
std::string with_locals_renamed(std::string_view text,
                                const std::map<std::string, std::string>& names);

/// The text as source again: parameters have these names, locals their own.
std::string with_plain_names(std::string_view text, const std::vector<std::string>& parameters);

}  // namespace spmvgen::specializer
