#include "tuner/cost/predict.hpp"

#include "process/log.hpp"
#include "spmvgen/error.hpp"
#include "tuner/cost/cpu_costs.hpp"
#include "tuner/cost/gpu_costs.hpp"
#include "tuner/cost/work/gpu_units.hpp"
#include "tuner/files/tuning_files.hpp"
#include "tuner/plan/kernel_plan.hpp"

namespace spmvgen {
namespace {

/// Those of tuning_files() of the scheme's kind, the first that can be read; nothing when there are
/// none.
std::optional<CostConstants> read_cost_constants(const CostScheme& scheme) {
    Log log;
    for (auto& file : tuning_files(scheme.kind)) {
        try {
            return parse_cost_constants(file.readable_text(), scheme);
        } catch (const Error& error) {
            log.warn("tuning file " + file.name + " is left out: " + error.what());
        }
    }
    return std::nullopt;
}

/// What the vectors of an epilogue take: bytes, and where rows end in no order half a sector for
/// each element, for warps come back to some sectors.
void add_epilogue(GpuWork& work, MatrixFigures& figures, const Signature& s) {
    if (s.epilogue.empty()) return;
    const double elements =
        static_cast<double>(figures.features().rows) * figures.accesses(s.epilogue);
    work.bytes += elements * static_cast<double>(size_of(s.value));
    if (work.rows_apart) work.apart += elements / 2;
}

}  // namespace

const CostConstants* gpu_constants() {
    static const std::optional<CostConstants> constants = read_cost_constants(gpu_scheme);
    return constants ? &*constants : nullptr;
}

const CostConstants* cpu_constants() {
    static const std::optional<CostConstants> constants = read_cost_constants(cpu_scheme);
    return constants ? &*constants : nullptr;
}

double units_of(const DeviceProfile& profile) {
    return profile.units > 0 ? profile.units : gpu::typical_units;
}

std::vector<double> costs_of_gpu(MatrixFigures& figures, const Signature& signature,
                                 const DeviceProfile& profile) {
    auto work = gpu_work(figures, signature, units_of(profile));
    if (!work) return {};
    add_epilogue(*work, figures, signature);
    const GpuCosts costs = gpu_costs(*work, figures.features(), signature, profile);
    return {costs.begin(), costs.end()};
}

std::vector<double> costs_of_cpu(MatrixFigures& figures, const Signature& signature,
                                 const DeviceProfile& profile, int threads) {
    const auto work = cpu_work(figures, signature, threads);
    if (!work) return {};
    const CpuCosts costs = cpu_costs(*work, figures.features(), signature, profile, threads);
    return {costs.begin(), costs.end()};
}

std::optional<Prediction> predict_gpu(MatrixFigures& figures, const Signature& signature,
                                      const DeviceProfile& profile,
                                      const CostConstants& constants) {
    if (!constants.kernels.contains(signature.kernel)) return std::nullopt;
    return predict_time(gpu_scheme, constants, signature,
                        costs_of_gpu(figures, signature, profile));
}

std::optional<Prediction> predict_cpu(MatrixFigures& figures, const Signature& signature,
                                      const DeviceProfile& profile, int threads,
                                      const CostConstants& constants) {
    if (!constants.kernels.contains(signature.kernel)) return std::nullopt;
    return predict_time(cpu_scheme, constants, signature,
                        costs_of_cpu(figures, signature, profile, threads));
}

}  // namespace spmvgen
