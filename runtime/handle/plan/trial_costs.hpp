#pragma once
#include <map>
#include <string>

#include "handle/plan/check_times.hpp"
#include "handle/plan/planning.hpp"
#include "handle/plan/trials.hpp"

namespace spmvgen {

/// What a trial of a kernel on one matrix is expected to cost: from what compilations took in this
/// process and conversions on this matrix, and from the device's profile before there were any.
class TrialCosts {
  public:
    /// All must outlive it. `region_ms`: what a parallel region takes on this CPU now.
    TrialCosts(const LevelProblem& problem, const DeviceSpeed& speed, const Trials& trials,
               double region_ms)
        : problem_(problem),
          speed_(speed),
          trials_(trials),
          region_ms_(region_ms),
          checks_(region_ms) {}

    /// Not of a kernel that is being made, for that waits for it. What converts for a kernel is
    /// made beside it.
    TrialCost of(const Signature& signature) const;
    /// After a trial of that kernel.
    void learn(const Signature& signature);

  private:
    double convert_ms(const Signature& signature) const;

    const LevelProblem& problem_;
    const DeviceSpeed& speed_;
    const Trials& trials_;
    const double region_ms_;
    std::map<Format, double>
        converted_ms_;     ///< of each format the longest so far, or the last on a device
    double slowness_ = 1;  ///< conversions over what was expected of them, the worst so far
    CheckTimes checks_;
};

}  // namespace spmvgen
