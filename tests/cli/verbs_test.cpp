#include <algorithm>

#include "cli_fixture.hpp"
#include "matrix/read/reader.hpp"
#include "tuner/files/tuning_files.hpp"

namespace spmvgen::cli {
namespace {

class AnalyzeTest : public CliTest {};
class ConvertTest : public CliTest {};
class GalleryTest : public CliTest {};
class CacheTest : public CliTest {};
class DoctorTest : public CliTest {};

TEST_F(AnalyzeTest, SheetStartsWithTheFile) {
    const Outcome outcome = run_line("analyze A.mtx");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(outcome.out.substr(0, outcome.out.find('\n')),
              "A.mtx (matrix market, coordinate real general)");
}

TEST_F(AnalyzeTest, PlotCanBeLeftOut) {
    const std::string with = run_line("analyze A.mtx").out;
    const std::string without = run_line("analyze A.mtx --no-plot").out;
    EXPECT_GT(with.size(), without.size());
    EXPECT_TRUE(with.starts_with(without));
    EXPECT_EQ(run_line("analyze A.mtx --plot").out, with);
}

TEST_F(AnalyzeTest, JsonIsOneObject) {
    auto json = json_of("analyze A.mtx --json");
    EXPECT_EQ(json["matrix"], "A.mtx");
    EXPECT_EQ(json["file"]["field"], "real");
    EXPECT_EQ(json["file"]["stored"], 3);
    EXPECT_EQ(json["rows"], 2);
    EXPECT_EQ(json["cols"], 3);
    EXPECT_EQ(json["nnz"], 3);
}

TEST_F(AnalyzeTest, GeneratedMatrixHasNoFile) {
    auto json = json_of("analyze gallery:stencil5:nx=3,ny=2 --json");
    EXPECT_EQ(json["matrix"], "gallery:stencil5:nx=3,ny=2");
    EXPECT_TRUE(json["file"].is_null());
    EXPECT_EQ(json["rows"], 6);
    EXPECT_EQ(json["nnz"], 20);  // 6 diagonal entries, 7 edges counted twice
}

TEST_F(AnalyzeTest, MissingFile) {
    const Outcome outcome = run_line("analyze nonesuch.mtx --json");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(outcome.err.starts_with("spmvgen: nonesuch.mtx: ")) << outcome.err;
    EXPECT_NE(outcome.err.find("No such file or directory"), std::string::npos) << outcome.err;
}

TEST_F(AnalyzeTest, BadFileIsNamedWithItsLine) {
    write("bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n5 1 1\n");
    const Outcome outcome = run_line("analyze bad.mtx");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(outcome.err.starts_with("spmvgen: bad.mtx:3: ")) << outcome.err;
}

TEST_F(ConvertTest, BothWaysGivesTheSameFile) {
    EXPECT_EQ(run_line("convert A.mtx B.mtx").status, 0);
    const Outcome outcome = run_line("convert B.mtx C.csr");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, "C.csr: 2 x 3, 3 nonzeros\n");
    EXPECT_EQ(run_line("convert C.csr D.mtx").status, 0);
    EXPECT_EQ(read("D.mtx"), read("B.mtx"));
    EXPECT_EQ(run_line("convert D.mtx E.csr").status, 0);
    EXPECT_EQ(read("E.csr"), read("C.csr"));
}

TEST_F(ConvertTest, FormCanBeNamed) {
    EXPECT_EQ(run_line("convert A.mtx B --to csr").status, 0);
    EXPECT_EQ(run_line("convert A.mtx B.csr").status, 0);
    EXPECT_EQ(read("B"), read("B.csr"));
}

TEST_F(ConvertTest, AMinusIsStandardOutput) {
    EXPECT_EQ(run_line("convert A.mtx B.mtx").status, 0);
    EXPECT_EQ(run_line("convert A.mtx B.csr").status, 0);
    const auto before = files();
    for (const std::string form : {"mtx", "csr"}) {
        const Outcome outcome = run_line("convert A.mtx - --to " + form);
        EXPECT_EQ(outcome.status, 0);
        EXPECT_EQ(outcome.out, read("B." + form));
        EXPECT_EQ(outcome.err, "standard output: 2 x 3, 3 nonzeros\n");
    }
    EXPECT_EQ(files(), before);
}

TEST_F(ConvertTest, FailureLeavesWhatWasThere) {
    write("bad.mtx", "nothing\n");
    write("B.csr", "precious");
    EXPECT_EQ(run_line("convert bad.mtx B.csr").status, 1);
    EXPECT_EQ(read("B.csr"), "precious");
}

TEST_F(ConvertTest, LeavesNoTemporaryFile) {
    const auto before = files();
    EXPECT_EQ(run_line("convert A.mtx /nonesuch/B.csr").status, 1);
    EXPECT_EQ(run_line("convert A.mtx A.mtx").status, 0);
    EXPECT_EQ(files(), before);
}

TEST_F(ConvertTest, ALinkStaysALink) {
    std::filesystem::create_symlink("A.mtx", "link.mtx");
    EXPECT_EQ(run_line("convert A.mtx link.mtx").status, 0);
    EXPECT_TRUE(std::filesystem::is_symlink("link.mtx"));
}

TEST_F(ConvertTest, FullDisk) {
    const Outcome outcome = run_line("convert A.mtx /dev/full --to mtx");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.err.find("/dev/full"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("No space left on device"), std::string::npos) << outcome.err;
}

TEST_F(ConvertTest, DirectoryIsNoFile) {
    std::filesystem::create_directory("dir.csr");
    const Outcome outcome = run_line("convert A.mtx dir.csr");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.err, "spmvgen: dir.csr: cannot write: it is a directory\n");
    std::filesystem::create_symlink("loop.csr", "loop.csr");
    EXPECT_EQ(run_line("convert A.mtx loop.csr").err,
              "spmvgen: loop.csr: cannot write: Too many levels of symbolic links\n");
}

