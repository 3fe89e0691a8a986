#pragma once
#include <optional>

namespace spmvgen {

/// What a trial does beside the kernel, the conversion and the timing.
struct Check {
    double written_bytes = 0;  ///< of vectors, where nothing was before
    double read_bytes = 0;     ///< of the matrix
};

/// What the checks of one matrix are expected to take: by their bytes and by those before.
class CheckTimes {
  public:
    /// `region_ms`: what a parallel region takes on this CPU now.
    explicit CheckTimes(double region_ms) : region_ms_(region_ms) {}

    double expected_ms(const Check& check) const;
    /// One that was done.
    void add(const Check& check, double ms);

  private:
    double region_ms_;
    std::optional<double> slowness_;  ///< checks over what their bytes say, the least so far
};

}  // namespace spmvgen
