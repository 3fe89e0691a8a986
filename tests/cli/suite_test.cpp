// Suites of the gallery on the command line, and twins wherever a matrix is taken.
#include <gmock/gmock.h>

#include "cli_fixture.hpp"
#include "matrix/read/reader.hpp"
#include "matrix/suites/gallery.hpp"
#include "matrix/suites/suites.hpp"
#include "options/operands.hpp"
#include "spmvgen/spmvgen.hpp"
#include "tuner/records/capture.hpp"
#include "tuner/records/record_json.hpp"

namespace spmvgen::cli {
namespace {

using testing::HasSubstr;

class SuiteTest : public CliTest {};

TEST_F(SuiteTest, listTellsTheOriginalAndTheDifference) {
    const Outcome outcome = run_line("gallery list --suite gospmv");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.out,
                testing::StartsWith(
                    "bcsstk17 (gospmv, fem): 1.097e+04 rows, 4.286e+05 nonzeros, 39.06 a row, "
                    "longest 150\n    mesh3d:"));
    const auto all = json_of("gallery list --suite all --json")["matrices"];
    ASSERT_EQ(all.size(), twins().size());
    EXPECT_EQ(all[0]["name"], "belgium_osm");
    EXPECT_EQ(all[0]["structure"], "road");
    EXPECT_EQ(all[0]["source"], "gallery:belgium_osm");
    EXPECT_EQ(all[0]["original"]["rows"], 1440000);
    for (auto& matrix : all) EXPECT_FALSE(matrix["difference"].get<std::string>().empty());
    EXPECT_EQ(run_line("gallery list --suite .").out,
              "A (other): ./A.mtx\nx (other): ./x.mtx\n"
              "y (other): ./y.mtx\n");
}

TEST_F(SuiteTest, makeWritesEveryMatrixAndWhatTheyAre) {
    const Outcome outcome =
        run_line("gallery make --suite gospmv --scale 0.01 --jobs 2 -o out/suite");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("matrices: 8 of 8"));
    const auto made = nlohmann::json::parse(read("out/suite/suite.json"))["matrices"];
    ASSERT_EQ(made.size(), 8u);
    for (std::size_t k = 0; k < made.size(); ++k) {
        const auto& row = made[k];
        const CsrMatrix matrix = read_matrix("out/suite/" + row["file"].get<std::string>());
        EXPECT_EQ(row["rows"], matrix.rows);
        EXPECT_EQ(row["nnz"], matrix.nnz);
        EXPECT_EQ(row["source"],
                  row["name"].get<std::string>().insert(0, "gallery:") + ":scale=0.01");
    }
    EXPECT_EQ(made[0]["name"], "bcsstk17");
    EXPECT_EQ(made[0]["structure"], "fem");
    EXPECT_EQ(made[0]["original"]["max_row"], 150);
    // The folder is a suite now, with the twins' classes.
    EXPECT_THAT(run_line("gallery list --suite out/suite").out,
                testing::StartsWith("bcsstk17 (fem): out/suite/bcsstk17.csr\n"));
}

TEST_F(SuiteTest, jobsDoNotChangeTheBytes) {
    for (const char* jobs : {"1", "3"})
        ASSERT_EQ(run({"gallery", "make", "--suite", "gospmv", "--scale", "0.01", "--jobs", jobs,
                       "-o", jobs})
                      .status,
                  0);
    for (const char* name : {"epb1", "twotone", "venkat01"})
        EXPECT_EQ(read(std::string("1/") + name + ".csr"), read(std::string("3/") + name + ".csr"));
}

TEST_F(SuiteTest, filesTakeThePlaceOfTwins) {
    std::filesystem::create_directory("mine");
    std::filesystem::copy("A.mtx", "mine/epb1.mtx");
    ASSERT_EQ(run_line("gallery make --suite mine -o copy").status, 0);
    EXPECT_EQ(read_matrix("copy/epb1.csr").nnz, 3);
    const Outcome both = run_line("gallery make --suite gospmv,mine --scale 0.01 -o copy");
    EXPECT_EQ(both.status, 2);
    EXPECT_EQ(both.err.substr(0, both.err.find('\n')),
              "spmvgen: suite: mine/epb1.mtx is a file, which is neither scaled nor given other "
              "values");
}

