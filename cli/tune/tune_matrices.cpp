#include <fmt/chrono.h>
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <new>
#include <optional>
#include <span>
#include <system_error>

#include "handle/plan/levels.hpp"
#include "matrix/suites/suites.hpp"
#include "options/operands.hpp"
#include "options/options.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"
#include "spmvgen/spmvgen.hpp"
#include "text/input.hpp"
#include "text/interrupt.hpp"
#include "text/output.hpp"
#include "text/progress.hpp"
#include "text/units.hpp"
#include "tune/tune.hpp"
#include "tune/tune_records.hpp"
#include "tuner/records/record.hpp"
#include "tuner/records/record_directory.hpp"
#include "tuner/records/record_json.hpp"
#include "tuner/records/tuning_db.hpp"

namespace spmvgen::cli {
namespace {

/// The budget of a record, which is made once and used often.
constexpr double record_ms = 1000;

struct MatrixOptions {
    std::shared_ptr<const TuneOptions> common;
    std::string level = "measure", budget, suite;
    std::optional<double> scale;  ///< of a suite's matrices
    int num_rhs = 1;
    bool deterministic = false, resume = false;
};

/// What is measured on.
struct TunedMachine {
    std::shared_ptr<Device> device;  ///< null = this CPU
    RecordDevice names;
    int threads = 0;  ///< of a CPU
};

std::string today() {
    return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
}

TunedMachine machine_of(const TuneOptions& o) {
    TunedMachine machine{parse_device(o.device), {}, 0};
    if (machine.device == nullptr) {
        machine.threads = o.threads > 0 ? o.threads : omp_get_max_threads();
        machine.names = record_device(parse_target("native"), "");
        return machine;
    }
    if (o.threads > 0) throw UsageError("--threads: is for this CPU; drop it with --device");
    machine.names = record_device(machine.device->facts().target, machine.device->facts().name);
    return machine;
}

Options handle_options(const MatrixOptions& o, const TunedMachine& machine) {
    Options options;
    options.device = o.common->device;
    options.threads = machine.threads;
    options.all_threads = true;
    options.num_rhs = o.num_rhs;
    options.deterministic = o.deterministic;
    options.copy = false;
    options.updatable = false;
    options.strict = true;
    options.choose_anew = true;
    options.level = o.level;
    options.budget_ms = o.budget.empty() ? record_ms : parse_milliseconds("--budget", o.budget);
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

/// What is asked for: the matrices that are named, then those of the suite.
std::vector<SuiteMatrix> matrices_of(const MatrixOptions& o) {
    std::vector<SuiteMatrix> all;
    for (auto& name : o.common->matrices) {
        const Twin* twin = find_twin(plain_name(name));
        all.push_back(
            {plain_name(name), twin != nullptr ? std::string(twin->structure) : "", name});
    }
    if (o.suite.empty()) return all;
    auto suite =
        resolve("--suite", [&] { return expand_suite(o.suite, {.scale = o.scale.value_or(1)}); });
    std::ranges::move(suite, std::back_inserter(all));
    return all;
}

/// Tunes one matrix after another; what was measured before an interrupt is kept.
class Tuner {
  public:
    Tuner(const MatrixOptions& options, Streams& streams)
        : options_(options),
          streams_(streams),
          machine_(machine_of(*options.common)),
          matrices_(matrices_of(options)),
          values_(options.common->values),
          keeps_(options.common->keep && machine_.names.vendor != simulated_vendor) {
        if (values_.empty()) values_.emplace_back();  // the matrix's
        if (options.resume) read_done();
    }

    void run() {
        Progress progress(streams_.err, "tuning", planned());
        for (auto& matrix : matrices_)
            for (auto& value : values_) {
                if (Interrupt::came()) return;
                if (!is_done(matrix, value)) try_to_tune(matrix, value);
                progress.step(matrix.name);
            }
    }

    std::size_t failed() const { return failed_; }
    /// Whether records are kept for this user.
    bool keeps() const { return keeps_; }
    std::size_t planned() const { return matrices_.size() * values_.size(); }

    void write(const std::string& path) const { save_records(path, records_, streams_.out); }

    const std::vector<TuningRecord>& records() const { return records_; }

  private:
    /// What an earlier run left in the output.
    void read_done() {
        const std::string& path = options_.common->output;
        if (path.empty() || is_standard_output(path))
            throw UsageError("--resume: name the file to go on with: -o F.json");
        std::error_code unknown;
        if (std::filesystem::status(path, unknown).type() == std::filesystem::file_type::not_found)
            return;
        const auto refuse = [&](const std::string& why) {
            throw Error(ErrorCode::invalid_input,
                        fmt::format("{}: {}; --resume goes on with files that are sound: repair "
                                    "or remove it",
                                    path, why));
        };
        std::string text = text_of_file(path);
        try {
            text = tuning_text(std::move(text));
        } catch (const Error& damage) {
            refuse(damage.what());
        }
        ReadRecords done = parse_tuning_records(text);
        if (!done.rejected.empty()) refuse(done.rejected.front().reason);
        records_ = std::move(done.records);
    }

    bool is_done(const SuiteMatrix& matrix, const std::string& value) const {
        return std::ranges::any_of(records_, [&](const TuningRecord& r) {
            return r.matrix == matrix.name && r.method == method() && r.device == machine_.names &&
                   r.generator == generator_digest() &&
                   (value.empty() || to_string(r.question.value) == value) &&
                   r.question.num_rhs == options_.num_rhs &&
                   r.question.deterministic == options_.deterministic &&
                   r.question.threads == machine_.threads;
        });
    }

    std::string method() const {
        if (options_.level != "measure") return options_.level;
        return fmt::format("measure, budget {:.0f} ms",
                           handle_options(options_, machine_).budget_ms);
    }

    /// One that cannot be tuned costs no other.
    void try_to_tune(const SuiteMatrix& named, const std::string& value) {
        const auto left_out = [&](const std::string& why) {
            streams_.err << fmt::format("spmvgen: {} is left out: {}\n", named.name, why);
            ++failed_;
        };
        try {
            tune(named, value);
        } catch (const Error& error) {
            left_out(streams_.in_words(error.what()));
        } catch (const UsageError& error) {
            left_out(error.what());
        } catch (const std::bad_alloc&) {
            left_out("there is not enough memory");
        }
    }

    void tune(const SuiteMatrix& named, const std::string& value) {
        const std::string& name = named.name;
        SourcedMatrix source = load_matrix(named.source);
        convert_types(value, "", source.matrix);
        const CsrView matrix = source.matrix.view();
        if (matrix.nnz == 0)
            throw Error(ErrorCode::invalid_argument, "it has no entries, there is nothing to time");
        Options options = handle_options(options_, machine_);
        options.on_measured = [](const MeasuredKernel&) { return !Interrupt::came(); };
        const Handle handle(matrix, options);
        const Info& info = handle.info();
        if (!info.warning.empty())
            streams_.err << fmt::format("spmvgen: {}: {}\n", name, streams_.in_words(info.warning));
        streams_.err << fmt::format("spmvgen: {}: {}\n", name, streams_.in_words(info.reason));
        if (info.measured.empty())
            throw Error(ErrorCode::internal, "none of its kernels could be timed");
        records_.push_back(record_of(named, source, info));
        // At once, so that nothing is lost however this ends.
        const std::string& path = options_.common->output;
        if (!path.empty() && !is_standard_output(path)) write(path);
        if (keeps_) keep(records_.back());
    }

    /// Without a directory to write to, the records go where those that are not kept go.
    void keep(const TuningRecord& record) {
        try {
            keep_record(record);
        } catch (const Error& error) {
            streams_.err << fmt::format("spmvgen: {}\n", error.what());
            keeps_ = false;
        }
    }

    /// Of a capture the application's, whose values are not here.
    static Features features_of(const SourcedMatrix& source) {
        const bool captured =
            source.captured && source.captured->features.value_type == source.matrix.value_type;
        return captured ? source.captured->features : analyse(source.matrix.view());
    }

    TuningRecord record_of(const SuiteMatrix& named, const SourcedMatrix& source,
                           const Info& info) const {
        const ValueType value = source.matrix.value_type;
        return {.matrix = named.name,
                .group = named.structure,
                .features = features_of(source),
                .question = {.value = value,
                             .storage = value,
                             .num_rhs = options_.num_rhs,
                             .deterministic = options_.deterministic,
                             .threads = machine_.threads},
                .device = machine_.names,
                .generator = std::string(generator_digest()),
                .method = method(),
                .date = today(),
                .rule = info.measured.front().kernel,
                .plain = plain_of(info.measured),
                .kernels = fastest_first(info.measured)};
    }

    const MatrixOptions& options_;
    Streams& streams_;
    TunedMachine machine_;
    std::vector<SuiteMatrix> matrices_;
    std::vector<std::string> values_;
    std::vector<TuningRecord> records_;
    std::size_t failed_ = 0;
    bool keeps_;
};

void tune_matrices(const MatrixOptions& o, Streams& streams) {
    if (!measures(o.level))
        throw UsageError("--level: '" + o.level + "' measures nothing: use measure or exhaustive");
    if (o.level != "measure" && !o.budget.empty())
        throw UsageError("--budget: is for --level measure; drop it, or give that");
    if (!o.budget.empty()) parse_milliseconds("--budget", o.budget);
    if (o.suite.empty() && o.scale)
        throw UsageError("--scale: is for the matrices of a suite; drop it, or name one (--suite)");
    const Interrupt interrupt;
    Tuner tuner(o, streams);
    tuner.run();
    const std::string& path = o.common->output;
    if (is_standard_output(path) || (path.empty() && !tuner.keeps())) tuner.write(path);
    if (Interrupt::came())
        throw Error(ErrorCode::io, fmt::format("interrupted: {} of {} were tuned",
                                               tuner.records().size(), tuner.planned()));
    if (tuner.failed() > 0)
        throw Error(ErrorCode::invalid_input,
                    fmt::format("{} of {} could not be tuned", tuner.failed(), tuner.planned()));
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
    verb.add_option("--suite", o->suite,
                    "matrices: also these: csr-k, gospmv, lightspmv, all, or a directory")
        ->type_name("SUITE");
    verb.add_option("--scale", o->scale, "--suite: size of each matrix, above 0, at most 1")
        ->check(suite_scale());
    verb.add_option("--rhs", o->num_rhs, "matrices: right-hand sides (default 1)")
        ->check(whole_between(1, 64));
    verb.add_flag("--resume", o->resume, "matrices: leave out what -o has already, and keep it");
    verb.add_flag("--deterministic", o->deterministic,
                  "matrices: only kernels that give the same bits each time");
    return {nullptr,
            [o] { return !o->common->matrices.empty() || !o->suite.empty(); },
            [o](Streams& streams) { tune_matrices(*o, streams); },
            {"matrices", "--suite", "--scale", "--level", "--budget", "--value", "--rhs",
             "--deterministic", "--resume", "--no-keep"}};
}

}  // namespace spmvgen::cli
