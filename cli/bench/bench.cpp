#include <omp.h>

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "bench/about.hpp"
#include "bench/cases.hpp"
#include "bench/header.hpp"
#include "bench/matrices.hpp"
#include "bench/results.hpp"
#include "bench/rounds.hpp"
#include "bench/table.hpp"
#include "handle/plan/request_of_options.hpp"
#include "measure/random_vector.hpp"
#include "options/operands.hpp"
#include "options/options.hpp"
#include "text/interrupt.hpp"
#include "text/output.hpp"
#include "text/progress.hpp"
#include "text/units.hpp"

namespace spmvgen::cli {
namespace {

constexpr const char* random_numbers = "random";
constexpr std::uint64_t random_values_seed = 11;

/// What is to be measured, and with what; all that can be wrong with the options is found here.
struct BenchPlan {
    std::vector<BenchMatrix> matrices;
    CaseMethod method;
    std::unique_ptr<Place> place;
    std::vector<FoundPeer> peers;
    std::vector<BenchCase> cases;
};

CaseMethod method_of(const BenchOptions& o) {
    resolve("--encodings", [&] { return check_encodings(o.encodings); });
    CaseMethod method{.clocks = parse_clocks(o.clocks, o.device),
                      .seconds = parse_milliseconds("--budget", o.budget) / 1e3};
    for (auto& numbers : o.numbers)
        if (numbers != "own" && numbers != "random")
            throw UsageError("--numbers: unknown '" + numbers + "': use own, random or own,random");
    method.rounds = o.rounds;
    if (method.seconds <= 0) throw UsageError("--budget: '" + o.budget + "' is no time to measure");
    if (!method.has(Clock::cold) && o.flush_bytes > 0)
        throw UsageError("--flush: is for --clock cold");
    return method;
}

BenchPlan plan_of(const BenchOptions& o) {
    BenchPlan plan;
    plan.matrices = bench_matrices(o.matrices, o.suite, o.scale);
    plan.method = method_of(o);
    for (auto& value : o.values) {
        parse_computed_type("--value", value);
        if (std::ranges::count(o.values, value) > 1)
            throw UsageError("--value: " + value + " is given twice");
    }
    if (o.resume && (o.json.empty() || is_standard_output(o.json)))
        throw UsageError("--resume: needs --json FILE to go on with");
    check_not_gzipped(o.json);
    const std::shared_ptr<Device> device = parse_device(o.device);
    if (device && o.threads > 0)
        throw UsageError("--threads: is for this CPU; drop it with --device");
    if (device && o.arch != "native")
        throw UsageError("--arch: is for this CPU; drop it with --device");
    if (!device) runnable_arch(o.arch);
    const int threads = o.threads > 0 ? o.threads : omp_get_max_threads();
    plan.place = std::make_unique<Place>(device, threads, o.flush_bytes);
    plan.peers = find_peers(o, {.device = device,
                                .threads = threads,
                                .stream = plan.place->stream(),
                                .cusparse = o.cusparse});
    plan.cases = bench_cases(o, plan.peers, device != nullptr);
    return plan;
}

/// What became of a run.
struct Tally {
    int wrong = 0, failed = 0, unread = 0;
    std::string first_wrong;
};

class Bench {
  public:
    Bench(const BenchOptions& options, Streams& streams)
        : options_(options), streams_(streams), plan_(plan_of(options)) {
        for (auto& found : plan_.peers)
            if (!found.peer)
                streams_.err << "spmvgen: not compared with " << found.name << ": " << found.absent
                             << "\n";
        file_ = std::make_unique<ResultFile>(
            options_.json, bench_header(options_, *plan_.place, plan_.method, plan_.peers),
            options_.resume, streams_);
        tally_.wrong = file_->wrong();
    }

    void run() {
        const std::size_t left = remaining();
        if (file_->taken_over() > 0)
            streams_.err << "spmvgen: " << options_.json << ": goes on after "
                         << plural(std::ssize(plan_.matrices) * std::ssize(options_.values) *
                                           std::ssize(plan_.cases) -
                                       static_cast<std::int64_t>(left),
                                   "result")
                         << "\n";
        for (auto& found : plan_.peers)
            if (found.peer)
                table() << found.name << " " << found.peer->version() << ": " << found.peer->path()
                        << "\n";
        table() << bench_title(plan_.method.clocks);
        const Interrupt interrupt;
        {
            Progress progress(streams_.err, "measured", std::max<std::size_t>(left, 1));
            for (auto& matrix : plan_.matrices)
                if (!Interrupt::came()) run_matrix(matrix, progress);
        }
        finish();
    }

