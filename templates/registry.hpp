#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spmvgen/kernel.hpp"
#include "spmvgen/signature.hpp"

/// The kernel registry: every template, what it may be specialised with, and how it is launched.
/// Data only; both the runtime (to choose) and the generator (to bind) read it. To add a kernel:
/// one template, one entry here, one test row.
namespace spmvgen {

/// One parameter of a template beyond those that every kernel has (Value, Index, Offset,
/// alpha_mode, beta_mode, num_rhs). Bound by name to the template parameter of that name.
struct Parameter {
    std::string_view name;
    std::vector<std::int64_t> allowed;  ///< the legal values, ascending
    std::int64_t preset;  ///< value when nobody chooses; for "lanes" 0 = fitted to the vector width
    std::string_view summary;
};

/// A function template of the kernel's file and when it runs.
struct StepTemplate {
    std::string_view function;
    StepRule rule;
};

/// Workspace: `elements_per_thread` (times num_rhs when per_rhs) elements of type "value" or
/// "int64".
struct WorkspaceTemplate {
    std::string_view name;
    std::string_view element;
    int elements_per_thread;
    bool per_rhs;
};

struct KernelEntry {
    std::string_view id;  ///< "csr_vector"
    Format format;
    TargetKind kind;
    std::string_view file;     ///< below templates/: "cpu/csr_vector.hpp"
    std::string_view summary;  ///< one line: what it is good for
    std::vector<Parameter> params;
    std::vector<StepTemplate> steps;
    std::vector<WorkspaceTemplate> workspace;
};

std::span<const KernelEntry> kernel_registry();

/// The entry; throws Error(invalid_argument) that lists the ids.
const KernelEntry& kernel_entry(std::string_view id);

/// Fills in absent parameters (presets; lanes from the target's vector width and the value type)
/// and checks all: unknown kernel, unknown parameter, illegal value, num_rhs outside 1…64, wrong
/// kind of target. Throws Error(invalid_argument) that names the field, the value and what is
/// allowed.
Signature complete(Signature signature);

/// Hex SHA-256 of everything that decides what a signature becomes: all templates and the
/// generator's own sources.
std::string_view generator_digest();

}  // namespace spmvgen
