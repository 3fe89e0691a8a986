// Changed bytes of small files: read or refused in the right way, never a crash, and the same with
// one block as with many. SPMVGEN_MUTATIONS asks for more than the usual number.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "spmvgen/error.hpp"
#include "test_files.hpp"

namespace spmvgen {
namespace {

const std::vector<std::string>& seeds() {
    static const std::vector<std::string> texts{
        "%%MatrixMarket matrix coordinate real general\n% c\n3 4 4\n1 1 1.5\n2 2 -3e2\n3 4 "
        ".5D+1\n1 1 "
        "inf\n",
        "%%MatrixMarket matrix coordinate complex hermitian\n3 3 3\n1 1 1 0\n2 1 3 4\r\n1 3 5 6\n",
        "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 1\n3 1 2\n",
        "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 4\n1 1\n2 1\n1 2\n4 3\n",
        "%%MatrixMarket matrix array integer general\n2 3\n1\n2\n0\n\n-4\n5\n% c\n6\n",
        "%%MatrixMarket matrix array complex symmetric\n2 2\n1 2\n3 4\n5 6\n"};
    return texts;
}

char pick(std::mt19937& random, const std::string& from) {
    return from[random() % from.size()];
}

std::string mutate(std::string text, std::mt19937& random) {
    const int changes = 1 + static_cast<int>(random() % 3);
    for (int change = 0; change < changes && !text.empty(); ++change) {
        const std::size_t at = random() % text.size();
        const std::size_t length = 1 + random() % 8;
        switch (random() % 6) {
            case 0:
                text[at] = static_cast<char>(random());
                break;
            case 1:
                text[at] = pick(random, std::string("0123456789+-.eEdD \t\r\n%\0", 23));
                break;
            case 2:
                text.erase(at, length);
                break;
            case 3:
                text.insert(at, text.substr(random() % text.size(), length));
                break;
            case 4:
                text.insert(at, length, pick(random, "09 \n"));
                break;
            default:
                text.resize(at);
        }
    }
    return text;
}

/// What reading says: the message, or the matrix as text.
std::string outcome(const TestFile& file, const ReadOptions& options) {
    try {
        const CsrMatrix a = read_matrix(file.path(), nullptr, options);
        validate(a.view());
        std::string text = std::to_string(a.rows) + "x" + std::to_string(a.cols);
        for (const Entry& e : entries(a)) text += " " + testing::PrintToString(e);
        return text;
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_input) << error.what();
        // How much memory is left may differ between two calls.
        const std::string message = error.what();
        return message.substr(0, message.find(", and "));
    }
}

int mutations() {
    const char* wanted = std::getenv("SPMVGEN_MUTATIONS");
    return wanted != nullptr ? std::atoi(wanted) : 50;
}

void try_mutations(bool gzipped) {
    std::mt19937 random(gzipped ? 2 : 1);
    int read = 0;
    for (const std::string& seed : seeds())
        for (int i = 0; i < mutations(); ++i) {
            const std::string original = gzipped ? gzip(seed) : seed;
            const std::string text = mutate(original, random);
            const TestFile file(text);
            const std::string one = outcome(file, {1, 1 << 20});
            EXPECT_EQ(outcome(file, {2, 16}), one) << testing::PrintToString(text);
            read += one.find(": ") == std::string::npos ? 1 : 0;
        }
    EXPECT_GT(read, 0);
}

TEST(Mutations, OfTexts) {
    try_mutations(false);
}

TEST(Mutations, OfGzippedTexts) {
    try_mutations(true);
}

TEST(Mutations, OfBinaryFiles) {
    const CsrMatrix a = read_text(seeds()[0]);
    const TestFile good("", "a.csr");
    write_csr_binary(good.path(), a.view());
    const std::string bytes = content_of(good.path());
    std::mt19937 random(3);
    for (int i = 0; i < 2 * mutations(); ++i) {
        const std::string changed = mutate(bytes, random);
        // Padding between the arrays is not covered by a checksum: such files are still the same.
        const TestFile file(changed);
        const std::string result = outcome(file, {2, 0});
        EXPECT_TRUE(result.find(": ") != std::string::npos || result == outcome(good, {}));
    }
}

}  // namespace
}  // namespace spmvgen
