#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/cost/predict.hpp"
#include "tuner/rules.hpp"

namespace spmvgen {

class Chooser;

/// Predicted times of one matrix' kernels on a device, and which of all that a request leaves free
/// is the least. What has to be looked at of the matrix is looked at in a sample of its rows. The
/// matrix, its features, the profile and the constants must outlive it. For one thread at a time.
class CountedChoice {
  public:
    /// `team`: the threads of a CPU that take part in an apply, 0 = a GPU. `fill` is the matrix'
    /// and is asked when it is needed; empty = it is looked at here.
    CountedChoice(const CsrView& matrix, const RowFeatures& features, const DeviceProfile& profile,
                  int team, const CostConstants& constants,
                  std::function<const BlockFill&()> fill = {});
    ~CountedChoice();

    std::optional<Prediction> predict(const Signature& signature);
    const CostConstants& constants() const { return constants_; }
    /// Whether it is of this device and so many threads.
    bool is_of(const DeviceProfile* profile, int team) const {
        return profile == &profile_ && team == team_;
    }

    /// A kernel with the parameters that its grid (Chooser::grid_params) has.
    struct Candidate {
        std::string kernel;
        Params params;  ///< that the matrix does not decide, and the request leaves open
        Prediction prediction;
    };
    /// All that the request leaves free and a prediction is made of, the least time first.
    std::vector<Candidate> ranked(const Request& request);

  private:
    struct Weighed;  ///< a kernel whose grid is looked through
    void add(Weighed& kernel, const Params& params, const Request& request);

    const DeviceProfile& profile_;
    const int team_;
    const CostConstants& constants_;
    MatrixFigures figures_;
    std::unique_ptr<Chooser> sampled_;  ///< of the sample, with the matrix' row lengths
};

}  // namespace spmvgen
