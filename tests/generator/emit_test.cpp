#include "emission/emit.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "process.hpp"
#include "signatures.hpp"
#include "specializer/kept_templates.hpp"
#include "specializer/simplify/simplify.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

std::string read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string without(std::string text, const std::string& part) {
    for (std::size_t at; (at = text.find(part)) != text.npos;) text.erase(at, part.size());
    return text;
}

/// What is emitted for all_signatures({1, 3}).
const std::vector<KernelSource>& all_sources() {
    static const std::vector<KernelSource> sources = [] {
        std::vector<KernelSource> all;
        for (auto& s : all_signatures({1, 3})) all.push_back(emit_kernel(s, ""));
        return all;
    }();
    return sources;
}

/// A folder of its own that goes with the test.
class Emit : public testing::Test {
  protected:
    Emit() {
        std::string name =
            (std::filesystem::temp_directory_path() / "spmvgen-emit-XXXXXX").string();
        folder_ = mkdtemp(name.data());
    }
    ~Emit() override { std::filesystem::remove_all(folder_); }
    std::string write(const std::string& name, const std::string& text) {
        const auto path = folder_ / name;
        std::ofstream(path, std::ios::binary) << text;
        return path.string();
    }
    std::filesystem::path folder_;
};

/// A file of tests/generator/golden and the kernel that it shows.
struct Golden {
    const char* file;
    const char* kernel;
    const char* arch;
    Params params;
    int num_rhs = 1;
};

const std::vector<Golden>& golden_files() {
    static const std::vector<Golden> files{
        {"csr_rows.cpp", "csr_rows", "x86-64-v3", {}},
        {"csr_vector.cpp", "csr_vector", "x86-64-v4", {}},
        {"csr_ahead.cpp", "csr_ahead", "x86-64-v4", {{"past_caches", 1}}, 8},
        {"sell.cpp", "sell", "x86-64-v4", {}},
        {"strips_cpu.cpp",
         "strips_cpu",
         "x86-64-v3",
         {{"codes", 4}, {"fill", 0}, {"long_rows", 0}}},
        {"csr_classical.cu", "csr_classical", "sm_90", {{"subwarp", 8}}},
        {"csr_by_length.cu", "csr_by_length", "sm_90", {}},
        {"csr_merge_path.cu", "csr_merge_path", "sm_90", {}},
        {"sell_slices.cu", "sell_slices", "sm_90", {{"sigma", 1024}}},
        {"strips.cu",
         "strips",
         "sm_90",
         {{"codes", 4}, {"fill", 0}, {"long_rows", 0}, {"ragged", 1}, {"unroll", 6}}},
        {"strips_holes.cu",
         "strips",
         "sm_90",
         {{"codes", 3}, {"fill", 1}, {"long_rows", 0}, {"ragged", 1}, {"unroll", 5}}},
        {"tiles.cu", "tiles", "sm_90", {}},
        {"ell_groups.hip", "ell_groups", "gfx906", {}},
        {"coo.hip", "coo", "gfx90a", {}},
        {"bcsr_fused.hip", "bcsr_fused", "gfx942", {{"block_rows", 3}, {"block_cols", 3}}}};
    return files;
}

// What a change of the specialiser or of a template does to emitted text. scripts/update-golden
// writes the files anew after an intended change; review the diff.
TEST_F(Emit, GoldenText) {
    for (auto& golden : golden_files()) {
        SCOPED_TRACE(golden.file);
        Signature s = signature_of(golden.kernel);
        s.target = parse_target(golden.arch);
        s.params = golden.params;
        s.num_rhs = golden.num_rhs;
        const auto source = emit_kernel(s, "");
        const auto path = std::filesystem::path(SPMVGEN_GOLDEN) / golden.file;
        if (std::getenv("SPMVGEN_UPDATE_GOLDEN")) std::ofstream(path) << source.text;
        EXPECT_EQ(source.text, read_file(path));
    }
}

