#pragma once
#include <cstdint>
#include <string>

#include "store/store.hpp"
#include "text/output.hpp"

namespace spmvgen::cli {

/// The cache directory as `cache info` and `doctor` tell it.
struct CacheState {
    std::string directory;
    bool exists = false;
    bool writable = false;  ///< or can be made
    std::int64_t entries = 0, bytes = 0;
    std::int64_t unsound = 0;    ///< of the entries
    std::int64_t max_bytes = 0;  ///< the limit on bytes; 0 = none
    std::int64_t choices = 0;    ///< of kernels, that can be recalled
};

CacheState cache_state(const Store& store);
Json to_json(const CacheState& state);
std::string to_string(const CacheState& state);

}  // namespace spmvgen::cli