TEST_F(SuiteTest, valuesAndLimit) {
    ASSERT_EQ(
        run_line("gallery make --suite csr-k --max-nnz 3.2e4 --scale 0.01 --values random -o out")
            .status,
        0);
    EXPECT_THAT(files(), testing::Contains("out"));
    const CsrMatrix road = read_matrix("out/belgium_osm.csr");
    EXPECT_NE(road.view().values_as<double>()[0], 1);
    EXPECT_FALSE(std::filesystem::exists("out/ecology1.csr"));
}

TEST_F(SuiteTest, twinsInVerbs) {
    EXPECT_EQ(json_of("analyze gallery:ecology1:scale=0.001 --json")["rows"], 32 * 32);
    EXPECT_EQ(run_line("convert gallery:epb1:scale=0.01,seed=3 epb1.csr").status, 0);
    EXPECT_EQ(json_of("run gallery:bcsstk28:scale=0.01 --cache off --json --time 0")["rows"], 54);
}

TEST_F(SuiteTest, capturesAreMatrices) {
    setenv("SPMVGEN_CAPTURE", "captures", 1);
    const CsrMatrix a = make_gallery_matrix("epb1:scale=0.01");
    Options options;
    options.cache = CacheMode::off;
    const Handle features_only(a.view(), options);
    unsetenv("SPMVGEN_CAPTURE");
    const std::string file = read_captures("captures").captures.at(0).file;
    const Outcome none = run_line("analyze " + file);
    EXPECT_EQ(none.status, 1);
    EXPECT_EQ(none.err, "spmvgen: " + file +
                            ": there is no pattern beside it; capture with "
                            "SPMVGEN_CAPTURE_PATTERN=1\n");
    setenv("SPMVGEN_CAPTURE", "captures", 1);
    setenv("SPMVGEN_CAPTURE_PATTERN", "1", 1);
    const Handle with_pattern(a.view(), options);
    unsetenv("SPMVGEN_CAPTURE");
    unsetenv("SPMVGEN_CAPTURE_PATTERN");
    EXPECT_EQ(json_of("analyze " + file + " --json")["nnz"], a.nnz);
    const SourcedMatrix source = load_matrix(file);
    ASSERT_TRUE(source.captured);
    EXPECT_EQ(source.captured->features, analyse(a.view()));
    ASSERT_EQ(run_line("tune " + file + " --level measure --budget 1s -o R.json").status, 0);
    const ReadRecords tuned = parse_tuning_records(read("R.json"));
    ASSERT_EQ(tuned.records.size(), 1u);
    EXPECT_EQ(tuned.records[0].features, analyse(a.view()));
    write("broken.capture.json", "{");
    EXPECT_EQ(run_line("analyze broken.capture.json").err,
              "spmvgen: capture broken.capture.json is left out: it is not JSON\n");
}

TEST_F(SuiteTest, errors) {
    struct Case {
        const char *line, *message;
    };
    for (const auto& [line, message] : {
             Case{"gallery make --suite csr-j -o out",
                  "spmvgen: suite: 'csr-j' is no suite (csr-k, gospmv, lightspmv, all) and no "
                  "directory"},
             Case{"gallery list --suite csr-j",
                  "spmvgen: suite: 'csr-j' is no suite (csr-k, gospmv, lightspmv, all) and no "
                  "directory"},
             Case{"gallery make stencil5 --suite gospmv -o out",
                  "spmvgen: gallery make: give a specification or --suite, and not both"},
             Case{"gallery make -o out",
                  "spmvgen: gallery make: give a specification or --suite, and not both"},
             Case{"gallery make stencil5 --scale 0.1 -o out.mtx",
                  "spmvgen: --scale requires --suite"},
             Case{"gallery make --suite gospmv --scale 0 -o out",
                  "spmvgen: --scale: '0' is no scale: use a number above 0, at most 1"},
             Case{"gallery make --suite gospmv --to mtx -o out", "spmvgen: --suite excludes --to"},
             Case{"analyze gallery:ecology1:scale=2e9",
                  "spmvgen: gallery: ecology1: scale=2e9: use a number above 0, at most 100"},
         }) {
        const Outcome outcome = run_line(line);
        EXPECT_EQ(outcome.status, 2) << line;
        EXPECT_EQ(outcome.err.substr(0, outcome.err.find('\n')), message) << line;
    }
    write("file", "");
    const Outcome blocked = run_line("gallery make --suite gospmv --scale 0.01 -o file");
    EXPECT_EQ(blocked.status, 1);
    EXPECT_EQ(blocked.err, "spmvgen: file: cannot make it: Not a directory\n");
}

}  // namespace
}  // namespace spmvgen::cli