/// Lines up to the first that is empty, those behind it, and those of functions with one
/// statement, but for an instruction that has no name.
struct LineCounts {
    std::ptrdiff_t head = 0, below = 0, wrappers = 0;
};

LineCounts counts_of(const std::string& text) {
    LineCounts counts;
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    const auto empty = std::ranges::find(lines, "");
    counts.head = empty - lines.begin();
    counts.below = lines.end() - empty - 1;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!lines[i].ends_with("{") || lines[i].starts_with(" ") || lines[i].starts_with("extern"))
            continue;
        const bool one = i + 2 < lines.size() && lines[i + 2] == "}" &&
                         lines[i + 1].find("asm ") == std::string::npos;
        if (one) counts.wrappers += 4;
    }
    return counts;
}

TEST_F(Emit, FilesAreShortAndHeadsAreShorter) {
    const std::map<std::string, std::ptrdiff_t> most{{"csr_classical.cu", 60},
                                                     {"ell_groups.hip", 50},
                                                     {"strips.cu", 130},
                                                     {"strips_holes.cu", 130},
                                                     {"sell_slices.cu", 90}};
    for (auto& golden : golden_files()) {
        SCOPED_TRACE(golden.file);
        const auto counts =
            counts_of(read_file(std::filesystem::path(SPMVGEN_GOLDEN) / golden.file));
        const auto limit = most.find(golden.file);
        if (limit != most.end()) {
            EXPECT_LE(counts.below, limit->second);
            EXPECT_LE(counts.wrappers * 20, counts.below);
        }
    }
    for (auto& entry : kernel_registry()) {
        SCOPED_TRACE(entry.id);
        EXPECT_LE(counts_of(emit_kernel(signature_of(entry.id), "").text).head, 15);
    }
}

/// Such an epilogue leaves sums unused; that is no defect of the text.
TEST_F(Emit, TakesAnEpilogueWithoutTheProduct) {
    for (auto* kernel : {"batch_coo", "strips_cpu", "csr_classical"}) {
        Signature s = signature_of(kernel);
        s.epilogue = "b[row] * b[row]";
        EXPECT_NE(emit_kernel(s, "").text.find("] * operand_b["), std::string::npos) << kernel;
    }
}

// For kernels nvcc knows fmax of two double, and of two float, but not of one of each.
TEST_F(Emit, FunctionsInEpiloguesOfGpusTakeDouble) {
    Signature s{.kernel = "csr_classical"};
    s.value = ValueType::f32;
    s.target = parse_target("sm_90");
    s.epilogue =
        "most max= fabs(value); least max= -value; fmin(value, sqrt((tau + 1))) + fabs(row)";
    const std::string text = emit_kernel(complete(s), "").text;
    for (const char* line :
         {"_most, fabs(static_cast<double>(sum)));\n", "_least, static_cast<double>(-sum));\n",
          "fmin(static_cast<double>(sum),", "sqrt(static_cast<double>((operand_tau[0] + 1)))",
          "fabs(static_cast<double>(row))"})
        EXPECT_NE(text.find(line), text.npos) << line << text;
    s.target = parse_target("x86-64-v3");
    s.kernel = "csr_rows";
    EXPECT_EQ(emit_kernel(complete(s), "").text.find("fabs(static_cast"), text.npos);
}

TEST_F(Emit, HeadsCountTheOperandsOfEpilogues) {
    Signature s = signature_of("csr_rows");
    s.epilogue = "value * 2";
    std::string text = emit_kernel(s, "").text;
    EXPECT_NE(text.find(": y = epilogue(A x)\n"), text.npos) << text;
    EXPECT_NE(text.find("; writes y once.\n"), text.npos) << text;
    s.beta = Scale::general;
    s.value = ValueType::f32;
    s.epilogue = "r[row] = b[row] - value; total += value * omega; value";
    text = emit_kernel(s, "").text;
    EXPECT_NE(text.find(": y = epilogue(A x + beta y)\n"), text.npos) << text;
    std::string line = text.substr(text.find("// Reads:"));
    line = line.substr(0, line.find("// Made by:"));
    EXPECT_NE(line.find("reads b and writes r of the"), line.npos) << line;
    EXPECT_NE(line.find("4 bytes of each for"), line.npos) << line;
}

