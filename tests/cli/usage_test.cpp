#include <sstream>
#include <string>

#include "cli_fixture.hpp"

namespace spmvgen::cli {
namespace {

struct Wrong {
    std::string line, message, help;
    friend void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.line; }
};

// Each wrong command line: exit status 2, nothing on standard output, this text.
const std::vector<Wrong> wrong_lines{
    {"foo",
     "unknown command 'foo': use one of emit, analyze, run, bench, report, tune, convert, cache, "
     "pack, "
     "gallery, doctor",
     "spmvgen"},
    {"--foo", "unknown option '--foo'", "spmvgen"},
    {"cache", "a command is missing: use one of info, list, verify, prune, clear, warm",
     "spmvgen cache"},
    {"cache purge", "unknown command 'purge': use one of info, list, verify, prune, clear, warm",
     "spmvgen cache"},
    {"cache prune --max-size 200MB", "--max-size: '200MB' is no size, such as 200M or 1.5G",
     "spmvgen cache prune"},
    {"cache prune --max-age 90", "--max-age: '90' is no time, such as 90d, 12h, 30m or 2w",
     "spmvgen cache prune"},
    {"cache list --names --json", "--names: is text, --json has the names too; drop one",
     "spmvgen cache list"},
    {"cache warm", "nothing is named: give matrices, or a list of kernels with --list",
     "spmvgen cache warm"},
    {"cache warm A.mtx --modes two", "--modes: unknown choice 'two': use one or all",
     "spmvgen cache warm"},
    {"cache warm A.mtx --arch sm_90 --op T",
     "--op: needs a handle, and --arch sm_90 cannot run here; drop one of them",
     "spmvgen cache warm"},
    {"cache warm --list A.mtx",
     "--list: '%%MatrixMarket matrix coordinate real general' names no kernel: give lines of "
     "spmvgen cache list --names; a kernel with an epilogue cannot be made from its name",
     "spmvgen cache warm"},
    {"gallery", "a command is missing: use one of list, make, random, lp", "spmvgen gallery"},
    {"analyze", "matrix is required", "spmvgen analyze"},
    {"analyze A.mtx B.mtx", "unexpected argument 'B.mtx'", "spmvgen analyze"},
    {"analyze A.mtx --jsn", "unknown option '--jsn': did you mean --json?", "spmvgen analyze"},
    {"analyze A.mtx --josn", "unknown option '--josn': did you mean --json?", "spmvgen analyze"},
    {"analyze A.mtx --jot", "unknown option '--jot'", "spmvgen analyze"},
    {"analyze A.mtx --json --jsn", "unknown option '--jsn'", "spmvgen analyze"},
    {"run A.mtx --abc 1", "unknown option '--abc'", "spmvgen run"},
    {"run A.mtx --memory-limt 1", "unknown option '--memory-limt': did you mean --memory-limit?",
     "spmvgen run"},
    {"analyze A.mtx --colour=red", "unknown option '--colour'", "spmvgen analyze"},
    {"convert A.mtx B.txt", "B.txt: the name shows no form: use the suffix .mtx or .csr, or --to",
     "spmvgen convert"},
    {"convert A.mtx -",
     "-: standard output has no suffix that shows the form: use --to mtx or --to csr",
     "spmvgen convert"},
    {"convert A.mtx - --to mtx --reorder rcm --permutation -",
     "--permutation: - is standard output, where the matrix goes; name a file", "spmvgen convert"},
    {"gallery make --suite gospmv -o -",
     "--output: a suite is written to a folder, not to standard output", "spmvgen gallery make"},
    {"run A.mtx --json -o -", "--output: - is standard output, where --json prints; name a file",
     "spmvgen run"},
    {"emit --format csr --launch -",
     "--launch: - is standard output, where the kernel goes; name a file", "spmvgen emit"},
    {"pack build --arch x86-64-v2,x86-64-v3 -o -",
     "--output: - is standard output, which takes one set; give one --arch, or name a folder",
     "spmvgen pack build"},
    {"pack build --arch x86-64-v2 --kernel csr_rows --value f16 --list",
     "--value: f16 is a storage type; use f32, f64, c32 or c64", "spmvgen pack build"},
    {"pack build --arch x86-64-v2 --json -o -",
     "--output: - is standard output, where --json prints; name a file", "spmvgen pack build"},
    {"convert A.mtx B.mtx.gz",
     "B.mtx.gz: gzipped files are read, not written: write B.mtx and run gzip", "spmvgen convert"},
    {"convert A.mtx B.mtx --reorder rcm --permutation p.mtx.gz",
     "p.mtx.gz: gzipped files are read, not written: write p.mtx and run gzip", "spmvgen convert"},
    {"run A.mtx -o y.mtx.gz",
     "y.mtx.gz: gzipped files are read, not written: write y.mtx and run gzip", "spmvgen run"},
    {"bench A.mtx --json R.jsonl.gz",
     "R.jsonl.gz: gzipped files are read, not written: write R.jsonl and run gzip",
     "spmvgen bench"},
    {"tune --calibrate -o device-mine.json.gz",
     "device-mine.json.gz: gzipped files are read, not written: write device-mine.json and run "
     "gzip",
     "spmvgen tune"},
    {"convert A.mtx B.mtx --to pdf", "--to: unknown form 'pdf': use mtx or csr", "spmvgen convert"},
    {"tune",
     "nothing to measure is named: name matrices, or use --calibrate, --dense-profile, --fit",
     "spmvgen tune"},
    {"tune --dense-profile --value f16", "--value: f16 is a storage type; use f32, f64, c32 or c64",
     "spmvgen tune"},
    {"tune --dense-profile --value f65",
     "--value: unknown value type 'f65': use one of f32, f64, c32, c64, f16, bf16", "spmvgen tune"},
    {"tune --dense-profile --device simt:sm_90 --threads 2",
     "--threads: is for this CPU; drop it with --device", "spmvgen tune"},
    {"tune --dense-profile --entries 0", "--entries: '0' is no whole number from 1 to 1073741824",
     "spmvgen tune"},
    {"run A.mtx --format bcsr --param block_rows=9",
     "--param: parameter block_rows=9 of kernel bcsr: use one of 1, 2, 3, 4, 5, 6, 7, 8",
     "spmvgen run"},
    {"run A.mtx --level slow",
     "--level: unknown level 'slow': use rule, lazy, recorded, measure or exhaustive",
     "spmvgen run"},
    {"run A.mtx --rule best",
     "--rule: 'best' is no rule of a paper: use ginkgo, csr-k, gospmv or lightspmv", "spmvgen run"},
    {"run A.mtx --rule ginkgo --level measure",
     "--rule: chooses a kernel by itself; drop it, or --level", "spmvgen run"},
    {"run A.mtx --rule ginkgo --kernel csr_rows",
     "--rule: chooses a kernel by itself; drop it, or --kernel", "spmvgen run"},
    {"run --batch DIR --rule ginkgo", "--rule: batches are chosen by rules; drop it",
     "spmvgen run"},
    {"run A.mtx --budget 1s", "--budget: is for --level measure; drop it, or give that",
     "spmvgen run"},
    {"run A.mtx --level measure --budget 1h", "--budget: '1h' is no time: use 200ms or 2s",
     "spmvgen run"},
    {"run A.mtx --level measure --budget -1", "--budget: '-1' is no time: use 200ms or 2s",
     "spmvgen run"},
    {"run A.mtx --expect -1", "--expect: '-1' is no whole number from 0 to 4611686018427387904",
     "spmvgen run"},
    {"run --batch DIR --level measure", "--level: batches are chosen by rules; drop it",
     "spmvgen run"},
    {"run --batch DIR --expect 5", "--expect: batches are chosen by rules; drop it", "spmvgen run"},
    {"emit", "no kernel is named: use --format, --kernel or --matrix", "spmvgen emit"},
    {"emit --json", "--json: goes with --list; the launch is written by --launch", "spmvgen emit"},
    {"emit --format csr --header 4.h",
     "--header: '4.h': the file's name begins what the header defines, so it must be a name in C "
     "and a suffix, such as spmv.h",
     "spmvgen emit"},
    {"emit --format csr --as pdf",
     "--as: unknown form 'pdf': use one of source, object, shared, asm, llvm-ir", "spmvgen emit"},
    {"emit --format csr --as object",
     "--as object makes a binary file: name it with -o (- = standard output)", "spmvgen emit"},
    {"emit --format bsr", "--format: unknown format 'bsr': use one of " + format_names(),
     "spmvgen emit"},
    {"emit --kernel csr_rows --format ell", "--kernel: csr_rows is for format csr, not ell",
     "spmvgen emit"},
    {"emit --format csr --arch pdp11",
     "--arch: unknown architecture 'pdp11': use one of native, x86-64-v2, x86-64-v3, x86-64-v4, "
     "aarch64, sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, sm_120, gfx906, gfx908, gfx90a, gfx942, "
     "gfx1030, gfx1100, gfx1201",
     "spmvgen emit"},
    {"emit --format csr --value f8",
     "--value: unknown value type 'f8': use one of f32, f64, c32, c64, f16, bf16", "spmvgen emit"},
    {"emit --format csr --value f16", "--value: f16 is a storage type; use f32, f64, c32 or c64",
     "spmvgen emit"},
    {"emit --format csr --accumulator bf16",
     "--accumulator: bf16 is a storage type; use f32, f64, c32 or c64", "spmvgen emit"},
    {"emit --format csr --accumulator f32",
     "--accumulator: f32 is not wider than --value f64; use f64 for f32, c64 for c32, or drop it",
     "spmvgen emit"},
    {"emit --format csr --value f32 --storage f64",
     "--storage: f64 is not a narrower type of the numbers that --value f32 has; use f16 or bf16 "
     "for f32; these or f32 for f64; c32 for c64",
     "spmvgen emit"},
    {"emit --matrix A.mtx --storage c32",
     "--storage: c32 is not a narrower type of the numbers that --value f64 has; use f16 or bf16 "
     "for f32; these or f32 for f64; c32 for c64",
     "spmvgen emit"},
    {"emit --format csr --index i16", "--index: unknown index type 'i16': use one of i32, i64",
     "spmvgen emit"},
    {"emit --format csr --offset u32", "--offset: unknown index type 'u32': use one of i32, i64",
     "spmvgen emit"},
    {"emit --format csr --alpha 2",
     "--alpha: unknown scale mode '2': use one of zero, one, general, device", "spmvgen emit"},
    {"emit --format csr --rhs 65", "--rhs: '65' is no whole number from 1 to 64", "spmvgen emit"},
    {"emit --format csr --param lanes", "--param: 'lanes' is not NAME=INTEGER, such as lanes=8",
     "spmvgen emit"},
    {"emit --format csr --param lanes=8x",
     "--param: 'lanes=8x' is not NAME=INTEGER, such as lanes=8", "spmvgen emit"},
    {"emit --format csr --param =8", "--param: '=8' is not NAME=INTEGER, such as lanes=8",
     "spmvgen emit"},
    {"emit --format csr --param lanes=8 --param lanes=4", "--param: lanes is given twice",
     "spmvgen emit"},
    {"emit --kernel csr_rows --param width=3", "--param: kernel csr_rows has no parameter 'width'",
     "spmvgen emit"},
    {"emit --kernel csr_rows --param width_of_a_block=3",
     "--param: no kernel has a parameter 'width_of_a_block'", "spmvgen emit"},
    {"emit --kernel batch_coo --arch x86-64-v3 --param block=64",
     "kernel batch_coo is not for x86-64-v3: it is for GPUs", "spmvgen emit"},
    {"run A.mtx --kernel csr_rows --param width=3",
     "--param: kernel csr_rows has no parameter 'width'", "spmvgen run"},
    {"run A.mtx --device gpu",
     "--device: 'gpu' is no device: use host, cuda:N or hip:N, with N = 0, 1, …, or simt:ARCH, as "
     "in simt:gfx906",
     "spmvgen run"},
    {"run A.mtx --device simt:gfx906 --arch gfx90a",
     "--arch: gfx90a is not what device simt:gfx906 runs, gfx906; drop --arch", "spmvgen run"},
    {"run A.mtx --device simt:gfx906 --cache off",
     "--cache: off always runs the generic kernel, which device simt:gfx906 does not have; use "
     "another mode",
     "spmvgen run"},
    {"run A.mtx --device simt:gfx906 --kernel sell_slices --param subwarp=2",
     "--param: kernel sell_slices has no parameter 'subwarp': use block, slice, sigma, "
     "threads_per_row, unroll",
     "spmvgen run"},
    {"run A.mtx --device simt:gfx906 --storage f8",
     "--storage: unknown value type 'f8': use one of f32, f64, c32, c64, f16, bf16", "spmvgen run"},
    {"run A.mtx --vectors double",
     "--vectors: unknown value type 'double': use one of f32, f64, c32, c64, f16, bf16",
     "spmvgen run"},
    {"run A.mtx --value f16", "--value: f16 is a storage type; use f32, f64, c32 or c64",
     "spmvgen run"},
    {"run A.mtx --vectors bf16", "--vectors: bf16 is a storage type; use f32, f64, c32 or c64",
     "spmvgen run"},
    {"run A.mtx --vectors f32",
     "--vectors f32 is narrower than the matrix's values, f64: set --storage to f32 to round them, "
     "or leave --vectors out",
     "spmvgen run"},
    {"run A.mtx --accumulator f32",
     "--accumulator f32 is not wider than the vectors, f64: use f64 for f32, c64 for c32, or leave "
     "it out",
     "spmvgen run"},
    {"run A.mtx --storage f64 --value f32",
     "--storage f64 is not a narrower type of the numbers that the matrix has, f32: use f16 or "
     "bf16 for f32; these or f32 for f64; c32 for c64",
     "spmvgen run"},
    {"run A.mtx --memory-limit -1",
     "--memory-limit: '-1' is no size: use bytes, or 500M, 2G; 0 is no limit", "spmvgen run"},
    {"run A.mtx --memory-limit lots",
     "--memory-limit: 'lots' is no size: use bytes, or 500M, 2G; 0 is no limit", "spmvgen run"},
    {"run A.mtx --accumulator f128",
     "--accumulator: unknown value type 'f128': use one of f32, f64, c32, c64, f16, bf16",
     "spmvgen run"},
    {"run A.mtx --check --epilogue erf(value)",
     "--check: with --epilogue the reference knows no 'erf'; drop one of them", "spmvgen run"},
    {"run A.mtx --check --rhs 2 --epilogue value",
     "--check: with --epilogue one vector is checked, not --rhs; drop one of them", "spmvgen run"},
    {"run A.mtx --cache maybe",
     "--cache: unknown mode 'maybe': use one of on, memory, readonly, load, off", "spmvgen run"},
    {"run A.mtx --alpha two",
     "--alpha: 'two' is not a number, such as 1.5 or, for complex values, 1.5,-2", "spmvgen run"},
    {"run A.mtx --alpha 1e",
     "--alpha: '1e' is not a number, such as 1.5 or, for complex values, "
     "1.5,-2",
     "spmvgen run"},
    {"run A.mtx --value f32 --alpha 1e39",
     "--alpha: '1e39' is too large for the vectors, which are f32", "spmvgen run"},
    {"run A.mtx --alpha 1e400", "--alpha: '1e400' is too large or too small for f64",
     "spmvgen run"},
    {"run A.mtx --value c64 --beta 1,+1e-400",
     "--beta: '1,+1e-400' is too large or too small for f64", "spmvgen run"},
    {"run A.mtx --value c32 --beta 1,-1e39",
     "--beta: '1,-1e39' is too large for the vectors, which are c32", "spmvgen run"},
    {"run A.mtx --beta 1,2", "--beta: '1,2' is complex, but the values are f64", "spmvgen run"},
    {"run A.mtx --y y.mtx", "--y: with --beta 0 the initial y is not read; drop --y or give --beta",
     "spmvgen run"},
    {"run A.mtx --threads -1", "--threads: '-1' is no whole number from 0 to 4096", "spmvgen run"},
    {"run A.mtx --time nan", "--time: 'nan' is no time: use milliseconds from 0 to 10000000",
     "spmvgen run"},
    {"run A.mtx --time -1", "--time: '-1' is no time: use milliseconds from 0 to 10000000",
     "spmvgen run"},
    {"run A.mtx --time inf", "--time: 'inf' is no time: use milliseconds from 0 to 10000000",
     "spmvgen run"},
    {"tune A.mtx --time nan", "--time: 'nan' is no time: use milliseconds from 0.01 to 1000000",
     "spmvgen tune"},
    {"tune --suite csr-k --scale nan",
     "--scale: 'nan' is no scale: use a number above 0, at most 1", "spmvgen tune"},
    {"bench --suite csr-k --scale nan",
     "--scale: 'nan' is no scale: use a number above 0, at most 1", "spmvgen bench"},
    {"gallery make --suite csr-k -o F --scale 0",
     "--scale: '0' is no scale: use a number above 0, at most 1", "spmvgen gallery make"},
    {"gallery make --suite csr-k -o F --max-nnz nan",
     "--max-nnz: 'nan' is no number of entries: use 1 to 1e18", "spmvgen gallery make"},
    {"run A.mtx --expect 1e6", "--expect: '1e6' is no whole number from 0 to 4611686018427387904",
     "spmvgen run"},
    {"run A.mtx --repeat 0", "--repeat: '0' is no whole number from 1 to 1000000", "spmvgen run"},
    {"gallery make stencil5", "--output is required", "spmvgen gallery make"},
    {"gallery random", "--seed is required", "spmvgen gallery random"},
    {"gallery random --seed 1 --transposed", "unknown option '--transposed'",
     "spmvgen gallery random"},
    {"gallery random --seed 1 --max-nnz 5", "--max-nnz: 5 is outside 1000 … 100000000",
     "spmvgen gallery random"},
    {"gallery random --seed -1", "--seed: '-1' is no whole number from 0 to 9007199254740992",
     "spmvgen gallery random"},
    {"analyze gallery:random:seed=1,max=5",
     "gallery: random: no parameter 'max'; it takes seed, max_nnz, family", "spmvgen analyze"},
};

class WrongUsage : public CliTest, public testing::WithParamInterface<Wrong> {};

TEST_P(WrongUsage, ExitsTwoAndSaysWhatIsAllowed) {
    const Outcome outcome = run_line(GetParam().line);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err,
              "spmvgen: " + GetParam().message + "\nsee: " + GetParam().help + " --help\n");
}

