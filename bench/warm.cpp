// bench_warm: from the start of a process to its first product done, with the kernel in the cache
// and the matrix in memory. Runs itself as fresh processes (posix_spawn) and reports the median of
// each part. A part is the time between two marks of the system-wide monotonic clock.
#include <fmt/format.h>
#include <omp.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "rounds.hpp"
#include "spmvgen/spmvgen.hpp"

extern char** environ;

namespace {

using namespace spmvgen;
using namespace spmvgen::bench;

/// What a child tells, in milliseconds; `start` and `done` are times of the clock.
struct Marks {
    double start = 0;  ///< main begins
    double done = 0;   ///< the first product is done
    double matrix = 0, region = 0, handle = 0, analysis = 0, kernel = 0, convert = 0, apply = 0;
};

/// A five-point stencil on n×n, made by hand: reading or making a matrix is not what is timed.
struct Stencil {
    std::vector<int> row_ptr{0}, col_idx;
    std::vector<double> values;
    int rows = 0;
    explicit Stencil(int n) : rows(n * n) {
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                for (const auto& [di, dj] : {std::pair{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}}) {
                    if (i + di < 0 || i + di >= n || j + dj < 0 || j + dj >= n) continue;
                    col_idx.push_back((i + di) * n + j + dj);
                    values.push_back(di == 0 && dj == 0 ? 4 : -1);
                }
                row_ptr.push_back(static_cast<int>(col_idx.size()));
            }
    }
};

/// `region_first`: an empty parallel region before all else, so that the team's start is told
/// apart.
int child(const std::string& cache, int n, int threads, bool region_first) {
    Marks m;
    m.start = 1e3 * seconds_now();
    const Stencil a(n);
    std::vector<double> x(static_cast<std::size_t>(a.rows), 1.0), y(x.size());
    m.matrix = 1e3 * seconds_now() - m.start;
    double mark = 1e3 * seconds_now();
    const auto lap = [&] {
        const double now = 1e3 * seconds_now(), part = now - mark;
        mark = now;
        return part;
    };
    if (region_first) {
        int team = 0;
#pragma omp parallel num_threads(threads > 0 ? threads : omp_get_max_threads()) reduction(+ : team)
        ++team;
        if (team < 1) return 1;
    }
    m.region = lap();
    Options options;
    options.cache_dir = cache;
    options.copy = false;
    options.threads = threads;
    const Handle handle(a.rows, a.rows, a.row_ptr.data(), a.col_idx.data(), a.values.data(),
                        options);
    m.handle = lap();
    handle.apply(1.0, x.data(), 0.0, y.data());
    m.apply = lap();
    m.done = 1e3 * seconds_now();
    const Info& info = handle.info();
    std::printf("%s %.6f %.6f %.6f %.6f %.6f %.6f %.6f %.6f %.6f %s\n", info.origin.c_str(),
                m.start, m.done, m.matrix, m.region, m.handle, info.analysis_ms, info.kernel_ms,
                info.convert_ms, m.apply, info.kernel.c_str());
    return 0;
}

struct Child {
    double spawned = 0;  ///< ms of the clock
    double left = 0;     ///< it was gone
    std::string output;
};

Child run_child(std::vector<std::string> words) {
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw Error(ErrorCode::io, "no pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    pid_t pid = 0;
    Child child;
    child.spawned = 1e3 * seconds_now();
    const int failed = posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failed != 0) throw Error(ErrorCode::io, "cannot run " + words[0]);
    std::array<char, 512> part{};
    for (ssize_t n = 0; (n = read(ends[0], part.data(), part.size())) > 0;)
        child.output.append(part.data(), static_cast<std::size_t>(n));
    close(ends[0]);
    int status = 0;
    waitpid(pid, &status, 0);
    child.left = 1e3 * seconds_now();
    if (status != 0) throw Error(ErrorCode::io, words[0] + " failed: " + child.output);
    return child;
}

struct Arguments {
    int n = 100, threads = 0, runs = 101;
    std::string json;
};

/// One process' parts in ms, by name.
using Parts = std::map<std::string, double>;

