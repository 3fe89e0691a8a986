#pragma once
#include <cstdlib>
#include <vector>

#include "registry.hpp"

namespace spmvgen {

inline Signature signature_of(std::string_view kernel) {
    Signature s;
    s.kernel = kernel;
    const KernelEntry& entry = kernel_entry(kernel);
    s.target = parse_target(!entry.gpu                 ? "x86-64-v3"
                            : entry.refuses == nullptr ? "gfx906"
                                                       : "gfx90a");
    return s;
}

/// y = Ax, y = αAx + βy and y = βy; every mode with $SPMVGEN_EVERY_MODE, as the long tests have it.
inline bool is_telling_mode(Scale alpha, Scale beta) {
    if (std::getenv("SPMVGEN_EVERY_MODE") != nullptr) return true;
    return alpha == Scale::one ? beta == Scale::zero : beta == Scale::general;
}

/// Every CPU kernel with every value type and telling mode of α and β for each of the given numbers
/// of right-hand sides, and with each end of each parameter's range.
inline std::vector<Signature> all_signatures(const std::vector<int>& rhs) {
    std::vector<Signature> all;
    for (auto& entry : kernel_registry()) {
        if (entry.gpu) continue;
        for (auto value : {ValueType::f32, ValueType::f64, ValueType::c32, ValueType::c64})
            for (auto alpha : {Scale::zero, Scale::one, Scale::general})
                for (auto beta : {Scale::zero, Scale::one, Scale::general})
                    for (int k : rhs) {
                        if (!is_telling_mode(alpha, beta)) continue;
                        if (entry.batch && k > 1) continue;
                        Signature s = signature_of(entry.id);
                        s.value = value;
                        s.alpha = alpha;
                        s.beta = beta;
                        s.num_rhs = k;
                        all.push_back(s);
                    }
        for (auto& p : entry.params)
            for (auto v : {p.allowed.front(), p.allowed.back()}) {
                Signature s = signature_of(entry.id);
                s.index = s.offset = IndexType::i64;
                s.alpha = s.beta = Scale::general;
                s.params[std::string(p.name)] = v;
                all.push_back(s);
            }
    }
    return all;
}

}  // namespace spmvgen
