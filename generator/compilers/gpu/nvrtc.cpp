#include "compilers/gpu/nvrtc.hpp"

#include <algorithm>
#include <cstdlib>

#include "compilers/gpu/rtc.hpp"
#include "compilers/gpu/wheels.hpp"
#include "compilers/guarded.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

struct Nvrtc {
    DynamicLibrary library{"NVRTC", nvrtc_library_names()};
    RtcLibrary rtc{library, "nvrtc"};
    std::vector<std::string> architectures;

    Nvrtc() {
        int count = 0;
        library.function<int(int*)>("nvrtcGetNumSupportedArchs")(&count);
        std::vector<int> numbers(static_cast<std::size_t>(count));
        library.function<int(int*)>("nvrtcGetSupportedArchs")(numbers.data());
        for (int number : numbers) architectures.push_back("sm_" + std::to_string(number));
    }
};

/// Loaded once; where it is not found, the next call looks again.
const Nvrtc& nvrtc() {
    static const Nvrtc nvrtc;
    return nvrtc;
}

}  // namespace

std::vector<std::string> nvrtc_library_names() {
    const char* chosen = ::secure_getenv("SPMVGEN_NVRTC");
    if (chosen != nullptr && *chosen != '\0') return {chosen};
    std::vector<std::string> folders = folders_beside_loaded_libraries();
    folders.insert(folders.end(), {"", "/usr/local/cuda/lib64"});
    std::vector<std::string> names;
    for (auto& folder : folders)
        for (const char* soname : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"})
            names.push_back(folder.empty() ? soname : folder + "/" + soname);
    return names;
}

GpuCompilerInfo nvrtc_info() {
    const Nvrtc& found = nvrtc();
    return {"", found.library.path(), "NVRTC " + found.rtc.version(), found.architectures};
}

std::vector<std::string> nvrtc_options(const GpuJob& job) {
    const std::string& arch = job.target.arch;
    const std::string code = job.output == BinaryKind::ptx ? "compute_" + arch.substr(3) : arch;
    return {"--gpu-architecture=" + code, "--std=c++17", "--fmad=true"};
}

std::string compile_nvrtc(const GpuJob& job) {
    const Nvrtc& found = nvrtc();
    const std::string arch = job.target.arch;
    if (std::ranges::find(found.architectures, arch) == found.architectures.end())
        throw Error(ErrorCode::unsupported, "NVRTC " + found.rtc.version() + " (" +
                                                found.library.path() + ") does not know " + arch);
    const bool ptx = job.output == BinaryKind::ptx;
    std::string bytes = run_guarded("NVRTC", [&rtc = found.rtc, job, ptx] {
        return rtc.compile("NVRTC", job.source, nvrtc_options(job), ptx ? "PTX" : "CUBIN");
    });
    if (ptx) bytes.resize(bytes.find_last_not_of('\0') + 1);  // the size counts the end of string
    return bytes;
}

}  // namespace spmvgen
