#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>

#include "calibrate/calibrate.hpp"
#include "options/options.hpp"
#include "text/output.hpp"
#include "text/progress.hpp"
#include "tune/tune.hpp"
#include "tuner/profiles/device_profile.hpp"
#include "tuner/records/record.hpp"

namespace spmvgen::cli {
namespace {

struct CalibrateOptions {
    bool asked = false;
    std::shared_ptr<const TuneOptions> common;
};

std::string method_of(const CalibrateOptions& o) {
    const TuneOptions& common = *o.common;
    return fmt::format(
        "spmvgen tune --calibrate --device {}{} --rounds {} --time {}: medians of batches, then of "
        "the rounds; spreads are interquartile ranges{}{}",
        common.device, common.threads > 0 ? fmt::format(" --threads {}", common.threads) : "",
        common.rounds, common.time_ms, common.note.empty() ? "" : ". ", common.note);
}

void calibrate(const CalibrateOptions& o, Streams& streams) {
    CalibrationPlan plan;
    plan.device = parse_device(o.common->device);
    plan.threads = o.common->threads;
    plan.time_ms = o.common->time_ms;
    if (plan.device != nullptr && plan.threads > 0)
        throw UsageError("--threads: is for this CPU; drop it with --device");
    const auto steps = calibration_steps(plan);
    std::vector<DeviceProfile> rounds;
    {
        Progress progress(streams.err, "spmvgen: calibrating",
                          steps.size() * static_cast<std::size_t>(o.common->rounds));
        for (int round = 0; round < o.common->rounds; ++round) {
            rounds.push_back(empty_profile(plan));
            for (auto& step : steps) {
                step.measure(rounds.back());
                progress.step(step.name);
            }
        }
    }
    DeviceProfile profile = combined(rounds);
    profile.date = fmt::format("{:%F}", fmt::gmtime(std::chrono::system_clock::now()));
    profile.method = method_of(o);
    streams.err << sheet(profile);
    write_file(o.common->output, to_json(profile), streams.out);
    const bool simulated =
        plan.device != nullptr &&
        record_device(plan.device->facts().target, profile.device).vendor == simulated_vendor;
    if (o.common->keep && !simulated)
        streams.err << "spmvgen: kept as " << keep_profile(profile)
                    << ", which is used from now on\n";
    else
        streams.err << "spmvgen: in a tuning_db it is named " << device_file_name(profile) << "\n";
}

}  // namespace

Tuning add_tune_calibrate(CLI::App& verb, std::shared_ptr<const TuneOptions> common) {
    auto o = std::make_shared<CalibrateOptions>();
    o->common = std::move(common);
    verb.add_flag("--calibrate", o->asked,
                  "bandwidths, gathers, launches, atomics, compiling: what predicting needs");
    return {"--calibrate",
            [o] { return o->asked; },
            [o](Streams& streams) { calibrate(*o, streams); },
            {"--rounds", "--time", "--note", "--no-keep"}};
}

}  // namespace spmvgen::cli
