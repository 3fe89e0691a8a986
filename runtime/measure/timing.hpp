#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace spmvgen {

/// Seconds of the steady clock, for differences.
double now_s();

/// How long a call takes. All times are seconds of one call.
struct Timing {
    double median_s = 0, min_s = 0, max_s = 0;
    double spread = 0;  ///< interquartile range over the median
    int samples = 0;
    std::int64_t calls_per_sample = 0;
    double low_s = 0, high_s = 0;  ///< quartiles
};

struct TimingPlan {
    double warm_up_s = 0.05;  ///< calls before the first sample, for at least this long
    double sample_s = 1e-3;   ///< a sample is as many calls as take at least this long
    double budget_s = 0.5;    ///< samples are taken for this long
    int min_samples = 5;      ///< even when they exceed the budget
    int max_samples = 10000;  ///< even when the budget is not spent
    /// From then on no sample is begun but the first, even when they are fewer than min_samples: a
    /// call may take far longer beside other programs than it took during warm-up.
    double most_s = std::numeric_limits<double>::infinity();
};

/// Times `call` on the calling thread with a steady clock: warm-up, then batches. What `call`
/// throws passes through. `finish` ends each sample and is part of its time: it waits for what
/// calls have only enqueued.
Timing time_apply(const std::function<void()>& call, const TimingPlan& plan = {},
                  const std::function<void()>& finish = {});

/// Median, extremes and spread of samples (seconds of one call each); order does not matter.
/// Throws Error(invalid_argument) when there is none.
Timing summarise(std::vector<double> samples, std::int64_t calls_per_sample);

/// Microseconds of a call: the median of up to 16, right behind each other, after 4 that do not
/// count. Ends after a millisecond, with two calls at least, of which the last counts.
double median_us_of_a_few(const std::function<void()>& call);

/// Microseconds that an OpenMP region of so many threads takes that does nothing, as
/// median_us_of_a_few(): beside other programs one may take many milliseconds. Measured at the
/// first call of a process for that number. Safe to call from any thread.
double parallel_region_us(int threads);

/// The same, measured at each call.
double parallel_region_us_now(int threads);

/// Elements at random places of an array that the first cache holds, which a thread of this CPU
/// loads in a second: the most of a few runs of some microseconds. Measured at the first call of a
/// process. Safe to call from any thread.
double cached_loads_per_s();

/// Whether OpenMP's runtime keeps the threads that a smaller team leaves out for the next larger
/// one. That of GCC (libgomp) ends them, and starts new ones, which takes longer than many
/// products.
bool keeps_idle_threads();

}  // namespace spmvgen
