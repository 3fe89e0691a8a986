#include "specializer/syntax/formatter.hpp"

#include "clang/Format/Format.h"
#include "clang/Tooling/Core/Replacement.h"
#include "spmvgen/error.hpp"

namespace spmvgen::specializer {
namespace {

clang::format::FormatStyle house_style() {
    auto style = clang::format::getGoogleStyle(clang::format::FormatStyle::LK_Cpp);
    style.IndentWidth = 4;
    style.ColumnLimit = 100;
    style.MaxEmptyLinesToKeep = 1;
    style.DerivePointerAlignment = false;
    style.ReflowComments = false;  // it would join the lines of the header
    // Each of these would be a pass of its own over the text, with nothing to do.
    style.FixNamespaceComments = false;
    style.SortUsingDeclarations = clang::format::FormatStyle::SUD_Never;
    style.SortIncludes = clang::format::FormatStyle::SI_Never;
    style.KeepEmptyLines.AtStartOfBlock = false;
    style.AllowShortFunctionsOnASingleLine = clang::format::FormatStyle::SFS_None;
    style.AllowShortLoopsOnASingleLine = false;
    return style;
}

}  // namespace

std::string format(const std::string& text, bool drops_braces) {
    auto style = house_style();
    style.RemoveBracesLLVM = drops_braces;
    const auto changes = clang::format::reformat(
        style, text, {clang::tooling::Range(0, static_cast<unsigned>(text.size()))}, "kernel.cpp");
    auto formatted = clang::tooling::applyAllReplacements(text, changes);
    if (!formatted)
        throw Error(ErrorCode::internal,
                    "the formatter failed: " + toString(formatted.takeError()));
    return *formatted;
}

}  // namespace spmvgen::specializer
