#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "handle/kernels/kernel_provider.hpp"
#include "matrix/features/features.hpp"
#include "spmvgen/spmvgen.hpp"
#include "tuner/rules/choose.hpp"

namespace spmvgen {

class Chooser;
class Trials;

/// options.level, .budget_ms and .expected_applies: what they make of the rule's choice. All for
/// one handle that is being made.
struct LevelProblem {
    const CsrView& matrix;
    const RowFeatures& features;
    const Request& request;
    const Options& options;
    KernelProvider& provider;
    const KernelPolicy& policy;
    std::shared_ptr<Device> device;  ///< null for the host
    Chooser& chooser;                ///< of the matrix, which made the rule's choice
};

/// Whether there is a level of that name, and all of them for messages.
bool is_level(std::string_view name);
/// Whether a level times kernels.
bool measures(std::string_view level);
inline constexpr std::string_view level_names = "rule, lazy, recorded, measure or exhaustive";

/// Throws Error(invalid_argument) for a level that is not there, and for numbers out of range.
void check_level(const Options& options);

/// What became of the rule's choice.
struct LevelChoice {
    Choice choice;
    bool plain = false;    ///< plain CSR, for planning does not pay
    bool generic = false;  ///< the host's generic kernel, on CSR arrays as they are
    std::vector<MeasuredKernel> measured = {};
    double measured_us = 0;
    double measure_ms = 0;     ///< all of measuring, but for making the rule's kernel
    double kernel_ms = 0;      ///< that
    double predicted_us = 0;   ///< by counted work; 0 = nothing was counted
    std::string profile = {};  ///< file of tuning_db that this is from
    double analysis_ms = 0;    ///< of what the level looked at beside row lengths
    std::string warning = {};
};

/// Makes what times kernels, of one matrix.
using MakeTrials = std::function<std::unique_ptr<Trials>()>;

/// At level recorded looks the matrix up; weighs the cost of planning when few applies are
/// expected; and at the levels that measure, times kernels by what `make_trials` makes.
LevelChoice apply_level(const LevelProblem& problem, const Choice& rule,
                        const MakeTrials& make_trials);

}  // namespace spmvgen
