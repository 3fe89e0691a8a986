#include "handle/kernels/cache_mode.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "spmvgen/error.hpp"

namespace spmvgen {

std::optional<CacheMode> parse_cache_mode(std::string_view text) {
    if (text == "on") return CacheMode::on;
    if (text == "memory") return CacheMode::memory;
    if (text == "readonly") return CacheMode::readonly;
    if (text == "load") return CacheMode::load;
    if (text == "off") return CacheMode::off;
    return std::nullopt;
}

CacheMode effective_mode(CacheMode mode) {
    if (mode != CacheMode::automatic) return mode;
    const char* variable = std::getenv("SPMVGEN_CACHE");
    const std::string word = variable != nullptr ? variable : "";
    if (word.empty()) return CacheMode::on;
    if (const auto named = parse_cache_mode(word)) return *named;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("SPMVGEN_CACHE={}: use one of {}", word, cache_mode_names));
}

Options with_effective_mode(Options options) {
    options.cache = effective_mode(options.cache);
    return options;
}

}  // namespace spmvgen