TEST_F(Emit, SymbolsHaveAtMost64Characters) {
    for (auto& entry : kernel_registry()) {
        Signature s = signature_of(entry.id);
        s.alpha = s.beta = Scale::general;
        if (!entry.batch && entry.refuses == nullptr) s.num_rhs = 64;
        const auto source = emit_kernel(s, "");
        for (auto& step : source.launch.steps) EXPECT_LE(step.symbol.size(), 64) << step.symbol;
        EXPECT_LE((source.name + "_launch").size(), 64) << source.name;
    }
}

TEST_F(Emit, SameBytesInOtherProcesses) {
    const std::string tool = SPMVGEN_EMIT_TEXT " csr_rows 'some command'";
    const std::string text = emit_kernel(signature_of("csr_rows"), "some command").text;
    for (const std::string prefix :
         {"", "cd / && ", "cd /tmp && umask 0777 && LC_ALL=C ",
          "LC_ALL=tr_TR.UTF-8 LANG=de_DE TZ=Asia/Tokyo HOME=/nonexistent CPATH=/usr/include ",
          "env -i "}) {
        const auto result = run_process(prefix + tool);
        EXPECT_EQ(result.status, 0) << prefix;
        EXPECT_EQ(result.output, text) << prefix;
    }
}

TEST_F(Emit, SameBytesAfterOtherEmissionsAndInThreads) {
    std::vector<Signature> signatures;
    for (auto& entry : kernel_registry()) signatures.push_back(signature_of(entry.id));
    signatures.push_back(signature_of("csr_rows"));
    signatures.back().num_rhs = 4;
    std::vector<std::string> first;
    for (auto& s : signatures) first.push_back(emit_kernel(s, "").text);
    std::vector<std::vector<std::string>> again(4);
    {
        specializer::KeptTemplates kept;
        std::vector<std::jthread> threads;
        for (auto& texts : again)
            threads.emplace_back([&] {
                for (auto& s : signatures) texts.push_back(emit_kernel(s, "", kept).text);
            });
    }
    for (auto& texts : again) EXPECT_EQ(texts, first);
}

TEST_F(Emit, LaunchFollowsTheText) {
    auto s = signature_of("csr_rows");
    auto source = emit_kernel(s, "");
    EXPECT_EQ(source.name, "csr_rows_f64_i32_o32_a1_b0_k1");
    EXPECT_EQ(source.signature, complete(s));
    EXPECT_EQ(source.launch, (LaunchDescription{{{"csr_rows_f64_i32_o32_a1_b0_k1_step0",
                                                  StepRule::per_thread,
                                                  {{"num_rows", "long"},
                                                   {"row_ptr", "const int*"},
                                                   {"col_idx", "const int*"},
                                                   {"values", "const double*"},
                                                   {"x", "const double*"},
                                                   {"y", "double*"}}}},
                                                {}}));
    s.value = ValueType::c64;
    s.offset = IndexType::i64;
    s.alpha = Scale::general;
    s.beta = Scale::general;
    EXPECT_EQ(emit_kernel(s, "").launch.steps[0].arguments,
              (std::vector<Argument>{{"num_rows", "long"},
                                     {"row_ptr", "const long*"},
                                     {"col_idx", "const int*"},
                                     {"values", "const complex_f64*"},
                                     {"x", "const complex_f64*"},
                                     {"y", "complex_f64*"},
                                     {"alpha", "complex_f64"},
                                     {"beta", "complex_f64"}}));
}

