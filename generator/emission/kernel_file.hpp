#pragma once
#include <string>
#include <vector>

#include "registry.hpp"
#include "specializer/specialize.hpp"
#include "spmvgen/kernel.hpp"

namespace spmvgen {

/// What an emitted file is put together from.
struct KernelFile {
    Signature signature;
    const KernelEntry& entry;
    std::string command;
    specializer::Specialized specialized;
    LaunchDescription launch;
};

/// Whether a step's parameter of that name is its share, which the caller of the share supplies.
bool is_share(const std::string& name);

/// How the kernel is run: what each step takes but for its share, and the workspace in use.
LaunchDescription launch_description(const Signature& signature, const KernelEntry& entry,
                                     const std::vector<specializer::FunctionSignature>& functions);

/// The whole file but for its format: header, helpers and steps, the entry of each step, and the
/// OpenMP driver.
std::string kernel_file(const KernelFile& file);

/// `spmvgen emit --kernel csr_rows --arch x86-64-v4 …`: what makes this signature's file again.
std::string canonical_command(const Signature& signature);

}  // namespace spmvgen
