// Bad input: the exact message, with the line.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "spmvgen/error.hpp"
#include "test_files.hpp"

namespace spmvgen {
namespace {

const std::string general = "%%MatrixMarket matrix coordinate real general\n";

std::string kind(const std::string& words, const std::string& lines) {
    return "%%MatrixMarket matrix " + words + "\n" + lines;
}

TEST(ReaderErrors, Entries) {
    const std::string head = general + "% c\n\n3 4 2\n1 1 1\n";
    EXPECT_EQ(failure(head + "0 1 5\n"), "F:6: row index 0 is outside 1…3: indices start at 1");
    EXPECT_EQ(failure(head + "1 0 5\n"), "F:6: column index 0 is outside 1…4: indices start at 1");
    EXPECT_EQ(failure(head + "4 1 5\n"), "F:6: row index 4 is outside 1…3");
    EXPECT_EQ(failure(head + "1 5 5\n"), "F:6: column index 5 is outside 1…4");
    EXPECT_EQ(failure(head + "-1 1 5\n"), "F:6: row index -1 is outside 1…3");
    EXPECT_EQ(failure(head + "99999999999999999999 1 5\n"),
              "F:6: row index 99999999999999999999 is outside 1…3");
    EXPECT_EQ(failure(head + "1.0 1 5\n"), "F:6: the row index is '1.0', not a whole number");
    EXPECT_EQ(failure(head + "\n\n1 x 5\n"), "F:8: the column index is 'x', not a whole number");
    EXPECT_EQ(failure(head + "1\n1 1 1 1\n"), "F:6: the line ends before the column index");
    EXPECT_EQ(failure(head + "1 1  \r\n1 1\n"), "F:6: the line ends before the value");
    EXPECT_EQ(failure(head + "1 1 abc\n"), "F:6: the value is 'abc', not a number");
    EXPECT_EQ(failure(head + "1 1 1e999\n"),
              "F:6: the value '1e999' is beyond the range of double");
    EXPECT_EQ(failure(head + "1 1 5 % c\n"), "F:6: '%' after the entry");
    EXPECT_EQ(failure(head + "1 1 5 6\n"), "F:6: '6' after the entry");
    EXPECT_EQ(failure(head + "1 1 5\r6\n"), "F:6: the value is '5\\x0d6', not a number");
    EXPECT_EQ(failure(head + "1 1 \xc3\xa4\n"), "F:6: the value is '\\xc3\\xa4', not a number");
}

TEST(ReaderErrors, Counts) {
    EXPECT_EQ(failure(general + "3 4 2\n1 1 1\n"), "F:3: the file ends after 1 of 2 entries");
    EXPECT_EQ(failure(general + "3 4 2\n1 1 1\n%\n%"), "F:5: the file ends after 1 of 2 entries");
    EXPECT_EQ(failure(general + "3 4 1\n1 1 1\n\n%\n2 2 2\n3 3 3\n"),
              "F:6: more than the 1 entries that the size line announces");
    EXPECT_EQ(failure(general + "3 4 1\n1 1 1\n2 2 2\nx\n"),
              "F:4: more than the 1 entries that the size line announces");
    EXPECT_EQ(failure(general + "3 4 1\n1 1 1\nx\n2 2 2\n"),
              "F:4: the row index is 'x', not a whole number");
    EXPECT_EQ(failure(kind("array real general", "2 1\n1\n2\n3\n")),
              "F:5: more than the 2 entries that the size line announces");
    EXPECT_EQ(failure(kind("array real general", "2 2\n1\n2\n3\n")),
              "F:5: the file ends after 3 of 4 entries");
}

TEST(ReaderErrors, SizeLine) {
    EXPECT_EQ(failure(general), "F:1: the file ends before its size line");
    EXPECT_EQ(failure(general + "% c\n\n"), "F:3: the file ends before its size line");
    EXPECT_EQ(failure(general + "3 4\n"),
              "F:2: the size line has 2 words, not the 3 of the coordinate layout (rows, columns, "
              "entries)");
    EXPECT_EQ(failure(kind("array real general", "3 4 12\n")),
              "F:2: the size line has 3 words, not the 2 of the array layout (rows, columns)");
    EXPECT_EQ(failure(general + "3 x 1\n1 1 1\n"),
              "F:2: the number of columns is 'x', not a whole number");
    EXPECT_EQ(failure(general + "3 4 -1\n"), "F:2: the number of entries is -1, negative");
    EXPECT_EQ(failure(general + "3 9223372036854775808 1\n1 1 1\n"),
              "F:2: the number of columns is '9223372036854775808', beyond 64 bits");
    EXPECT_EQ(failure(general + "0 4 1\n1 1 1\n"), "F:2: a matrix of 0 x 4 cannot have 1 entries");
    EXPECT_EQ(failure(kind("coordinate real symmetric", "3 4 0\n")),
              "F:2: a symmetric matrix must be square, not 3 x 4");
    EXPECT_EQ(failure(kind("array real general", "4000000000 4000000000\n")),
              "F:2: an array of 4000000000 x 4000000000 has more than 2^63 entries");
}

TEST(ReaderErrors, SizesThatWouldExhaustMemory) {
    EXPECT_EQ(failure(general + "3 3 9000000000000000000\n1 1 1\n"),
              "F:2: the size line announces 9000000000000000000 entries, but what follows it has "
              "room for 2 at most: the file is truncated or the sizes are wrong");
    EXPECT_TRUE(failure(general + "9000000000000000000 3 1\n1 1 1\n")
                    .starts_with("F:2: a 9000000000000000000 x 3 matrix with 1 entries needs 31.2 "
                                 "EiB of memory to be read, and "));
    EXPECT_TRUE(failure(kind("array real general", "9000000000000000000 0\n"))
                    .starts_with("F:2: a 9000000000000000000 x 0 matrix with 0 entries needs 31.2 "
                                 "EiB of memory to be read, and "));
    EXPECT_TRUE(failure(gzip(general + "3 3 9000000000000000000\n1 1 1\n"))
                    .starts_with("F:2: the size line announces 9000000000000000000 entries, but"));
}

TEST(ReaderErrors, Banner) {
    const std::string rule =
        "the file must start with '%%MatrixMarket matrix LAYOUT FIELD SYMMETRY'";
    EXPECT_EQ(failure(""), "F:1: the file is empty");
    EXPECT_EQ(failure(gzip("")), "F:1: the file is empty");
    EXPECT_EQ(failure("\n"), "F:1: the first line is empty: " + rule);
    EXPECT_EQ(failure("3 3 1\n"),
              "F:1: no Matrix Market banner, the numbers start at once: " + rule);
    EXPECT_EQ(failure("hello\n"), "F:1: no Matrix Market banner but 'hello': " + rule);
    EXPECT_EQ(failure("%%MatrixMarketx matrix\n"),
              "F:1: no Matrix Market banner but '%%MatrixMarketx matrix': " + rule);
    EXPECT_EQ(failure("BZh91AY\n"), "F:1: this looks like bzip2 data: " + rule);
    EXPECT_EQ(failure("\xef\xbb\xbf" + general),
              "F:1: this looks like Matrix Market after a byte-order mark: " + rule);
    EXPECT_EQ(failure(std::string("PK\x03\x04\0\0\0", 7)),
              "F:1: this looks like a zip archive: " + rule);
    EXPECT_EQ(failure("%%MatrixMarket matrix coordinate real\n"),
              "F:1: the banner has 4 words, not 5: %%MatrixMarket matrix LAYOUT FIELD SYMMETRY");
    EXPECT_EQ(failure("%%MatrixMarket matrix coordinate real general x\n"),
              "F:1: the banner has 6 words, not 5: %%MatrixMarket matrix LAYOUT FIELD SYMMETRY");
    EXPECT_EQ(failure(kind("array pattern general", "1 1\n")),
              "F:1: 'array pattern' is no Matrix Market format: an array has values");
    EXPECT_EQ(failure(kind("coordinate integer hermitian", "1 1 0\n")),
              "F:1: 'integer hermitian' is no Matrix Market format: only complex matrices are "
              "hermitian");
    EXPECT_EQ(failure(kind("coordinate pattern skew-symmetric", "1 1 0\n")),
              "F:1: 'pattern skew-symmetric' is no Matrix Market format: a pattern has no signs");
}

TEST(ReaderErrors, FieldsAndSymmetries) {
    EXPECT_EQ(failure(kind("coordinate pattern general", "2 2 1\n1 1 5\n")),
              "F:3: '5' after row and column: a pattern matrix has no values");
    EXPECT_EQ(failure(kind("coordinate integer general", "2 2 1\n1 1 5.0\n")),
              "F:3: the value is '5.0', not an integer");
    EXPECT_EQ(failure(kind("coordinate complex general", "2 2 1\n1 1 5.0\n")),
              "F:3: the line ends before the imaginary part");
    EXPECT_EQ(failure(kind("coordinate real skew-symmetric", "2 2 2\n2 1 1\n2 2 5\n")),
              "F:4: a nonzero entry on the diagonal of a skew-symmetric matrix");
    EXPECT_EQ(failure(kind("coordinate complex hermitian", "2 2 1\n2 2 5 1\n")),
              "F:3: an imaginary part on the diagonal of a hermitian matrix, which is real");
    EXPECT_EQ(failure(kind("array complex hermitian", "2 2\n1 0\n2 5\n%\n3 1\n")),
              "F:6: an imaginary part on the diagonal of a hermitian matrix, which is real");
    EXPECT_EQ(failure(kind("array real general", "1 2\n1 2\n")),
              "F:3: '2' after the value: an array has one entry on a line");
}

TEST(ReaderErrors, BothSidesOfASymmetricFileThatDisagree) {
    EXPECT_EQ(failure(kind("coordinate real symmetric", "3 3 3\n1 2 4\n1 1 1\n2 1 5\n")),
              "F:5: entries (1, 2) and (2, 1) are both stored and do not mirror each other, as the "
              "banner says they do");
    EXPECT_EQ(failure(kind("coordinate complex hermitian", "2 2 2\n1 2 4 5\n2 1 4 5\n")),
              "F:4: entries (1, 2) and (2, 1) are both stored and do not mirror each other, as the "
              "banner says they do");
}

TEST(ReaderErrors, NulBytes) {
    using std::string_literals::operator""s;
    EXPECT_EQ(failure(general + "1 1 1\n1 1 5\0\n"s),
              "F:3: a NUL byte: this is not a text of numbers");
    EXPECT_EQ(failure(general + "1 1 1\n% \0\n1 1 5\n"s),
              "F:3: a NUL byte: this is not a text of numbers");
    EXPECT_EQ(failure(general + "%\0\n1 1 1\n1 1 5\n"s),
              "F:2: a NUL byte: this is not a text of numbers");
    EXPECT_EQ(failure(general + "1 1 1\nx\n\0"s), "F:3: the row index is 'x', not a whole number");
}

TEST(ReaderErrors, LinesWithoutEnd) {
    const std::string wide(3 << 20, ' ');
    const std::string message = "a line is longer than 1 MiB: this is not a text of numbers";
    EXPECT_EQ(failure(general + "1 1 1\n" + wide + "1 1 1\n"), "F:3: " + message);
    EXPECT_EQ(failure(gzip(general + "1 1 1\n" + wide + "1 1 1\n")), "F:3: " + message);
    EXPECT_EQ(failure(wide), "F:1: " + message);
    // The first of several, and only after what is wrong before it.
    EXPECT_EQ(failure(general + "1 1 1\n" + wide + "\n" + wide + "\n1 1 1\n", {3, 100000}),
              "F:3: " + message);
    EXPECT_EQ(failure(general + "1 1 1\nx\n" + wide + "\n", {3, 100000}),
              "F:3: the row index is 'x', not a whole number");
}

TEST(ReaderErrors, CommentsMayHaveAnyLength) {
    const std::string wide = " %" + std::string(3 << 20, 'x') + "\n";
    const std::vector<std::string> texts{
        general + wide + "2 2 2\n1 1 5\n2 2 6\n", general + "2 2 2\n" + wide + "1 1 5\n2 2 6\n",
        general + "2 2 2\n1 1 5\n" + wide + "2 2 6\n" + wide,
        general + "2 2 2\n1 1 5\n2 2 6\n" + wide.substr(0, wide.size() - 1)};
    for (auto& text : texts)
        for (const ReadOptions& options : {ReadOptions{}, ReadOptions{3, 100000}})
            for (auto& file : {text, gzip(text)})
                EXPECT_EQ(entries(read_text(file, options)),
                          (std::vector<Entry>{{0, 0, 5}, {1, 1, 6}}));
    // They are lines like others.
    const std::string wrong = general + wide + "2 2 2\n" + wide + "1 1 x\n";
    EXPECT_EQ(failure(wrong), "F:5: the value is 'x', not a number");
    EXPECT_EQ(failure(gzip(wrong)), "F:5: the value is 'x', not a number");
    // The banner is no comment.
    EXPECT_EQ(failure(general.substr(0, general.size() - 1) + std::string(3 << 20, ' ') + "\n"),
              "F:1: a line is longer than 1 MiB: this is not a text of numbers");
}

TEST(ReaderErrors, DamagedGzip) {
    std::string text = general + "2000 2000 2000\n";
    for (int i = 1; i <= 2000; ++i)
        text += std::to_string(i) + " 1 " + std::to_string(i * 7919) + "\n";
    const std::string zipped = gzip(text);
    EXPECT_EQ(failure(zipped), "");
    EXPECT_EQ(failure(zipped.substr(0, 10)), "F:1: the gzip data is truncated");
    EXPECT_EQ(failure(zipped.substr(0, zipped.size() - 8)), "F:2002: the gzip data is truncated");
    EXPECT_EQ(failure(zipped.substr(0, zipped.size() - 1)), "F:2002: the gzip data is truncated");
    EXPECT_EQ(failure(zipped + "x"), "F:2002: other data follow the end of the gzip data");
    std::string wrong_sum = zipped;
    wrong_sum[zipped.size() - 6] ^= 1;
    EXPECT_EQ(failure(wrong_sum), "F:2002: the gzip data is corrupt: incorrect data check");
    const std::string sizes = gzip(general + "3 3 0\n");
    EXPECT_EQ(failure(sizes.substr(0, sizes.size() - 1)), "F:2: the gzip data is truncated");
    // What is wrong before the damage is told first.
    const std::string bad = gzip(general + "3 3 2\n1 1 x\n1 1 1\n");
    EXPECT_EQ(failure(bad.substr(0, bad.size() - 3)), "F:3: the value is 'x', not a number");
}

template <typename F>
std::pair<ErrorCode, std::string> caught(F&& f) {
    try {
        f();
    } catch (const Error& error) {
        return {error.code(), error.what()};
    }
    return {ErrorCode::internal, "nothing was thrown"};
}

TEST(ReaderErrors, WhatIsNoFile) {
    const TestFile file("");
    const std::string folder = std::filesystem::path(file.path()).parent_path();
    EXPECT_EQ(
        caught([&] { read_matrix(folder + "/none.mtx"); }),
        std::pair(ErrorCode::io, folder + "/none.mtx: cannot open: No such file or directory"));
    EXPECT_EQ(caught([&] { read_matrix(folder); }),
              std::pair(ErrorCode::invalid_input,
                        folder + ": is a directory: name a matrix file inside it"));
    const std::string pipe = folder + "/pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(caught([&] { read_matrix(pipe); }),
              std::pair(ErrorCode::invalid_input,
                        pipe + ": is not a regular file: save the matrix in a file first"));
    if (geteuid() != 0) {
        chmod(file.path().c_str(), 0);
        EXPECT_EQ(caught([&] { read_matrix(file.path()); }),
                  std::pair(ErrorCode::io, file.path() + ": cannot open: Permission denied"));
    }
    EXPECT_EQ(caught([&] { read_matrix(file.path(), nullptr, {-1, 0}); }),
              std::pair(ErrorCode::invalid_argument, std::string("threads = -1: use 0 or more")));
}

}  // namespace
}  // namespace spmvgen
