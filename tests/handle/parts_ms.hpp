#pragma once
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {

/// All parts of Info::prepare_ms.
inline double parts_ms(const Info& info) {
    return info.analysis_ms + info.choice_ms + info.kernel_ms + info.reorder_ms + info.convert_ms +
           info.measure_ms;
}

}  // namespace spmvgen
