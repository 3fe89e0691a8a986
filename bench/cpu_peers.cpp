// bench_cpu_peers: the CPU kernels, with parameters as given, beside the other libraries, in
// alternating rounds, so that a busy machine slows all alike. In its turn a case first runs for
// some time untimed: with 480 MiB of last-level cache shared by many, it takes some twenty products
// until its arrays are where they stay. Then samples of about a millisecond are taken. A case is
// KERNEL or KERNEL:PARAM=NUMBER,…; of format strips what the matrix decides is filled in. Each
// product is checked before it is timed. One line of JSON a matrix.
#include <fmt/format.h>
#include <omp.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>

#include "bench/workbench.hpp"
#include "formats/strips_plan.hpp"
#include "matrix_source.hpp"
#include "measure/random_vector.hpp"
#include "options.hpp"
#include "output.hpp"
#include "peers/peer.hpp"
#include "registry.hpp"
#include "rounds.hpp"
#include "spmvgen/spmvgen.hpp"

namespace {

using namespace spmvgen;
using cli::Json;

struct Arguments {
    std::vector<std::string> matrices, cases, peers{"mkl", "eigen", "librsb", "plain"};
    std::string json, arch = "native";
    int rounds = 5;
    double warm_ms = 30, time_ms = 20;  ///< of a case in a round
    bool random = false;
};

struct Case {
    std::string name;
    bool is_peer = false;
    std::function<void()> apply;
    std::string kernel;  ///< of ours: the whole name
    std::int64_t bytes = 0;
    double convert_ms = 0;
    int calls = 1;
    std::vector<double> seconds = {};
};

/// "sell:sigma=4096,lanes=8".
Options options_of(const std::string& text, const std::string& arch) {
    Options options;
    options.target = arch;
    const auto colon = text.find(':');
    options.kernel = text.substr(0, colon);
    std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
    while (!rest.empty()) {
        const std::string one = rest.substr(0, rest.find(','));
        const auto equals = one.find('=');
        options.params[one.substr(0, equals)] = std::stoll(one.substr(equals + 1));
        rest = rest.size() > one.size() ? rest.substr(one.size() + 1) : "";
    }
    options.copy = false;
    options.updatable = false;
    options.strict = true;
    options.encodings = "none";  // random values have few digits here
    return options;
}

/// Fills in what the matrix decides of a kernel of format strips.
void plan(const CsrMatrix& matrix, Options& options) {
    if (kernel_entry(options.kernel).format != Format::strips) return;
    Signature signature;
    signature.kernel = options.kernel;
    signature.value = matrix.value_type;
    signature.target = parse_target(options.target);
    signature.params.insert(options.params.begin(), options.params.end());
    signature.params["long_rows"] = 1;
    const StripsPlan p = plan_strips(matrix.view(), complete(signature));
    options.params.try_emplace("codes", p.codes());
    options.params.try_emplace("ragged", p.ragged_slices > 0);
    options.params.try_emplace("fill", p.filled_slices > 0);
    options.params.try_emplace("long_rows", p.long_rows > 0);
}

void add_ours(const CsrMatrix& matrix, const std::string& text, const std::string& arch,
              cli::Workbench& bench, std::vector<Case>& cases) try {
    Options options = options_of(text, arch);
    if (options.kernel != "auto") plan(matrix, options);
    const auto handle = std::make_shared<const Handle>(matrix.view(), options);
    const auto* x = static_cast<const double*>(bench.x());
    auto* y = static_cast<double*>(bench.y());
    cases.push_back({.name = text,
                     .is_peer = false,
                     .apply = [handle, x, y] { handle->apply(1.0, x, 0.0, y); },
                     .kernel = handle->info().kernel,
                     .bytes = handle->info().bytes,
                     .convert_ms = handle->info().convert_ms});
} catch (const Error& error) {
    std::cerr << "  " << text << ": " << std::string(error.what()).substr(0, 200) << "\n";
}

void add_peers(const CsrMatrix& matrix, std::vector<std::unique_ptr<peers::Peer>>& all,
               const std::vector<std::string>& names, cli::Workbench& bench,
               std::vector<Case>& cases) {
    for (std::size_t i = 0; i < all.size(); ++i)
        for (auto& way : all[i]->ways()) try {
                const auto product =
                    all[i]->make(way, {.matrix = matrix, .x = bench.x(), .y = bench.y()});
                cases.push_back({.name = names[i] + "/" + way,
                                 .is_peer = true,
                                 .apply = product.apply,
                                 .kernel = "",
                                 .bytes = product.bytes,
                                 .convert_ms = product.convert_ms + product.plan_ms});
            } catch (const Error& error) {
                std::cerr << "  " << names[i] << "/" << way << ": " << error.what() << "\n";
            }
}

/// Calls it for about so long; gives what samples of about a millisecond took a call.
std::vector<double> run_for(double ms, const Case& one) {
    std::vector<double> seconds;
    const double end = bench::seconds_now() + 1e-3 * ms;
    while (seconds.empty() || bench::seconds_now() < end)
        seconds.push_back(bench::seconds_of(one.calls, one.apply));
    return seconds;
}

void time_rounds(const Arguments& a, std::vector<Case>& cases) {
    for (Case& one : cases) one.calls = bench::calls_for(1e-3, one.apply);
    for (int round = 0; round < a.rounds; ++round)
        for (Case& one : cases) {
            run_for(a.warm_ms, one);
            std::ranges::copy(run_for(a.time_ms, one), std::back_inserter(one.seconds));
        }
}

Json result(const std::string& name, const CsrMatrix& matrix, const std::vector<Case>& cases) {
    Json row{{"matrix", name}, {"rows", matrix.rows}, {"nnz", matrix.nnz}};
    for (auto& one : cases)
        row["cases"].push_back({{"case", one.name},
                                {"peer", one.is_peer},
                                {"kernel", one.kernel},
                                {"bytes", one.bytes},
                                {"convert_ms", one.convert_ms},
                                {"us", 1e6 * bench::quantile(one.seconds, 0.5)},
                                {"low_us", 1e6 * bench::quantile(one.seconds, 0.25)},
                                {"high_us", 1e6 * bench::quantile(one.seconds, 0.75)}});
    return row;
}

const Case* best(const std::vector<Case>& cases, bool is_peer) {
    const Case* found = nullptr;
    for (auto& one : cases)
        if (one.is_peer == is_peer &&
            (found == nullptr ||
             bench::quantile(one.seconds, 0.5) < bench::quantile(found->seconds, 0.5)))
            found = &one;
    return found;
}

void run(const Arguments& a) {
    const int threads = omp_get_max_threads();
    cli::Place place(nullptr, threads);
    std::vector<std::unique_ptr<peers::Peer>> all;
    std::vector<std::string> names;
    for (auto& entry : peers::known_peers())
        if (std::ranges::find(a.peers, entry.name) != a.peers.end()) {
            all.push_back(entry.open({.device = nullptr, .threads = threads}));
            names.emplace_back(entry.name);
        }
    std::ofstream json(a.json, std::ios::app);
    double sum = 0;
    int count = 0;
    for (auto& name : a.matrices) {
        CsrMatrix matrix = cli::load_matrix(name).matrix;
        if (a.random) fill_random(matrix.value_type, matrix.values.data(), matrix.nnz, 7);
        cli::Workbench bench(matrix, place);
        std::vector<Case> cases;
        for (auto& text : a.cases) add_ours(matrix, text, a.arch, bench, cases);
        add_peers(matrix, all, names, bench, cases);
        std::erase_if(cases, [&](Case& one) {
            const CheckResult check = bench.check_fresh(one.apply);
            if (!check.passed) std::cerr << name << " WRONG " << one.name << check.message << "\n";
            return !check.passed;
        });
        time_rounds(a, cases);
        if (!a.json.empty()) json << result(name, matrix, cases).dump() << "\n" << std::flush;
        std::string line = fmt::format("{} nnz {}:", name.substr(name.rfind('/') + 1), matrix.nnz);
        const Case* peer = best(cases, true);
        const Case* ours = best(cases, false);
        const double ratio =
            peer != nullptr && ours != nullptr
                ? bench::quantile(peer->seconds, 0.5) / bench::quantile(ours->seconds, 0.5)
                : 1;
        line += fmt::format(" {:.2f}x {} over {} |", ratio, ours ? ours->name : "",
                            peer ? peer->name : "");
        for (auto& one : cases)
            line += fmt::format(" {} {:.1f}", one.name, 1e6 * bench::quantile(one.seconds, 0.5));
        std::cout << line << std::endl;
        sum += std::log(ratio);
        ++count;
    }
    std::cout << fmt::format("geometric mean {:.3f} of {}\n", std::exp(sum / std::max(count, 1)),
                             count);
}

}  // namespace

int main(int count, char** words) {
    Arguments a;
    CLI::App app{"CPU kernels beside other libraries, in alternating rounds"};
    app.add_option("matrix", a.matrices, cli::matrix_help)->required();
    app.add_option("--case", a.cases, "KERNEL or KERNEL:PARAM=NUMBER,…")->required();
    app.add_option("--peer", a.peers, "libraries to compare with");
    app.add_option("--rounds", a.rounds, "rounds");
    app.add_option("--warm-ms", a.warm_ms, "milliseconds that a case runs untimed in a round");
    app.add_option("--time-ms", a.time_ms, "milliseconds that a case is timed in a round");
    app.add_flag("--random", a.random, "values are random, not the matrix' own");
    app.add_option("--arch", a.arch, "what ours are compiled for, default native");
    app.add_option("--json", a.json, "file that a line a matrix is added to");
    CLI11_PARSE(app, count, words);
    try {
        run(a);
    } catch (const Error& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
    return 0;
}
