// An emitted file, compiled alone by another compiler, gives the same y as the handle. The numbers
// are small integers, so that every order of summation gives the same bits.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "fixtures.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {
namespace {

using Driver = void (*)(long, const int*, const int*, const double*, const double*, double*, double,
                        double);

class TakenAway : public testing::TestWithParam<const char*> {
  protected:
    std::filesystem::path folder = testing::TempDir() + "taken_away_" + std::to_string(getpid());
    void SetUp() override { std::filesystem::create_directories(folder); }
    void TearDown() override { std::filesystem::remove_all(folder); }

    /// `spmvgen emit` for this kernel, compiled alone; its driver.
    Driver compiled() const {
        const std::string source = folder / "kernel.cpp",
                          library = folder / (std::string(GetParam()) + ".so"), kernel = GetParam();
        const std::string emit = std::string(SPMVGEN_CLI) + " emit --kernel " + kernel +
                                 " --arch native --alpha general --beta general -o " + source;
        EXPECT_EQ(std::system(emit.c_str()), 0);
        const std::string compile =
            "g++ -O3 -fopenmp -Wall -Wextra -Werror -fPIC -shared -o " + library + " " + source;
        EXPECT_EQ(std::system(compile.c_str()), 0);
        void* loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
        EXPECT_NE(loaded, nullptr) << dlerror();
        std::ifstream file(source);
        std::string line;
        std::getline(file, line, ':');  // "// NAME: …"
        return loaded == nullptr ? nullptr
                                 : reinterpret_cast<Driver>(dlsym(loaded, line.substr(3).c_str()));
    }
};
INSTANTIATE_TEST_SUITE_P(, TakenAway, testing::Values("csr_rows", "csr_vector"));

TEST_P(TakenAway, GivesTheSameYAsTheHandle) {
    const Driver driver = compiled();
    ASSERT_NE(driver, nullptr);
    for (auto& fixture : fixtures::all()) {
        if (fixture.nnz() == 0 || fixture.first_x != fixtures::Special::none) continue;
        fixtures::TypedMatrix<double, int, int> a(fixture);
        for (std::size_t k = 0; k < a.values.size(); ++k)
            a.values[k] = static_cast<double>(k % 17) - 8;
        std::vector<double> x(static_cast<std::size_t>(fixture.cols)),
            y(static_cast<std::size_t>(fixture.rows));
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 13) - 6;
        for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<double>(i % 11) - 5;
        std::vector<double> expected = y;
        Options options;
        options.kernel = GetParam();
        options.cache = CacheMode::memory;
        options.strict = true;
        Handle(a.view(), options).apply(2.0, x.data(), -3.0, expected.data());
        driver(fixture.rows, a.row_ptr.data(), a.col_idx.data(), a.values.data(), x.data(),
               y.data(), 2.0, -3.0);
        EXPECT_EQ(y, expected) << fixture;
    }
}

}  // namespace
}  // namespace spmvgen
