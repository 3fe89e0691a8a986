#include "handle/needs_rows_only.hpp"

#include "formats/format_storage.hpp"
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
    const auto rows_suffice = storage_of(kernel_entry(options.kernel).format).rows_suffice;
    return rows_suffice != nullptr && rows_suffice(options.kernel, options.params);
}

}  // namespace spmvgen