TEST_F(GalleryTest, ListNamesGeneratorsWithPresets) {
    const Outcome outcome = run_line("gallery list");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.out.find("stencil5:nx="), std::string::npos) << outcome.out;
    auto json = json_of("gallery list --json");
    ASSERT_FALSE(json["generators"].empty());
    for (auto& generator : json["generators"]) {
        EXPECT_NE(outcome.out.find(generator["name"].get<std::string>()), std::string::npos);
        EXPECT_FALSE(generator["summary"].get<std::string>().empty());
        EXPECT_TRUE(generator["params"].is_object());
    }
}

TEST_F(GalleryTest, UnknownGeneratorIsWrongUsage) {
    for (const std::string line : {"gallery make nonesuch -o G.mtx", "analyze gallery:nonesuch"}) {
        const Outcome outcome = run_line(line);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_TRUE(outcome.err.starts_with(
            "spmvgen: gallery: no generator 'nonesuch'; there are stencil5"))
            << outcome.err;
    }
    EXPECT_FALSE(std::filesystem::exists("G.mtx"));
}

TEST_F(GalleryTest, MakesToStandardOutput) {
    EXPECT_EQ(run_line("gallery make stencil5:nx=3 -o B.mtx").status, 0);
    const Outcome outcome = run_line("gallery make stencil5:nx=3 -o - --to mtx");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.out, read("B.mtx"));
    EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST_F(GalleryTest, MakeWritesWhatTheSpecificationMakes) {
    const Outcome outcome = run_line("gallery make stencil5:nx=3,ny=2 -o G.mtx");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "G.mtx: 6 x 6, 20 nonzeros\n");
    EXPECT_EQ(run_line("gallery make gallery:stencil5:nx=3,ny=2 -o H.mtx").status, 0);
    EXPECT_EQ(read("G.mtx"), read("H.mtx"));
    EXPECT_EQ(read_matrix("G.mtx").nnz, 20);
}

TEST_F(GalleryTest, RandomTellsWhatSeedsAre) {
    const Outcome outcome = run_line("gallery random --seed 1000000 --count 2 --max-nnz 2e4");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.out,
              "seed 1000000: two_kinds, 1207 x 1207, 10525 entries wanted; rows two kinds, 7 and "
              "26365 of a million 72; columns communities of 64, 609 of a thousand in the row's "
              "own; order partitioned; values ones\n"
              "seed 1000001: hypersparse, 130000 x 8125, 1560 entries wanted; rows by structure; "
              "columns anywhere; order random; values random; filled=6 mean=2\n");
    EXPECT_EQ(outcome.err,
              "to make it, wherever a matrix is taken: "
              "gallery:random:seed=1000001,max_nnz=20000\n");
}

TEST_F(GalleryTest, RandomAsJsonIsWhatIsMade) {
    auto json = json_of("gallery random --seed 7 --family web --max-nnz 2e4 --json")["matrices"];
    ASSERT_EQ(json.size(), 1u);
    EXPECT_EQ(json[0]["source"], "gallery:random:seed=7,max_nnz=20000,family=web");
    auto made = json_of("analyze " + json[0]["source"].get<std::string>() + " --json");
    EXPECT_EQ(made["rows"], json[0]["rows"]);
    EXPECT_EQ(made["cols"], json[0]["cols"]);
    const Outcome outcome = run_line("gallery random --seed 7 --family nonesuch");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(outcome.err.starts_with(
        "spmvgen: gallery: random: no family 'nonesuch'; there are stencil, triangles, "))
        << outcome.err;
}

