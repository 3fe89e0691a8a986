#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "spmvgen/spmvgen.hpp"

/// The generator and the cache that a process uses unless it is told otherwise.
namespace spmvgen {

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
