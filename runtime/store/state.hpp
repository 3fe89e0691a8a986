#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>

#include "store/store.hpp"

/// What store.cpp and maintenance.cpp share.
namespace spmvgen {

struct Store::State {
    std::atomic<std::int64_t> hits = 0, misses = 0, rejected = 0, written = 0, write_failures = 0;
    std::mutex mutex;
    std::set<std::string> warned;  ///< guarded by mutex
};

/// The directory, or why not; neither when it does not exist yet.
struct Store::Opened {
    File file;
    std::string problem;
};

}  // namespace spmvgen
