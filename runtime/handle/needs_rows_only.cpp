#include "handle/needs_rows_only.hpp"

#include "handle/number_types.hpp"
#include "registry.hpp"

namespace spmvgen {

bool needs_rows_only(const Options& options) {
    const auto is_given = [&](const char* name) { return options.params.contains(name); };
    if (options.level != "rule" || options.expected_applies != 0) return false;
    if (may_encode(options) && !is_given("value_code")) return false;
    const bool has_blocks = is_given("block_rows") && is_given("block_cols");
    if (options.kernel == "strips" || options.format == "strips") return has_blocks;
    if (options.kernel == "auto") return false;
    switch (kernel_entry(options.kernel).format) {
        case Format::bcsr:
            return has_blocks;
        case Format::tiles:
            return options.kernel == "tiles";
        case Format::hyb:
        case Format::strips:
            return false;
        default:
            return true;
    }
}

}  // namespace spmvgen
