#include "tuner/search/variants.hpp"

#include <algorithm>
#include <span>

#include "spmvgen/error.hpp"
#include "tuner/rules/rules.hpp"

namespace spmvgen {
namespace {

/// What decides the values of the product rather than how it is had.
bool is_meaning(const ParamName& parameter) {
    return parameter == "deterministic" || parameter == "conjugate";
}

/// The next value above and below; numbers of a range are doubled and halved.
std::vector<std::int64_t> neighbours_of(const Parameter& p, std::int64_t value) {
    if (p.range)
        return {std::clamp(value / 2, p.allowed.front(), p.allowed.back()),
                std::clamp(value * 2, p.allowed.front(), p.allowed.back())};
    std::vector<std::int64_t> found;
    const auto at = std::ranges::lower_bound(p.allowed, value);
    if (at != p.allowed.begin()) found.push_back(*std::prev(at));
    const auto above = std::ranges::upper_bound(p.allowed, value);
    if (above != p.allowed.end()) found.push_back(*above);
    return found;
}

/// As the rules choose for a request; nothing when they refuse it.
std::vector<Choice> chosen(const MeasureProblem& problem, const Request& request) {
    try {
        return {problem.choose(request)};
    } catch (const Error&) {
        return {};
    }
}

}  // namespace

std::vector<Choice> choice_of(const MeasureProblem& problem, const KernelEntry& kernel) {
    Request request = problem.request;
    request.kernel = kernel.id;
    return chosen(problem, request);
}

std::vector<Choice> variants_of(const MeasureProblem& problem, const Choice& choice, Reach reach,
                                const GoOn& go_on) {
    std::vector<Choice> found;
    const Signature& s = choice.signature;
    for (auto& parameter : kernel_entry(s.kernel).params) {
        const ParamName& name = parameter.name;
        if (is_meaning(name) || parameter.of_matrix || problem.request.params.contains(name))
            continue;
        const std::int64_t value = s.params.at(name);
        const bool few = reach == Reach::neighbours || parameter.range;
        const std::vector<std::int64_t> neighbours =
            few ? neighbours_of(parameter, value) : std::vector<std::int64_t>();
        for (const std::int64_t other :
             few ? std::span<const std::int64_t>(neighbours) : parameter.allowed) {
            if (other == value) continue;
            if (!go_on()) return found;
            Request request = problem.request;
            request.kernel = s.kernel;
            request.params = without_matrix_params(s, problem.request);
            request.params[name] = other;
            std::ranges::move(chosen(problem, request), std::back_inserter(found));
        }
    }
    return found;
}

}  // namespace spmvgen
