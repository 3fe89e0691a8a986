#pragma once
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "matrix/features.hpp"
#include "spmvgen/signature.hpp"
#include "tuner/device_profile.hpp"
#include "tuner/tuning_files.hpp"

/// Level `model`: what an apply takes, without having run it (docs/model.md).
namespace spmvgen {

/// A time that was not measured.
struct Prediction {
    double us = 0;     ///< of an apply
    double error = 0;  ///< expected |ln(measured / predicted)|
};

/// The time of an apply of that kernel on a matrix with such features, from the bytes that it
/// moves, its gathers from x, its launches, and what the device was measured to do. Nothing when
/// the model knows nothing of the kernel. Constant time. Safe to call from any thread.
std::optional<Prediction> predict(const Features& features, const Signature& signature,
                                  const DeviceProfile& profile, int threads);

// What it is made of.

/// Kinds of cost of an apply; each in microseconds as if it were all that there is.
inline constexpr std::array<std::string_view, 11> cost_names{"apply", "launches", "stream", "near",
                                                             "far",   "steps",    "waits",  "depth",
                                                             "rows",  "atomics",  "sorted"};
using Costs = std::array<double, cost_names.size()>;

/// The costs of a plain product on a device; nothing for other kernels. `signature` is complete.
std::optional<Costs> costs_of(const Features& features, const Signature& signature,
                              const DeviceProfile& profile, int threads);

/// A parameter or a type that makes a kernel faster or slower: times are multiplied by
/// exp(logarithm).
struct ModelFactor {
    std::string name;  ///< of the parameter; "value" = the type of x and y
    std::string value;
    double logarithm = 0;
    bool operator==(const ModelFactor&) const = default;
};

/// What was fitted for one kernel: the sum of its costs times the coefficients, times the factors.
struct KernelModel {
    std::string kernel;    ///< id
    Costs coefficients{};  ///< none negative
    std::vector<ModelFactor> factors;
    double error = 0;  ///< mean |ln(measured / predicted)| of classes that were left out of the fit
    int samples = 0;   ///< times that it was fitted to
    bool operator==(const KernelModel&) const = default;
};

/// The models of a device's kernels: a file of tuning_db, model-*.json.
struct DeviceModel {
    std::string device, arch;
    std::string date, method;  ///< how it was obtained, for people
    std::vector<KernelModel> kernels;
    bool operator==(const DeviceModel&) const = default;
};

/// JSON, and back. Throws Error(invalid_input) that says what is wrong with the text.
std::string to_json(const DeviceModel& model);
DeviceModel parse_device_model(std::string_view text);

/// The models of the files, in order. What is broken or of another schema is left out, with a line
/// in `warnings` that says why.
std::vector<DeviceModel> read_device_models(std::span<const TuningFile> files,
                                            std::vector<std::string>& warnings);

/// As predict(), with the model of `models` that is nearest to the profile's device: its own, one
/// of its architecture, of its vendor, of any GPU (or CPU). The error grows with the distance.
std::optional<Prediction> predict(std::span<const DeviceModel> models, const Features& features,
                                  const Signature& signature, const DeviceProfile& profile,
                                  int threads);

}  // namespace spmvgen
