// bench_reorder: meshes in natural, shuffled and random order, each multiplied as it is, in RCM's
// order and in Band-k's. Every product is checked before anything is timed; rounds alternate
// between the orders; the times are medians over rounds.
//
// On one thread the clock is this thread's use of a CPU, which other processes disturb less.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "matrix/gallery.hpp"
#include "matrix/reorder/reordering.hpp"
#include "measure/random_vector.hpp"
#include "spmvgen/spmvgen.hpp"
#include "verify/reference.hpp"

namespace {

using namespace spmvgen;

struct Arguments {
    std::vector<std::string> meshes{"stencil5:nx=1000,ny=1000", "stencil7:nx=90,ny=90,nz=90",
                                    "fem_tri:nx=800,ny=800",    "fem:nx=300,ny=300,dofs=3",
                                    "road:nx=1000,ny=1000",     "stencil5:nx=2000,ny=2000"};
    int threads = 1;
    int rounds = 15;
    std::string json;
};

struct Row {
    std::string matrix, start, order;
    std::int64_t rows = 0, nnz = 0;
    Bandedness band;
    double reorder_ms = 0, permute_ms = 0;
    double permuted_us = 0;  ///< an apply with x and y in the matrix's order
    double keeps_us = 0;     ///< the same with x and y in the caller's order
    std::string kernel;
};

class Clock {
  public:
    explicit Clock(int threads)
        : clock_(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC) {}
    template <typename Work>
    double seconds_of(Work work) const {
        const double start = now();
        work();
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

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Rows in random order within windows of `window` rows.
Reordering shuffled(std::int64_t rows, std::int64_t window) {
    Reordering r;
    r.order.resize(static_cast<std::size_t>(rows));
    std::iota(r.order.begin(), r.order.end(), 0);
    std::mt19937_64 engine(1);
    for (std::int64_t begin = 0; begin < rows; begin += window) {
        const auto size = static_cast<std::size_t>(std::min(window, rows - begin));
        const auto at = r.order.begin() + begin;
        for (std::size_t i = size; i > 1; --i)
            std::swap(at[static_cast<std::ptrdiff_t>(i - 1)],
                      at[static_cast<std::ptrdiff_t>(engine() % i)]);
    }
    r.place.resize(r.order.size());
    for (std::size_t i = 0; i < r.order.size(); ++i)
        r.place[static_cast<std::size_t>(r.order[i])] = static_cast<std::int32_t>(i);
    return r;
}

/// One order of a matrix: its handles, and what they are timed on.
struct Contestant {
    Row row;
    std::unique_ptr<Handle> permuted, keeps;
    std::vector<double> permuted_s, keeps_s;
};

Options options_of(const Arguments& a, const char* order) {
    Options options;
    options.format = "csr";  // one format for all: what differs is the order
    options.threads = a.threads;
    options.reorder = order;
    return options;
}

Contestant contestant(const Arguments& a, const CsrMatrix& matrix, const char* order) {
    const Clock clock(a.threads);
    Contestant c;
    c.row.order = order;
    c.row.rows = matrix.rows;
    c.row.nnz = matrix.nnz;
    const ReorderMethod method = parse_reorder_method(order);
    Options options = options_of(a, order);
    c.keeps = std::make_unique<Handle>(matrix.view(), options);
    if (method == ReorderMethod::none) {
        c.row.band = bandedness(matrix.view());
    } else {
        std::vector<double> reorder_s, permute_s;
        Reordering reordering;
        for (int i = 0; i < 3; ++i) {
            reorder_s.push_back(clock.seconds_of(
                [&] { reordering = reorder(matrix.view(), method, {}, a.threads); }));
            permute_s.push_back(
                clock.seconds_of([&] { permute(matrix.view(), reordering, a.threads); }));
        }
        c.row.reorder_ms = 1e3 * median(reorder_s);
        c.row.permute_ms = 1e3 * median(permute_s);
        c.row.band = bandedness(matrix.view(), reordering);
        options.permuted_vectors = true;
        c.permuted = std::make_unique<Handle>(matrix.view(), options);
    }
    c.row.kernel = c.keeps->info().kernel;
    return c;
}

void check(const CsrMatrix& matrix, const Contestant& c, const std::vector<double>& x,
           std::vector<double>& y) {
    c.keeps->apply(1.0, x.data(), 0.0, y.data());
    const double one = 1, zero = 0;
    const CheckResult result =
        check_product(matrix.view(), {&one, x.data(), &zero, nullptr, y.data(), 1});
    if (!result.passed) throw std::runtime_error(c.row.order + ": " + result.message);
}

std::vector<Row> run_matrix(const Arguments& a, const std::string& name, const char* start,
                            const CsrMatrix& matrix) {
    std::vector<Contestant> all;
    for (const char* order : {"none", "rcm", "band-k"}) all.push_back(contestant(a, matrix, order));
    std::vector<double> x(static_cast<std::size_t>(matrix.rows)), y(x.size());
    fill_random(ValueType::f64, x.data(), matrix.rows, 1);
    const Clock clock(a.threads);
    for (auto& c : all) check(matrix, c, x, y);
    for (int round = 0; round < a.rounds; ++round)
        for (auto& c : all) {
            const auto time = [&](const Handle& handle) {
                constexpr int calls = 5;
                return clock.seconds_of([&] {
                    for (int i = 0; i < calls; ++i) handle.apply(1.0, x.data(), 0.0, y.data());
                }) / calls;
            };
            c.keeps_s.push_back(time(*c.keeps));
            if (c.permuted != nullptr) c.permuted_s.push_back(time(*c.permuted));
        }
    std::vector<Row> rows;
    for (auto& c : all) {
        c.row.matrix = name;
        c.row.start = start;
        c.row.keeps_us = 1e6 * median(c.keeps_s);
        c.row.permuted_us = c.permuted ? 1e6 * median(c.permuted_s) : c.row.keeps_us;
        rows.push_back(c.row);
    }
    return rows;
}

void print(const std::vector<Row>& rows) {
    for (auto& r : rows)
        std::cout << fmt::format(
            "| {} | {} | {} | {} | {:.0f} | {} | {:.2f} | {:.2f} | {:.2f} |\n", r.matrix, r.start,
            r.order, r.band.bandwidth,
            static_cast<double>(r.band.profile) / static_cast<double>(r.rows),
            r.order == "none" ? "" : fmt::format("{:.0f} + {:.0f}", r.reorder_ms, r.permute_ms),
            r.permuted_us / 1e3, r.keeps_us / 1e3, rows.front().permuted_us / r.permuted_us);
    std::cout << std::flush;
}

nlohmann::ordered_json to_json(const Row& r) {
    return {{"matrix", r.matrix},
            {"start", r.start},
            {"order", r.order},
            {"rows", r.rows},
            {"nnz", r.nnz},
            {"bandwidth", r.band.bandwidth},
            {"profile", r.band.profile},
            {"reorder_ms", r.reorder_ms},
            {"permute_ms", r.permute_ms},
            {"permuted_us", r.permuted_us},
            {"callers_order_us", r.keeps_us},
            {"kernel", r.kernel}};
}

void run(const Arguments& a) {
    std::cout
        << "| mesh | start | order | bandwidth | profile / n | reorder + permute ms | SpMV ms "
           "| with gather and scatter | faster than start |\n|---|---|---|---|---|---|---|---|"
           "---|\n";
    nlohmann::ordered_json json{{"threads", a.threads},
                                {"clock", a.threads == 1 ? "thread CPU time" : "wall"},
                                {"rounds", a.rounds},
                                {"results", nlohmann::ordered_json::array()}};
    for (auto& mesh : a.meshes) {
        const CsrMatrix natural = make_gallery_matrix(mesh);
        for (const auto& [start, window] :
             {std::pair("natural", std::int64_t{1}), std::pair("shuffled", std::int64_t{4096}),
              std::pair("random", natural.rows)}) {
            const CsrMatrix matrix = permute(natural.view(), shuffled(natural.rows, window));
            const std::vector<Row> rows = run_matrix(a, mesh, start, matrix);
            print(rows);
            for (auto& row : rows) json["results"].push_back(to_json(row));
        }
    }
    if (!a.json.empty()) std::ofstream(a.json) << json.dump(1) << "\n";
}

}  // namespace

int main(int argc, char** argv) {
    Arguments a;
    CLI::App app{"reordered meshes: bandwidth, time to reorder, time of a product"};
    app.add_option("mesh", a.meshes, "gallery specifications");
    app.add_option("--threads", a.threads, "threads (default 1)");
    app.add_option("--rounds", a.rounds, "rounds (default 15)");
    app.add_option("--json", a.json, "write the figures here");
    CLI11_PARSE(app, argc, argv);
    try {
        run(a);
    } catch (const std::exception& error) {
        std::cerr << "bench_reorder: " << error.what() << "\n";
        return 1;
    }
}
