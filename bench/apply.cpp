// bench_apply: a handle's product against the plain CSR loop, matrix by matrix. Both results are
// checked before anything is timed, rounds alternate between the two, and the ratio is the median
// over rounds of plain time / handle time.
#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>

#include "matrix/gallery.hpp"
#include "matrix/reader.hpp"
#include "peers/module/plain_csr.hpp"
#include "spmvgen/spmvgen.hpp"
#include "verify/reference.hpp"

namespace {

using namespace spmvgen;

struct Arguments {
    std::vector<std::string> matrices;
    std::string value = "f64";
    Options options;
    int rounds = 15;
    double seconds = 1;
    double at_least = 0;
    std::string json;
    bool cpu_time = false;
};

struct Row {
    std::string matrix;
    Info info;
    std::int64_t plain_bytes = 0;
    double plain_us = 0, handle_us = 0;   ///< medians
    double ratio = 0, low = 0, high = 0;  ///< of rounds: median and quartiles
    std::string wrong;                    ///< "" = both results are right
};

/// Seconds on a clock: of the wall, or of this thread's use of a CPU, which other processes on a
/// busy machine disturb less.
class Stopwatch {
  public:
    explicit Stopwatch(bool cpu_time)
        : clock_(cpu_time ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC) {}
    double seconds_of(int calls, const std::function<void()>& call) const {
        const double start = now();
        for (int i = 0; i < calls; ++i) call();
        return now() - start;
    }

  private:
    double now() const {
        timespec t{};
        clock_gettime(clock_, &t);
        return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    }
    clockid_t clock_;
};

double quantile(std::vector<double> v, double q) {
    std::ranges::sort(v);
    return v[static_cast<std::size_t>(q * static_cast<double>(v.size() - 1) + 0.5)];
}

/// Calls that take about `seconds`, found by doubling; warms up on the way.
int calls_for(double seconds, const Stopwatch& watch, const std::function<void()>& call) {
    for (int calls = 1;; calls *= 2)
        if (const double t = watch.seconds_of(calls, call); t >= seconds || calls > (1 << 24))
            return std::max(1, static_cast<int>(calls * seconds / t));
}

void measure(Row& row, const std::function<void()>& plain, const std::function<void()>& handle,
             const Arguments& arguments) {
    const double share = arguments.seconds / arguments.rounds / 2;
    const Stopwatch watch(arguments.cpu_time);
    const int plain_calls = calls_for(share, watch, plain);
    const int handle_calls = calls_for(share, watch, handle);
    std::vector<double> plain_s, handle_s, ratios;
    for (int round = 0; round < arguments.rounds; ++round) {
        double p = 0;
        if (round % 2 == 0) p = watch.seconds_of(plain_calls, plain) / plain_calls;
        const double h = watch.seconds_of(handle_calls, handle) / handle_calls;
        if (round % 2 == 1) p = watch.seconds_of(plain_calls, plain) / plain_calls;
        plain_s.push_back(p);
        handle_s.push_back(h);
        ratios.push_back(p / h);
    }
    row.plain_us = 1e6 * quantile(plain_s, 0.5);
    row.handle_us = 1e6 * quantile(handle_s, 0.5);
    row.ratio = quantile(ratios, 0.5);
    row.low = quantile(ratios, 0.25);
    row.high = quantile(ratios, 0.75);
}

template <typename Value>
std::vector<Value> random_vector(std::int64_t n) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> number(0.5, 1.5);
    std::vector<Value> v(static_cast<std::size_t>(n));
    for (auto& element : v) element = static_cast<Value>(number(random));
    return v;
}

template <typename Value>
Row run(const std::string& name, const CsrMatrix& matrix, const Arguments& arguments) {
    const CsrView a = matrix.view();
    const int threads =
        arguments.options.threads > 0 ? arguments.options.threads : omp_get_max_threads();
    const Handle handle(a, arguments.options);
    const std::vector<Value> x = random_vector<Value>(a.cols);
    std::vector<Value> y(static_cast<std::size_t>(a.rows)), y_plain = y;
    const Value one(1), zero(0);
    const std::function<void()> by_handle = [&] { handle.apply(one, x.data(), zero, y.data()); };
    const std::function<void()> by_plain = [&] { plain_csr(a, x.data(), y_plain.data(), threads); };

    Row row{name, handle.info(), static_cast<std::int64_t>(matrix.bytes()), 0, 0, 0, 0, 0, ""};
    row.plain_bytes += (a.rows + a.cols) * static_cast<std::int64_t>(sizeof(Value));
    by_handle();
    by_plain();
    row.wrong = check_product(a, {&one, x.data(), &zero, nullptr, y.data(), 1}).message;
    if (row.wrong.empty())
        row.wrong = check_product(a, {&one, x.data(), &zero, nullptr, y_plain.data(), 1}).message;
    if (row.wrong.empty()) measure(row, by_plain, by_handle, arguments);
    return row;
}