TEST_F(GalleryTest, LinearProgramsAreDrawnByTheirOwnSeeds) {
    const Outcome outcome = run_line("gallery lp --seed 1000000 --transposed --max-nnz 2e4");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_TRUE(outcome.err.ends_with(": gallery:lp:seed=1000000,max_nnz=20000,transposed=1\n"))
        << outcome.err;
    auto json = json_of("gallery lp --seed 7 --family flow --max-nnz 2e4 --json")["matrices"];
    ASSERT_EQ(json.size(), 1u);
    EXPECT_EQ(json[0]["source"], "gallery:lp:seed=7,max_nnz=20000,family=flow");
    auto made = json_of("analyze " + json[0]["source"].get<std::string>() + " --json");
    EXPECT_EQ(made["rows"], json[0]["rows"]);
    EXPECT_EQ(made["cols"], json[0]["cols"]);
}

TEST_F(CacheTest, OfNothing) {
    auto json = json_of("cache info --json");
    EXPECT_EQ(json["directory"], (directory_ / "cache").string());
    EXPECT_EQ(json["exists"], false);
    EXPECT_EQ(json["writable"], true);
    EXPECT_EQ(json["entries"], 0);
    EXPECT_EQ(run_line("cache info").out, (directory_ / "cache").string() + ": not made yet\n");
    EXPECT_EQ(json_of("cache list --json")["entries"].size(), 0u);
    EXPECT_EQ(json_of("cache clear --json")["removed"], 0);
    EXPECT_FALSE(std::filesystem::exists("cache"));
}

TEST_F(CacheTest, DirectoryCanBeGiven) {
    const std::string directory = json_of("cache info --json --cache-dir other")["directory"];
    EXPECT_TRUE(directory.ends_with("other")) << directory;
}

TEST_F(DoctorTest, TellsWhatIsThere) {
    auto json = json_of("doctor --json");
    EXPECT_EQ(json["version"], "0.2.0");
    EXPECT_FALSE(json["cpu"]["native"].get<std::string>().empty());
    EXPECT_GE(json["openmp"]["threads"], 1);
    EXPECT_NE(json["libspmvgen"].get<std::string>().find("libspmvgen"), std::string::npos);
    EXPECT_EQ(json["cache"]["directory"], (directory_ / "cache").string());
    EXPECT_NE(json["libspmvgen_jit"]["path"].get<std::string>().find("libspmvgen_jit"),
              std::string::npos);
    EXPECT_NE(json["libspmvgen_jit"]["versions"]["clang"].get<std::string>().find("19."),
              std::string::npos);
    ASSERT_FALSE(json["devices"].empty());
    EXPECT_TRUE(json["devices"].back().get<std::string>().starts_with("simt: "));
    EXPECT_TRUE(json["missing"].empty()) << json["missing"];
    EXPECT_NE(run_line("doctor").out.find("nothing is missing"), std::string::npos);
}

TEST_F(DoctorTest, TellsWhereTuningFilesAre) {
    EXPECT_EQ(json_of("doctor --json")["tuning_files"], shipped_tuning_folder());
    setenv("SPMVGEN_TUNING_DB", "nowhere", 1);
    const auto json = json_of("doctor --json");
    unsetenv("SPMVGEN_TUNING_DB");
    ASSERT_EQ(json["missing"].size(), 1u);
    EXPECT_EQ(json["missing"][0]["what"],
              "the directory of tuning files nowhere ($SPMVGEN_TUNING_DB) is not used: No such "
              "file or directory");
    EXPECT_EQ(json["missing"][0]["remedy"],
              "set SPMVGEN_TUNING_DB to a directory with tuning files, or unset it");
}

TEST_F(DoctorTest, TellsOfACacheThatCannotBeWritten) {
    if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
    std::filesystem::create_directory("cache");
    std::filesystem::permissions("cache", std::filesystem::perms::owner_read);
    auto json = json_of("doctor --json");
    EXPECT_EQ(json["cache"]["writable"], false);
    ASSERT_EQ(json["missing"].size(), 1u);
    EXPECT_EQ(json["missing"][0]["remedy"], "set SPMVGEN_CACHE_DIR to a directory that you own");
}

}  // namespace
}  // namespace spmvgen::cli
