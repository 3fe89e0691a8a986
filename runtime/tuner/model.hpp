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

/// How large a product is, by the time that its bytes and its gathers take over that of a launch:
/// up to 2, up to 12, more. What a parameter is good for depends on it.
inline constexpr std::array<double, 2> size_limits{2, 12};
using BySize = std::array<double, size_limits.size() + 1>;
std::size_t size_class(const Costs& costs);

/// A parameter or a type that makes a kernel faster or slower: times are multiplied by the
/// exponential of its logarithm for the product's size.
struct ModelFactor {
    std::string name;  ///< of the parameter; "value" = the type of x and y
    std::string value;
    BySize logarithm{};
    bool operator==(const ModelFactor&) const = default;
};

/// The first so many costs come one after the other; the others overlap.
inline constexpr std::size_t serial_costs = 2;

/// What was fitted for one kernel: its costs times the coefficients, of which the first two are
/// added up, and the others to the p-th root of the sum of their p-th powers; times the factors.
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
    double exponent = 1;       ///< p: 1 = nothing overlaps, large = all but the largest is hidden
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
