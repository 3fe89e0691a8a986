#include "tuner/csr_k/csr_k.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "spmvgen/error.hpp"
#include "tuner/cost/figures/subwarp.hpp"
#include "tuner/csr_k/csr_k_db.hpp"

namespace spmvgen {
namespace {

/// ⌊x⌋, of what is far beyond every size a number that is so, too.
std::int64_t floor_of(double x) {
    constexpr double beyond = 1e12;
    return static_cast<std::int64_t>(std::floor(std::clamp(x, -beyond, beyond)));
}

/// ⌊x⌉: to the nearest, halves upwards.
std::int64_t nearest(double x) {
    return floor_of(x + 0.5);
}

}  // namespace

double value_at(const LogFormula& formula, double density) {
    return formula.constant + formula.slope * std::log(std::max(density, 1.0));
}

CsrKFormula volta_formula() {
    return {.name = "Lane & Booth's for Volta",
            .arch = "",
            .srs = {10.146, -1.50},
            .ssrs = {8.900, -1.25},
            .cases = {{{}, {1.5, 2}, {4, 0.5, true}, {5, 0.5, true}}}};
}

CsrKFormula ampere_formula() {
    return {.name = "Lane & Booth's for Ampere",
            .arch = "",
            .srs = {20.500, -3.50},
            .ssrs = {9.175, -1.32},
            .cases = {{{}, {1, 4}, {2.5, 3}, {2, 2, true}}}};
}

CsrKFormula cpu_formula() {
    return {.name = "Lane & Booth's for CPUs", .arch = "", .srs = {96, 0}, .ssrs = {8, 0}};
}

int density_case(double density) {
    return density <= 8 ? 0 : density <= 16 ? 1 : density <= 32 ? 2 : 3;
}

int subwarp_case(std::int64_t subwarp) {
    return subwarp <= 1 ? 0 : subwarp <= 4 ? 1 : subwarp <= 8 ? 2 : 3;
}

std::int64_t case_subwarp(int block_case) {
    constexpr std::array<std::int64_t, 4> lanes{1, 4, 8, 16};
    return lanes.at(static_cast<std::size_t>(block_case));
}

BlockShape block_shape(std::int64_t subwarp) {
    const std::int64_t sr_threads = subwarp <= 4 ? 12 : 64 / subwarp;
    return {subwarp, 8, std::max<std::int64_t>(1, sr_threads)};
}

GroupSizes group_sizes(const CsrKFormula& formula, double density, int block_case) {
    const CaseCorrection& c = formula.cases.at(static_cast<std::size_t>(block_case));
    const std::int64_t plain_srs =
        std::max<std::int64_t>(1, nearest(value_at(formula.srs, density)));
    const std::int64_t plain_ssrs =
        std::max<std::int64_t>(1, nearest(value_at(formula.ssrs, density)));
    const std::int64_t ssrs = nearest(static_cast<double>(plain_ssrs) * c.ssrs);
    const std::int64_t srs = c.srs_from_ssrs ? floor_of(static_cast<double>(ssrs) * c.srs)
                                             : nearest(static_cast<double>(plain_srs) * c.srs);
    return {std::clamp(srs, formula.least.srs, formula.most.srs),
            std::clamp(ssrs, formula.least.ssrs, formula.most.ssrs)};
}

FormulaChoice choose_formula(const Target& target, std::span<const CsrKFormula> fitted) {
    const auto fitted_on = [&](const std::string& arch) {
        return std::ranges::find(fitted, arch, &CsrKFormula::arch);
    };
    if (const auto own = fitted_on(to_string(target)); own != fitted.end())
        return {*own, own->name};
    const TargetKind kind = architecture(target).kind;
    if (kind == TargetKind::host) return {cpu_formula(), cpu_formula().name};
    if (target.arch == "sm_70" || target.arch == "sm_75")
        return {volta_formula(), volta_formula().name};
    if (target.arch.starts_with("sm_8")) return {ampere_formula(), ampere_formula().name};
    const auto hopper = fitted_on("sm_90");
    const CsrKFormula& chosen = hopper != fitted.end() ? *hopper : ampere_formula();
    return {chosen, fmt::format("{}, none is fitted for {}", chosen.name, target.arch)};
}

namespace {

// Beyond so many entries for a lane, the longest row decides too.
constexpr std::int64_t long_row_steps = 64;
// CPUs: groups for each thread, so that their shares are about equal.
constexpr std::int64_t groups_per_thread = 8;
// CPUs: the longest row over a thread's share of the entries, from which one thread is the last.
constexpr double long_group_share = 0.5;

double density_of(const RowFeatures& f) {
    return f.rows > 0 ? static_cast<double>(f.nnz) / static_cast<double>(f.rows) : 0;
}

bool is_given(const Situation& s, const std::string& name) {
    return s.request.params.contains(name);
}

/// The lanes of the paper's case, more when a lane would have too much of the longest row.
std::int64_t lanes_for_row(const Situation& s) {
    const int wavefront = s.request.target.wavefront;
    const std::int64_t by_density = case_subwarp(density_case(density_of(s.f)));
    if (s.f.max_row <= long_row_steps * by_density) return by_density;
    return std::max<std::int64_t>(by_density, choose_subwarp(s.f, wavefront));
}

std::string lanes_text(const Situation& s, std::int64_t subwarp) {
    const std::int64_t by_density = case_subwarp(density_case(density_of(s.f)));
    std::string text = subwarp == 1 ? "a thread a row" : fmt::format("{} lanes a row", subwarp);
    if (is_given(s, "subwarp")) return text;
    if (subwarp != by_density)
        text += fmt::format(" instead of {}, for the longest row has {} entries", by_density,
                            s.f.max_row);
    return text;
}

/// What no number of lanes helps against.
std::string held_up_text(const Situation& s, std::int64_t subwarp) {
    if (s.f.max_row <= long_row_steps * subwarp) return "";
    return fmt::format(
        "; the longest row, {} entries, holds up its block: csr_load_balance "
        "(format csr) cuts such rows",
        s.f.max_row);
}

CsrKPlan plan_for_gpu(const Situation& s, std::span<const CsrKFormula> fitted) {
    const FormulaChoice choice = choose_formula(s.request.target, fitted);
    const double density = density_of(s.f);
    const std::int64_t subwarp = given(s, "subwarp", lanes_for_row(s));
    BlockShape shape = block_shape(subwarp);
    shape.row_threads = given(s, "row_threads", shape.row_threads);
    while (shape.sr_threads > 1 && shape.subwarp * shape.row_threads * shape.sr_threads > 1024)
        shape.sr_threads /= 2;
    const int block_case = std::max(density_case(density), subwarp_case(subwarp));
    const GroupSizes sizes = group_sizes(choice.formula, density, block_case);
    CsrKPlan plan;
    plan.params = s.request.params;
    plan.params.merge(Params{{"subwarp", subwarp},
                             {"row_threads", shape.row_threads},
                             {"sr_threads", shape.sr_threads},
                             {"unroll", subwarp == 1 ? 8 : 4},
                             {"srs", sizes.srs},
                             {"ssrs", sizes.ssrs}});
    plan.reason = fmt::format("row density {:.1f}, {}, blocks of {} super-rows of {} rows ({}){}",
                              density, lanes_text(s, subwarp), plan.params.at("ssrs"),
                              plan.params.at("srs"), choice.note, held_up_text(s, subwarp));
    return plan;
}

/// The largest super-rows that leave enough of them for each thread: powers of two, so that
/// matrices of many sizes share few kernels.
std::int64_t most_srs(std::int64_t rows, int threads) {
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(
        std::max<std::int64_t>(1, rows / (threads * groups_per_thread)))));
}