INSTANTIATE_TEST_SUITE_P(Lines, WrongUsage, testing::ValuesIn(wrong_lines));

class HelpTest : public CliTest {};

TEST_F(HelpTest, WithoutArgumentsAFirstExample) {
    const Outcome outcome = run({});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err,
              "spmvgen multiplies sparse matrices with vectors: y = αAx + βy.\n"
              "It chooses a storage format and an algorithm for the matrix, and compiles that "
              "kernel.\n"
              "\n"
              "A first example, with a generated matrix:\n"
              "  spmvgen run gallery:stencil5:nx=100 --check      multiply, check and time\n"
              "  spmvgen run gallery:stencil5:nx=100 --explain    why this kernel was chosen\n"
              "  spmvgen emit --matrix gallery:stencil5:nx=100    print the kernel's source\n"
              "\n"
              "All commands: spmvgen --help. Options of one: spmvgen run --help.\n");
}

TEST_F(HelpTest, CommandsOfTheFirstExampleWork) {
    std::istringstream lines(run({}).err);
    int commands = 0;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("  spmvgen ")) continue;
        ++commands;
        std::string command = line.substr(10);
        command.resize(command.find("   "));
        const Outcome outcome = run_line(command);
        EXPECT_EQ(outcome.status, 0) << command << "\n" << outcome.err;
    }
    EXPECT_EQ(commands, 3);
}

