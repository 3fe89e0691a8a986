#include "tuner/model.hpp"

#include <algorithm>
#include <cmath>

#include "process/log.hpp"
#include "registry.hpp"

namespace spmvgen {
namespace {

constexpr double least_us = 1e-3;

const std::vector<DeviceModel>& shipped_and_own() {
    static const std::vector<DeviceModel> models = [] {
        std::vector<std::string> warnings;
        auto read = read_device_models(tuning_files("model-"), warnings);
        Log log;
        for (auto& warning : warnings) log.warn(warning);
        return read;
    }();
    return models;
}

bool is_gpu(std::string_view arch) {
    const std::string vendor = vendor_of(arch);
    return vendor == "nvidia" || vendor == "amd";
}

/// What the error grows by when a model was fitted elsewhere; nothing when it says nothing of the
/// device. Estimates, not measured.
std::optional<double> distance(const DeviceModel& model, const DeviceProfile& profile) {
    const std::string& arch = profile.arch.empty() ? profile.device : profile.arch;
    if (model.device == profile.device) return 0;
    if (model.arch == arch) return 0.1;
    if (vendor_of(model.arch) == vendor_of(arch)) return 0.2;
    return is_gpu(model.arch) && is_gpu(arch) ? std::optional(0.4) : std::nullopt;
}

/// The model of a kernel that is nearest to a device.
struct NearestModel {
    const KernelModel* kernel = nullptr;
    double exponent = 1;
    double distance = 0;
};

double combined(const Costs& costs, const NearestModel& model) {
    double serial = 0, powers = 0;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        const double us = model.kernel->coefficients[i] * costs[i];
        i < serial_costs ? serial += us : powers += std::pow(us, model.exponent);
    }
    return serial + std::pow(powers, 1 / model.exponent);
}

NearestModel nearest(std::span<const DeviceModel> models, const std::string& kernel,
                     const DeviceProfile& profile) {
    NearestModel best;
    for (auto& model : models) {
        const auto far = distance(model, profile);
        if (!far || (best.kernel != nullptr && *far >= best.distance)) continue;
        const auto found = std::ranges::find(model.kernels, kernel, &KernelModel::kernel);
        if (found != model.kernels.end()) best = {&*found, model.exponent, *far};
    }
    return best;
}

bool applies(const ModelFactor& factor, const Signature& s) {
    if (factor.name == "value") return factor.value == to_string(s.value);
    const auto found = s.params.find(factor.name);
    return found != s.params.end() && std::to_string(found->second) == factor.value;
}

}  // namespace

std::size_t size_class(const Costs& costs) {
    const double size = (costs[2] + costs[4]) / costs[0];  // stream, far, apply
    return static_cast<std::size_t>(
        std::ranges::count_if(size_limits, [&](double limit) { return size >= limit; }));
}

std::optional<Prediction> predict(std::span<const DeviceModel> models, const Features& features,
                                  const Signature& signature, const DeviceProfile& profile,
                                  int threads) {
    const NearestModel model = nearest(models, signature.kernel, profile);
    const auto costs =
        model.kernel != nullptr ? costs_of(features, signature, profile, threads) : std::nullopt;
    if (!costs) return std::nullopt;
    const std::size_t size = size_class(*costs);
    double logarithm = 0;
    for (auto& factor : model.kernel->factors)
        if (applies(factor, signature)) logarithm += factor.logarithm[size];
    return Prediction{std::max(combined(*costs, model) * std::exp(logarithm), least_us),
                      model.kernel->error + model.distance};
}

std::optional<Prediction> predict(const Features& features, const Signature& signature,
                                  const DeviceProfile& profile, int threads) {
    return predict(shipped_and_own(), features, signature, profile, threads);
}

}  // namespace spmvgen
