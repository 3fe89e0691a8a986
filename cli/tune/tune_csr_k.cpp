#include <fmt/format.h>
#include <omp.h>

#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "matrix/features/features.hpp"
#include "measure/timing.hpp"
#include "options/operands.hpp"
#include "options/options.hpp"
#include "text/output.hpp"
#include "text/units.hpp"
#include "tune/tune.hpp"
#include "tuner/csr_k/csr_k_fit.hpp"
#include "tuner/rules/choose.hpp"

namespace spmvgen::cli {
namespace {

struct FitOptions {
    std::shared_ptr<const TuneOptions> common;
    std::string fit;
    std::vector<std::int64_t> sizes;
};

/// What is measured on.
struct Machine {
    std::shared_ptr<Device> device;  ///< null = this CPU
    Target target;
    int threads = 1;
    bool gpu() const { return device != nullptr; }
};

Machine machine_of(const FitOptions& o) {
    const std::shared_ptr<Device> device = parse_device(o.common->device);
    if (device == nullptr)
        return {device, parse_target("native"),
                o.common->threads > 0 ? o.common->threads : omp_get_max_threads()};
    if (o.common->threads > 0)
        throw UsageError("--threads: is for this CPU; drop it with --device");
    return {device, device->facts().target, 1};
}

std::vector<GroupSizes> grid_of(const FitOptions& o, bool gpu) {
    std::vector<GroupSizes> grid = csr_k_grid(gpu);
    if (o.sizes.empty()) return grid;
    grid.clear();
    for (const std::int64_t srs : o.sizes) {
        if (!gpu) grid.push_back({srs, 1});
        if (gpu)
            for (const std::int64_t ssrs : o.sizes) grid.push_back({srs, ssrs});
    }
    return grid;
}

/// One matrix with its operands; times applies, of which every result is checked before its time
/// counts.
class Bench {
  public:
    Bench(const FitOptions& o, const Machine& machine, const SourcedMatrix& source)
        : options_(o),
          machine_(machine),
          source_(source),
          operands_(make_operands({}, source.matrix)),
          placed_(operands_, machine.device) {}

    /// Seconds of one apply.
    double seconds(const GroupSizes& sizes) {
        const Handle& handle = handle_for(sizes);
        placed_.reset();
        placed_.apply(handle);
        placed_.finish();
        check(handle.info().kernel);
        TimingPlan plan;
        plan.budget_s = options_.common->time_ms / 1e3;
        plan.warm_up_s = plan.budget_s / 4;
        // The least: whatever else the machine does can only make it longer.
        return time_apply([&] { placed_.apply(handle); }, plan, [&] { placed_.finish(); }).min_s;
    }

  private:
    const Handle& handle_for(const GroupSizes& sizes) {
        const std::pair key{sizes.srs, sizes.ssrs};
        const auto kept = handles_.find(key);
        if (kept != handles_.end()) return kept->second;
        if (machine_.gpu()) handles_.clear();  // each has a copy of A on the device
        return handles_.try_emplace(key, source_.matrix.view(), handle_options(sizes))
            .first->second;
    }

    Options handle_options(const GroupSizes& sizes) const {
        Options options;
        options.device = options_.common->device;
        options.format = "csr-k";
        options.params["srs"] = sizes.srs;
        if (machine_.gpu()) options.params["ssrs"] = sizes.ssrs;
        options.threads = machine_.gpu() ? 0 : machine_.threads;
        options.all_threads = true;
        options.copy = false;
        options.strict = true;
        return options;
    }

    /// Most sizes add in the same order: bits that passed once need not be checked again.
    void check(const std::string& kernel) {
        Buffer y = placed_.result();
        if (checked_ && std::memcmp(checked_->data(), y.data(), y.bytes()) == 0) return;
        const CheckResult result = operands_.check(source_.matrix, y);
        if (!result.passed)
            throw Error(ErrorCode::internal,
                        fmt::format("{}, kernel {}: check failed: {}; this is a defect of spmvgen: "
                                    "report the matrix and the kernel",
                                    source_.name, kernel, result.message));
        checked_ = std::move(y);
    }

