// Threads and block borders change neither the matrix nor the message.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "test_files.hpp"

namespace spmvgen {
namespace {

struct TextOptions {
    std::string kind = "coordinate real general";
    int rows = 50;
    int entries = 3000;  ///< many more than places: duplicates everywhere
    unsigned seed = 1;
};

/// Entries with long sums of different magnitudes, so that another order of adding shows; comments
/// and empty lines between; CRLF now and then.
std::string random_text(const TextOptions& options) {
    std::mt19937 random(options.seed);
    std::string text = fmt::format("%%MatrixMarket matrix {}\n%c\n{} {} {}\n", options.kind,
                                   options.rows, options.rows, options.entries);
    const bool complex = options.kind.find("complex") != std::string::npos;
    const bool pattern = options.kind.find("pattern") != std::string::npos;
    const bool lower = options.kind.find("symm") != std::string::npos;
    for (int k = 0; k < options.entries; ++k) {
        int i = 1 + static_cast<int>(random() % static_cast<unsigned>(options.rows));
        int j = 1 + static_cast<int>(random() % static_cast<unsigned>(options.rows));
        if (lower && i < j) std::swap(i, j);
        if (random() % 20 == 0) text += random() % 2 == 0 ? "\n" : "% a comment\n";
        text += fmt::format("{} {}", i, j);
        for (int part = 0; part < (pattern ? 0 : complex ? 2 : 1); ++part)
            text += fmt::format(" {}e{}", static_cast<int>(random() % 20001) - 10000,
                                static_cast<int>(random() % 30) - 15);
        text += random() % 10 == 0 ? "\r\n" : "\n";
    }
    return text;
}

void expect_same_everywhere(const std::string& text) {
    const CsrMatrix right = read_text(text, {1, 1 << 20});
    for (const int threads : {1, 2, 5})
        for (const std::size_t block : {7, 64, 1000, 65536}) {
            SCOPED_TRACE(fmt::format("{} threads, blocks of {}", threads, block));
            EXPECT_TRUE(identical(read_text(text, {threads, block}), right));
            if (block >= 64) {
                EXPECT_TRUE(identical(read_text(gzip(text), {threads, block}), right));
            }
        }
}

TEST(ReaderThreads, TheMatrixIsTheSameBitForBit) {
    for (const char* kind : {"coordinate real general", "coordinate complex general",
                             "coordinate pattern general", "coordinate real symmetric",
                             "coordinate complex symmetric", "coordinate pattern symmetric"}) {
        SCOPED_TRACE(kind);
        expect_same_everywhere(random_text({kind}));
    }
}

TEST(ReaderThreads, LongRowsAreTheSameToo) {
    expect_same_everywhere(random_text({"coordinate real general", 2, 2000, 3}));
}

TEST(ReaderThreads, ArraysAreTheSame) {
    for (const char* symmetry : {"general", "symmetric", "skew-symmetric"}) {
        SCOPED_TRACE(symmetry);
        std::string text = fmt::format("%%MatrixMarket matrix array real {}\n40 40\n", symmetry);
        const int count = symmetry[0] == 'g' ? 1600 : symmetry[1] == 'y' ? 820 : 780;
        for (int k = 0; k < count; ++k) text += fmt::format("{}\n", k % 3 == 0 ? 0 : k);
        expect_same_everywhere(text);
    }
}

TEST(ReaderThreads, TheFirstErrorIsTold) {
    std::string text = "%%MatrixMarket matrix coordinate real general\n100 100 5000\n";
    for (int line = 3; line <= 5002; ++line) {
        if (line == 3001 || line == 3002 || line == 4500)
            text += "1 1 wrong\n";
        else if (line == 3500)
            text += "101 1 1\n";
        else
            text += fmt::format("{} {} {}\n", line % 100 + 1, line % 99 + 1, line);
    }
    for (const int threads : {1, 2, 5})
        for (const std::size_t block : {1, 50, 1000, 10000}) {
            EXPECT_EQ(failure(text, {threads, block}),
                      "F:3001: the value is 'wrong', not a number");
            EXPECT_EQ(failure(gzip(text), {threads, block}),
                      "F:3001: the value is 'wrong', not a number");
        }
}

TEST(ReaderThreads, TooManyEntriesAreToldAtTheirLine) {
    std::string text = "%%MatrixMarket matrix coordinate pattern general\n9 9 1000\n";
    for (int k = 0; k < 1000; ++k) text += "1 1\n% c\n";
    EXPECT_EQ(failure(text), "");
    text += "\n2 2\n3 3\nwrong\n";
    for (const int threads : {1, 2, 5})
        for (const std::size_t block : {1, 50, 1000})
            EXPECT_EQ(failure(text, {threads, block}),
                      "F:2004: more than the 1000 entries that the size line announces");
}

TEST(ReaderThreads, BothSidesOfASymmetricFileInDifferentBlocks) {
    std::string lower, upper;
    for (int i = 2; i <= 300; ++i) {
        lower += fmt::format("{} {} {}\n", i, i - 1, i);
        upper += fmt::format("{} {} {}\n", i - 1, i, i);
    }
    const std::string head = "%%MatrixMarket matrix coordinate real symmetric\n300 300 ";
    const CsrMatrix right = read_text(head + "299\n" + lower);
    for (const int threads : {1, 2, 5}) {
        EXPECT_TRUE(identical(read_text(head + "598\n" + lower + upper, {threads, 100}), right));
        EXPECT_EQ(failure(head + "599\n" + lower + upper + "7 8 1\n", {threads, 100}),
                  "F:308: entries (7, 8) and (8, 7) are both stored and do not mirror each other, "
                  "as the banner says they do");
    }
}

}  // namespace
}  // namespace spmvgen
