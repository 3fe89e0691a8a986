#pragma once
#include <sys/stat.h>

#include <string>

namespace spmvgen {

/// The environment variable `name`; "" when it is unset.
std::string environment(const char* name);

/// Where a store's directory came from decides how strictly it is judged.
struct Location {
    std::string path;    ///< absolute; "" = there is none
    bool given = false;  ///< asked for by the caller or by $SPMVGEN_CACHE_DIR
};

/// Where a user's own directory is looked for.
struct UserDirectory {
    const char* variable;       ///< that names the directory itself: "SPMVGEN_CACHE_DIR"
    const char* base_variable;  ///< of the XDG base directory specification: "XDG_CACHE_HOME"
    const char* base_in_home;   ///< what that is when it is unset: "/.cache"
    std::string tail;           ///< below it: "/spmvgen/v2"
};

/// `directory`, else $variable, else $base_variable + tail, else the home + base_in_home + tail.
/// The home is $HOME, else that of the user database.
Location locate_user_directory(const std::string& directory, const UserDirectory& names);

/// `directory`, else $SPMVGEN_CACHE_DIR, else $XDG_CACHE_HOME/spmvgen/v2, else ~/.cache/spmvgen/v2.
Location locate_directory(const std::string& directory);

/// Why code must not be loaded from a directory with this status; "" = it may be. Root's own is all
/// right when it was asked for: root can replace every program anyway.
std::string why_unsafe(const struct stat& directory, bool given);

/// The same of an entry in a directory that is all right.
std::string why_unsafe_entry(const struct stat& file);

}  // namespace spmvgen
