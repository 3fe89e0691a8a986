// bench_plan: what planning at level rule costs, in applies. Rounds alternate between making a
// handle, whose kernel is loaded already, and applying it; ratio = making / apply.
#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "matrix/features.hpp"
#include "matrix/gallery.hpp"
#include "matrix/reader.hpp"
#include "measure/random_vector.hpp"
#include "rounds.hpp"
#include "spmvgen/spmvgen.hpp"

namespace {

using namespace spmvgen;
using namespace spmvgen::bench;

struct Arguments {
    std::vector<std::string> matrices;
    Options options;
    int rounds = 15;
    double at_most = 0;
    std::string json;
};

/// Milliseconds of one round.
struct Round {
    double plan, analysis, kernel, convert, full_analysis, apply;
    double choice() const { return plan - analysis - kernel - convert; }
};

struct Row {
    std::string matrix;
    Info info;
    std::vector<Round> rounds;

    template <typename Figure>
    double median(Figure figure, double q = 0.5) const {
        std::vector<double> all;
        for (auto& round : rounds) all.push_back(figure(round));
        return quantile(all, q);
    }
    double ratio(double q = 0.5) const {
        return median([](auto& r) { return r.plan / r.apply; }, q);
    }
};

Row run(const std::string& name, const CsrMatrix& matrix, const Arguments& arguments) {
    const CsrView a = matrix.view();
    std::vector<double> x(static_cast<std::size_t>(a.cols)), y(static_cast<std::size_t>(a.rows));
    fill_random(ValueType::f64, x.data(), a.cols, 1);
    const Handle first(a, arguments.options);
    const auto apply = [&] { first.apply(1.0, x.data(), 0.0, y.data()); };
    const int applies = calls_for(0.02, apply);
    const int plans = std::max(1, applies / 4);
    Row row{name, first.info(), {}};
    for (int i = 0; i < arguments.rounds; ++i) {
        Round round{};
        const double each = 1.0 / plans;
        for (int plan = 0; plan < plans; ++plan) {
            const double start = seconds_now();
            const Handle handle(a, arguments.options);
            round.plan += 1e3 * (seconds_now() - start) * each;
            round.analysis += handle.info().analysis_ms * each;
            round.kernel += handle.info().kernel_ms * each;
            round.convert += handle.info().convert_ms * each;
        }
        round.apply = 1e3 * seconds_of(applies, apply);
        if (i < 3)
            round.full_analysis =
                1e3 * seconds_of(1, [&] { analyse(a, arguments.options.threads); });
        row.rounds.push_back(round);
    }
    return row;
}

Row run(const std::string& name, const Arguments& arguments) {
    const bool file = std::filesystem::exists(name);
    const CsrMatrix matrix = file ? read_matrix(name) : make_gallery_matrix(name);
    if (matrix.value_type != ValueType::f64)
        throw Error(ErrorCode::unsupported, name + ": only f64 matrices");
    return run(file ? std::filesystem::path(name).filename().string() : name, matrix, arguments);
}

nlohmann::json to_json(const Row& r) {
    std::vector<double> full;
    for (std::size_t i = 0; i < 3; ++i) full.push_back(r.rounds[i].full_analysis);
    return {{"matrix", r.matrix},
            {"rows", r.info.rows},
            {"nnz", r.info.nnz},
            {"kernel", r.info.kernel},
            {"bytes", r.info.bytes},
            {"ratio", r.ratio()},
            {"ratio_quartiles", {r.ratio(0.25), r.ratio(0.75)}},
            {"apply_ms", r.median([](auto& o) { return o.apply; })},
            {"plan_ms", r.median([](auto& o) { return o.plan; })},
            {"analysis_ms", r.median([](auto& o) { return o.analysis; })},
            {"choice_ms", r.median([](auto& o) { return o.choice(); })},
            {"kernel_ms", r.median([](auto& o) { return o.kernel; })},
            {"convert_ms", r.median([](auto& o) { return o.convert; })},
            {"full_analysis_ms", quantile(full, 0.5)}};
}

void print(const nlohmann::json& j) {
    const auto ms = [&](const char* name) { return j[name].get<double>(); };
    fmt::print(
        "{:<28} {:>11} {:>7.2f} [{:.2f} {:.2f}] {:>9.3f} {:>9.3f} {:>9.3f} {:>8.3f} "
        "{:>8.3f} {:>9.3f} {:>9.3f}  {}\n",
        j["matrix"].get<std::string>(), j["nnz"].get<std::int64_t>(), ms("ratio"),
        j["ratio_quartiles"][0].get<double>(), j["ratio_quartiles"][1].get<double>(),
        ms("apply_ms"), ms("plan_ms"), ms("analysis_ms"), ms("choice_ms"), ms("kernel_ms"),
        ms("convert_ms"), ms("full_analysis_ms"), j["kernel"].get<std::string>());
    std::cout.flush();
}

Arguments parse(int argc, char** argv) {
    Arguments a;
    a.options.copy = false;
    CLI::App app{"Making a handle with a loaded kernel, in applies"};
    app.add_option("matrices", a.matrices, "files or gallery specifications; none = the gallery");
    app.add_option("--format", a.options.format);
    app.add_option("--kernel", a.options.kernel);
    app.add_option("--threads", a.options.threads);
    app.add_flag("--copy", a.options.copy, "the handle keeps a copy of A; else it borrows arrays");
    app.add_option("--expect", a.options.expected_applies, "options.expected_applies");
    app.add_option("--rounds", a.rounds)->check(CLI::Range(3, 10000));
    app.add_option("--at-most", a.at_most, "fail when a lower quartile is above this ratio");
    app.add_option("--json", a.json, "also write the results to this file");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::exit(app.exit(error) == 0 ? 0 : 2);
    }
    if (a.matrices.empty())
        for (auto& entry : gallery()) a.matrices.emplace_back(entry.name);
    return a;
}

int run(const Arguments& arguments) {
    bool good = true;
    nlohmann::json results = nlohmann::json::array();
    fmt::print("{:<28} {:>11} {:>7} {:<11} {:>9} {:>9} {:>9} {:>8} {:>8} {:>9} {:>9}  {}\n",
               "matrix", "nnz", "ratio", "[quartiles]", "apply ms", "plan ms", "analysis", "choice",
               "kernel", "convert", "analyse()", "kernel");
    for (auto& name : arguments.matrices) {
        const Row row = run(name, arguments);
        results.push_back(to_json(row));
        print(results.back());
        good = good && (arguments.at_most == 0 || row.ratio(0.25) <= arguments.at_most);
    }
    if (!arguments.json.empty()) {
        const nlohmann::json all{
            {"spmvgen", version()},
            {"compiler", __VERSION__},
            {"copy", arguments.options.copy},
            {"format", arguments.options.format},
            {"expected_applies", arguments.options.expected_applies},
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
        std::cerr << "bench_plan: " << error.what() << '\n';
        return 1;
    }
}
