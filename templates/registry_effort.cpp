#include "registry_effort.hpp"

#include <bit>
#include <cstdint>

namespace spmvgen {

double compile_effort(const Signature& signature) {
    if (signature.kernel != "strips_cpu" || signature.alpha == Scale::zero) return 1;
    const auto param = [&](const char* name) { return signature.params.at(name); };
    // A loop for each code, another one where slices are ragged, written out for the block's lanes.
    const int codes = std::popcount(static_cast<std::uint64_t>(param("codes")));
    const auto block = param("block_rows") * param("block_cols");
    const double loop = block == 1 ? 0.8 : 1.5;
    return 1 + loop * codes * (param("ragged") == 1 ? 1.0 : 0.5);
}

}  // namespace spmvgen
