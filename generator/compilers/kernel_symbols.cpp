#include "compilers/kernel_symbols.hpp"

#include <llvm/ADT/StringSet.h>
#include <llvm/Object/ObjectFile.h>

#include <algorithm>
#include <array>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// What code generation may call by itself, all in the C and mathematics library of any process.
constexpr std::array<std::string_view, 8> library_functions{"fma",     "fmaf",   "memcmp", "memcpy",
                                                            "memmove", "memset", "sqrt",   "sqrtf"};

template <typename T>
T valid(llvm::Expected<T> value) {
    if (!value)
        throw Error(ErrorCode::internal, "Clang made an object that cannot be read: " +
                                             llvm::toString(value.takeError()));
    return std::move(*value);
}

}  // namespace

void check_symbols(std::string_view object, const std::string& kernel,
                   const std::vector<std::string>& wanted,
                   const std::vector<std::string_view>& others) {
    const auto file =
        valid(llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, kernel)));
    llvm::StringSet<> defined;
    for (const auto& symbol : file->symbols()) {
        const llvm::StringRef name = valid(symbol.getName());
        if ((valid(symbol.getFlags()) & llvm::object::SymbolRef::SF_Undefined) == 0)
            defined.insert(name);
        else if (!name.empty() &&
                 !std::ranges::binary_search(library_functions, std::string_view(name)) &&
                 std::ranges::find(others, std::string_view(name)) == others.end())
            throw Error(ErrorCode::compile,
                        "kernel " + kernel + " calls '" + name.str() +
                            "', which its text does not define: emitted text must stand alone");
    }
    for (auto& symbol : wanted)
        if (!defined.contains(symbol))
            throw Error(ErrorCode::compile, "the text of kernel " + kernel +
                                                " does not define its step '" + symbol + "'");
}

bool is_c_identifier(std::string_view text) {
    const auto letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    return !text.empty() && letter(text.front()) &&
           std::ranges::all_of(text, [&](char c) { return letter(c) || digit(c); });
}

}  // namespace spmvgen
