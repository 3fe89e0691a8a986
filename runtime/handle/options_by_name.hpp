#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "spmvgen/spmvgen.hpp"

/// Options as names and texts, for callers that have no struct: the C ABI. A new option gets a row
/// in the table of options_by_name.cpp.
namespace spmvgen {

/// The names, as the fields of Options are called; but not `params`, which are "param.NAME",
/// nor `owner`, which is no text.
std::vector<std::string_view> option_names();

/// Sets the option: text as it is, numbers in decimal, "true" or "false". "param.lanes" sets a
/// parameter, with the text "" it is left open again. Throws Error(invalid_argument) "options.NAME:
/// …" that lists what is allowed. What depends on the device or the matrix is not checked here.
void set_option(Options& options, std::string_view name, std::string_view text);
/// The same; messages do not say which option it is.
void assign_option(Options& options, std::string_view name, std::string_view text);

/// What set_option would take to set the option to what it is.
std::string option_text(const Options& options, std::string_view name);

}  // namespace spmvgen
