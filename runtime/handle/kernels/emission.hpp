#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "spmvgen/kernel.hpp"
#include "spmvgen/matrix.hpp"
#include "spmvgen/signature.hpp"

/// Kernels that are named instead of chosen for a matrix, and the forms in which they are given
/// away.
namespace spmvgen {

/// A form in which a kernel is given away, by its name.
struct KernelForm {
    std::string_view name;           ///< "source", "ptx"
    std::optional<BinaryKind> kind;  ///< nothing = the source text
    bool cpu, nvidia, amd;           ///< which targets have it
    bool text;                       ///< whether people read it
};

/// The form `name` for `target`. Throws Error(invalid_argument) that lists the forms there are.
const KernelForm& kernel_form(std::string_view name, const Target& target);

/// What the kernel `id` with these parameters multiplies with; Op::none for "auto".
Op op_of_kernel(const std::string& id, const Params& params);

/// `wanted` with the kernel `kernel` or, where that is "auto", the first of `format` that takes its
/// parameters, and complete. Throws Error(invalid_argument) that says why there is none.
Signature named_signature(const std::string& format, const std::string& kernel, Signature wanted);

}  // namespace spmvgen
