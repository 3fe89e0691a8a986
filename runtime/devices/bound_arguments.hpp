#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "devices/operands.hpp"
#include "formats/stored_matrix.hpp"
#include "registry.hpp"
#include "spmvgen/epilogue.hpp"
#include "spmvgen/kernel.hpp"
#include "spmvgen/types.hpp"

namespace spmvgen {

/// The arguments of all steps of a kernel, the arrays and scalars of one matrix put to them by
/// name; what an apply brings is filled in at each apply. Safe for any number of threads. The
/// matrix's arrays must outlive it.
class BoundArguments {
  public:
    static constexpr std::size_t most_arguments = 96;  ///< of all steps together
    static constexpr std::size_t most_workspaces = 8;

    /// All steps' arguments, one step after another: what a launch wants pointers to.
    using Filled = std::array<void*, most_arguments>;
    /// Where each workspace begins; read while a launch is made.
    using Workspaces = std::array<std::byte*, most_workspaces>;

    /// Throws Error(internal), naming kernel and argument, when the kernel wants an argument that
    /// the matrix does not have, or an array of other elements than the registry says
    /// (argument_of). The arrays of `matrix` may be device pointers.
    BoundArguments(const Signature& signature, const LaunchDescription& launch,
                   const StoredMatrix& matrix);
    BoundArguments(const BoundArguments&) = delete;
    BoundArguments& operator=(const BoundArguments&) = delete;

    /// Puts another array in the place of the one of that name; arguments that do not exist are
    /// left out. No fill() may run at the same time.
    void replace_array(std::string_view name, const void* array);

    /// Neither allocates nor throws. `filled` points to `operands` and `workspaces` afterwards.
    void fill(const Operands& operands, const Workspaces& workspaces,
              Filled& filled) const noexcept;

    /// Steps' arguments begin at filled[first(step)].
    std::size_t first(std::size_t step) const { return first_[step]; }

  private:
    /// What an apply puts into an argument: an operand, one of the epilogue's counted from `named`,
    /// or a workspace counted from `workspace`.
    enum Source {
        alpha,
        beta,
        ld_x,
        ld_y,
        alpha_at,
        beta_at,
        x,
        y,
        named,
        workspace = named + most_operands
    };
    struct Patch {
        std::size_t argument;
        int source;
    };
    struct Binder;

    std::vector<void*> arguments_;  ///< of all steps, one after another; null where patched
    std::vector<std::size_t> first_;
    std::vector<Patch> patches_;
    struct Array {
        const void* data;
        std::string name;
    };
    std::deque<Array> arrays_;  ///< what arguments_ points to; elements never move
    std::deque<std::int32_t> scalars32_;
    std::deque<std::int64_t> scalars64_;
};

/// An argument's type as an emitted text spells it: "const int* __restrict__" is a pointer to
/// constant "int".
struct ArgumentType {
    bool pointer = false;
    bool constant = false;
    std::string element;
};

ArgumentType parse_argument_type(std::string_view text);

/// The integer type that `element` spells on this machine: "int", "long", "std::int64_t", ….
std::optional<IndexType> integer_type(std::string_view element);

/// Whether `element` spells `type`: "float", "double", or the dialect's "complex_f32",
/// "complex_f64", "f16", "bf16".
bool spells(std::string_view element, ValueType type);

/// Whether `element` spells what the elements of an array are for the signature; no for scalars.
bool spells(std::string_view element, Element kind, const Signature& signature);

}  // namespace spmvgen
