#pragma once
#include <sys/stat.h>

#include <string>

namespace spmvgen {

/// Where a store's directory came from decides how strictly it is judged.
struct Location {
    std::string path;    ///< absolute; "" = there is none
    bool given = false;  ///< asked for by the caller or by $SPMVGEN_CACHE_DIR
};

/// `directory`, else $SPMVGEN_CACHE_DIR, else $XDG_CACHE_HOME/spmvgen/v2, else ~/.cache/spmvgen/v2.
/// The home is $HOME, else that of the user database.
Location locate_directory(const std::string& directory);

/// Why code must not be loaded from a directory with this status; "" = it may be. Root's own is all
/// right when it was asked for: root can replace every program anyway.
std::string why_unsafe(const struct stat& directory, bool given);

/// The same of an entry in a directory that is all right.
std::string why_unsafe_entry(const struct stat& file);

}  // namespace spmvgen
