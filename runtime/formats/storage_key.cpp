#include "formats/storage_key.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "registry.hpp"

namespace spmvgen {
std::string storage_key(const Signature& s) {
    const KernelEntry& kernel = kernel_entry(s.kernel);
    const FormatEntry& format = format_entry(kernel.format);
    std::string key =
        fmt::format("{} {} {} {} {} {}", to_string(kernel.format), kernel.gpu, s.target.wavefront,
                    to_string(storage_type(s)), to_string(s.index), to_string(s.offset));
    const auto add = [&](const auto& layout) {
        for (auto& name : layout)
            if (const auto found = s.params.find(std::string(name)); found != s.params.end())
                key += fmt::format(" {}={}", name, found->second);
    };
    add(kernel.gpu ? format.gpu_layout : format.cpu_layout);
    add(kernel.layout);
    return key;
}

}  // namespace spmvgen
