#pragma once
#include <array>
#include <span>
#include <string_view>

#include "tuner/rules/rules.hpp"

/// The rules that papers give for their own kernels, asked for by name instead of the choice
/// (docs/explanation/choice.md).
namespace spmvgen {

struct PaperRule {
    std::string_view name;    ///< as Request::rule has it
    std::string_view source;  ///< the paper
    std::string_view format;  ///< that it reads where the request leaves that free
    /// Whether it says something of that format on GPUs (true) or on CPUs (false).
    bool (*covers)(Format format, bool gpu);
    RuleSet (*rules)(bool gpu);
};

/// "ginkgo", "csr-k", "gospmv" and "lightspmv".
std::span<const PaperRule> paper_rules();

/// The rule by that name. Throws Error(invalid_argument) that names all of them.
const PaperRule& paper_rule(std::string_view name);

/// The request with the rule's own format where it leaves that free. Throws Error(invalid_argument)
/// where the request names a format of which the rule says nothing on its target.
Request with_paper_rule(Request request, const PaperRule& rule);

}  // namespace spmvgen
