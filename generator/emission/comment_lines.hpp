#pragma once
#include <string>

namespace spmvgen {

/// The text as comment lines, the first after `first`, the others after `further`; broken at blanks
/// so that lines stay within 100 columns where they can.
std::string comment_lines(const std::string& first, const std::string& further,
                          const std::string& text);

}  // namespace spmvgen