  private:
    bool wanted(const ResultKey& key) const { return !file_->has(key); }
    std::size_t remaining(const BenchMatrix& matrix) const {
        std::size_t count = 0;
        for (auto& value : options_.values)
            for (auto& numbers : options_.numbers)
                for (auto& one : plan_.cases)
                    count += wanted({matrix.name, value, numbers, one.name});
        return count;
    }
    std::size_t remaining() const {
        std::size_t count = 0;
        for (auto& matrix : plan_.matrices) count += remaining(matrix);
        return count;
    }

    void run_matrix(const BenchMatrix& matrix, Progress& progress) {
        if (remaining(matrix) == 0) return;
        SourcedMatrix source;
        if (!attempt(matrix, [&] { source = load_matrix(matrix.source); })) return;
        for (const char* numbers : {"own", "random"}) {  // in this order: the second replaces
            if (std::ranges::count(options_.numbers, numbers) == 0) continue;
            if (numbers == random_numbers) randomize(source.matrix);
            for (auto& value : options_.values)
                run_value(matrix, source.matrix, {"", value, numbers, ""}, progress);
        }
    }

    /// Does what a matrix may be unfit for, and then tells why.
    template <typename Work>
    bool attempt(const BenchMatrix& matrix, const Work& work) {
        try {
            work();
            return true;
        } catch (const UsageError& error) {
            tell_unread(matrix, error.what());
        } catch (const Error& error) {
            tell_unread(matrix, error.what());
        } catch (const std::bad_alloc&) {
            tell_unread(matrix, "not enough memory");
        }
        return false;
    }

    void tell_unread(const BenchMatrix& matrix, const std::string& why) {
        streams_.err << "spmvgen: " << matrix.name << " is left out: " << why << "\n";
        ++tally_.unread;
    }

    static void randomize(CsrMatrix& matrix) {
        fill_random_wide(matrix.value_type, matrix.values.data(), matrix.nnz, random_values_seed);
    }

    /// `kind` says which values; its matrix and case are empty.
    void run_value(const BenchMatrix& named, const CsrMatrix& given, const ResultKey& kind,
                   Progress& progress) {
        if (std::ranges::none_of(plan_.cases, [&](auto& one) {
                return wanted({named.name, kind.value, kind.numbers, one.name});
            }))
            return;
        const ValueType type = parse_value_type(kind.value);
        CsrMatrix converted;
        const CsrMatrix& matrix = type != given.value_type ? converted : given;
        std::optional<CaseRunner> runner;
        Json about;
        const bool fit = attempt(named, [&] {
            if (type != given.value_type) converted = convert_values(given.view(), type);
            if (!options_.json.empty()) about = about_json(matrix, options_.threads);
            runner.emplace(matrix, *plan_.place, options_, plan_.method);
        });
        if (!fit) return;
        std::vector<Rounds> rounds(plan_.cases.size());
        for (int round = 1; round <= options_.rounds; ++round)
            for (std::size_t i = 0; i < plan_.cases.size(); ++i) {
                const BenchCase& one = plan_.cases[i];
                if (Interrupt::came()) return;
                if (!wanted({named.name, kind.value, kind.numbers, one.name})) continue;
                rounds[i].add(runner->run(one));
                if (round < options_.rounds) continue;
                Json row = head_of(named, matrix, kind);
                row.update(rounds[i].row());
                if (!about.is_null()) row["about"] = std::exchange(about, Json());
                keep(std::move(row));
                progress.step(named.name + " " + one.name);
            }
    }

    static Json head_of(const BenchMatrix& named, const CsrMatrix& matrix, const ResultKey& kind) {
        Json head{{"matrix", named.name}, {"rows", matrix.rows}, {"cols", matrix.cols},
                  {"nnz", matrix.nnz},    {"value", kind.value}, {"numbers", kind.numbers}};
        if (!named.structure.empty()) head["class"] = named.structure;
        return head;
    }

    /// Where the table goes: to standard output, unless the results do.
    std::ostream& table() const {
        return is_standard_output(options_.json) ? streams_.err : streams_.out;
    }

    void keep(Json row) {
        for (const char* said : {"none", "reason"})
            if (row.contains(said)) row[said] = streams_.in_words(row[said].get<std::string>());
        file_->add(row);
        table() << bench_line(row, plan_.method.clocks);
        tally_.failed += row.value("failed", false);
        if (!row.contains("wrong")) return;
        ++tally_.wrong;
        if (tally_.first_wrong.empty())
            tally_.first_wrong = row["matrix"].get<std::string>() + ", " +
                                 row["case"].get<std::string>() + ": " +
                                 row["wrong"].get<std::string>();
    }

    void finish() const {
        if (tally_.wrong > 0)
            throw Error(
                ErrorCode::internal,
                plural(tally_.wrong, "wrong result") +
                    (tally_.first_wrong.empty()
                         ? ", all measured before: " + output_name(options_.json) + " has them"
                         : "; the first: " + tally_.first_wrong));
        if (tally_.failed > 0)
            throw Error(ErrorCode::compile, plural(tally_.failed, "kernel") +
                                                " of spmvgen failed: see the lines with none");
        if (Interrupt::came())
            throw Error(
                ErrorCode::io,
                "interrupted: " + (options_.json.empty() || is_standard_output(options_.json)
                                       ? "what was measured is above"
                                       : options_.json + " has what was measured; go on "
                                                         "with --resume"));
        if (tally_.unread > 0)
            throw Error(ErrorCode::invalid_input,
                        plural(tally_.unread, "matrix") + " left out: see above");
    }

