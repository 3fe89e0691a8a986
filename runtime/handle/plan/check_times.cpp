#include "handle/plan/check_times.hpp"

#include <algorithm>

namespace spmvgen {
namespace {

/// Bytes of fresh memory that one thread writes in a second, and bytes of a matrix that are read.
constexpr double written_bytes_per_s = 1e9, read_bytes_per_s = 5e9;
/// Of a product, its check and the timing. Beside programs that keep the cores busy each takes
/// milliseconds, whatever it does.
constexpr double regions = 6;
/// A check that met a busy machine is no reason to try no other kernel.
constexpr double most_slowness = 8;

double usual_ms(const Check& check) {
    return 1e3 * (check.written_bytes / written_bytes_per_s + check.read_bytes / read_bytes_per_s);
}

}  // namespace

double CheckTimes::expected_ms(const Check& check) const {
    return slowness_.value_or(1) * usual_ms(check) + regions * region_ms_;
}

void CheckTimes::add(const Check& check, double ms) {
    const double usual = usual_ms(check);
    if (usual <= 0) return;
    const double of_bytes = std::max(0.0, ms - regions * region_ms_);
    const double slowness = std::clamp(of_bytes / usual, 1 / most_slowness, most_slowness);
    slowness_ = std::min(slowness_.value_or(slowness), slowness);
}

}  // namespace spmvgen