Row run(const std::string& name, const Arguments& arguments) {
    CsrMatrix matrix =
        std::filesystem::exists(name) ? read_matrix(name) : make_gallery_matrix(name);
    const ValueType type = parse_value_type(arguments.value);
    if (matrix.value_type != type) matrix = convert_values(matrix.view(), type);
    if (matrix.offset_type != IndexType::i32 || matrix.index_type != IndexType::i32)
        throw Error(ErrorCode::unsupported, name + ": the plain loop takes int32 indices only");
    const std::string label =
        std::filesystem::exists(name) ? std::filesystem::path(name).filename().string() : name;
    return dispatch(type, [&](auto v) { return run<decltype(v)>(label, matrix, arguments); });
}

void print(const Row& r) {
    if (!r.wrong.empty()) {
        fmt::print("{:<24} WRONG: {}\n", r.matrix, r.wrong);
    } else {
        fmt::print("{:<24} {:>5.2f} [{:.2f} {:.2f}] {:>9.1f} {:>9.1f} {:>6.2f}  {} ({})\n",
                   r.matrix, r.ratio, r.low, r.high, r.plain_us, r.handle_us,
                   static_cast<double>(r.info.bytes) / static_cast<double>(r.plain_bytes),
                   r.info.kernel, r.info.reason);
        if (!r.info.warning.empty()) fmt::print("{:<24} {}\n", "", r.info.warning);
    }
    std::cout.flush();
}

nlohmann::json to_json(const Row& r) {
    return {{"matrix", r.matrix},
            {"rows", r.info.rows},
            {"cols", r.info.cols},
            {"nnz", r.info.nnz},
            {"kernel", r.info.kernel},
            {"format", r.info.format},
            {"target", r.info.target},
            {"reason", r.info.reason},
            {"origin", r.info.origin},
            {"warning", r.info.warning},
            {"bytes", r.info.bytes},
            {"plain_bytes", r.plain_bytes},
            {"plain_us", r.plain_us},
            {"handle_us", r.handle_us},
            {"ratio", r.ratio},
            {"ratio_quartiles", {r.low, r.high}},
            {"prepare_ms", r.info.prepare_ms},
            {"wrong", r.wrong}};
}

Arguments parse(int argc, char** argv) {
    Arguments a;
    CLI::App app{"A handle's product against the plain CSR loop; ratio = plain / handle time"};
    app.add_option("matrices", a.matrices, "files or gallery specifications; none = the gallery");
    app.add_option("--value", a.value, "f32, f64, c32, c64");
    app.add_option("--format", a.options.format);
    app.add_option("--kernel", a.options.kernel);
    std::vector<std::string> params;
    app.add_option("--param", params, "name=value of the kernel");
    app.add_option("--target", a.options.target);
    app.add_option("--threads", a.options.threads);
    app.add_option("--rounds", a.rounds, "rounds, each of both")->check(CLI::Range(3, 10000));
    app.add_option("--seconds", a.seconds, "time for a matrix")->check(CLI::PositiveNumber);
    app.add_option("--at-least", a.at_least, "fail when an upper quartile is below this ratio");
    app.add_flag("--cpu-time", a.cpu_time, "time the thread's CPU, for busy machines; --threads 1");
    app.add_option("--json", a.json, "also write the results to this file");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::exit(app.exit(error) == 0 ? 0 : 2);
    }
    if (a.cpu_time && a.options.threads != 1)
        throw Error(ErrorCode::invalid_argument, "--cpu-time: needs --threads 1");
    for (auto& text : params) {
        const auto equals = text.find('=');
        if (equals == std::string::npos)
            throw Error(ErrorCode::invalid_argument, "--param " + text + ": use name=value");
        a.options.params[text.substr(0, equals)] = std::stoll(text.substr(equals + 1));
    }
    if (a.matrices.empty())
        for (auto& entry : gallery()) a.matrices.emplace_back(entry.name);
    return a;
}

int run(const Arguments& arguments) {
    bool good = true;
    nlohmann::json results = nlohmann::json::array();
    fmt::print("{:<24} {:>5} {:<11} {:>9} {:>9} {:>6}  {}\n", "matrix", "ratio", "[quartiles]",
               "plain µs", "handle µs", "bytes", "kernel (why)");
    for (auto& name : arguments.matrices) {
        const Row row = run(name, arguments);
        print(row);
        results.push_back(to_json(row));
        good = good && row.wrong.empty() && row.high >= arguments.at_least;
    }
    if (!arguments.json.empty()) {
        const nlohmann::json all{
            {"spmvgen", version()},
            {"compiler", __VERSION__},
            {"value", arguments.value},
            {"threads",
             arguments.options.threads > 0 ? arguments.options.threads : omp_get_max_threads()},
            {"rounds", arguments.rounds},
            {"results", results}};
        std::ofstream(arguments.json) << all.dump(2) << '\n';
    }
    return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(parse(argc, argv));
    } catch (const std::exception& error) {
        std::cerr << "bench_apply: " << error.what() << '\n';
        return 1;
    }
}