    const FitOptions& options_;
    const Machine& machine_;
    const SourcedMatrix& source_;
    Operands operands_;
    PlacedOperands placed_;
    std::optional<Buffer> checked_;
    std::map<std::pair<std::int64_t, std::int64_t>, Handle> handles_;
};

/// The case of the blocks that are run: GPUs only.
int block_case(const Features& features, const Machine& machine) {
    if (!machine.gpu()) return 0;
    const Choice choice = choose(
        features,
        {.format = "csr-k", .target = machine.target, .units = machine.device->facts().units});
    const double density = static_cast<double>(features.nnz) / static_cast<double>(features.rows);
    return std::max(density_case(density), subwarp_case(choice.signature.params.at("subwarp")));
}

CsrKSample sample_of(const SourcedMatrix& source, const Machine& machine) {
    const Features f = analyse(source.matrix.view());
    if (f.nnz == 0)
        throw Error(ErrorCode::invalid_argument,
                    source.name + ": has no entries, there is nothing to time; leave it out");
    return {.matrix = source.name,
            .rows = f.rows,
            .cols = f.cols,
            .nnz = f.nnz,
            .max_row = f.max_row,
            .variance_row = f.variance_row,
            .block_case = block_case(f, machine),
            .times = {}};
}

CsrKSample measure(const FitOptions& o, const Machine& machine, const std::string& name) {
    const SourcedMatrix source = load_matrix(name);
    CsrKSample sample = sample_of(source, machine);
    for (auto& sizes : grid_of(o, machine.gpu()))
        sample.times.push_back({sizes, std::numeric_limits<double>::infinity()});
    Bench bench(o, machine, source);
    // All sizes in turn, so that what else the machine does meets all of them.
    for (int round = 0; round < o.common->rounds; ++round)
        for (auto& [sizes, best] : sample.times) best = std::min(best, bench.seconds(sizes));
    return sample;
}

void tune_csr_k(const FitOptions& o, Streams& streams) {
    if (o.fit != "csr-k")
        throw UsageError("--fit: there is no procedure for '" + o.fit + "': use csr-k");
    if (o.common->matrices.empty()) throw UsageError("--fit: name the matrices to fit to");
    const Machine machine = machine_of(o);
    std::vector<CsrKSample> samples;
    for (auto& name : o.common->matrices) {
        samples.push_back(measure(o, machine, name));
        streams.err << fmt::format("spmvgen: {} of {}: {}, {} times\n", samples.size(),
                                   o.common->matrices.size(), name, samples.back().times.size());
    }
    CsrKFit fit =
        fit_csr_k(std::move(samples), machine.target, choose_formula(machine.target, {}).formula);
    fit.device = machine.gpu() ? machine.device->facts().name : to_string(machine.target);
    fit.threads = machine.gpu() ? 0 : machine.threads;
    streams.err << to_string(fit);
    write_file(o.common->output, to_json(fit), streams.out);
}

}  // namespace

Tuning add_tune_csr_k(CLI::App& verb, std::shared_ptr<const TuneOptions> common) {
    auto o = std::make_shared<FitOptions>();
    o->common = std::move(common);
    verb.add_option("--fit", o->fit,
                    "what is fitted: csr-k, sizes of super-rows over the row density")
        ->type_name("WHAT");
    verb.add_option("--sizes", o->sizes, "fit: sizes to try instead of the paper's grid: 8,16,96")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(whole_between(1, 1024))
        ->type_name("N,…");
    return {"--fit",
            [o] { return !o->fit.empty(); },
            [o](Streams& streams) { tune_csr_k(*o, streams); },
            {"--rounds", "--time", "--sizes", "matrices"}};
}

}  // namespace spmvgen::cli
