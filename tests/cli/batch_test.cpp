// spmvgen run --batch.
#include "cli_fixture.hpp"

namespace spmvgen::cli {
namespace {

class BatchTest : public CliTest {
  protected:
    BatchTest() {
        std::filesystem::create_directory("many");
        std::filesystem::copy("A.mtx", "many/b.mtx");
        write("many/a.mtx", "%%MatrixMarket matrix coordinate real general\n1 2 2\n1 1 4\n1 2 5\n");
        write("many/notes.txt", "not a matrix\n");
        write("list", "# two of them\nmany/b.mtx\n\ngallery:stencil5:nx=3,ny=3\n");
    }
    static std::string complain(const std::string& line, int status) {
        const Outcome outcome = run_line(line);
        EXPECT_EQ(outcome.status, status) << line;
        return outcome.err.substr(0, outcome.err.find('\n'));
    }
};

TEST_F(BatchTest, MultipliesTheMatricesOfADirectoryInOrder) {
    write("x5.mtx", "%%MatrixMarket matrix array real general\n5 1\n1\n10\n1\n2\n3\n");
    for (const char* format : {"csr", "coo", "ell"}) {
        const auto json = json_of(std::string("run --batch many --x x5.mtx -o y.mtx --time 0 "
                                              "--check --json --format ") +
                                  format);
        EXPECT_EQ(json["batch"]["systems"], 2);
        EXPECT_EQ(json["batch"]["kind"], "flexible");
        EXPECT_EQ(json["rows"], 3);
        EXPECT_EQ(json["nnz"], 5);
        EXPECT_EQ(json["format"], format);
        EXPECT_EQ(json["check"]["passed"], true);
        // a: 4·1 + 5·10; b: 1·1 + 2·2, 3·3.
        EXPECT_NE(read("y.mtx").find("\n3 1\n54\n5\n9\n"), std::string::npos) << read("y.mtx");
    }
}

TEST_F(BatchTest, TakesAListAndAnyDevice) {
    const auto json =
        json_of("run --batch list --device simt:gfx906 --beta 2 --repeat 2 --check --json");
    EXPECT_EQ(json["batch"]["systems"], 2);
    EXPECT_EQ(json["launches"], 1);
    EXPECT_EQ(json["check"]["passed"], true);
    EXPECT_EQ(json["time"]["samples"], 2);
    const std::string text = run_line("run --batch list --time 0").out;
    EXPECT_NE(text.find("batch    2 systems, flexible\n"), std::string::npos) << text;
}

TEST_F(BatchTest, RefusesWhatIsWrong) {
    EXPECT_EQ(complain("run", 2), "spmvgen: matrix is required");
    EXPECT_EQ(complain("run A.mtx --batch many", 2),
              "spmvgen: --batch: takes the place of A.mtx; drop one of them");
    EXPECT_EQ(complain("run --batch many --rhs 2", 2),
              "spmvgen: --rhs: not with --batch, whose systems have one right-hand side each and "
              "choose their types themselves; drop it");
    EXPECT_EQ(complain("run --batch nowhere", 1),
              "spmvgen: nowhere: cannot be read: is it a directory or a list?");
    EXPECT_EQ(complain("run --batch A.mtx", 1),
              "spmvgen: A.mtx: a matrix, not a list of matrices: drop --batch");
    EXPECT_EQ(complain("run --batch many --format hyb --device simt:sm_90", 1),
              "spmvgen: no kernel of batches reads format hyb on sm_90");
    std::filesystem::create_directory("empty");
    EXPECT_EQ(complain("run --batch empty", 1),
              "spmvgen: empty: the directory has no matrices (.mtx, .mtx.gz)");
    write("blank", "\n# nothing\n");
    EXPECT_EQ(complain("run --batch blank", 1), "spmvgen: blank: the list has no matrices");
    write("many/c.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 2\n");
    EXPECT_EQ(complain("run --batch many", 1),
              "spmvgen: many/c.mtx: its values are c64, those of many/a.mtx are f64: give one type "
              "with --value");
    EXPECT_EQ(run_line("run --batch many --value c64 --check --time 0").status, 0);
    EXPECT_EQ(complain("run A.mtx --kernel batch_csr_rows", 1),
              "spmvgen: kernel batch_csr_rows is for batches of matrices: give them to a "
              "BatchHandle or to spmvgen run --batch");
}

}  // namespace
}  // namespace spmvgen::cli
