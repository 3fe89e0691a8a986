#pragma once
#include <string>
#include <string_view>

namespace spmvgen {

/// What to say of a text that lacks the Matrix Market banner: what it looks like and what to do.
/// `first` is its first line, `ahead` some of the text after it.
std::string explain_no_banner(std::string_view first, std::string_view ahead);

/// `text` in quotes for a message: shortened, with bytes that do not print as \xHH.
std::string in_quotes(std::string_view text);

}  // namespace spmvgen
