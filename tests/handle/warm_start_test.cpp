// A process whose kernel is in the cache never loads LLVM.
#include <gtest/gtest.h>

#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

namespace spmvgen {
namespace {

/// What one run of warm_start prints, without its time.
std::string run(const std::string& cache, const std::string& environment = "") {
    const std::string command = environment + " '" WARM_START "' '" + cache + "' 2>&1";
    std::FILE* pipe = popen(command.c_str(), "r");
    std::string text;
    std::array<char, 256> part{};
    while (std::fgets(part.data(), part.size(), pipe) != nullptr) text += part.data();
    EXPECT_EQ(pclose(pipe), 0) << text;
    return text.substr(0, text.find(" kernel_ms"));
}

class WarmStart : public testing::Test {
  protected:
    std::string cache = testing::TempDir() + "warm_start_" + std::to_string(getpid());
    void TearDown() override { std::filesystem::remove_all(cache); }
};

TEST_F(WarmStart, CompilesOnceAndThenNeverLoadsLlvm) {
    EXPECT_EQ(run(cache), "origin=compiled llvm=yes y=50,60");
    EXPECT_EQ(run(cache), "origin=cache llvm=no y=50,60");
}

TEST_F(WarmStart, NeedsNoCompilerAtAll) {
    EXPECT_EQ(run(cache), "origin=compiled llvm=yes y=50,60");
    EXPECT_EQ(run(cache, "SPMVGEN_JIT=/nonesuch"), "origin=cache llvm=no y=50,60");
}

TEST_F(WarmStart, WithoutCompilerOrCacheTheGenericKernelServes) {
    const std::string text = run(cache, "SPMVGEN_JIT=/nonesuch");
    EXPECT_NE(text.find("/nonesuch"), text.npos) << text;
    EXPECT_NE(text.find("origin=generic llvm=no y=50,60"), text.npos) << text;
}

// With the real compiler and its real kernels; store_fire_test has every other trouble.
TEST_F(WarmStart, ADamagedEntryIsMadeAgain) {
    EXPECT_EQ(run(cache), "origin=compiled llvm=yes y=50,60");
    std::filesystem::path entry;
    for (auto& item : std::filesystem::recursive_directory_iterator(cache))
        if (item.path().extension() == ".spmvk") entry = item.path();
    std::filesystem::resize_file(entry, std::filesystem::file_size(entry) - 100);
    const std::string text = run(cache);
    EXPECT_NE(text.find("is damaged"), text.npos) << text;
    EXPECT_NE(text.find("origin=compiled llvm=yes y=50,60"), text.npos) << text;
    EXPECT_EQ(run(cache), "origin=cache llvm=no y=50,60");
}

}  // namespace
}  // namespace spmvgen
