#pragma once
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {

/// All parts of Info::prepare_ms.
inline double parts_ms(const Info& info) {
    return info.analysis_ms + info.choice_ms + info.kernel_ms + info.reorder_ms + info.convert_ms +
           info.measure_ms;
}

/// How far they may be from it: a hundredth, and what reading clocks takes, which is much of the
/// two microseconds of a matrix without entries.
inline double parts_tolerance_ms(const Info& info) {
    return 0.01 * info.prepare_ms + 1e-3;
}

}  // namespace spmvgen