std::string long_row_text(const Situation& s) {
    const double share = static_cast<double>(s.f.nnz) / s.request.threads;
    if (s.request.threads < 2 || static_cast<double>(s.f.max_row) <= long_group_share * share)
        return "";
    return fmt::format(
        "; the longest row, {} entries, is one thread's, whose share is {:.0f}: "
        "csr_balanced (format csr) cuts such rows",
        s.f.max_row, share);
}

CsrKPlan plan_for_cpu(const Situation& s, std::span<const CsrKFormula> fitted) {
    const FormulaChoice choice = choose_formula(s.request.target, fitted);
    const double density = density_of(s.f);
    const GroupSizes sizes = group_sizes(choice.formula, density, 0);
    const std::int64_t k = given(s, "k", is_given(s, "ssrs") ? 3 : 2);
    if (k == 2 && is_given(s, "ssrs"))
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("parameter ssrs={} means nothing with k=2, which has no "
                                "super-super-rows: leave it out, or use k=3",
                                s.request.params.at("ssrs")));
    const std::int64_t ssrs = given(s, "ssrs", sizes.ssrs);
    const std::int64_t srs =
        std::min(sizes.srs, most_srs(s.f.rows / (k == 3 ? ssrs : 1), s.request.threads));
    CsrKPlan plan;
    plan.params = s.request.params;
    plan.params.merge(Params{{"k", k}, {"srs", srs}});
    if (k == 3) plan.params.try_emplace("ssrs", ssrs);
    const std::int64_t taken = plan.params.at("srs");
    const std::string why = is_given(s, "srs") ? "given by the caller"
                            : srs < sizes.srs ? fmt::format("{} would be too few groups", sizes.srs)
                                              : choice.note;
    plan.reason =
        fmt::format("CSR-{}, super-rows of {} rows ({}){}", k, taken, why, long_row_text(s));
    return plan;
}

}  // namespace

CsrKPlan plan_csr_k(const KernelEntry& kernel, const Situation& s,
                    std::span<const CsrKFormula> fitted) {
    return kernel.gpu ? plan_for_gpu(s, fitted) : plan_for_cpu(s, fitted);
}

CsrKPlan plan_csr_k(const KernelEntry& kernel, const Situation& s) {
    return plan_csr_k(kernel, s, fitted_csr_k_formulas());
}

}  // namespace spmvgen
