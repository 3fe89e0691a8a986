#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/cost/predict.hpp"
#include "tuner/rules/rules.hpp"

namespace spmvgen {

class Chooser;

/// Predicted times of one matrix' kernels on a device, and which of all that a request leaves free
/// is the least. What has to be looked at of the matrix is looked at in a sample of its rows. The
/// matrix, its features, the profile and the constants must outlive it. For one thread at a time.
class CountedChoice {
  public:
    /// `team`: the threads of a CPU that take part in an apply, 0 = a GPU. `correction`: null =
    /// none. From the sample that the matrix' chooser took, which must outlive it.
    CountedChoice(const CsrView& matrix, const RowFeatures& features, const DeviceProfile& profile,
                  int team, const CostConstants& constants, const CostCorrection* correction,
                  Chooser& chooser);

    std::optional<Prediction> predict(const Signature& signature);
    /// What that is made of: costs_of_gpu() or costs_of_cpu().
    std::vector<double> costs(const Signature& signature);
    /// Of a GPU: what a correction knows of it, by these constants.
    std::optional<CorrectionFeatures> correction_features(const Signature& signature,
                                                          const CostConstants& constants);
    /// Whether it is of this device, and of these constants.
    bool is_of(const DeviceProfile& profile, const CostConstants& constants) const {
        return &profile == &profile_ && &constants == &constants_;
    }
    /// Sectors of x an entry of 512 rows that follow one another in the sample.
    double sectors_of_blocks() { return figures_.window_sectors(2); }
    /// MatrixFigures::has_more_heads().
    bool has_more_heads() { return figures_.has_more_heads(); }
    /// So many threads of the CPU take part from now on.
    void set_team(int team) { team_ = team; }

    /// A kernel with the parameters that its grid (Chooser::grid_params) has.
    struct Candidate {
        std::string kernel;
        Params params;        ///< that the matrix does not decide, and the request leaves open
        Signature signature;  ///< with all, as far as the sample tells
        Prediction prediction;
    };
    /// All that the request leaves free and a prediction is made of, the least Prediction::bad_us()
    /// first.
    std::vector<Candidate> ranked(const Request& request);
    /// Those of them that save the constants' margin of the bad case of the rules' choice, the best
    /// one among them, and perhaps others; what surely does not, or is surely not the best, is not
    /// looked at.
    std::vector<Candidate> better(const Request& request, const Signature& rules,
                                  const Prediction& by_rules);
    /// The bad case up to which a kernel is taken in place of the rules' one.
    double limit_us(std::string_view kernel, std::string_view rules,
                    const Prediction& by_rules) const {
        return (1 - (kernel == rules ? constants_.own_margin : constants_.margin)) *
               by_rules.bad_us();
    }

    /// About the least that could be predicted of the kernel, without a look at its layout
    /// (MatrixFigures::be_optimistic); nothing = it is as soon predicted.
    std::optional<Prediction> bound(const KernelEntry& kernel, const Params& params,
                                    const Request& request);

  private:
    struct Weighed;  ///< a kernel whose grid is looked through
    /// Of figures that are optimistic; `given` as below.
    std::optional<Prediction> at_best(const Signature& signature, const Params& given);
    /// bound() of blocks on a GPU, of a signature with what `given` leaves open.
    std::optional<Prediction> bound_of_blocks(Signature signature, const Params& given);
    /// bound() of a CPU, of a signature with what `given` leaves open.
    std::optional<Prediction> bound_of_strips_cpu(Signature signature, const Params& given);
    /// Whether a kernel that takes no less than `least` is of no interest; notes that it was.
    static bool is_beyond(Weighed& kernel, const std::optional<Prediction>& least, double best_us);
    /// Whether it is a kernel with hubs that does not pay for them; timing may say otherwise.
    bool has_few_hubs(const Signature& signature);
    /// `best_us`: the least bad case so far of those that keep their limit.
    void add(Weighed& kernel, const Params& params, const Request& request, double& best_us);
    /// Adds sets that are beside the kernel's best one.
    void look_beside(Weighed& kernel, const Request& request, double& best_us);
    /// The least time of strips with what of these parameters the matrix decides.
    std::optional<Prediction> predict_strips(Signature signature, const Params& given);
    /// Whether a blocked kernel may keep its limit: asked before its grid, which needs the fill.
    bool may_have_blocks(const Weighed& kernel, const Request& request);

    const DeviceProfile& profile_;
    int team_;
    const CostConstants& constants_;
    const CostCorrection* const correction_;
    MatrixFigures figures_;
    Chooser* const chooser_;
};

}  // namespace spmvgen
