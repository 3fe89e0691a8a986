// A suite's name or a directory as a list of matrices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "matrix/suites/gallery.hpp"
#include "matrix/suites/suites.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

namespace fs = std::filesystem;

class ExpandSuite : public ::testing::Test {
  protected:
    void SetUp() override { fs::create_directories(directory_); }
    void TearDown() override { fs::remove_all(directory_); }

    void put(const std::string& file) const {
        const fs::path path = directory_ / file;
        fs::create_directories(path.parent_path());
        std::ofstream(path) << "not read";
    }
    std::string path(const std::string& file) const { return (directory_ / file).string(); }

    fs::path directory_ = fs::temp_directory_path() / ("expand_suite_" + std::to_string(getpid()));
};

std::string suite_error(const std::string& suites, const SuiteRequest& request = {}) {
    try {
        expand_suite(suites, request);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
        return error.what();
    }
    return "no error";
}

std::vector<std::string> fields(const std::vector<SuiteMatrix>& matrices) {
    std::vector<std::string> result;
    for (auto& matrix : matrices)
        result.push_back(matrix.name + "|" + matrix.structure + "|" + matrix.source);
    return result;
}

TEST_F(ExpandSuite, twinsOfASuite) {
    const auto gospmv = expand_suite("gospmv", {.scale = 0.01});
    ASSERT_EQ(gospmv.size(), 8u);
    EXPECT_EQ(fields(gospmv)[0], "bcsstk17|fem|gallery:bcsstk17:scale=0.01");
    EXPECT_TRUE(gospmv[0].made());
    EXPECT_DOUBLE_EQ(gospmv[0].nnz, 4286.5);
    EXPECT_EQ(make_gallery_matrix(gospmv[0].source.substr(8)).rows, 3 * 3 * 3 * 3);
    EXPECT_EQ(expand_suite("all").size(), twins().size());
    EXPECT_EQ(expand_suite("csr-k,gospmv").size(), 72u);
    EXPECT_EQ(expand_suite("gospmv,gospmv").size(), 8u);
    EXPECT_EQ(fields(expand_suite("gospmv", {.random_values = true}))[1],
              "bcsstk28|fem|gallery:bcsstk28:random_values=1");
}

TEST_F(ExpandSuite, filesOfADirectory) {
    put("zeta.mtx.gz");
    put("pwtk/pwtk.mtx");
    put("pwtk/pwtk_coord.mtx");
    put("ecology1.mtx");
    put("ecology1.csr");
    put("notes.txt");
    put("empty/notes.txt");
    EXPECT_THAT(fields(expand_suite(directory_.string())),
                ::testing::ElementsAre("ecology1|stencil|" + path("ecology1.csr"),
                                       "pwtk|fem|" + path("pwtk/pwtk.mtx"),
                                       "zeta|other|" + path("zeta.mtx.gz")));
}

TEST_F(ExpandSuite, filesTakeThePlaceOfTwins) {
    put("bcsstk28.mtx");
    put("another.mtx");
    for (const std::string& suites :
         {"gospmv," + directory_.string(), directory_.string() + ",gospmv"}) {
        const auto matrices = expand_suite(suites);
        ASSERT_EQ(matrices.size(), 9u);
        const auto found = std::ranges::find(matrices, "bcsstk28", &SuiteMatrix::name);
        EXPECT_EQ(found->source, path("bcsstk28.mtx"));
        EXPECT_FALSE(found->made());
        EXPECT_EQ(found->structure, "fem");
    }
}

TEST_F(ExpandSuite, errors) {
    EXPECT_EQ(suite_error("csr-j"),
              "suite: 'csr-j' is no suite (csr-k, gospmv, lightspmv, all) and no directory");
    EXPECT_EQ(suite_error("csr-k,"),
              "suite: '' is no suite (csr-k, gospmv, lightspmv, all) and no directory");
    EXPECT_EQ(suite_error("all", {.scale = 0}), "suite: scale 0: use a number above 0, at most 1");
    EXPECT_EQ(suite_error(directory_.string()),
              "suite: " + directory_.string() +
                  " holds no matrix: no NAME.csr, NAME.mtx or NAME.mtx.gz, nor one in a directory "
                  "NAME");
    put("A.mtx");
    EXPECT_EQ(
        suite_error(directory_.string(), {.scale = 0.5}),
        "suite: " + path("A.mtx") + " is a file, which is neither scaled nor given other values");
    EXPECT_EQ(suite_error(directory_.string(), {.random_values = true}),
              suite_error(directory_.string(), {.scale = 0.5}));
}

}  // namespace
}  // namespace spmvgen
