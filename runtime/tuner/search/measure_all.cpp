#include <algorithm>
#include <limits>

#include "formats/format_storage.hpp"
#include "registry.hpp"
#include "tuner/rules/choose.hpp"
#include "tuner/search/measure.hpp"
#include "tuner/search/search.hpp"
#include "tuner/search/variants.hpp"

namespace spmvgen {
namespace {

constexpr double most_padding = 4;    ///< stored entries over nonzeros, for a kernel to be tried
constexpr double hopeless = 2;        ///< times the fastest, from which a kernel is not tuned
constexpr double hopeless_grid = 3;   ///< the same, for all that a grid has of it
constexpr double least_gain = 0.005;  ///< of a round, for another one
constexpr int most_rounds = 3;
/// For one kernel: other work disturbs a CPU more than a GPU.
constexpr double cpu_seconds = 20e-3, gpu_seconds = 4e-3;

/// Makes their kernels side by side. Whoever asks for all wants times that nothing disturbed.
void make_ready(const MeasureProblem& problem, const std::vector<Choice>& choices) {
    if (problem.making == nullptr) return;
    for (auto& choice : choices)
        problem.making->begin(choice, 0, std::numeric_limits<double>::infinity());
    problem.making->wait_for_all();
}

/// Every value of each parameter around the best so far of one kernel, again and again until
/// nothing gets better.
void tune_kernel(const MeasureProblem& problem, Search& search, const Choice& first,
                 double seconds) {
    std::optional<double> best_us = search.attempt(first, seconds);
    if (!best_us || *best_us > hopeless * search.best_us()) return;
    Choice best = first;
    for (int round = 0; round < most_rounds && !search.stopped(); ++round) {
        const double before = *best_us;
        const std::vector<Choice> variants = variants_of(problem, best, Reach::all);
        make_ready(problem, variants);
        for (auto& choice : variants) {
            const auto us = search.attempt(choice, seconds);
            if (!us || *us >= *best_us) continue;
            best_us = us;
            best = choice;
        }
        if (*best_us > (1 - least_gain) * before) return;
    }
}

/// All of the grid that a kernel has which is not hopeless.
void attempt_grid(const MeasureProblem& problem, Search& search, const std::vector<Choice>& kernels,
                  double seconds) {
    if (!problem.grid) return;
    std::vector<Choice> grid;
    for (auto& choice : kernels) {
        const auto us = search.attempt(choice, seconds);
        if (us && *us <= hopeless_grid * search.best_us())
            std::ranges::move(problem.grid(kernel_entry(choice.signature.kernel)),
                              std::back_inserter(grid));
    }
    std::erase_if(grid, [&](const Choice& choice) {
        return padding_of(problem.features, choice.signature) > most_padding;
    });
    make_ready(problem, grid);
    for (auto& choice : grid) search.attempt(choice, seconds);
}

}  // namespace

Measured measure_all(const MeasureProblem& problem, const Choice& rule, const TimeSignature& time) {
    Search search(problem, rule, time);
    const bool host = architecture(problem.request.target).kind == TargetKind::host;
    const double seconds = host ? cpu_seconds : gpu_seconds;
    const bool timed = search.attempt(rule, seconds).has_value();
    if (!timed) return search.result(timed, "exhaustive:");
    // All kernels once first, so that it is known what is hopeless.
    std::vector<Choice> kernels{rule};
    for (const KernelEntry* entry : candidates(problem.request))
        if (entry->id != rule.signature.kernel)
            for (auto& choice : choice_of(problem, *entry))
                if (padding_of(problem.features, choice.signature) <= most_padding)
                    kernels.push_back(std::move(choice));
    make_ready(problem, kernels);
    for (auto& choice : kernels) search.attempt(choice, seconds);
    attempt_grid(problem, search, kernels, seconds);
    if (host)
        for (auto& choice : kernels) tune_kernel(problem, search, choice, seconds);
    else
        tune_kernel(problem, search, Choice(search.best()), seconds);
    search.run_off(2 * seconds, false);
    return search.result(timed, "exhaustive:");
}

}  // namespace spmvgen
