// From the start of a process to its first product done, with kernel and choice in the cache and
// the matrix in memory. Each iteration runs this program itself as a fresh process (posix_spawn);
// the time leaves the making of the matrix out. Counters are medians of the parts, in milliseconds;
// a part is the time between two marks of the system-wide monotonic clock.
//   bench_warm [--n=100] [--threads=0] …         the matrix is a five-point stencil on n×n
#include <omp.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>

#include "arguments.hpp"
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

constexpr const char* total = "total_ms";

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
    return {{"exec_and_link_ms", m.start - child.spawned},
            {"first_region_ms", m.region},
            {"handle_ms", m.handle},
            {"handle_analysis_ms", m.analysis},
            {"handle_kernel_ms", m.kernel},
            {"handle_convert_ms", m.convert},
            {"first_apply_ms", m.apply},
            {total, m.done - child.spawned - m.matrix},
            {"exit_ms", child.left - m.done}};
}

/// A cache with the kernel in it, which goes with the process.
class WarmCache {
  public:
    explicit WarmCache(const std::vector<std::string>& numbers) {
        path_ = std::filesystem::temp_directory_path() / "spmvgen-warm-XXXXXX";
        if (mkdtemp(path_.data()) == nullptr) throw Error(ErrorCode::io, "no temporary directory");
        words_ = {std::filesystem::read_symlink("/proc/self/exe"), "--child", path_};
        words_.insert(words_.end(), numbers.begin(), numbers.end());
        run_child(words(false));  // compiles
    }
    WarmCache(const WarmCache&) = delete;
    ~WarmCache() { std::filesystem::remove_all(path_); }

    /// The command of a child; `region_first`: it tells the start of its threads apart.
    std::vector<std::string> words(bool region_first) const {
        auto all = words_;
        all.emplace_back(region_first ? "1" : "0");
        return all;
    }

  private:
    std::string path_;
    std::vector<std::string> words_;
};

void first_product(benchmark::State& state, const WarmCache& cache, bool region_first) {
    std::map<std::string, std::vector<double>> parts;
    std::string kernel;
    for (auto _ : state) {
        const Parts run = parts_of(run_child(cache.words(region_first)), kernel);
        state.SetIterationTime(run.at(total) / 1e3);
        for (auto& [name, ms] : run) parts[name].push_back(ms);
    }
    for (auto& [name, all] : parts) state.counters[name] = quantile(all, 0.5);
    state.SetLabel(kernel);
}

void nothing(benchmark::State& state) {
    for (auto _ : state) {
        const Child child = run_child({"/bin/true"});
        state.SetIterationTime((child.left - child.spawned) / 1e3);
    }
}

void add_process(const std::string& name, const std::function<void(benchmark::State&)>& run) {
    constexpr int processes = 101;
    add(name, run)->UseManualTime()->Iterations(processes)->Unit(benchmark::kMillisecond);
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc == 6 && std::string(argv[1]) == "--child")
        return child(argv[2], std::stoi(argv[3]), std::stoi(argv[4]), argv[5][0] == '1');
    const std::string n = take_option(argc, argv, "--n=", "100");
    const std::string threads = take_option(argc, argv, "--threads=", "0");
    const WarmCache cache({n, threads});
    add_process("first_product", [&](auto& state) { first_product(state, cache, false); });
    add_process("first_product/region_first",
                [&](auto& state) { first_product(state, cache, true); });
    add_process("bin_true", nothing);
    return run_benchmarks(argc, argv);
} catch (const std::exception& error) {
    std::fprintf(stderr, "bench_warm: %s\n", error.what());
    return 1;
}
