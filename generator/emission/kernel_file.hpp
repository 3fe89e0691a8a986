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
    std::vector<StepTemplate> steps;  ///< those of the entry's that the signature wants
    std::string command;
    specializer::Specialized specialized;
    LaunchDescription launch;
};

/// Whether a step's parameter of that name is its share, which the caller of the share supplies.
bool is_share(const std::string& name);

/// How the kernel is run: what each step takes but for its share, and the workspace in use.
LaunchDescription launch_description(const KernelFile& file);

/// The comment that the file begins with: what it computes, the template's title, source, format
/// and what is read, and the command that makes it again. At most 15 lines.
std::string kernel_file_head(const KernelFile& file);

/// The whole file but for its format: head, helpers and steps; of a CPU kernel the entry of each
/// step and the OpenMP driver, of a GPU kernel the steps as __global__ functions.
std::string kernel_file(const KernelFile& file);

/// What comes after the header: of a CPU kernel, of a GPU kernel.
std::string cpu_text(const KernelFile& file);
std::string gpu_text(const KernelFile& file);

/// The host function that launches the steps, for nvcc and hipcc; in the text behind #ifdef
/// SPMVGEN_LAUNCHER.
std::string gpu_launcher(const KernelFile& file);

/// "alpha A x + beta y", with what the signature leaves of it; "A^T x", "A^H x" of kernels that
/// transpose.
std::string product_text(const Signature& signature);

/// `spmvgen emit --kernel csr_rows --arch x86-64-v4 …`: what makes this signature's file again.
std::string canonical_command(const Signature& signature);

}  // namespace spmvgen
