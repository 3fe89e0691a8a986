// What planning at level rule costs: plan/MATRIX makes a handle whose kernel is loaded already, in
// turn with an apply of that handle. "applies" is the ratio of the two, the other figures the
// parts. analyse/MATRIX finds all features, which planning does not need.
//   bench_plan [--copy=1] [--format=F] [--kernel=K] [--threads=N] [--expect=N] [--recall=1]
//       [MATRIX…] …
// MATRIX: a file or a gallery specification, f64; none = the gallery. With --recall=1 the choice is
// that of the first handle.
#include <filesystem>
#include <memory>

#include "arguments.hpp"
#include "matrix/features/features.hpp"
#include "matrix/read/reader.hpp"
#include "matrix/suites/gallery.hpp"
#include "measure/random_vector.hpp"
#include "rounds.hpp"
#include "spmvgen/spmvgen.hpp"

namespace {

using namespace spmvgen;
using namespace spmvgen::bench;

/// The matrix of a benchmark; the last one is kept, for its next benchmark.
const CsrMatrix& matrix_of(const std::string& name) {
    static std::pair<std::string, CsrMatrix> last;
    if (last.first == name) return last.second;
    last = {name, std::filesystem::exists(name) ? read_matrix(name) : make_gallery_matrix(name)};
    if (last.second.value_type != ValueType::f64)
        throw Error(ErrorCode::unsupported, name + ": only f64 matrices");
    return last.second;
}

void plan(benchmark::State& state, const std::string& name, const Options& options) {
    const CsrView a = matrix_of(name).view();
    std::vector<double> x(static_cast<std::size_t>(a.cols)), y(static_cast<std::size_t>(a.rows));
    fill_random(ValueType::f64, x.data(), a.cols, 1);
    const Handle first(a, options);
    const auto apply = [&] { first.apply(1.0, x.data(), 0.0, y.data()); };
    const int applies = calls_for(0.01, apply);
    double planned = 0, applied = 0, analysis = 0, choice = 0, kernel = 0, convert = 0;
    for (auto _ : state) {
        const double start = seconds_now();
        const Handle handle(a, options);
        const double seconds = seconds_now() - start;
        state.SetIterationTime(seconds);
        planned += seconds;
        analysis += handle.info().analysis_ms;
        choice += handle.info().choice_ms;
        kernel += handle.info().kernel_ms;
        convert += handle.info().convert_ms;
        applied += seconds_of(applies, apply);
    }
    const auto mean = [](double sum) {
        return benchmark::Counter(sum, benchmark::Counter::kAvgIterations);
    };
    state.counters["apply_ms"] = mean(1e3 * applied);
    state.counters["analysis_ms"] = mean(analysis);
    state.counters["kernel_ms"] = mean(kernel);
    state.counters["convert_ms"] = mean(convert);
    state.counters["choice_ms"] = mean(choice);
    state.counters["rest_ms"] = mean(1e3 * planned - analysis - choice - kernel - convert);
    state.counters["applies"] = planned / applied;
    state.SetLabel(first.info().kernel);
}

void full_analysis(benchmark::State& state, const std::string& name, int threads) {
    const CsrView a = matrix_of(name).view();
    for (auto _ : state) benchmark::DoNotOptimize(analyse(a, threads));
}

}  // namespace

int main(int argc, char** argv) try {
    Options options;
    options.copy = take_number(argc, argv, "--copy=", 0) != 0;
    options.format = take_option(argc, argv, "--format=", options.format);
    options.kernel = take_option(argc, argv, "--kernel=", options.kernel);
    options.threads = take_number(argc, argv, "--threads=", 0);
    options.expected_applies = take_number(argc, argv, "--expect=", 0);
    options.choose_anew = take_number(argc, argv, "--recall=", 0) == 0;
    std::vector<std::string> matrices = take_words(argc, argv);
    if (matrices.empty())
        for (auto& entry : gallery()) matrices.emplace_back(entry.name);
    for (auto& name : matrices) {
        add("plan/" + name, [=](benchmark::State& state) { plan(state, name, options); })
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond);
        add("analyse/" + name,
            [=](benchmark::State& state) { full_analysis(state, name, options.threads); })
            ->UseRealTime()
            ->Unit(benchmark::kMillisecond);
    }
    return run_benchmarks(argc, argv);
} catch (const std::exception& error) {
    std::fprintf(stderr, "bench_plan: %s\n", error.what());
    return 1;
}