    const BenchOptions& options_;
    Streams& streams_;
    BenchPlan plan_;
    std::unique_ptr<ResultFile> file_;
    Tally tally_;
};

}  // namespace

void add_bench(CLI::App* verb, Verbs& verbs) {
    auto o = std::make_shared<BenchOptions>();
    const auto list = [&](const char* name, std::vector<std::string>& words, const char* help,
                          const char* type) {
        verb->add_option(name, words, help)
            ->delimiter(',')
            ->allow_extra_args(false)
            ->type_name(type);
    };
    verb->add_option("matrices", o->matrices, matrix_help)->type_name("A.mtx");
    verb->add_option("--suite", o->suite,
                     "also all matrices of csr-k, gospmv, lightspmv, all, or a directory")
        ->type_name("SUITE");
    verb->add_option("--scale", o->scale, "size of a suite's matrices beside the full ones, to 1")
        ->check(suite_scale())
        ->type_name("S");
    verb->add_option("--device", o->device,
                     "host (the default), cuda:0, hip:0, or simt:ARCH, whose times mean nothing")
        ->type_name("DEVICE");
    list("--kernels", o->kernels,
         "auto (what the rule chooses), auto/LEVEL, levels (all but exhaustive), all, none, or "
         "ids, also with parameters, csr_vector:unroll=2; default auto,all",
         "K,…");
    list("--formats", o->formats, "of all kernels only those of these formats", "F,…");
    list("--against", o->against,
         "all that is there (the default), none, or of cusparse, mkl, eigen, librsb, plain", "P,…");
    list("--value", o->values, "value types, default f64", "T,…");
    list("--numbers", o->numbers, "own (the matrix's, the default), random (in [0.5, 1.5))", "N,…");
    verb->add_option("--rhs", o->num_rhs, "vectors that A is multiplied with at once (default 1)")
        ->check(whole_between(1, 64));
    verb->add_option("--layout", o->layout,
                     "how the vectors of --rhs lie in memory: row (default), or column, which of "
                     "other libraries only cuSPARSE takes")
        ->check(CLI::IsMember({"row", "column"}));
    verb->add_option("--encodings", o->encodings,
                     "auto (default): A's values in fewer bytes where that is exact; none")
        ->type_name("HOW");
    list("--clock", o->clocks,
         "stream (back to back, the default), cold (caches emptied); on NVIDIA GPUs also graph (a "
         "CUDA graph of 100), solver (another kernel between)",
         "C,…");
    verb->add_option("--cusparse", o->cusparse,
                     "this libcusparse.so; default: $SPMVGEN_CUSPARSE_LIBRARY, else the system's")
        ->type_name("PATH");
    verb->add_option("--threads", o->threads, "threads of this CPU; 0 = what OpenMP would use")
        ->check(whole_between(0, 4096));
    verb->add_option("--arch", o->arch,
                     "architecture of this CPU that kernels are made for (default native)")
        ->type_name("ARCH");
    verb->add_option("--rounds", o->rounds,
                     "time the cases of a matrix in so many alternating rounds; of each the median "
                     "round is kept (default 1)")
        ->check(whole_between(1, 1000));
    verb->add_option("--budget", o->budget, "time for a case, all clocks together (default 200ms)")
        ->type_name("TIME");
    verb->add_option("--flush", o->flush_bytes,
                     "bytes that are walked over to empty caches (default: twice the last-level "
                     "cache, of a CPU at most 256 MiB)")
        ->check(whole_between(std::int64_t{1} << 20, std::int64_t{1} << 36))
        ->type_name("BYTES");
    verb->add_option("--json", o->json,
                     "write the results to this file, one a line; - = standard output")
        ->type_name("F.jsonl");
    verb->add_flag("--resume", o->resume, "go on with that file: leave out what it has");
    verb->footer(
        "Examples:\n"
        "  spmvgen bench A.mtx --budget 20ms\n"
        "  spmvgen bench A.mtx gallery:stencil5:nx=50 --against plain --value f64,f32 --budget "
        "20ms\n"
        "  spmvgen bench A.mtx --kernels auto,csr_vector --clock stream,cold --json R.jsonl "
        "--budget 20ms\n"
        "  spmvgen bench A.mtx --device simt:sm_90 --formats csr --budget 1ms");
    verbs.push_back({verb, [o](Streams& streams) { Bench(*o, streams).run(); }});
}

}  // namespace spmvgen::cli
