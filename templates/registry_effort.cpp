#include "registry_effort.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "spmvgen/target.hpp"

namespace spmvgen {
namespace {

/// How many loops over whole strips a kernel has: one for lanes side by side and one for each other
/// code, or for all of these where x is gathered; each twice where blocks have zeros of fill.
int strip_loops(const Signature& signature) {
    const auto param = [&](const char* name) { return signature.params.at(name); };
    const auto codes = static_cast<std::uint64_t>(param("codes"));
    const int others = std::popcount(codes & ~1UL);
    const bool gathers = has_fast_gathers(signature.target) && signature.num_rhs == 1;
    const int loops = static_cast<int>(codes & 1) + (gathers ? std::min(others, 1) : others);
    const bool has_zeros = param("fill") == 1 && param("value_code") < 2;
    return has_zeros && param("block_rows") * param("block_cols") > 1 ? 2 * loops : loops;
}

}  // namespace

double compile_effort(const Signature& signature) {
    if (signature.kernel != "strips_cpu" || signature.alpha == Scale::zero) return 1;
    const auto param = [&](const char* name) { return signature.params.at(name); };
    const double loop = param("block_rows") * param("block_cols") == 1 ? 0.3 : 0.45;
    return 0.9 + loop * strip_loops(signature) + (param("ragged") == 1 ? 0.25 : 0) +
           (param("long_rows") == 1 ? 0.75 : 0) + (param("value_code") == 3 ? 0.3 : 0);
}

}  // namespace spmvgen
