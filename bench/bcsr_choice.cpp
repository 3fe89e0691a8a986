// bench_bcsr_choice: times all 64 block sizes of blocked CSR on each matrix, in alternating rounds,
// and tells what the size that the tuner chooses loses against the best of them: by the device's
// dense profile, and by the rule from bytes that serves without one. --times FILE takes the times
// of an earlier run's --json instead of measuring.
#include <fmt/format.h>
#include <omp.h>

#include <cmath>
#include <fstream>
#include <iostream>
#include <limits>

#include "block_bench.hpp"
#include "matrix_source.hpp"
#include "options.hpp"
#include "output.hpp"
#include "tuner/block_choice.hpp"

namespace {

using namespace spmvgen;
using cli::Json;

struct Arguments {
    std::vector<std::string> matrices;
    cli::BlockTiming timing{.device = "host", .threads = 0, .time_ms = 20};
    std::string value = "f64", json, profile, times;
    int rounds = 3;
    double sigma = default_sigma;
};

/// All that is known of one matrix.
struct Row {
    std::string matrix;
    BlockProblem problem;
    BlockFill fill;
    BlockTable seconds{};
    double without = 0;  ///< seconds of what is chosen without blocks
    std::string kernel;  ///< and its name
};

double& at(BlockTable& table, int r, int c) {
    return table[static_cast<std::size_t>(r - 1)][static_cast<std::size_t>(c - 1)];
}

Row measure(const Arguments& a, const std::string& name, const std::shared_ptr<Device>& device) {
    CsrMatrix matrix = cli::load_matrix(name).matrix;
    const ValueType value = parse_value_type(a.value);
    if (matrix.value_type != value) matrix = convert_values(matrix.view(), value);
    Row row;
    row.matrix = name;
    row.problem = {.rows = matrix.rows, .nnz = matrix.nnz, .value = value, .storage = value};
    row.fill = block_fill(matrix.view(), a.sigma);
    const cli::BlockBench bench(name, std::move(matrix), a.timing, device);
    constexpr double never = std::numeric_limits<double>::infinity();
    for (auto& of_height : row.seconds) of_height.fill(never);
    row.without = never;
    for (int round = 0; round < a.rounds; ++round) {
        const cli::BlockTime without = bench.time({});
        row.without = std::min(row.without, without.seconds);
        row.kernel = without.kernel;
        for (int r = 1; r <= most_block; ++r)
            for (int c = 1; c <= most_block; ++c) {
                double& best = at(row.seconds, r, c);
                best = std::min(best, bench.time_blocks(r, c).seconds);
            }
    }
    return row;
}

/// A size with its time over the shortest.
struct Outcome {
    int rows = 0, cols = 0;
    double loss = 0;
};

Outcome outcome(Row row, const BlockChoice& choice) {
    double best = std::numeric_limits<double>::infinity();
    for (auto& of_height : row.seconds) best = std::min(best, *std::ranges::min_element(of_height));
    return {choice.rows, choice.cols, at(row.seconds, choice.rows, choice.cols) / best - 1};
}

Outcome best_of(Row row) {
    BlockChoice best{1, 1};
    for (int r = 1; r <= most_block; ++r)
        for (int c = 1; c <= most_block; ++c)
            if (at(row.seconds, r, c) < at(row.seconds, best.rows, best.cols)) best = {r, c};
    return outcome(row, best);
}

struct Summary {
    int best = 0, count = 0;
    double sum = 0, most = 0;
    void add(const Outcome& o) {
        ++count;
        best += o.loss == 0;
        sum += o.loss;
        most = std::max(most, o.loss);
    }
    std::string text(const char* what) const {
        return fmt::format(
            "{}: the best one {} times of {}, loss {:.1f} % in the mean, {:.1f} % at "
            "most\n",
            what, best, count, 100 * sum / count, 100 * most);
    }
};

Json table_json(const BlockTable& table) {
    Json rows = Json::array();
    for (auto& of_height : table) rows.push_back(of_height);
    return rows;
}

void report(const Arguments& a, const std::vector<Row>& rows, const FoundProfile& found) {
    Json results = Json::array();
    Summary by_profile, by_bytes;
    std::cout << fmt::format("{:<44}{:>6}{:>9}{:>8}{:>7}{:>8}{:>8}{:>8}{:>8}\n", "matrix", "best",
                             "us", "profile", "loss", "bytes", "loss", "1x1", "other");
    for (auto& row : rows) {
        const Outcome best = best_of(row);
        const Outcome bytes = outcome(row, choose_block(row.fill, row.problem, {}));
        const Outcome profile = outcome(row, choose_block(row.fill, row.problem, found));
        Row copy = row;
        const double least = at(copy.seconds, best.rows, best.cols);
        std::cout << fmt::format(
            "{:<44}{:>6}{:>9.1f}{:>8}{:>6.1f}%{:>8}{:>7.1f}%{:>8.2f}{:>8.2f}\n", row.matrix,
            fmt::format("{}x{}", best.rows, best.cols), least * 1e6,
            fmt::format("{}x{}", profile.rows, profile.cols), 100 * profile.loss,
            fmt::format("{}x{}", bytes.rows, bytes.cols), 100 * bytes.loss,
            copy.seconds[0][0] / least, row.without / least);
        by_profile.add(profile);
        by_bytes.add(bytes);
        results.push_back({{"matrix", row.matrix},
                           {"rows", row.problem.rows},
                           {"nnz", row.problem.nnz},
                           {"value", to_string(row.problem.value)},
                           {"sigma", a.sigma},
                           {"share", row.fill.share},
                           {"fill", table_json(row.fill.ratio)},
                           {"seconds", table_json(row.seconds)},
                           {"without_blocks", {{"kernel", row.kernel}, {"seconds", row.without}}}});
    }
    std::cout << (found.profile ? by_profile.text(("by " + found.file).c_str())
                                : "there is no dense profile of this device\n")
              << by_bytes.text("by bytes");
    if (a.json.empty()) return;
    const Json json{{"device", a.timing.device},
                    {"threads", a.timing.threads},
                    {"rounds", a.rounds},
                    {"time_ms", a.timing.time_ms},
                    {"results", results}};
    std::ofstream(a.json) << json.dump(1) << "\n";
}

std::string read_text(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw Error(ErrorCode::io, path + ": cannot be opened");
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The rows of a file that report() wrote.
std::vector<Row> read_rows(const std::string& path) {
    std::vector<Row> rows;
    const Json file = Json::parse(read_text(path));
    for (auto& json : file.at("results")) {
        Row row;
        row.matrix = json.at("matrix");
        row.problem.rows = json.at("rows");
        row.problem.nnz = json.at("nnz");
        row.problem.value = row.problem.storage = parse_value_type(std::string(json.at("value")));
        row.fill.ratio = json.at("fill");
        row.fill.share = json.at("share");
        row.seconds = json.at("seconds");
        row.kernel = json.at("without_blocks").at("kernel");
        row.without = json.at("without_blocks").at("seconds");
        rows.push_back(row);
    }
    return rows;
}

FoundProfile profile_of(const Arguments& a, const std::shared_ptr<Device>& device) {
    if (!a.profile.empty()) return {parse_dense_profile(read_text(a.profile)), a.profile, {}};
    const int threads = device != nullptr      ? 0
                        : a.timing.threads > 0 ? a.timing.threads
                                               : omp_get_max_threads();
    return find_dense_profile(
        device != nullptr ? device->facts().name : to_string(parse_target("native")), threads);
}

void run(const Arguments& a) {
    const std::shared_ptr<Device> device = cli::parse_device(a.timing.device);
    const FoundProfile found = profile_of(a, device);
    if (!found.warning.empty()) std::cerr << found.warning << "\n";
    std::vector<Row> rows;
    if (!a.times.empty()) rows = read_rows(a.times);
    for (auto& name : a.matrices) {
        rows.push_back(measure(a, name, device));
        std::cerr << name << "\n";
    }
    report(a, rows, found);
}

}  // namespace

int main(int argc, char** argv) try {
    Arguments a;
    CLI::App app{"all block sizes of blocked CSR against the one that is chosen"};
    app.add_option("matrices", a.matrices, cli::matrix_help);
    app.add_option("--times", a.times, "choose for the matrices of this file");
    app.add_option("--device", a.timing.device, "host, cuda:0, …");
    app.add_option("--threads", a.timing.threads, "of this CPU; 0 = all");
    app.add_option("--time", a.timing.time_ms, "milliseconds for each size and round");
    app.add_option("--rounds", a.rounds, "through all sizes");
    app.add_option("--value", a.value, "f32, f64, …");
    app.add_option("--sigma", a.sigma, "share of the block rows for the fill estimate");
    app.add_option("--profile", a.profile, "choose by this file instead of the device's");
    app.add_option("--json", a.json, "file for all times");
    CLI11_PARSE(app, argc, argv);
    run(a);
    return 0;
} catch (const std::exception& error) {
    std::cerr << "bench_bcsr_choice: " << error.what() << "\n";
    return 1;
}
