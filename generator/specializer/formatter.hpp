#pragma once
#include <string>

namespace spmvgen::specializer {

/// The text in the house style (Google's, indent 4, 100 columns), whatever lies on the disk.
std::string format(const std::string& text);

}  // namespace spmvgen::specializer