Parts parts_of(const Child& child, std::string& kernel) {
    std::istringstream text(child.output);
    std::string origin;
    Marks m;
    text >> origin >> m.start >> m.done >> m.matrix >> m.region >> m.handle >> m.analysis >>
        m.kernel >> m.convert >> m.apply >> kernel;
    if (!text || origin != "cache")
        throw Error(ErrorCode::internal, "no warm start: " + child.output);
    return {{"exec and dynamic linking", m.start - child.spawned},
            {"first parallel region", m.region},
            {"handle", m.handle},
            {"handle: analysis", m.analysis},
            {"handle: kernel", m.kernel},
            {"handle: conversion", m.convert},
            {"handle: rest", m.handle - m.analysis - m.kernel - m.convert},
            {"first apply", m.apply},
            {"total without the matrix", m.done - child.spawned - m.matrix},
            {"exit", child.left - m.done}};
}

nlohmann::json medians(const std::vector<Parts>& runs) {
    nlohmann::json result;
    for (auto& [name, first] : runs.front()) {
        std::vector<double> all;
        for (auto& run : runs) all.push_back(run.at(name));
        result[name] = {{"median_ms", quantile(all, 0.5)},
                        {"quartiles_ms", {quantile(all, 0.25), quantile(all, 0.75)}},
                        {"least_ms", quantile(all, 0)}};
    }
    return result;
}

int parent(const Arguments& a) {
    std::string cache = std::filesystem::temp_directory_path() / "spmvgen-warm-XXXXXX";
    if (mkdtemp(cache.data()) == nullptr) throw Error(ErrorCode::io, "no temporary directory");
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    const auto words = [&](const char* region) {
        return std::vector<std::string>{
            self, "--child", cache, std::to_string(a.n), std::to_string(a.threads), region};
    };
    std::string kernel;
    nlohmann::json result{{"spmvgen", version()},
                          {"compiler", __VERSION__},
                          {"n", a.n},
                          {"threads", a.threads},
                          {"runs", a.runs}};
    run_child(words("0"));  // compiles
    std::vector<Parts> plain, told_apart, nothing;
    for (int i = 0; i < a.runs; ++i) {
        plain.push_back(parts_of(run_child(words("0")), kernel));
        told_apart.push_back(parts_of(run_child(words("1")), kernel));
        const Child empty = run_child({"/bin/true"});
        nothing.push_back({{"/bin/true, start to end", empty.left - empty.spawned}});
    }
    std::filesystem::remove_all(cache);
    result["kernel"] = kernel;
    result["plain"] = medians(plain);
    result["region_first"] = medians(told_apart);
    result["nothing"] = medians(nothing);
    for (const char* kind : {"plain", "region_first", "nothing"}) {
        fmt::print("{}\n", kind);
        for (auto& [name, part] : result[kind].items())
            fmt::print("  {:<26} {:>7.3f} ms [{:.3f} {:.3f}] least {:.3f}\n", name,
                       part["median_ms"].get<double>(), part["quartiles_ms"][0].get<double>(),
                       part["quartiles_ms"][1].get<double>(), part["least_ms"].get<double>());
    }
    fmt::print("{}\n", kernel);
    if (!a.json.empty()) std::ofstream(a.json) << result.dump(2) << '\n';
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc == 6 && std::string(argv[1]) == "--child")
            return child(argv[2], std::stoi(argv[3]), std::stoi(argv[4]), argv[5][0] == '1');
        Arguments a;
        CLI::App app{"A new process' first product with the kernel in the cache"};
        app.add_option("-n", a.n, "the matrix is a five-point stencil on n×n (default 100)");
        app.add_option("--threads", a.threads);
        app.add_option("--runs", a.runs, "processes of each kind")->check(CLI::Range(3, 10000));
        app.add_option("--json", a.json, "also write the results to this file");
        CLI11_PARSE(app, argc, argv);
        return parent(a);
    } catch (const std::exception& error) {
        std::cerr << "bench_warm: " << error.what() << '\n';
        return 1;
    }
}
