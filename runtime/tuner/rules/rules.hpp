#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry.hpp"
#include "tuner/rules/choose.hpp"
#include "tuner/situation.hpp"

namespace spmvgen {

/// A rule's kernel and why; an empty id: the rule does not apply.
struct Pick {
    std::string_view kernel = {};
    std::string reason = {};
    Params params = {};  ///< that are to be other than the kernel's plan says
};

/// One rule, and what it may lead to, whatever the features.
struct Rule {
    Pick (*pick)(const Situation&);
    std::array<std::string_view, 4> kernels;  ///< all that it may pick; "" = no more
    bool always = false;                      ///< picks one of them for every matrix
};

/// Rules of one family of machines: the first that applies with a kernel that is free decides.
struct RuleSet {
    /// Rules by what the matrix itself says (Request::strips, …): they come first.
    std::span<const Rule> by_matrix;
    std::span<const Rule> rules;
    /// Parameters of the chosen kernel that the features decide, where they are others than its
    /// plan says (planned_params); null = those. What the request gives wins, the others keep the
    /// registry's presets.
    Params (*params)(const KernelEntry& kernel, const Situation&) = nullptr;
};
RuleSet cpu_rules();
RuleSet gpu_rules();

/// The signature for α = 1, β = 0 of a kernel that was chosen, with `params` where the request
/// leaves them open; complete but for its index types. Values are stored as `exact` says.
/// Throws Error(invalid_argument).
Signature signature_for(const KernelEntry& kernel, const Request& request, ValueType value,
                        const Params& params, const std::optional<ExactValues>& exact = {});

/// The signature's parameters without those that the matrix decides (Parameter::of_matrix) and
/// `request` leaves open: what another choice takes over.
Params without_matrix_params(const Signature& signature, const Request& request);

/// CSR's kernel on a GPU by the longest row and the number of entries: Algorithm 3 of Tsai, Cojean
/// & Anzt, ISC 2020.
Pick algorithm_3(const Situation& situation);

/// Whether rows differ in length, but none so much that work must be divided, and a GPU's L2 serves
/// all entries: then neither padding less nor sorting gains anything.
bool uneven_in_l2(const Situation& situation);

}  // namespace spmvgen
