#pragma once
#include <string>
#include <vector>

namespace spmvgen {

/// Folders of NVIDIA's libraries that the system's loader does not know, seen from the libraries
/// that this process has loaded, without repetition: NVIDIA's wheels beside a package of Python
/// that is loaded (…/site-packages/nvidia/cu13/lib, …/nvidia/cuda_nvrtc/lib), then those in which a
/// library of CUDA itself is (conda's lib).
std::vector<std::string> folders_beside_loaded_libraries();

}  // namespace spmvgen
