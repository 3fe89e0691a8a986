#include <fmt/chrono.h>
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <span>

#include "handle/levels.hpp"
#include "interrupt.hpp"
#include "matrix_source.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"
#include "spmvgen/spmvgen.hpp"
#include "tune.hpp"
#include "tuner/record.hpp"
#include "tuner/record_json.hpp"
#include "units.hpp"

namespace spmvgen::cli {
namespace {

struct MatrixOptions {
    std::shared_ptr<const TuneOptions> common;
    std::string level = "measure", budget;
    int num_rhs = 1;
    bool deterministic = false;
};

/// What is measured on.
struct Machine {
    std::shared_ptr<Device> device;  ///< null = this CPU
    RecordDevice names;
    int threads = 0;  ///< of a CPU
};

std::string today() {
    return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
}

Machine machine_of(const TuneOptions& o) {
    Machine machine{parse_device(o.device), {}, 0};
    if (machine.device == nullptr) {
        machine.threads = o.threads > 0 ? o.threads : omp_get_max_threads();
        machine.names = record_device(parse_target("native"), "");
        return machine;
    }
    if (o.threads > 0) throw UsageError("--threads: is for this CPU; drop it with --device");
    machine.names = record_device(machine.device->facts().target, machine.device->facts().name);
    return machine;
}

Options handle_options(const MatrixOptions& o, const Machine& machine) {
    Options options;
    options.device = o.common->device;
    options.threads = machine.threads;
    options.num_rhs = o.num_rhs;
    options.deterministic = o.deterministic;
    options.copy = false;
    options.updatable = false;
    options.strict = true;
    options.level = o.level;
    if (!o.budget.empty()) options.budget_ms = parse_milliseconds("--budget", o.budget);
    return options;
}

/// The first that was timed of the kernel that is plain CSR; "" = none.
std::string plain_of(const std::vector<MeasuredKernel>& measured) {
    for (auto& kernel : measured)
        if (kernel.kernel.starts_with("csr_classical_") || kernel.kernel.starts_with("csr_rows_"))
            return kernel.kernel;
    return "";
}

std::vector<TimedKernel> fastest_first(const std::vector<MeasuredKernel>& measured) {
    std::vector<TimedKernel> kernels;
    for (auto& m : measured) kernels.push_back({m.kernel, m.us, m.low_us, m.high_us});
    std::ranges::stable_sort(kernels, {}, &TimedKernel::us);
    return kernels;
}

/// A generated matrix as it was asked for, a file's name without folders and endings.
std::string plain_name(const std::string& name) {
    if (name.starts_with("gallery:")) return name;
    std::filesystem::path file = std::filesystem::path(name).filename();
    if (file.extension() == ".gz") file = file.stem();
    return file.stem().string();
}

/// Tunes one matrix after another; what was measured before an interrupt is kept.
class Tuner {
  public:
    Tuner(const MatrixOptions& options, Streams& streams)
        : options_(options),
          streams_(streams),
          machine_(machine_of(*options.common)),
          values_(options.common->values) {
        if (values_.empty()) values_.emplace_back();  // the matrix's
    }

    void run() {
        Progress progress(streams_.err, "tuning", planned());
        for (auto& name : options_.common->matrices)
            for (auto& value : values_) {
                if (Interrupt::came()) return;
                tune(name, value);
                progress.step(name);
            }
    }

    std::size_t planned() const { return options_.common->matrices.size() * values_.size(); }

    void write(const std::string& path) const {
        write_file(path, to_json(std::span(records_)), streams_.out);
    }

    const std::vector<TuningRecord>& records() const { return records_; }

  private:
    void tune(const std::string& name, const std::string& value) {
        SourcedMatrix source = load_matrix(name);
        convert_types(value, "", source.matrix);
        const CsrView matrix = source.matrix.view();
        if (matrix.nnz == 0)
            throw Error(ErrorCode::invalid_argument,
                        name + ": has no entries, there is nothing to time; leave it out");
        Options options = handle_options(options_, machine_);
        options.on_measured = [](const MeasuredKernel&) { return !Interrupt::came(); };
        const Handle handle(matrix, options);
        const Info& info = handle.info();
        if (!info.warning.empty())
            streams_.err << fmt::format("spmvgen: {}: {}\n", name, info.warning);
        streams_.err << fmt::format("spmvgen: {}: {}\n", name, info.reason);
        if (info.measured.empty()) return;
        records_.push_back(record_of(source, info));
        // At once, so that nothing is lost however this ends.
        if (!options_.common->output.empty()) write(options_.common->output);
    }

    TuningRecord record_of(const SourcedMatrix& source, const Info& info) const {
        const ValueType value = source.matrix.value_type;
        return {.matrix = plain_name(source.name),
                .group = "",
                .features = analyse(source.matrix.view()),
                .question = {.value = value,
                             .storage = value,
                             .num_rhs = options_.num_rhs,
                             .deterministic = options_.deterministic,
                             .threads = machine_.threads},
                .device = machine_.names,
                .generator = std::string(generator_digest()),
                .method = options_.level == "measure"
                              ? fmt::format("measure, budget {:.0f} ms",
                                            handle_options(options_, machine_).budget_ms)
                              : options_.level,
                .date = today(),
                .rule = info.measured.front().kernel,
                .plain = plain_of(info.measured),
                .kernels = fastest_first(info.measured)};
    }

    const MatrixOptions& options_;
    Streams& streams_;
    Machine machine_;
    std::vector<std::string> values_;
    std::vector<TuningRecord> records_;
};

void tune_matrices(const MatrixOptions& o, Streams& streams) {
    if (!is_level(o.level) || o.level == "rule")
        throw UsageError("--level: '" + o.level + "' measures nothing: use measure or exhaustive");
    if (o.level != "measure" && !o.budget.empty())
        throw UsageError("--budget: is for --level measure; drop it, or ask for that");
    const Interrupt interrupt;
    Tuner tuner(o, streams);
    tuner.run();
    tuner.write(o.common->output);
    if (Interrupt::came())
        throw Error(ErrorCode::io, fmt::format("interrupted: {} of {} were tuned and are kept",
                                               tuner.records().size(), tuner.planned()));
}

}  // namespace

Tuning add_tune_matrices(CLI::App& verb, std::shared_ptr<const TuneOptions> common) {
    auto o = std::make_shared<MatrixOptions>();
    o->common = std::move(common);
    verb.add_option("--level", o->level,
                    "matrices: measure (the default): the kernels that promise most, within the "
                    "budget; exhaustive: all, with all parameters")
        ->type_name("LEVEL");
    verb.add_option("--budget", o->budget, "matrices: time for each: 200ms, 2s (default 1s)")
        ->type_name("TIME");
    verb.add_option("--rhs", o->num_rhs, "matrices: right-hand sides (default 1)")
        ->check(CLI::Range(1, 64).description(""));
    verb.add_flag("--deterministic", o->deterministic,
                  "matrices: only kernels that give the same bits each time");
    return {nullptr, [o] { return !o->common->matrices.empty(); },
            [o](Streams& streams) { tune_matrices(*o, streams); }};
}

}  // namespace spmvgen::cli
