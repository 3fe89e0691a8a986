#include "handle/kernels/compile_times.hpp"

namespace spmvgen {

void CompileTimes::add(double ms) {
    const std::lock_guard lock(mutex_);
    if (!first_ms_) {
        first_ms_ = ms;
        return;
    }
    ++others_;
    others_ms_ += ms;
}

std::optional<double> CompileTimes::mean_ms() const {
    const std::lock_guard lock(mutex_);
    return others_ > 0 ? others_ms_ / others_ : first_ms_;
}

}  // namespace spmvgen
