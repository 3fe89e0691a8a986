#pragma once
#include <string>
#include <vector>

#include "registry.hpp"
#include "specializer/specialize.hpp"
#include "spmvgen/signature.hpp"

namespace spmvgen {

/// What the specialiser adds to a kernel whose epilogue has operands: they are handed to it
/// (pass_variables), and where it has sums or maxima, each step that finds parts of them joins
/// these, of a CPU's kernel in one step more.
void add_operands(specializer::TemplateUse& use, std::vector<StepTemplate>& steps,
                  const Signature& signature, bool gpu);

/// The memory that joining parts takes within an apply.
void add_reduction_workspaces(LaunchDescription& launch, const Signature& signature, bool gpu);

/// What an emitted file says of an argument that operands brought: an operand, or such memory; "" =
/// it is none.
std::string operand_text(const Signature& signature, const LaunchDescription& launch,
                         const std::string& argument);

}  // namespace spmvgen
