#include "formats/storage_key.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "formats/layout.hpp"
#include "registry.hpp"

namespace spmvgen {
namespace {

using Names = std::vector<std::string_view>;

/// The parameters that the formats' conversions read.
Names layout_parameters(Format format, bool gpu) {
    switch (format) {
        case Format::csr:
        case Format::coo:
            return {};
        case Format::ell:
            if (gpu) return {"block", "groups", "blocks_per_row", "group"};
            return {"lanes", "unroll"};
        case Format::sell:
            if (gpu) return {"slice", "sigma", "threads_per_row"};
            return {"lanes", "unroll", "sigma"};
        case Format::hyb:
            return {"partition", "percent", "columns", "block"};
        case Format::csr_k:
            return {"k", "srs", "ssrs"};
        case Format::bcsr:
            return {"block_rows", "block_cols"};
        case Format::strips:
            return {"slice",      "lanes",      "threads_per_row", "sigma", "block_rows",
                    "block_cols", "codes",      "ragged",          "fill",  "long_rows",
                    "long_from",  "value_code", "any_order",       "period"};
        case Format::tiles:
            return {"items", "run", "block", "gaps", "value_code", "hubs", "warm"};
    }
    return {};
}

}  // namespace

std::string storage_key(const Signature& s) {
    const Format format = kernel_entry(s.kernel).format;
    const bool gpu = is_gpu(s);
    std::string key =
        fmt::format("{} {} {} {} {} {}", to_string(format), gpu, s.target.wavefront,
                    to_string(storage_type(s)), to_string(s.index), to_string(s.offset));
    for (auto& name : layout_parameters(format, gpu))
        key += fmt::format(" {}={}", name, param(s, name, -1));
    // The kernels of CSR with arrays of their own.
    if (s.kernel == "csr_load_balance") key += fmt::format(" entries={}", param(s, "entries"));
    if (s.kernel == "csr_by_length")
        for (auto& name : {"block", "subwarp", "most_short", "most_middle", "share"})
            key += fmt::format(" {}={}", name, param(s, name));
    return key;
}

}  // namespace spmvgen
