#include "emit/emit_list.hpp"

#include <fmt/format.h>

#include "registry.hpp"

namespace spmvgen::cli {
std::string kernel_list() {
    std::string text = "Kernels (--kernel ID, or --format F for the first of a format):\n";
    for (auto& kernel : kernel_registry()) {
        text += fmt::format("  {} (for {}, format {})\n      {}\n", kernel.id,
                            kernel.gpu ? "GPUs" : "CPUs", to_string(kernel.format), kernel.summary);
        for (auto& p : kernel.params)
            text += fmt::format("      --param {}={{{}}}, default {}: {}\n", p.name.view(),
                                values_text(p), preset_text(p), p.summary);
    }
    text += "Architectures (--arch A, or A:tune=CPU; native = this machine's):\n";
    for (auto& arch : architectures())
        text += fmt::format("  {:<10} {}\n", arch.name, arch.summary);
    return text;
}

Json kernel_list_json() {
    Json kernels = Json::array(), archs = Json::array();
    for (auto& kernel : kernel_registry()) {
        Json params = Json::array();
        for (auto& p : kernel.params) {
            const bool fitted = is_fitted(p);
            params.push_back({{"name", p.name.view()},
                              {"allowed", p.allowed},
                              {"range", p.range},
                              {"default", fitted ? Json() : Json(p.preset)},
                              {"summary", p.summary}});
        }
        kernels.push_back({{"id", kernel.id},
                           {"format", to_string(kernel.format)},
                           {"gpu", kernel.gpu},
                           {"summary", kernel.summary},
                           {"params", params}});
    }
    for (auto& arch : architectures())
        archs.push_back({{"name", arch.name},
                         {"triple", arch.triple},
                         {"vector_bytes", arch.vector_bytes},
                         {"summary", arch.summary}});
    return {{"kernels", kernels}, {"architectures", archs}};
}

}  // namespace spmvgen::cli
