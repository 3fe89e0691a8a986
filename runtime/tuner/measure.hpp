#pragma once
#include <functional>
#include <string>
#include <vector>

#include "matrix/features.hpp"
#include "spmvgen/spmvgen.hpp"
#include "tuner/choose.hpp"

/// Level `measure`: times kernels on the handle's device with the real matrix. What runs them is
/// the handle; this decides which, for how long, and which one wins.
namespace spmvgen {

/// A kernel that was run on the matrix.
struct Trial {
    double us = 0;             ///< median of an apply
    std::string trouble = {};  ///< why there is no time: no kernel, no memory, a wrong product
    bool defect = true;        ///< of the trouble: it should not have happened
};

/// Times a kernel on the matrix for about so many seconds, and keeps nothing of it afterwards. The
/// product of the first signature it is given is what the others are held against.
using TimeSignature = std::function<Trial(const Signature&, double seconds)>;

/// What the measurement needs to know of its caller.
struct MeasureProblem {
    const RowFeatures& features;
    const Request& request;
    std::function<Choice(const Request&)> choose;  ///< choose_for() of the matrix
    double budget_ms = 0;
    std::function<double()> now_ms;  ///< a steady clock
};

struct Measured {
    Choice choice;                        ///< the fastest, or the rule's
    double us = 0;                        ///< of an apply of it; 0 = it could not be measured
    std::vector<MeasuredKernel> kernels;  ///< all that was timed, the rule's first
    std::vector<std::string> left_out;    ///< kernels without a time, and why
    std::vector<std::string> warnings;    ///< of these, what should not have happened
};

/// Times the rule's choice first, then each other kernel that the request leaves free with the
/// parameters that the rules give it, then the neighbours of the fastest one's parameters (one
/// parameter changed at a time to the next value above and below), until the budget is spent. What
/// was measured by then counts. A kernel wins over the rule's only if it is faster by more than
/// `measure_margin`; else the rule's is kept. Kernels that would store more than twice as many
/// entries as the rule's are left out.
Measured measure(const MeasureProblem& problem, const Choice& rule, const TimeSignature& time);

/// Within this share two times are the same.
inline constexpr double measure_margin = 0.03;

}  // namespace spmvgen
