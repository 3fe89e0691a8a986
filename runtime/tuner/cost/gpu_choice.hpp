#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/cost/gpu_time.hpp"
#include "tuner/rules.hpp"

namespace spmvgen {

class Chooser;

/// Predicted times of one matrix' kernels on a GPU, and which of all that a request leaves free is
/// the least. What has to be looked at of the matrix is looked at in a sample of its rows. The
/// matrix, its features and the profile must outlive it. For one thread at a time.
class GpuChoice {
  public:
    GpuChoice(const CsrView& matrix, const RowFeatures& features, const DeviceProfile& profile,
              const GpuConstants& constants);
    ~GpuChoice();

    std::optional<Prediction> predict(const Signature& signature);

    /// A kernel with the parameters that its grid (tuner/gpu_grid.hpp) has.
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
    const GpuConstants& constants_;
    MatrixFigures figures_;
    std::unique_ptr<Chooser> sampled_;  ///< of the sample, with the matrix' row lengths
};

}  // namespace spmvgen
