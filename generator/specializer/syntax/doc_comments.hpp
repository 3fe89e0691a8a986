#pragma once
#include <map>
#include <set>
#include <string>

namespace spmvgen::specializer {

/// A doc comment ("/// …" lines) with values instead of the names that it has in backticks:
/// "`unroll` of them" is "4 of them".
std::string with_values(const std::string& comment,
                        const std::map<std::string, std::string>& values);

/// The comment without the sentences that have one of these names in backticks; the first sentence,
/// which says what a function is for, stays.
std::string without_sentences_on(const std::string& comment, const std::set<std::string>& names);

}  // namespace spmvgen::specializer