TEST_F(HelpTest, LevelsAreNamedWhereTheyAreLegal) {
    for (const std::string verb : {"run", "cache warm"})
        EXPECT_NE(
            run_line(verb + " --help")
                .out.find("rule (the default), lazy, recorded, measure (by timing), or exhaustive"),
            std::string::npos)
            << verb;
}

TEST_F(HelpTest, VersionGoesToStandardOutput) {
    const Outcome outcome = run_line("--version");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.out, "spmvgen 0.2.0\n");
    EXPECT_EQ(outcome.err, "");
}

TEST_F(HelpTest, OverviewNamesEveryVerb) {
    const Outcome outcome = run_line("--help");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "");
    for (const char* verb :
         {"emit", "analyze", "run", "tune", "convert", "cache", "gallery", "doctor"})
        EXPECT_NE(outcome.out.find("\n  " + std::string(verb) + " "), std::string::npos) << verb;
    EXPECT_NE(outcome.out.find("Exit status: 0 done, 1 the work failed, 2 wrong usage."),
              std::string::npos);
}

TEST_F(HelpTest, HelpOfAPart) {
    const Outcome outcome = run_line("cache info --help");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.out.find("Usage: spmvgen cache info [OPTIONS]"), std::string::npos)
        << outcome.out;
}

TEST_F(HelpTest, FormatsAreAllThatAreKnown) {
    for (const std::string verb : {"run", "emit"}) {
        std::istringstream words(run_line(verb + " --help").out);
        std::string text;
        for (std::string word; words >> word;) text += word + " ";
        EXPECT_NE(text.find(format_names() + " "), std::string::npos) << text;
    }
}

TEST_F(HelpTest, ALeadingDashOfANumberIsNoOption) {
    EXPECT_EQ(run_line("run A.mtx --alpha -1 --beta -2.5e-1 --time 0").status, 0);
}

}  // namespace
}  // namespace spmvgen::cli
