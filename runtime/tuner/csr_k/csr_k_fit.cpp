#include "tuner/csr_k/csr_k_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// Times within this factor of the least are equal.
constexpr double tolerance = 1.02;
/// A candidate is chosen before a simpler one when it gains more than this factor.
constexpr double least_gain = 1.01;

double least_time(const CsrKSample& sample) {
    return std::ranges::min_element(sample.times, {}, &GroupTime::seconds)->seconds;
}

double geometric_mean(const std::vector<double>& numbers) {
    double sum = 0;
    for (const double x : numbers) sum += std::log(x);
    return std::exp(sum / static_cast<double>(numbers.size()));
}

/// How far apart two pairs of sizes are, in powers of e, squared.
double distance(const GroupSizes& a, const GroupSizes& b) {
    const auto ratio = [](std::int64_t x, std::int64_t y) {
        return std::log(static_cast<double>(x) / static_cast<double>(y));
    };
    return std::pow(ratio(a.srs, b.srs), 2) + std::pow(ratio(a.ssrs, b.ssrs), 2);
}

double time_near(const CsrKSample& sample, const GroupSizes& sizes) {
    return std::ranges::min_element(sample.times, {},
                                    [&](const GroupTime& t) { return distance(t.sizes, sizes); })
        ->seconds;
}

double loss_of(const CsrKFormula& formula, const std::vector<CsrKSample>& samples) {
    std::vector<double> ratios;
    for (auto& sample : samples) {
        const GroupSizes sizes = group_sizes(formula, sample.density(), sample.block_case);
        ratios.push_back(time_near(sample, sizes) / least_time(sample));
    }
    return geometric_mean(ratios);
}

/// The optima of all samples, apart.
struct Optima {
    std::vector<double> density, srs, ssrs;
};

Optima optima_of(const std::vector<CsrKSample>& samples) {
    Optima optima;
    for (auto& sample : samples) {
        const OptimalSizes best = optimum_of(sample);
        optima.density.push_back(sample.density());
        optima.srs.push_back(best.srs);
        optima.ssrs.push_back(best.ssrs);
    }
    return optima;
}

/// For each case what its optima are, in the geometric mean, of the sizes that the formula gives.
std::array<CaseCorrection, 4> corrections(const CsrKFormula& formula,
                                          const std::vector<CsrKSample>& samples) {
    std::array<CaseCorrection, 4> cases;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        std::vector<double> srs, ssrs;
        for (auto& sample : samples) {
            if (sample.block_case != static_cast<int>(i)) continue;
            const GroupSizes sizes = group_sizes(formula, sample.density(), 0);
            const OptimalSizes best = optimum_of(sample);
            srs.push_back(best.srs / static_cast<double>(sizes.srs));
            ssrs.push_back(best.ssrs / static_cast<double>(sizes.ssrs));
        }
        if (!srs.empty()) cases[i] = {geometric_mean(ssrs), geometric_mean(srs)};
    }
    return cases;
}

/// The least and the largest sizes that were measured.
void limit(CsrKFormula& formula, const std::vector<CsrKSample>& samples) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    formula.least = {most, most};
    formula.most = {1, 1};
    for (auto& sample : samples)
        for (auto& [sizes, seconds] : sample.times) {
            formula.least.srs = std::min(formula.least.srs, sizes.srs);
            formula.least.ssrs = std::min(formula.least.ssrs, sizes.ssrs);
            formula.most.srs = std::max(formula.most.srs, sizes.srs);
            formula.most.ssrs = std::max(formula.most.ssrs, sizes.ssrs);
        }
}

void check(const std::vector<CsrKSample>& samples) {
    const auto refuse = [](const std::string& why) {
        throw Error(ErrorCode::invalid_argument, "cannot fit sizes of CSR-k: " + why);
    };
    if (samples.empty()) refuse("there is no matrix");
    for (auto& sample : samples) {
        if (sample.rows < 1 || sample.nnz < 1) refuse(sample.matrix + " has no entries");
        if (sample.times.empty()) refuse(sample.matrix + " has no times");
        for (auto& time : sample.times)
            if (!(time.seconds > 0) || !std::isfinite(time.seconds))
                refuse(fmt::format("{} has a time of {} s", sample.matrix, time.seconds));
    }
}

}  // namespace

std::vector<GroupSizes> csr_k_grid(bool gpu) {
    std::vector<std::int64_t> sizes;
    for (int i = gpu ? 2 : 3; i <= (gpu ? 5 : 11); ++i) {
        const std::int64_t power = std::int64_t{1} << i;
        sizes.insert(sizes.end(), {power, power + power / 2});
    }
    std::vector<GroupSizes> grid;
    for (const std::int64_t srs : sizes) {
        if (!gpu) grid.push_back({srs, 1});
        if (gpu)
            for (const std::int64_t ssrs : sizes) grid.push_back({srs, ssrs});
    }
    return grid;
}

