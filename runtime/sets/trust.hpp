#pragma once
#include <sys/stat.h>

#include <string>

namespace spmvgen {

/// Why code must not be loaded from a file with this status, "" = it may be: it must be ours,
/// root's, or that of whoever owns the folder of libspmvgen (who could replace the library, too),
/// and not everybody may write to it.
std::string why_untrusted(const struct stat& file);

}  // namespace spmvgen
