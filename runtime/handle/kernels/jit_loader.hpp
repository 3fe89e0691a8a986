#pragma once
#include <string>

#include "spmvgen/generator.hpp"

namespace spmvgen {

/// What load_generator's error begins with where no library can be loaded.
inline constexpr const char* no_compiler = "cannot load the kernel compiler:";

/// The generator of libspmvgen_jit, loaded at the first call and kept for the life of the process.
/// Looked for in $SPMVGEN_JIT, beside libspmvgen (build tree), and in spmvgen/ beside it (install
/// prefix, wherever it was moved). Throws Error(unsupported) that lists where it was looked for and
/// why each failed.
Generator& load_generator();

/// Whether there is a library to load; it is not opened.
bool has_generator();

/// Path of the library once loaded; "" before.
std::string generator_path();

}  // namespace spmvgen
