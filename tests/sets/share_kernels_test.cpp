// One process compiles, another runs what it exported, with no compiler at all.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

namespace spmvgen {
namespace {

std::string run(const std::string& words, const std::string& environment = "") {
    const std::string command = environment + " '" SHARE_KERNELS "' " + words + " 2>&1";
    std::FILE* pipe = popen(command.c_str(), "r");
    std::string text;
    std::array<char, 256> part{};
    while (std::fgets(part.data(), part.size(), pipe) != nullptr) text += part.data();
    EXPECT_EQ(pclose(pipe), 0) << text;
    return text;
}

TEST(ShareKernels, OneCompilesTheOtherImports) {
    const std::string blob = testing::TempDir() + "blob_" + std::to_string(getpid());
    EXPECT_EQ(run("export " + blob),
              "host=compiled,right simt:gfx906=compiled,right compiled=6 imported=0\n");
    const std::string without =
        "SPMVGEN_JIT=/nonesuch SPMVGEN_CACHE_DIR=" + blob + ".cache SPMVGEN_KERNEL_SETS=";
    EXPECT_EQ(run("import " + blob, without),
              "accepted=6 rejected=0 host=imported,right simt:gfx906=imported,right compiled=0 "
              "imported=6\n");
    // The blob is a kernel set.
    std::filesystem::rename(blob, blob + ".spmvset");
    EXPECT_EQ(run("import /dev/null", "SPMVGEN_JIT=/nonesuch SPMVGEN_CACHE_DIR=" + blob +
                                          ".cache SPMVGEN_KERNEL_SETS=" + blob + ".spmvset"),
              "accepted=0 rejected=1 host=set,right simt:gfx906=set,right compiled=0 imported=0\n");
    std::filesystem::remove(blob + ".spmvset");
}

}  // namespace
}  // namespace spmvgen
