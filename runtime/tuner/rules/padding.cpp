#include "tuner/rules/padding.hpp"

#include <algorithm>

#include "registry.hpp"

namespace spmvgen {

double padding_of(const RowFeatures& f, const Signature& s) {
    const Format format = kernel_entry(s.kernel).format;
    if (format == Format::ell) return std::max(f.ell_padding, 1.0);
    if (format != Format::sell) return 1;
    const auto sigma = s.params.find("sigma");
    const bool sorted = sigma != s.params.end() && sigma->second > 1;
    return std::max((sorted ? f.sell_sorted_padding : f.sell_padding).back(), 1.0);
}

}  // namespace spmvgen