TEST_F(Emit, RefusesWhatTheRegistryRefuses) {
    auto s = signature_of("csr_rows");
    s.params["group"] = 4;
    try {
        emit_kernel(s, "");
        FAIL();
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::invalid_argument);
        EXPECT_STREQ(e.what(), "kernel csr_rows has no parameter 'group'");
    }
}

TEST_F(Emit, HeaderStaysAComment) {
    const auto text =
        emit_kernel(signature_of("csr_rows"), "spmvgen emit\nint x;\t--as 'a\\'\\").text;
    EXPECT_NE(text.find("// Command: spmvgen emit int x; --as 'a\\'\n"), text.npos) << text;
}

// Simplifying ends when nothing is left: another pass over what was emitted changes nothing.
TEST_F(Emit, NothingIsLeftToSimplify) {
    for (auto& source : all_sources()) {
        const Signature& s = source.signature;
        // y = y: the entries call steps that do nothing.
        if (s.alpha == Scale::zero && s.beta == Scale::one) continue;
        std::vector<std::string> entries;
        for (auto& step : source.launch.steps) entries.push_back(step.symbol);
        const std::string text = without(source.text, "extern \"C\" ");
        const std::string again =
            specializer::simplify(text, entries, {}, specializer::Helpers::stay).text;
        const std::string end_of_steps = "/// Runs ";
        EXPECT_EQ(again.substr(0, again.find(end_of_steps)),
                  text.substr(0, text.find(end_of_steps)));
    }
}

// g++ takes every emitted file alone, with OpenMP and without. Without, the same text lacks the
// driver: a file of each kernel will do, and the long tests have all.
TEST_F(Emit, CompilesAlone) {
    const bool all = std::getenv("SPMVGEN_EVERY_MODE") != nullptr;
    const std::string flags = " -std=c++17 -fsyntax-only -Wall -Wextra -Wpedantic -Werror ";
    std::string files, without_openmp;
    std::set<std::string> kernels;
    for (auto& source : all_sources()) {
        EXPECT_EQ(source.text.find("#include"), std::string::npos);
        const std::string file = " " + write(source.name + ".cpp", source.text);
        files += file;
        if (kernels.insert(source.signature.kernel).second || all) without_openmp += file;
    }
    for (auto& arguments : {"-fopenmp" + files, "-Wno-unknown-pragmas" + without_openmp}) {
        const auto result = run_process("g++" + flags + arguments + " 2>&1");
        EXPECT_EQ(result.status, 0) << result.output.substr(0, 4000);
    }
}

// The file alone, with its own driver: [[1 0 2] [0 0 0] [3 4 0]] [1 10 100]' = [201 0 43]'.
TEST_F(Emit, DriverMultiplies) {
    auto s = signature_of("csr_rows");
    s.alpha = s.beta = Scale::general;
    const auto source = emit_kernel(s, "");
    const std::string main_text = source.text + R"(
#include <cstdio>
int main() {
    const int row_ptr[] = {0, 2, 2, 4}, col_idx[] = {0, 2, 0, 1};
    const double values[] = {1, 2, 3, 4}, x[] = {1, 10, 100};
    double y[] = {1, 2, 3};
    )" + source.name + R"((3, row_ptr, col_idx, values, x, y, 2.0, -1.0);
    std::printf("%g %g %g\n", y[0], y[1], y[2]);
}
)";
    const std::string program = (folder_ / "program").string();
    const auto compiled = run_process("g++ -std=c++17 -O3 -fopenmp -Wall -Wextra -Werror " +
                                      write("main.cpp", main_text) + " -o " + program + " 2>&1");
    ASSERT_EQ(compiled.status, 0) << compiled.output;
    for (const std::string threads : {"1", "2", "7"})
        EXPECT_EQ(run_process("OMP_NUM_THREADS=" + threads + " " + program).output, "401 -2 83\n");
}

}  // namespace
}  // namespace spmvgen
