#include "specializer/syntax/source.hpp"

#include "clang/AST/Attr.h"
#include "clang/Lex/Lexer.h"
#include "specializer/syntax/front_end.hpp"

namespace spmvgen::specializer {

unsigned Source::begin(clang::SourceLocation location) const {
    return manager.getFileOffset(manager.getFileLoc(location));
}

unsigned Source::end(clang::SourceLocation location) const {
    const auto place = manager.getFileLoc(location);
    return manager.getFileOffset(place) +
           clang::Lexer::MeasureTokenLength(place, manager, context.getLangOpts());
}

unsigned Source::declaration_begin(const clang::Decl& d) const {
    unsigned first = begin(d.getBeginLoc());
    const auto whole = text(d.getBeginLoc());
    for (auto* a : d.attrs()) {
        if (a->isImplicit() || a->getLocation().isInvalid()) continue;
        const unsigned at = begin(a->getLocation());
        if (at >= first) continue;
        const auto bracket = whole.rfind(a->isGNUAttribute() ? "__attribute__" : "[[", at);
        if (bracket != whole.npos) first = static_cast<unsigned>(bracket);
    }
    return first;
}

std::string_view Source::text(clang::SourceLocation location) const {
    return manager.getBufferData(manager.getFileID(manager.getFileLoc(location)));
}

bool Source::is_gpu_builtin(const clang::Decl& d) const {
    return manager.getFilename(manager.getFileLoc(d.getLocation())).ends_with(gpu_builtins_file);
}

std::string Source::place(clang::SourceLocation location) const {
    const auto place = manager.getPresumedLoc(manager.getFileLoc(location));
    if (place.isInvalid()) return "?";
    std::string file = place.getFilename();
    if (file.starts_with("/templates/")) file.erase(0, std::string("/templates/").size());
    return file + ":" + std::to_string(place.getLine());
}

}  // namespace spmvgen::specializer
