#include "tuner/records/record.hpp"

namespace spmvgen {
namespace {

/// "x86-64" of "x86-64-v4".
std::string family_of(const std::string& arch) {
    return arch.starts_with("x86-64") ? "x86-64" : arch;
}

}  // namespace

RecordDevice record_device(const Target& target, const std::string& gpu_name) {
    const std::string arch = to_string(target);
    if (gpu_name == "SIMT executor") return {gpu_name, arch, simulated_vendor};
    switch (architecture(target).kind) {
        case TargetKind::cuda:
            return {gpu_name, arch, "nvidia"};
        case TargetKind::hip:
            return {gpu_name, arch, "amd"};
        case TargetKind::host:
            break;
    }
    return {arch, arch, family_of(arch)};
}

}  // namespace spmvgen
