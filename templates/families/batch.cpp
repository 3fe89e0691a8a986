#include "families/batch.hpp"

#include <array>
#include <string>

#include "family.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

// What all systems have together.
constexpr std::array arguments{
    ArgumentTemplate{"num_systems", Element::count, "", "systems of the batch"},
    ArgumentTemplate{"num_rows", Element::count, "", "rows of all systems"},
    ArgumentTemplate{"systems", Element::offset, "[num_systems][8]",
                     "sizes and places of each system, see batch_system"},
    ArgumentTemplate{"work_ptr", Element::offset, "[num_systems + 1]",
                     "rows and stored entries before each system"},
    ArgumentTemplate{"row_ptr", Element::offset, "[rows + 1 for each system]",
                     "where each row's entries begin, from 0"},
    ArgumentTemplate{"row_idx", Element::index, "[entries]",
                     "row of each entry within its system, ascending"},
    ArgumentTemplate{"col_idx", Element::index, "[stored entries]",
                     "column of each within its system, from 0"},
    ArgumentTemplate{"values", Element::storage, "[stored entries]", "value of each", true},
    ArgumentTemplate{"x", Element::vector, "[columns of all systems]", "one system's after another",
                     true},
    ArgumentTemplate{"y", Element::vector, "[rows of all systems]", "one system's after another"},
};

// clang-format off
constexpr Parameter lanes_or_one{"lanes", allowed<1, 2, 4, 8, 16>, 0, "entries of one vector; 1 = one entry after another"};
constexpr Parameter lanes{"lanes", allowed<2, 4, 8, 16>, 0, "rows of one vector; fitted to the vector register unless chosen"};
constexpr Parameter block{"block", allowed<64, 128, 256, 512>, 128, "threads of a block, which has one system"};
constexpr Parameter coo_block{"block", allowed<64, 128, 256>, 128, "threads of a block, which has one system"};
constexpr Parameter subwarp{"subwarp", allowed<1, 2, 4, 8, 16, 32, 64>, 8, "lanes for a row; 1 = a thread a row", true};
constexpr Parameter unroll{"unroll", allowed<1, 2, 4, 8>, 4, "entries of a thread loaded before the first is used"};
constexpr Parameter groups{"groups", allowed<1, 2, 4, 8, 16>, 1, "threads for a row"};
constexpr Parameter entries{"entries", allowed<4, 8>, 4, "entries of a lane that are loaded together"};
constexpr Parameter shared_x{"shared_x", allowed<0, 64, 128, 256, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288>, 1024, "elements of x that fit in shared memory; systems with more read global memory; 0 = all do"};
// clang-format on

GridRule block_a_system(const Signature&) {
    return {.items = "num_systems"};
}

constexpr KernelEntry on_cpu(std::string_view id, Format format, std::string_view file,
                             std::string_view summary, std::span<const Parameter> params) {
    return {.id = id,
            .format = format,
            .gpu = false,
            .batch = true,
            .file = file,
            .summary = summary,
            .params = params,
            .steps = {{id, StepRule::per_thread}},
            .workspace = {},
            .arguments = arguments,
            .check = check_batch};
}

constexpr KernelEntry on_gpu(std::string_view id, Format format, std::string_view file,
                             std::string_view summary, std::span<const Parameter> params) {
    return {.id = id,
            .format = format,
            .gpu = true,
            .batch = true,
            .file = file,
            .summary = summary,
            .params = params,
            .steps = {{id, StepRule::grid, block_a_system, block_of}},
            .workspace = {},
            .arguments = arguments,
            .check = check_batch};
}

std::int64_t given(const Signature& s, const char* name) {
    const auto found = s.params.find(name);
    return found != s.params.end() ? found->second : 0;
}

constexpr std::array kernels{
    on_cpu("batch_csr_rows", Format::csr, "cpu/batch_csr_rows.hpp",
           "batch: whole systems a thread, every row in vectors", parameters<lanes_or_one>),
    on_cpu("batch_coo_rows", Format::coo, "cpu/batch_coo_rows.hpp",
           "batch: whole systems a thread, sorted triplets", parameters<lanes_or_one>),
    on_cpu("batch_ell_rows", Format::ell, "cpu/batch_ell_rows.hpp",
           "batch: whole systems a thread, a row a lane; rows of one length", parameters<lanes>),
    on_gpu("batch_csr", Format::csr, "gpu/batch_csr.hpp",
           "batch: a block a system, a group of lanes a row",
           parameters<block, subwarp, unroll, shared_x>),
    on_gpu("batch_coo", Format::coo, "gpu/batch_coo.hpp",
           "batch: a block a system, equally many entries a warp; uneven rows",
           parameters<coo_block, entries, shared_x>),
    on_gpu("batch_ell", Format::ell, "gpu/batch_ell.hpp",
           "batch: a block a system, neighbouring threads neighbouring rows; rows of "
           "one length",
           parameters<block, groups, unroll, shared_x>)};

}  // namespace

extern constexpr Family batch_family{.kernels = kernels};

std::int64_t batch_shared_bytes(const Signature& s) {
    const auto value = static_cast<std::int64_t>(size_of(accumulator_type(s)));
    const std::int64_t threads = given(s, "block");
    std::int64_t bytes = given(s, "shared_x") * static_cast<std::int64_t>(size_of(s.value));
    if (s.kernel == "batch_coo")  // products and heads; of each warp two sums and two rows
        bytes += threads * ((given(s, "entries") + 1) * value + 4) +
                 threads / s.target.wavefront * (2 * value + 16);
    if (s.kernel == "batch_ell" && given(s, "groups") > 1) bytes += threads * value;
    return bytes;
}

void check_batch(const Signature& s) {
    if (s.num_rhs != 1)
        throw Error(ErrorCode::invalid_argument,
                    "kernel " + s.kernel + " has one right-hand side for each system, not " +
                        std::to_string(s.num_rhs) + ": give the system several times");
    if (const std::int64_t bytes = batch_shared_bytes(s); bytes > most_batch_shared)
        throw Error(
            ErrorCode::invalid_argument,
            "kernel " + s.kernel + " with shared_x=" + std::to_string(given(s, "shared_x")) +
                " takes " + std::to_string(bytes) + " bytes of shared memory, more than the " +
                std::to_string(most_batch_shared) + " that every GPU has: use a smaller shared_x");
}

}  // namespace spmvgen
