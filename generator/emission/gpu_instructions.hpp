#pragma once
#include <string>

namespace spmvgen {

/// Instructions that a compiler has no name for: the definitions of those that the text uses; "" =
/// of none. Who brings them along defines SPMVGEN_OWN_INSTRUCTIONS: the SIMT executor, whose host
/// has no such instructions.
std::string instruction_texts(const std::string& text);

}  // namespace spmvgen
