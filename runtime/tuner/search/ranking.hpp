#pragma once
#include <vector>

#include "tuner/chooser/chooser.hpp"
#include "tuner/search/measure.hpp"

namespace spmvgen {

/// The kernels that the request leaves free with the parameters that the rules give them, with
/// every value of each parameter, one changed at a time, and so again around the best few: those
/// whose time is predicted, the fastest first; of equal ones the rule's. None that would store more
/// than `most_padding` times as many entries as `rule`, and none that there was no time for.
/// problem.predict is there.
std::vector<Ranked> rank(
    const MeasureProblem& problem, const Choice& rule, double most_padding,
    const GoOn& go_on = [] { return true; });

/// The other kernels that the request leaves free, each with the parameters that the rules give it,
/// within the same bounds.
std::vector<Choice> other_kernels(const MeasureProblem& problem, const Choice& rule,
                                  double most_padding, const GoOn& go_on);

/// Stored entries over the rule's, up to which a kernel is considered.
inline constexpr double considered_padding = 2;

}  // namespace spmvgen
