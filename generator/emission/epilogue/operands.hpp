#pragma once
#include <string>
#include <vector>

#include "registry.hpp"
#include "specializer/specialize.hpp"

namespace spmvgen {

/// What the specialiser does for an epilogue with operands: hands them to where they are used, and
/// joins parts of sums and maxima (reductions.hpp).
void add_operands(specializer::TemplateUse& use, const Signature& signature, bool gpu);

/// Puts the steps that this has added, which come last in `specialized`, among the others.
void place_added_steps(std::vector<StepTemplate>& steps, specializer::Specialized& specialized,
                       bool gpu);

/// The memory that joining parts takes within an apply.
void add_reduction_workspaces(LaunchDescription& launch, const Signature& signature, bool gpu);

/// What an emitted file says of an argument that operands brought: an operand, or such memory; "" =
/// it is none.
std::string operand_text(const Signature& signature, const LaunchDescription& launch,
                         const std::string& argument);

}  // namespace spmvgen
