#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "compilers/clang.hpp"
#include "compilers/digest.hpp"
#include "compilers/gpu/gpu_kernel.hpp"
#include "compilers/host.hpp"
#include "compilers/kernel_symbols.hpp"
#include "compilers/linker.hpp"
#include "compilers/preludes/preludes.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// Any machine of the kind runs it: the executor is for finding errors, not for speed.
Target host_target() {
#if defined(__x86_64__)
    return parse_target("x86-64-v2");
#else
    return parse_target("aarch64");
#endif
}

/// In a process under AddressSanitizer the kernel is instrumented, too: it is what sees an access
/// beyond an array.
bool under_address_sanitizer() {
    return dlsym(RTLD_DEFAULT, "__asan_init") != nullptr;
}

std::string with_descriptors(const KernelSource& source) {
    std::string text = std::string(simt_prelude) + source.text + "\n";
    for (auto& step : source.launch.steps)
        text += "SPMVGEN_SIMT_KERNEL(" + step.symbol + "_simt, " + step.symbol + ")\n";
    return text;
}

/// The text with dynamic shared memory of a fixed size: the executor has no limit for that.
std::string with_fixed_shared(std::string text, std::int64_t bytes) {
    constexpr std::string_view declaration = "extern __shared__ ";
    const auto at = text.find(declaration);
    if (at == text.npos || text.find(declaration, at + 1) != text.npos)
        throw Error(ErrorCode::internal, "not one array of dynamic shared memory in the text");
    text.erase(at, declaration.find("__shared__"));
    const auto type = at + std::string_view("__shared__ ").size();
    const std::string name = text.substr(type, text.find(' ', type) - type);
    text.insert(text.find("[]", type) + 1, fmt::format("{} / sizeof({})", bytes, name));
    return text;
}

}  // namespace

KernelBinary compile_simt_kernel(const KernelSource& given) {
    KernelSource source = given;
    for (auto& step : source.launch.steps)
        if (const std::int64_t bytes = std::exchange(step.shared_bytes, 0); bytes > 0)
            source.text = with_fixed_shared(std::move(source.text), bytes);
    const Target target = host_target();
    ClangJob job{host_arguments(target), {source.name + ".cpp", with_descriptors(source)}, {}};
    // Most products of the executor are small: compiling is what takes long, five times as long at
    // -O1.
    std::vector<std::string> options{"-O0", "-DSPMVGEN_SIMT_OWN_MODULE"};
    const bool sanitized = under_address_sanitizer();
    if (sanitized)
        options.insert(options.end(),
                       {"-fsanitize=address", "-fsanitize-address-use-after-return=never"});
    job.arguments.insert(job.arguments.end(), options.begin(), options.end());
    KernelBinary binary{
        .signature = source.signature,
        .kind = BinaryKind::simt,
        .bytes = run_clang(job, ClangOutput::object),
        .launch = source.launch,
        .facts = {},
        .compiler = host_compiler_version(),
        .flags = host_flags(target) + " " + fmt::format("{}", fmt::join(options, " ")),
        .source_digest = hex_sha256(given.text),
        .source = given.text};
    std::vector<std::string> descriptors;
    for (auto& step : source.launch.steps) descriptors.push_back(step.symbol + "_simt");
    if (!sanitized) check_symbols(binary.bytes, source.name, descriptors, {"__tls_get_addr"});
    binary.bytes = link_shared_object(binary.bytes);
    return binary;
}

}  // namespace spmvgen