OptimalSizes optimum_of(const CsrKSample& sample) {
    const double least = least_time(sample);
    std::vector<double> srs, ssrs;
    for (auto& [sizes, seconds] : sample.times) {
        if (seconds > tolerance * least) continue;
        srs.push_back(static_cast<double>(sizes.srs));
        ssrs.push_back(static_cast<double>(sizes.ssrs));
    }
    return {geometric_mean(srs), geometric_mean(ssrs)};
}

Regression fit_logarithm(const std::vector<double>& density, const std::vector<double>& y) {
    if (density.empty() || density.size() != y.size())
        throw Error(
            ErrorCode::invalid_argument,
            fmt::format("a regression of {} sizes over {} densities", y.size(), density.size()));
    const auto count = static_cast<double>(y.size());
    std::vector<double> x(density.size());
    std::ranges::transform(density, x.begin(), [](double d) { return std::log(std::max(d, 1.0)); });
    const double mean_x = std::reduce(x.begin(), x.end()) / count;
    const double mean_y = std::reduce(y.begin(), y.end()) / count;
    double xx = 0, xy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    const double slope = xx > 1e-12 ? xy / xx : 0;
    Regression result{{mean_y - slope * mean_x, slope}, 0};
    for (std::size_t i = 0; i < x.size(); ++i)
        result.residual += std::pow(y[i] - value_at(result.formula, density[i]), 2);
    result.residual = std::sqrt(result.residual / count);
    return result;
}

CsrKFit fit_csr_k(std::vector<CsrKSample> samples, const Target& target, const CsrKFormula& paper) {
    check(samples);
    const bool gpu = architecture(target).kind != TargetKind::host;
    const Optima optima = optima_of(samples);
    const Regression srs = fit_logarithm(optima.density, optima.srs);
    const Regression ssrs = fit_logarithm(optima.density, optima.ssrs);
    CsrKFormula regression{
        .name = "", .arch = to_string(target), .srs = srs.formula, .ssrs = ssrs.formula};
    limit(regression, samples);
    CsrKFormula constant = regression;
    constant.srs = {geometric_mean(optima.srs), 0};
    constant.ssrs = {geometric_mean(optima.ssrs), 0};
    CsrKFormula corrected = regression;
    corrected.cases = corrections(regression, samples);
    CsrKFit fit;
    fit.arch = to_string(target);
    fit.generator = generator_digest();
    fit.srs_residual = srs.residual;
    fit.ssrs_residual = ssrs.residual;
    fit.candidates.push_back({"paper", paper, 1});
    fit.candidates.push_back({"constant", constant, 1});
    fit.candidates.push_back({"regression", regression, 1});
    if (gpu) fit.candidates.push_back({"corrected", corrected, 1});
    for (auto& candidate : fit.candidates) {
        // On CPUs only super-rows are measured.
        if (!gpu) {
            candidate.formula.ssrs = paper.ssrs;
            candidate.formula.least.ssrs = paper.least.ssrs;
            candidate.formula.most.ssrs = paper.most.ssrs;
        }
        candidate.loss = loss_of(candidate.formula, samples);
    }
    const double least = std::ranges::min(fit.candidates, {}, &FormulaCandidate::loss).loss;
    fit.chosen = std::ranges::find_if(fit.candidates, [&](const FormulaCandidate& c) {
                     return c.loss <= least_gain * least;
                 })->name;
    fit.samples = std::move(samples);
    return fit;
}

std::string to_string(const CsrKFit& fit) {
    std::string text;
    for (auto& sample : fit.samples) {
        const OptimalSizes best = optimum_of(sample);
        text += fmt::format("{}: row density {:.1f}, best srs {:.1f}, ssrs {:.1f}\n", sample.matrix,
                            sample.density(), best.srs, best.ssrs);
    }
    for (auto& [name, formula, loss] : fit.candidates)
        text += fmt::format(
            "{:<10} srs = {:.3f} {:+.3f} ln(density), ssrs = {:.3f} {:+.3f} ln(density): {:.1f} % "
            "slower than the best{}\n",
            name, formula.srs.constant, formula.srs.slope, formula.ssrs.constant,
            formula.ssrs.slope, 100 * (loss - 1), name == fit.chosen ? "; chosen" : "");
    return text;
}

}  // namespace spmvgen
