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

/// y = Ax, y = αAx + βy and y = βy, of f64 and c64 with one right-hand side; y = αAx + βy of the
/// others. With $SPMVGEN_EVERY_MODE, as the long tests have it, every mode of all.
inline bool is_telling(const Signature& s) {
    if (std::getenv("SPMVGEN_EVERY_MODE") != nullptr) return true;
    if (s.num_rhs > 1 || s.value == ValueType::f32 || s.value == ValueType::c32)
        return s.alpha == Scale::general && s.beta == Scale::general;
    return s.alpha == Scale::one ? s.beta == Scale::zero : s.beta == Scale::general;
}

/// Every CPU kernel with every value type and telling modes of α and β for each of the given
/// numbers of right-hand sides, and with each end of each parameter's range.
inline std::vector<Signature> all_signatures(const std::vector<int>& rhs) {
    std::vector<Signature> all;
    for (auto& entry : kernel_registry()) {
        if (entry.gpu) continue;
        for (auto value : {ValueType::f32, ValueType::f64, ValueType::c32, ValueType::c64})
            for (auto alpha : {Scale::zero, Scale::one, Scale::general})
                for (auto beta : {Scale::zero, Scale::one, Scale::general})
                    for (int k : rhs) {
                        if (entry.batch && k > 1) continue;
                        Signature s = signature_of(entry.id);
                        s.value = value;
                        s.alpha = alpha;
                        s.beta = beta;
                        s.num_rhs = k;
                        if (is_telling(s)) all.push_back(s);
                    }
        for (auto& p : entry.params)
            for (auto v : {p.allowed.front(), p.allowed.back()}) {
                Signature s = signature_of(entry.id);
                s.index = s.offset = IndexType::i64;
                s.alpha = s.beta = Scale::general;
                s.params[p.name] = v;
                all.push_back(s);
            }
    }
    return all;
}

}  // namespace spmvgen
