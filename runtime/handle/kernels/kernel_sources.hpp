#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "spmvgen/generator.hpp"
#include "spmvgen/spmvgen.hpp"

/// The generator and the cache that a process uses unless it is told otherwise.
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

struct KernelSources;

/// libspmvgen_jit and the Store, whose warnings go to `warn`; unset = standard error.
KernelSources default_kernel_sources(std::function<void(const std::string&)> warn = {});

/// "on, memory, readonly, load, off".
inline constexpr std::string_view cache_mode_names = "on, memory, readonly, load, off";

/// The mode of that name; nothing for another word.
std::optional<CacheMode> parse_cache_mode(std::string_view text);

/// `mode`, and for CacheMode::automatic the one that $SPMVGEN_CACHE names: on when it is unset or
/// empty. Throws Error(invalid_argument) when it names none.
CacheMode effective_mode(CacheMode mode);

/// The same with that mode in it.
Options with_effective_mode(Options options);

}  // namespace spmvgen
