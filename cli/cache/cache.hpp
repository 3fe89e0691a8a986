#pragma once
#include <functional>
#include <memory>
#include <string>

#include "store/store.hpp"
#include "text/verb.hpp"

/// The parts of `spmvgen cache`, each in a file of its own.
namespace spmvgen::cli {

/// What all of them are asked.
struct CacheOptions {
    std::string directory;
    bool json = false;
};

/// Adds --cache-dir and --json.
void add_cache_options(CLI::App& verb, CacheOptions& o);

/// Throws Error(io) when there is a directory that is not used, with the reason.
void require_usable(const Store& store);

void add_cache_verify(CLI::App& cache, Verbs& verbs);
void add_cache_prune(CLI::App& cache, Verbs& verbs);
void add_cache_warm(CLI::App& cache, Verbs& verbs);

}  // namespace spmvgen::cli
