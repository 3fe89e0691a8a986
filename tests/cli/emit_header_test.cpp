// emit --header.
#include <gmock/gmock.h>

#include "cli_fixture.hpp"
#include "registry.hpp"
#include "spmvgen/target.hpp"

namespace spmvgen::cli {
namespace {

using testing::HasSubstr;

class EmitHeaderTest : public CliTest {};

TEST_F(EmitHeaderTest, DeclaresTheDriverOfACpuKernel) {
    const Outcome outcome = run_line(
        "emit --kernel csr_rows --arch x86-64-v3 --value c64 --alpha general -o spmv.cpp --header "
        "spmv.h");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(
        read("spmv.h"),
        "// How csr_rows_c64_i32_o32_ax_b0_k1@x86-64-v3 is called, for C and C++.\n"
        "#pragma once\n"
        "#ifdef __cplusplus\n"
        "extern \"C\" {\n"
        "#endif\n"
        "\n"
        "#ifndef SPMVGEN_COMPLEX_F64\n"
        "#define SPMVGEN_COMPLEX_F64\n"
        "typedef struct complex_f64 {\n"
        "    double re;\n"
        "    double im;\n"
        "} complex_f64;\n"
        "#endif\n"
        "\n"
        "#define spmv_multiply csr_rows_c64_i32_o32_ax_b0_k1\n"
        "/// y = alpha A x, with all threads of OpenMP. Array sizes count elements.\n"
        "/// num_rows: rows of A\n"
        "/// row_ptr[num_rows + 1]: where each row's entries begin, then their number\n"
        "/// col_idx[row_ptr[num_rows]]: column of each entry, from 0\n"
        "/// values[row_ptr[num_rows]]: value of each entry\n"
        "/// x[columns of A]\n"
        "/// y[num_rows]\n"
        "/// alpha: factor of Ax\n"
        "void csr_rows_c64_i32_o32_ax_b0_k1(\n"
        "    long num_rows, const int* __restrict__ row_ptr, const int* __restrict__ col_idx,\n"
        "    const complex_f64* __restrict__ values, const complex_f64* __restrict__ x,\n"
        "    complex_f64* __restrict__ y, complex_f64 alpha);\n"
        "\n"
        "#ifdef __cplusplus\n"
        "}\n"
        "#endif\n");
}

TEST_F(EmitHeaderTest, HasTheTypesOfNarrowValues) {
    for (const char* type : {"f16", "bf16"}) {
        ASSERT_EQ(run_line(std::string("emit --kernel csr_rows --arch x86-64-v3 --value f32 -o "
                                       "spmv.cpp --header spmv.h --storage ") +
                           type)
                      .status,
                  0);
        const std::string upper = type == std::string("f16") ? "F16" : "BF16";
        EXPECT_THAT(read("spmv.h"),
                    HasSubstr("#ifndef SPMVGEN_" + upper + "\n#define SPMVGEN_" + upper +
                              "\ntypedef struct " + type + " {\n    unsigned short bits;\n} " +
                              type + ";\n#endif\n\n#define spmv_multiply "));
        write("use.c", "#include \"spmv.h\"\nint main(void) { return 0; }\n");
        EXPECT_EQ(std::system("cc -std=c99 -Wall -Wextra -Werror -fsyntax-only use.c"), 0);
    }
}

TEST_F(EmitHeaderTest, DeclaresADriverWithoutArgumentsForC) {
    ASSERT_EQ(
        run_line("emit --kernel csr_rows --arch x86-64-v3 --alpha zero --beta one -o spmv.cpp "
                 "--header spmv.h")
            .status,
        0);
    EXPECT_THAT(read("spmv.h"), HasSubstr("\nvoid csr_rows_f64_i32_o32_a0_b1_k1(void);\n"));
}

TEST_F(EmitHeaderTest, SaysHowManyThreadsAWorkspaceIsFor) {
    ASSERT_EQ(run_line("emit --kernel csr_rows --arch x86-64-v3 --epilogue 's += value; value' -o "
                       "spmv.cpp --header spmv.h")
                  .status,
              0);
    EXPECT_THAT(read("spmv.h"), HasSubstr("/// reduction_parts[1 * threads]: workspace, needs no "
                                          "content; threads: omp_get_max_threads()\n"));
}

TEST_F(EmitHeaderTest, DeclaresTheStepsOfACompiledKernel) {
    const Outcome outcome = run_line(
        "emit --kernel csr_balanced --arch x86-64-v3 --as object -o k.o --header out_of_line.h");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    Signature signature{.kernel = "csr_balanced"};
    signature.target = parse_target("x86-64-v3");
    const std::string name = kernel_symbol(complete(signature));
    for (const std::string step : {"_step0", "_step1"})
        EXPECT_THAT(read("out_of_line.h"),
                    HasSubstr("#define out_of_line" + step + " " + name + step + "\nvoid " + name +
                              step + "(void* const* arguments, int thread, int threads);\n"));
}

TEST_F(EmitHeaderTest, TellsTheSymbolsOfAGpuKernel) {
    ASSERT_EQ(run_line("emit --kernel ell_groups --arch gfx906 --as hsaco -o k.hsaco --header k.h "
                       "--launch k.json")
                  .status,
              0);
    const auto launch = nlohmann::json::parse(read("k.json"));
    const std::string signature = launch["signature"], name = launch["kernel"];
    EXPECT_EQ(read("k.h"),
              "// How " + signature +
                  " is called, for C and C++.\n"
                  "#pragma once\n"
                  "#define k_steps 1\n"
                  "#define k_symbol0 \"" +
                  name +
                  "\"\n"
                  "#define k_block0 512\n"
                  "#define k_shared_bytes0 0\n"
                  "/* In the source, compiled by nvcc or hipcc with SPMVGEN_LAUNCHER defined. */\n"
                  "#define k_launch " +
                  name + "_launch\n");
}

TEST_F(EmitHeaderTest, EveryKernelHasOne) {
    for (auto& kernel : kernel_registry()) {
        const std::string line = std::string("emit --arch ") + (kernel.gpu ? "sm_90" : "x86-64-v3");
        const Outcome outcome =
            run_line(line + " --kernel " + std::string(kernel.id) + " -o k.cpp --header k.h");
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_THAT(read("k.h"),
                    HasSubstr(kernel.gpu ? "#define k_symbol0 \""
                                         : "#define k_multiply " + std::string(kernel.id)));
    }
}

}  // namespace
}  // namespace spmvgen::cli
