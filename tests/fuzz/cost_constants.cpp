// Any bytes as tuning_db/gpu-costs.json, gpu-several-costs.json, cpu-costs.json and
// gpu-correction.json.
#include "tuner/cost/constants.hpp"

#include <cmath>
#include <vector>

#include "spmvgen/error.hpp"
#include "support.hpp"
#include "tuner/cost/predict.hpp"

namespace spmvgen::fuzz {
namespace {

/// Whatever the constants are, a time is a number, and none is negative.
void check_predictions(const CostConstants& constants, const CostScheme& scheme) {
    for (auto& [kernel, fitted] : constants.kernels) {
        Signature signature;
        signature.kernel = kernel;
        for (const double us : {0.0, 1e-3, 1.0, 1e6}) {
            const std::vector<double> costs(scheme.costs.size(), us);
            const auto predicted = predict_time(scheme, constants, signature, costs);
            check(predicted.has_value(), "a kernel that is there is predicted");
            for (const double time : {predicted->us, predicted->bad_us()})
                check(time >= 0 && std::isfinite(time), "a time is a number");
        }
    }
}

void check_scheme(std::string_view text, const CostScheme& scheme) {
    try {
        const CostConstants constants = parse_cost_constants(text, scheme);
        check_predictions(constants, scheme);
        check(parse_cost_constants(to_json(constants, scheme), scheme) == constants,
              "constants read back");
    } catch (const Error& error) {
        check(error.code() == ErrorCode::invalid_input, error.what());
    }
}

/// Whatever the features are, a correction is within its limits.
void check_correction(std::string_view text) {
    try {
        const CostCorrection correction = parse_cost_correction(text);
        for (const double figure : {0.0, -1.0, 1e300, std::nan("")}) {
            CorrectionFeatures features;
            features.fill(figure);
            check(std::abs(correction.of(features)) <= CostCorrection::most,
                  "a correction is within its limits");
        }
        check(parse_cost_correction(to_json(correction)) == correction, "a correction reads back");
    } catch (const Error& error) {
        check(error.code() == ErrorCode::invalid_input, error.what());
    }
}

}  // namespace
}  // namespace spmvgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace spmvgen;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    fuzz::check_scheme(text, gpu_scheme);
    fuzz::check_scheme(text, gpu_several_scheme);
    fuzz::check_scheme(text, cpu_scheme);
    fuzz::check_correction(text);
    return 0;
}
