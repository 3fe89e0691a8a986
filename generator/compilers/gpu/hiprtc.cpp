#include "compilers/gpu/hiprtc.hpp"

#include <algorithm>
#include <chrono>

#include "compilers/gpu/isolated.hpp"
#include "compilers/gpu/rtc.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

constexpr std::chrono::seconds time_limit{60};

std::vector<std::string> in_folders(const std::vector<std::string>& sonames) {
    std::vector<std::string> names;
    for (const char* folder : {"", "/opt/rocm/lib/"})
        for (auto& soname : sonames) names.push_back(folder + soname);
    return names;
}

/// Made in the child process only.
struct Hiprtc {
    DynamicLibrary library{"hiprtc", in_folders({"libhiprtc.so.7", "libhiprtc.so.6",
                                                 "libhiprtc.so.5", "libamdhip64.so.5"})};
    DynamicLibrary comgr{"comgr", in_folders({"libamd_comgr.so.3", "libamd_comgr.so.2"})};
    RtcLibrary rtc{library, "hiprtc"};

    std::string version() const {
        std::size_t major = 0;
        std::size_t minor = 0;
        comgr.function<void(std::size_t*, std::size_t*)>("amd_comgr_get_version")(&major, &minor);
        return "hiprtc " + rtc.version() + ", comgr " + std::to_string(major) + "." +
               std::to_string(minor);
    }

    /// From names such as "amdgcn-amd-amdhsa--gfx90a".
    std::vector<std::string> architectures() const {
        std::size_t count = 0;
        comgr.function<int(std::size_t*)>("amd_comgr_get_isa_count")(&count);
        auto* isa_name = comgr.function<int(std::size_t, const char**)>("amd_comgr_get_isa_name");
        std::vector<std::string> names;
        for (std::size_t i = 0; i < count; ++i) {
            const char* name = nullptr;
            if (isa_name(i, &name) != 0 || name == nullptr) continue;
            const std::string text(name);
            names.push_back(text.substr(text.rfind('-') + 1));
        }
        return names;
    }
};

std::string compile_in_child(const GpuJob& job) {
    const Hiprtc found;
    // hiprtc aborts on an architecture that it does not know.
    const auto known = found.architectures();
    if (std::ranges::find(known, job.target.arch) == known.end())
        throw Error(ErrorCode::unsupported, found.version() + " (" + found.library.path() +
                                                ") does not know " + job.target.arch);
    // Some versions compile under a random path in /tmp; diagnostics shall name the file of the
    // job.
    const VirtualFile source{job.source.name,
                             "#line 1 \"" + job.source.name + "\"\n" + job.source.text};
    return found.rtc.compile("hiprtc", source, hiprtc_options(job), "Code");
}

}  // namespace

std::vector<std::string> hiprtc_options(const GpuJob& job) {
    std::vector<std::string> options{"--gpu-architecture=" + target_id(job.target), "-O3",
                                     "-std=c++17", "-ffp-contract=fast"};
    if (architecture(job.target).gpu.wavefronts[1] != 0)
        options.push_back(job.target.wavefront == 64 ? "-mwavefrontsize64"
                                                     : "-mno-wavefrontsize64");
    if (job.native_atomics) options.emplace_back("-munsafe-fp-atomics");
    return options;
}

GpuCompilerInfo hiprtc_info() {
    const std::string lines = run_isolated("hiprtc", time_limit, [] {
        const Hiprtc found;
        std::string text = found.library.path() + "\n" + found.version() + "\n";
        for (auto& name : found.architectures()) text += name + "\n";
        return text;
    });
    std::vector<std::string> parts;
    for (std::size_t begin = 0, end; (end = lines.find('\n', begin)) != std::string::npos;
         begin = end + 1)
        parts.push_back(lines.substr(begin, end - begin));
    return {"", parts.at(0), parts.at(1), {parts.begin() + 2, parts.end()}};
}

std::string compile_hiprtc(const GpuJob& job) {
    return run_isolated("hiprtc", time_limit, [&] { return compile_in_child(job); });
}

}  // namespace spmvgen
