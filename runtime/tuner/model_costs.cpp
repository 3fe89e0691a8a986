#include "registry.hpp"
#include "tuner/model_work.hpp"

namespace spmvgen {

std::optional<Costs> costs_of(const Features& features, const Signature& signature,
                              const DeviceProfile& profile, int threads) {
    const model::Problem problem(features, signature);
    return kernel_entry(signature.kernel).gpu ? model::gpu_costs(problem, profile)
                                              : model::cpu_costs(problem, profile, threads);
}

}  // namespace spmvgen
