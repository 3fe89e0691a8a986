#include "handle/kernels/compile_times.hpp"

#include <algorithm>

namespace spmvgen {

void CompileTimes::add(double ms) {
    const std::lock_guard lock(mutex_);
    if (any_) least_ms_ = std::min(ms, least_ms_.value_or(ms));
    any_ = true;
}

bool CompileTimes::any() const {
    const std::lock_guard lock(mutex_);
    return any_;
}

std::optional<double> CompileTimes::usual_ms() const {
    const std::lock_guard lock(mutex_);
    return least_ms_;
}

}  // namespace spmvgen
