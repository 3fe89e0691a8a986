#include "compilers/digest.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SHA256.h>

namespace spmvgen {

std::string hex_sha256(const std::string& text) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(text.data());
    return llvm::toHex(llvm::SHA256::hash({data, text.size()}), true);
}

}  // namespace spmvgen
