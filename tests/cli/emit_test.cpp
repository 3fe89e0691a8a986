#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>

#include "cli_fixture.hpp"
#include "registry.hpp"

namespace spmvgen::cli {
namespace {

class EmitTest : public CliTest {};

TEST_F(EmitTest, ListNamesEveryKernelAndArchitecture) {
    const std::string text = run_line("emit --list").out;
    auto json = json_of("emit --list --json");
    ASSERT_EQ(json["kernels"].size(), kernel_registry().size());
    ASSERT_EQ(json["architectures"].size(), architectures().size());
    for (std::size_t i = 0; i < kernel_registry().size(); ++i) {
        const KernelEntry& kernel = kernel_registry()[i];
        EXPECT_NE(text.find("  " + std::string(kernel.id) + " (for " +
                            (kernel.gpu ? "GPUs" : "CPUs") + ", format "),
                  std::string::npos)
            << kernel.id;
        EXPECT_EQ(json["kernels"][i]["gpu"], kernel.gpu);
        for (auto& p : kernel.params)
            EXPECT_NE(text.find("--param " + p.name.str() + "={"), std::string::npos);
    }
    for (auto& arch : architectures())
        EXPECT_NE(text.find("  " + std::string(arch.name) + " "), std::string::npos) << arch.name;
}

TEST_F(EmitTest, PrintsSourceOnStandardOutputOnly) {
    const Outcome outcome = run_line("emit --kernel csr_rows --arch x86-64-v2");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_NE(outcome.out.find("csr_rows_f64_i32_o32_a1_b0_k1"), std::string::npos);
}

/// What `text` has between `begin`, which is left out, and `end`.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
    const auto at = text.find(begin);
    if (at == text.npos) return "";
    const auto first = at + begin.size();
    return text.substr(first, text.find(end, first) - first);
}

TEST_F(EmitTest, PrintsWhatTheReadmeShows) {
    std::ifstream file(std::filesystem::path(__FILE__).parent_path() / "../../README.md");
    const std::string readme{std::istreambuf_iterator<char>(file), {}};
    const std::string section = between(readme, "## Take a kernel away\n", "\n## ");
    const std::string command = between(section, "`spmvgen emit", "`");
    const std::string shown = between(section, "```cpp\n", "```");
    ASSERT_NE(command, "");
    ASSERT_NE(shown, "");
    EXPECT_LE(std::ranges::count(shown, '\n'), 15);
    const Outcome outcome = run_line("emit" + command);
    EXPECT_NE(outcome.out.find(shown), std::string::npos) << outcome.out;
}

TEST_F(EmitTest, HeaderDoesNotDependOnTheOrderOfOptions) {
    const Outcome first =
        run_line("emit --kernel csr_rows --value f32 --beta general --arch x86-64-v2");
    const Outcome second =
        run_line("emit --arch x86-64-v2 --beta general --kernel csr_rows --value f32 --rhs 1");
    EXPECT_EQ(first.status, 0) << first.err;
    EXPECT_EQ(first.out, second.out);
    EXPECT_NE(first.out.find("spmvgen emit"), std::string::npos);
}

/// The command line that a source's header gives, which may go on over several lines.
std::vector<std::string> command_in(const std::string& source) {
    std::istringstream words(source.substr(std::min(source.find("spmvgen emit"), source.size())));
    std::vector<std::string> command;
    for (std::string word; words >> word && word != "///" && word != "static";)
        if (word != "//" && word != "spmvgen") command.push_back(word);
    return command;
}

TEST_F(EmitTest, HeaderReproducesTheSource) {
    const Outcome first = run_line("emit --format csr --value c32 --index i64 --rhs 2");
    ASSERT_EQ(first.status, 0) << first.err;
    EXPECT_EQ(run(command_in(first.out)).out, first.out);
}

TEST_F(EmitTest, FormatTakesItsFirstKernel) {
    for (auto& kernel : kernel_registry()) {
        const std::string format = to_string(kernel.format);
        const auto first = std::ranges::find_if(kernel_registry(), [&](const KernelEntry& other) {
            return other.format == kernel.format && other.gpu == kernel.gpu;
        });
        const std::string arch = kernel.gpu ? "sm_90" : "x86-64-v3";
        const Outcome outcome = run_line("emit --arch " + arch + " --format " + format);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_NE(outcome.out.find(std::string(first->id) + "_f64_"), std::string::npos) << format;
    }
}

TEST_F(EmitTest, ParametersChooseAmongTheKernelsOfAFormat) {
    EXPECT_NE(run_line("emit --format csr --arch x86-64-v4 --param lanes=8 --param unroll=2")
                  .out.find("csr_vector_f64_i32_a1_b0_"),
              std::string::npos);
    EXPECT_NE(
        run_line("emit --format csr --arch x86-64-v4 --param lanes=1").out.find("csr_balanced_"),
        std::string::npos);
    EXPECT_EQ(run_line("emit --format csr --param sigma=64").status, 2);
}

TEST_F(EmitTest, OutputAndLaunchGoToFiles) {
    const Outcome outcome = run_line("emit --kernel csr_rows -o k.cpp --launch k.json");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(read("k.cpp"), run_line("emit --kernel csr_rows").out);
    const auto launch = nlohmann::json::parse(read("k.json"));
    EXPECT_EQ(launch["kernel"], "csr_rows_f64_i32_o32_a1_b0_k1");
    ASSERT_EQ(launch["steps"].size(), 1u);
    EXPECT_EQ(launch["steps"][0]["rule"], "per_thread");
    EXPECT_FALSE(launch["steps"][0]["symbol"].get<std::string>().empty());
    EXPECT_FALSE(launch["steps"][0]["arguments"].empty());
}

TEST_F(EmitTest, TypesOfStoredValuesAndSumsReachTheText) {
    const std::string line =
        "emit --kernel csr_balanced --arch x86-64-v3 --value f32 --storage bf16 --accumulator f64 "
        "--alpha general ";
    EXPECT_EQ(run_line(line + "-o k.cpp --launch k.json").status, 0);
    const std::string text = read("k.cpp");
    EXPECT_EQ(text.find("// csr_balanced_f32_sbf16_accf64_i32_ax_b0_"), 0U);
    for (const char* part :
         {"--storage", "--accumulator", "const bf16* __restrict__ values",
          "const float* __restrict__ x", "double* __restrict__ carry_sum", "float alpha"})
        EXPECT_NE(text.find(part), std::string::npos) << part;
    const auto launch = nlohmann::json::parse(read("k.json"));
    std::map<std::string, std::int64_t> bytes;
    for (auto& space : launch["workspace"]) bytes[space["name"]] = space["bytes_per_thread"];
    EXPECT_EQ(bytes, (std::map<std::string, std::int64_t>{
                         {"carry_row", 8}, {"carry_sum", 8}, {"head_row", 8}, {"head_sum", 8}}));
    EXPECT_EQ(
        run_line("emit --kernel csr_rows --accumulator f32").err,
        "spmvgen: --accumulator: f32 is not wider than --value f64; use f64 for f32, c64 for c32, "
        "or drop it\nsee: spmvgen emit --help\n");
}

TEST_F(EmitTest, AZeroedWorkspaceIsDescribed) {
    const std::string line = "emit --kernel csr_light --arch gfx906 --rhs 8 ";
    EXPECT_EQ(run_line(line + "-o k.hip --launch k.json").status, 0);
    const auto space = nlohmann::json::parse(read("k.json"))["workspace"][0];
    EXPECT_EQ(space, nlohmann::json({{"name", "row_counter"}, {"bytes", 16}, {"zeroed", true}}))
        << "two groups of four right-hand sides in f64";
    EXPECT_NE(read("k.hip").find("/// row_counter: workspace of 16 bytes; zeros when a launch "
                                 "begins, and again when it has ended\n"),
              std::string::npos);
}

TEST_F(EmitTest, VectorsInOtherFormsTakeLeadingDimensions) {
    for (const std::string kernel : {"csr_rows --arch x86-64-v3", "csr_classical --arch sm_90",
                                     "csr_by_length --arch gfx90a"}) {
        const std::string line = "emit --rhs 4 --x-form columns --y-form rows --kernel " + kernel;
        const Outcome made = run_line(line);
        EXPECT_EQ(made.status, 0) << made.err;
        for (const char* part :
             {"--x-form columns --y-form rows", "/// x[4][ld_x]: a row for each right-hand side",
              "/// y[num_rows][ld_y]: a column for each right-hand side, the first 4\n",
              "long ld_x", "long ld_y"})
            EXPECT_NE(made.out.find(part), std::string::npos) << part << "\n" << made.out;
        EXPECT_EQ(run_line("emit --rhs 4 --kernel " + kernel).out.find("ld_"), std::string::npos);
        const Outcome scaled = run_line(line + " --alpha zero --beta general");
        EXPECT_EQ(scaled.out.find("ld_x"), std::string::npos) << scaled.out;
        EXPECT_NE(scaled.out.find("ld_y"), std::string::npos) << scaled.out;
    }
    EXPECT_EQ(
        run_line("emit --kernel csr_rows --rhs 4 --x-form tiles").err,
        "spmvgen: --x-form: unknown form of vectors 'tiles': use one of dense, rows, columns\n"
        "see: spmvgen emit --help\n");
}

TEST_F(EmitTest, TransposingKernelsSayWhatTheyCompute) {
    for (const std::string kernel :
         {"csr_transposed_cpu --arch x86-64-v3", "csr_transposed_gpu --arch sm_90"}) {
        const std::string line = "emit --value c64 --alpha general --kernel " + kernel;
        const std::string transposed = run_line(line).out;
        EXPECT_NE(transposed.find("y = alpha A^T x"), std::string::npos) << transposed;
        EXPECT_NE(transposed.find("/// x[num_rows]\n"), std::string::npos) << transposed;
        EXPECT_NE(transposed.find("/// y[columns of A]\n"), std::string::npos) << transposed;
        const std::string adjoint = run_line(line + " --param conjugate=1").out;
        EXPECT_NE(adjoint.find("y = alpha A^H x"), std::string::npos) << adjoint;
        EXPECT_TRUE(std::regex_search(adjoint, std::regex("-value[0-9]*[.]im"))) << adjoint;
        EXPECT_EQ(run_line(line + " --matrix A.mtx").status, 0);
    }
}

TEST_F(EmitTest, CompilesToEveryForm) {
    const std::string line = "emit --kernel csr_rows --arch x86-64-v2 --as ";
    EXPECT_EQ(run_line(line + "object -o k.o").status, 0);
    EXPECT_EQ(read("k.o").substr(0, 4),
              "\x7f"
              "ELF");
    EXPECT_EQ(run_line(line + "shared -o k.so").status, 0);
    EXPECT_EQ(read("k.so").substr(0, 4),
              "\x7f"
              "ELF");
    EXPECT_NE(run_line(line + "asm").out.find(".globl"), std::string::npos);
    EXPECT_NE(run_line(line + "llvm-ir").out.find("define "), std::string::npos);
    EXPECT_EQ(run_line(line + "object -o -").out, read("k.o"));
}

TEST_F(EmitTest, MatrixChoosesAndOptionsWin) {
    const Outcome chosen = run_line("emit --matrix A.mtx --arch x86-64-v2");
    EXPECT_EQ(chosen.status, 0) << chosen.err;
    EXPECT_NE(chosen.out.find("_f64_i32_"), std::string::npos);
    EXPECT_TRUE(chosen.err.starts_with("spmvgen: ")) << chosen.err;  // which kernel and why
    const Outcome won = run_line(
        "emit --matrix A.mtx --kernel csr_rows --value f32 --offset i64 --alpha general --arch "
        "x86-64-v2");
    EXPECT_EQ(won.status, 0) << won.err;
    EXPECT_NE(won.out.find("csr_rows_f32_i32_o64_ax_b0_k1"), std::string::npos);
    EXPECT_EQ(run_line("emit --matrix nonesuch.mtx").status, 1);
}

TEST_F(EmitTest, FailureLeavesTheOutputAlone) {
    write("k.cpp", "precious");
    EXPECT_EQ(run_line("emit --format hyb --arch x86-64-v3 -o k.cpp").status, 2);
    EXPECT_EQ(read("k.cpp"), "precious");
    EXPECT_EQ(run_line("emit --kernel csr_rows -o /nonesuch/k.cpp").status, 1);
}

TEST_F(EmitTest, EachOutputHasAFileOfItsOwn) {
    const std::pair<const char*, const char*> lines[] = {
        {"-o k.h --header ./k.h", "--header: ./k.h is where the kernel goes"},
        {"-o k.cpp --launch k.cpp", "--launch: k.cpp is where the kernel goes"},
        {"-o k.cpp --header k.h --launch k.h", "--launch: k.h is where the header goes"}};
    for (auto& [line, message] : lines) {
        const Outcome outcome = run_line("emit --kernel csr_rows " + std::string(line));
        EXPECT_EQ(outcome.status, 2) << line;
        EXPECT_EQ(outcome.err, "spmvgen: " + std::string(message) +
                                   "; name another file\nsee: spmvgen emit --help\n");
    }
    EXPECT_EQ(run_line("emit --kernel csr_rows -o /dev/null --launch /dev/null").status, 0);
    EXPECT_FALSE(std::filesystem::exists("k.h") || std::filesystem::exists("k.cpp"));
}

}  // namespace
}  // namespace spmvgen::cli
