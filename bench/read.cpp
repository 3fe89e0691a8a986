// Reading matrices: bytes of file per second, and peak memory over the bytes of the CSR that
// results (memory_ratio). The files are made once, in $TMPDIR/spmvgen_bench_read.
//   bench_read [--mib=256] [--threads=2] [Google Benchmark's options]
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fmt/os.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.hpp"
#include "matrix/read/reader.hpp"

namespace spmvgen {
namespace {

/// A field of /proc/self/status, in bytes.
double status_bytes(std::string_view field) {
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(field)) return 1024 * std::stod(line.substr(field.size()));
    return 0;
}

/// Sets the peak that VmHWM tells to what is used now.
void reset_peak() {
    std::ofstream("/proc/self/clear_refs") << "5";
}

/// Writes lines until `bytes` are written, then the file's banner and size before them.
class TextMaker {
  public:
    explicit TextMaker(std::int64_t bytes) : left_(bytes) {}
    bool full() const { return left_ <= 0; }
    template <typename... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        const std::size_t before = text_.size();
        fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
        left_ -= static_cast<std::int64_t>(text_.size() - before);
        ++lines_;
    }
    void save(const std::filesystem::path& path, std::string_view banner, std::int64_t size) {
        std::ofstream file(path, std::ios::binary);
        file << fmt::format("%%MatrixMarket matrix coordinate {}\n{} {} {}\n", banner, size, size,
                            lines_);
        file.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    }

  private:
    fmt::memory_buffer text_;
    std::int64_t left_;
    std::int64_t lines_ = 0;
};

/// 5-point stencil, row by row, values 4 and -1.
void make_stencil(const std::filesystem::path& path, std::int64_t bytes) {
    const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(bytes) / 95));
    TextMaker text(INT64_MAX);
    for (std::int64_t i = 0; i < side * side; ++i) {
        const std::int64_t x = i % side, y = i / side;
        if (y > 0) text.line("{} {} -1\n", i + 1, i + 1 - side);
        if (x > 0) text.line("{} {} -1\n", i + 1, i);
        text.line("{} {} 4\n", i + 1, i + 1);
        if (x + 1 < side) text.line("{} {} -1\n", i + 1, i + 2);
        if (y + 1 < side) text.line("{} {} -1\n", i + 1, i + 1 + side);
    }
    text.save(path, "real general", side * side);
}

/// About ten entries a row at random places, in random order; `f(text, i, j, random)` writes one.
template <typename F>
void make_random(const std::filesystem::path& path, std::int64_t bytes, std::string_view banner,
                 F&& f) {
    const std::int64_t size = bytes / 350;
    std::mt19937_64 random(7);
    TextMaker text(bytes);
    while (!text.full()) {
        const auto i = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(size)) + 1;
        const auto j = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(size)) + 1;
        f(text, std::max(i, j), std::min(i, j), random);
    }
    text.save(path, banner, size);
}

double uniform(std::mt19937_64& random) {
    return static_cast<double>(random() >> 11) * 0x1p-53;
}

struct Case {
    std::string name;
    std::function<void(const std::filesystem::path&, std::int64_t)> make;
};

std::vector<Case> cases() {
    using R = std::mt19937_64;
    return {
        {"stencil5", make_stencil},
        {"random_17_digits",
         [](const auto& path, std::int64_t bytes) {
             make_random(path, bytes, "real general", [](TextMaker& t, auto i, auto j, R& r) {
                 if (r() % 2 == 0) std::swap(i, j);
                 t.line("{} {} {:.16e}\n", i, j, uniform(r) - 0.5);
             });
         }},
        {"random_6_digits",
         [](const auto& path, std::int64_t bytes) {
             make_random(path, bytes, "real general", [](TextMaker& t, auto i, auto j, R& r) {
                 if (r() % 2 == 0) std::swap(i, j);
                 t.line("{} {} {:.6f}\n", i, j, uniform(r) - 0.5);
             });
         }},
        {"random_symmetric",
         [](const auto& path, std::int64_t bytes) {
             make_random(path, bytes, "real symmetric", [](TextMaker& t, auto i, auto j, R& r) {
                 t.line("{} {} {:.15g}\n", i, j, uniform(r));
             });
         }},
        {"random_pattern",
         [](const auto& path, std::int64_t bytes) {
             make_random(path, bytes, "pattern general", [](TextMaker& t, auto i, auto j, R& r) {
                 if (r() % 2 == 0) std::swap(i, j);
                 t.line("{} {}\n", i, j);
             });
         }},
        {"random_complex", [](const auto& path, std::int64_t bytes) {
             make_random(path, bytes, "complex general", [](TextMaker& t, auto i, auto j, R& r) {
                 if (r() % 2 == 0) std::swap(i, j);
                 t.line("{} {} {:.9g} {:.9g}\n", i, j, uniform(r), uniform(r));
             });
         }}};
}

void read_file(benchmark::State& state, const std::filesystem::path& path, int threads) {
    double ratio = 0, entries = 0;
    for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores)
        reset_peak();
        const double before = status_bytes("VmRSS:");
        const CsrMatrix a = read_matrix(path, nullptr, {threads, 0});
        ratio = std::max(ratio, (status_bytes("VmHWM:") - before) / static_cast<double>(a.bytes()));
        entries = static_cast<double>(a.nnz);
    }
    const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * bytes);
    state.counters["memory_ratio"] = ratio;
    state.counters["entries"] = entries;
    state.counters["file_MB"] = static_cast<double>(bytes) / 1e6;
}

void add(const std::string& name, const std::filesystem::path& path, int threads) {
    benchmark::RegisterBenchmark(name.c_str(), read_file, path, threads)
        ->UseRealTime()
        ->MeasureProcessCPUTime()
        ->Unit(benchmark::kMillisecond);
}

int run(int argc, char** argv) {
    const std::int64_t mib = bench::take_number(argc, argv, "--mib=", 256);
    const int threads = bench::take_number(argc, argv, "--threads=", 2);
    const auto folder = std::filesystem::temp_directory_path() / "spmvgen_bench_read";
    std::filesystem::create_directories(folder);
    for (const Case& c : cases()) {
        const auto text = folder / fmt::format("{}_{}.mtx", c.name, mib);
        const auto zipped = folder / fmt::format("{}_{}.mtx.gz", c.name, mib);
        const auto binary = folder / fmt::format("{}_{}.csr", c.name, mib);
        if (!std::filesystem::exists(text)) c.make(text, mib << 20);
        add("text/" + c.name, text, threads);
        if (c.name != "stencil5") continue;
        if (!std::filesystem::exists(binary)) {
            const CsrMatrix a = read_matrix(text);
            write_csr_binary(binary, a.view());
            write_matrix_market(zipped, a.view());
        }
        add("gzip/" + c.name, zipped, threads);
        add("binary/" + c.name, binary, threads);
    }
    return bench::run_benchmarks(argc, argv);
}

}  // namespace
}  // namespace spmvgen

int main(int argc, char** argv) {
    return spmvgen::run(argc, argv);
}
