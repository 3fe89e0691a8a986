#pragma once
#include <string>

namespace spmvgen::specializer {

/// The text in the house style (Google's, indent 4, 100 columns), whatever lies on the disk;
/// without braces around single statements where they are to go.
std::string format(const std::string& text, bool drops_braces = false);

}  // namespace spmvgen::specializer
