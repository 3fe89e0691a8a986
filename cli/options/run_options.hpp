#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "options/operands.hpp"
#include "options/options.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen::cli {

/// What `spmvgen run` is asked for, as it is spelled.
struct RunOptions {
    std::string matrix, batch, device = "host", format = "auto", kernel = "auto", arch = "native";
    std::vector<std::string> params;
    std::string value, index;  // "" = the matrix's
    std::string vectors, accumulator, storage, epilogue, reorder = "auto", encodings = "auto";
    std::string compile = "now";
    std::string op = "N";
    bool deterministic = false, transpose_by_atomics = false, permuted_vectors = false;
    bool nonempty_rows = false, choose_anew = false;
    ProductOptions product;
    std::string output;
    int threads = 0;
    bool all_threads = false;
    std::uint64_t memory_limit = 0;             // bytes; 0 = none
    std::string cache, cache_dir, kernel_sets;  // cache: "" = $SPMVGEN_CACHE, else on
    bool check = false, strict = false, json = false, explain = false;
    int repeat = 0;
    double time_ms = 500;
    std::string level = "rule", rule, budget, updates = "seldom";
    std::int64_t expect = 0;
};

/// The options of the handle, or of the batch. All that can be wrong with what is asked for is said
/// here, before a matrix is read. `device` is null for the host. Throws UsageError, and
/// Error(unsupported) for an architecture that cannot run here.
Options handle_options(const RunOptions& o, const Device* device);

/// What decides which kernel is run, and where.
void add_choice_options(CLI::App& verb, RunOptions& o);
/// Whether kernels may be made and kept.
void add_cache_mode_options(CLI::App& verb, RunOptions& o);
/// What decides the product: types, op and number of right-hand sides.
void add_product_options(CLI::App& verb, RunOptions& o);
/// α, β, x and y.
void add_operand_options(CLI::App& verb, RunOptions& o);

}  // namespace spmvgen::cli
