#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "short_list.hpp"
#include "spmvgen/kernel.hpp"
#include "spmvgen/signature.hpp"

/// The kernel registry: every template, what it may be specialised with, and how it is launched.
/// Constants only; both the runtime (to choose) and the generator (to bind) read them. How to add
/// a kernel: docs/how-to/add-a-kernel.md.
namespace spmvgen {

/// One parameter of a template beyond those that every kernel has (Value, Vector, Storage, Index,
/// Offset, alpha_mode, beta_mode, num_rhs, has_epilogue). Bound by name to the template parameter
/// of that name.
struct Parameter {
    ParamName name;
    std::span<const std::int64_t> allowed;  ///< the legal values, ascending
    std::int64_t preset;  ///< value when nobody chooses; for "lanes" 0 = fitted to the vector width
    std::string_view summary;
    bool within_wavefront = false;  ///< values beyond the target's wavefront are refused
    bool launch_only = false;       ///< decides the launch; the template does not have it
    bool range = false;             ///< any value from the first to the last of `allowed` is legal
    bool of_matrix = false;         ///< what the matrix holds decides it: searches leave it alone
};

/// Parameter::allowed: allowed<1, 2, 4>.
template <std::int64_t... values>
inline constexpr std::array<std::int64_t, sizeof...(values)> allowed{values...};

/// KernelEntry::params, of constants.
template <const Parameter&... of_kernel>
inline constexpr std::array<Parameter, sizeof...(of_kernel)> parameters{of_kernel...};

/// A function template of the kernel's file and when it runs. GPU steps say how they are launched,
/// from a complete signature; a step whose `wanted` says no is left out.
struct StepTemplate {
    std::string_view function;
    StepRule rule;
    GridRule (*grid)(const Signature&) = nullptr;
    int (*block)(const Signature&) = nullptr;
    bool (*wanted)(const Signature&) = nullptr;
    /// The function's __shared__ array that becomes dynamic shared memory on NVIDIA's GPUs, which
    /// give a block no more than 48 KiB otherwise, and its bytes; 0 = it stays as it is.
    std::string_view dynamic_array = {};
    std::int64_t (*dynamic_bytes)(const Signature&) = nullptr;
    /// Blocks that registers leave room for on a multiprocessor of NVIDIA's at least, the second of
    /// `__launch_bounds__`; 0, and without it: the compiler decides.
    std::int64_t (*resident_blocks)(const Signature&) = nullptr;
    /// Whether the function waits itself for the launches ahead (dialect/gpu.hpp) where the target
    /// can overlap launches.
    bool overlaps = false;
    /// Whether it loads entries' places before it waits, with one right-hand side and where lanes
    /// share entries. No argument is then `__restrict__`: compilers would take the arrays for
    /// unchanging, and move the loads behind the wait.
    bool loads_ahead = false;
    /// Of a step that the generator adds behind this one: one block that joins what its blocks have
    /// of an epilogue's reductions.
    bool joins = false;
};

/// What an argument of a step is: a scalar, or the elements of an array.
enum class Element {
    count,   ///< a scalar, a whole number: long, or int where it is known to fit
    number,  ///< a scalar of the type of x and y: α, β
    vector,  ///< elements of the type of x and y
    storage,
    index,
    offset,
    u8,
    u16,
    u32,
    i32,
    i64,
    u64,
};

/// An argument of a kernel's steps: an array or a scalar of the stored matrix, or an operand. Those
/// of all kernels stand in templates/arguments.cpp, those of a format's arrays with the format, the
/// others with the kernel. Workspaces are apart.
struct ArgumentTemplate {
    std::string_view name;
    Element element;
    std::string_view extent;    ///< of an array, in elements: "[num_rows + 1]"
    std::string_view sentence;  ///< what it is, for people
    /// Whether a launch ahead may still write it when the kernel has begun.
    bool may_change = false;
    /// Where the signature decides it: what follows the name in an emitted file, in place of extent
    /// and sentence. Of a scalar that only grids are made of, how it comes from the others.
    std::string (*described)(const ArgumentTemplate&, const Signature&) = nullptr;
};

/// Workspace: `elements` (times num_rhs when per_rhs) elements of type "value", which is that of
/// the sums, or "int64" for each thread; of a GPU kernel for each block of `of_step`, times
/// per_block(signature) when that is given, or once for a launch, times per_launch(signature), when
/// that is given. Left out with the steps that alone would use it.
struct WorkspaceTemplate {
    std::string_view name;
    std::string_view element;
    int elements;
    bool per_rhs;
    std::string_view of_step = {};
    std::int64_t (*per_block)(const Signature&) = nullptr;
    std::int64_t (*per_launch)(const Signature&) = nullptr;
    bool zeroed = false;      ///< holds zeros when an apply begins; the kernel leaves zeros behind
    bool may_change = false;  ///< as of ArgumentTemplate
};

using Steps = ShortList<StepTemplate, 16>;
using Workspaces = ShortList<WorkspaceTemplate, 4>;

/// Whether two applies with the same operands give the same bits.
enum class Determinism {
    always,
    by_parameter,  ///< when its parameter "deterministic" is 1; sums are else added atomically
    never,         ///< sums are added atomically
};

struct KernelEntry {
    std::string_view id;  ///< "csr_vector"
    Format format;
    bool gpu = false;          ///< whether it is a GPU's kernel, NVIDIA's and AMD's, or a CPU's
    bool batch = false;        ///< multiplies many systems in one launch: for a BatchHandle only
    std::string_view file;     ///< below templates/: "cpu/csr_vector.hpp"
    std::string_view summary;  ///< one line: what it is good for
    std::span<const Parameter> params;
    Steps steps;
    Workspaces workspace;
    /// Of its own, beside what all kernels have and those of its format.
    std::span<const ArgumentTemplate> arguments = {};
    /// Parameters that decide arrays of its own, beside those of its format's layout.
    ShortList<std::string_view, 8> layout = {};
    Determinism determinism = Determinism::always;
    /// Computes y = αAᵀx + βy: x has a row for each row of A and y one for each column; with its
    /// parameter "conjugate" 1, y = αAᴴx + βy.
    bool transposes = false;
    /// Whether lanes of a row, of which parameter "subwarp" is the number, share entries, for a
    /// signature with these parameters; null = never.
    bool (*shares_entries)(const Signature&) = nullptr;
    /// Whether several vectors may lie in any form, for which it takes ld_x and ld_y.
    bool takes_forms = false;
    /// Whether it is of use with several vectors only: for one it runs when it is named.
    bool of_several = false;
    /// Whether it multiplies CSR as it comes, without a look at the rows: what stands for plain CSR
    /// in comparisons, and serves while others are made. One kernel of CPUs, and one of GPUs.
    bool plain = false;
    /// The helper kernel that takes its place where the rows of y are listed; "" = there is none.
    std::string_view listed = {};
    /// Whether, for a complete signature, its array row_order says which row of y each of its rows
    /// is; null = never.
    bool (*orders_rows)(const Signature&) = nullptr;
    /// Parameters with which it takes rows in any order, for it looks up where each one's y is. The
    /// first kernel that can is tried first, and others where it would take too much memory.
    ShortList<std::pair<std::string_view, std::int64_t>, 2> any_order = {};
    /// What is computed where it is no product with A: "P x" of a permutation.
    std::string_view product = "A x";
    bool scales = true;  ///< whether it has α and β; those that only move vectors have not
    /// How many times as long as a plain kernel (csr_vector, csr_classical) it takes to emit and
    /// compile it for a complete signature with a product, about; null = 1. docs/performance.md has
    /// measured times.
    double (*effort)(const Signature&) = nullptr;
    /// Of a kernel for some signatures only: why it is not for this one, which is complete
    /// otherwise; "" = it is. Such a kernel runs when it is named, and is never chosen.
    std::string (*refuses)(const Signature&) = nullptr;
    /// Throws Error(invalid_argument) for a signature, complete otherwise, whose parameters do not
    /// go together.
    void (*check)(const Signature&) = nullptr;
};

/// A storage format: what the kernels that read it have in common. How a matrix is stored in it is
/// the runtime's (runtime/formats/).
struct FormatEntry {
    Format format;
    /// The kernels' parameters that decide the layout, on a CPU and on a GPU.
    ShortList<std::string_view, 16> cpu_layout = {}, gpu_layout = {};
    std::span<const ArgumentTemplate> arguments = {};  ///< its arrays and scalars
};

/// Whether it multiplies one matrix, not transposed: what a Handle can be asked for.
inline bool is_single_product(const KernelEntry& entry) {
    return !entry.batch && !entry.transposes;
}

/// Whether it does so for every signature: what a Handle chooses from by itself.
inline bool is_plain_product(const KernelEntry& entry) {
    return is_single_product(entry) && entry.refuses == nullptr;
}

/// Whether the same thread stores a row in every product. Kernels that count in memory which block
/// comes first do not say which.
bool has_fixed_rows(const KernelEntry& entry);

/// Whether the step overlaps launches on the signature's target.
bool overlaps_launches(const StepTemplate& step, const Signature& signature);

std::span<const KernelEntry> kernel_registry();

/// All formats, in the order in which they are listed.
std::span<const FormatEntry> format_registry();

/// The entry; throws Error(internal) for a format that is none of the registry's.
const FormatEntry& format_entry(Format format);

/// What is known of the kernel's argument of that name, workspaces left out; null = nothing.
const ArgumentTemplate* find_argument(const KernelEntry& entry, std::string_view name);

/// The same; throws Error(internal) that says where it is missing.
const ArgumentTemplate& argument_of(const KernelEntry& entry, std::string_view name);

/// Whether launches ahead may still write the kernel's argument or workspace of that name.
bool may_change(const KernelEntry& entry, std::string_view name);

/// The entry; throws Error(invalid_argument) that lists the ids.
const KernelEntry& kernel_entry(std::string_view id);

/// The plain kernel of CPUs or of GPUs, and the one that transposes.
const KernelEntry& plain_kernel(bool gpu);
const KernelEntry& transposing_kernel(bool gpu);

/// The entry's effort for a complete signature.
double compile_effort(const Signature& signature);

/// Right-hand sides that one thread of a GPU kernel works on at a time, with sums of at most 32
/// bytes. The lanes that share an entry have signature.num_rhs together, the last of them fewer than
/// others or none. Where they do not, as many as divide it evenly. The template's `rhs_group`.
int rhs_group(const Signature& signature);

/// How many of these one instruction moves where x and y begin at a multiple of 16 bytes. The
/// dialect's `chunk`.
int rhs_of_a_load(const Signature& signature);
/// Neighbouring lanes of a GPU kernel that share an entry, each with such a group; 1 for kernels
/// whose lanes do not. As many as move 16 bytes each of a row of x at once, or what divides the row,
/// at most a line of 128 bytes (two, where its subwarp has 16 lanes), and no more than its subwarp
/// has. The template's `rhs_lanes`.
int rhs_lanes(const Signature& signature);

/// Whether the preset is fitted to the vector width: that of "lanes".
bool is_fitted(const Parameter& parameter);

/// Its values and its preset, for lists: "1,2,4" or "1..64", "4" or "fitted to the vector width".
std::string values_text(const Parameter& parameter);
std::string preset_text(const Parameter& parameter);

/// Whether the parameter may have that value.
bool allows(const Parameter& parameter, std::int64_t value);

/// Fills in absent parameters (presets; lanes from the target's vector width and the type of the
/// sums; "deterministic" is 1 where sums are wider than y), drops target.device_memory where it does
/// not change the code, and checks all: unknown kernel, unknown
/// parameter, illegal value, num_rhs outside 1…64, wrong kind of target, storage type that is not
/// narrower than the value type, accumulator that is not wider or that a kernel would add to y
/// atomically, and what check_batch and the entry itself refuse. Throws Error(invalid_argument)
/// that names the field, the value and what is allowed.
Signature complete(Signature signature);

/// Hex SHA-256 of everything that decides what a signature becomes: all templates and the
/// generator's own sources.
std::string_view generator_digest();

}  // namespace spmvgen
