#include "tuner/rules/paper_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "spmvgen/error.hpp"
#include "tuner/cost/figures/subwarp.hpp"
#include "tuner/plan/kernel_plan.hpp"
#include "tuner/rules/choose.hpp"

namespace spmvgen {
namespace {

// Ginkgo: Tsai, Cojean & Anzt, Sparse Linear Algebra on AMD and NVIDIA GPUs, ISC 2020.

/// Of the other formats, which have one kernel each in the paper.
Pick one_kernel(const Situation& s) {
    for (const std::string_view kernel : {"coo", "ell_groups", "hyb", "sell_slices"})
        if (find_kernel(s.among, kernel) != nullptr) return {kernel, "Ginkgo's"};
    return {};
}

/// Lanes by the longest row; ω and groups as everywhere (ω by the entries, Algorithm 5).
Params ginkgo_params(const KernelEntry& kernel, const Situation& s) {
    Params params = planned_params(kernel, s);
    if (kernel.id == "csr_classical")
        params["subwarp"] = std::min<std::int64_t>(
            s.request.target.wavefront, subwarp_of_longest_row(s.f, s.request.target.wavefront));
    return params;
}

constexpr std::array ginkgo_gpu_rules{
    Rule{algorithm_3, {"csr_load_balance", "csr_classical"}, true},
    Rule{one_kernel, {"coo", "ell_groups", "hyb", "sell_slices"}, true}};

bool ginkgo_covers(Format format, bool gpu) {
    constexpr std::array known{Format::csr, Format::coo, Format::ell, Format::hyb, Format::sell};
    return gpu && std::ranges::find(known, format) != known.end();
}

RuleSet ginkgo_rules(bool) {
    return {{}, ginkgo_gpu_rules, ginkgo_params};
}

// The other rules have the parameters of the kernels' own plans, which are the papers'.

// CSR-k: Lane & Booth, Heterogeneous Sparse Matrix-Vector Multiplication via Compressed Sparse Row
// Format.

Pick csr_k(const Situation& s) {
    return {s.among.front()->id, "CSR-k"};
}

constexpr std::array csr_k_rules{Rule{csr_k, {"csr_k_blocks", "csr_k_rows"}, true}};

RuleSet rules_of_csr_k(bool) {
    return {{}, csr_k_rules};
}

// GOSpMV: blocks by the sampled fill and the profile of a dense matrix, Figure 6.

Pick blocked(const Situation& s) {
    return {s.among.front()->id, "GOSpMV"};
}

constexpr std::array gospmv_rules{Rule{blocked, {"bcsr_fused", "bcsr"}, true}};

RuleSet rules_of_gospmv(bool) {
    return {{}, gospmv_rules};
}

// LightSpMV: Liu & Schmidt, ASAP 2015. The size of a vector by the mean row.

Pick light(const Situation&) {
    return {"csr_light", "LightSpMV"};
}

constexpr std::array light_rules{Rule{light, {"csr_light"}, true}};

RuleSet rules_of_light(bool) {
    return {{}, light_rules};
}

bool csr_of_gpus(Format format, bool gpu) {
    return gpu && format == Format::csr;
}

bool csr_k_only(Format format, bool) {
    return format == Format::csr_k;
}

bool bcsr_only(Format format, bool) {
    return format == Format::bcsr;
}

constexpr std::array all_paper_rules{
    PaperRule{"ginkgo", "Tsai, Cojean & Anzt, ISC 2020", "csr", ginkgo_covers, ginkgo_rules},
    PaperRule{"csr-k", "Lane & Booth, CSR-k", "csr-k", csr_k_only, rules_of_csr_k},
    PaperRule{"gospmv", "GOSpMV", "bcsr", bcsr_only, rules_of_gospmv},
    PaperRule{"lightspmv", "Liu & Schmidt, ASAP 2015", "csr", csr_of_gpus, rules_of_light}};

}  // namespace

std::span<const PaperRule> paper_rules() {
    return all_paper_rules;
}

const PaperRule& paper_rule(std::string_view name) {
    const auto found = std::ranges::find(all_paper_rules, name, &PaperRule::name);
    if (found != all_paper_rules.end()) return *found;
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("'{}' is no rule of a paper: use ginkgo, csr-k, gospmv or lightspmv", name));
}

Request with_paper_rule(Request request, const PaperRule& rule) {
    if (request.format == "auto") request.format = rule.format;
    const bool gpu = architecture(request.target).kind != TargetKind::host;
    if (!rule.covers(parse_format(request.format), gpu))
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("rule {} says nothing of format {} on {}: leave out one of them",
                                rule.name, request.format, request.target.arch));
    return request;
}

}  // namespace spmvgen
