#pragma once
#include <cstdint>
#include <vector>

#include "registry.hpp"
#include "tuner/search/measure.hpp"

/// Which signatures a search goes through.
namespace spmvgen {

/// As the rules choose when the request names that kernel; nothing when they refuse it: parameters
/// or a determinism that the kernel does not have.
std::vector<Choice> choice_of(const MeasureProblem& problem, const KernelEntry& kernel);

/// The choice with one parameter changed, each parameter that the request leaves open: to the next
/// value above and below, or to every value that it may have. What decides the product's values
/// rather than how it is had is left alone.
enum class Reach { neighbours, all };
std::vector<Choice> variants_of(
    const MeasureProblem& problem, const Choice& choice, Reach reach,
    const GoOn& go_on = [] { return true; });

}  // namespace spmvgen
