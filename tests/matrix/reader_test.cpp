// What legal texts become; every result worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "test_files.hpp"

namespace spmvgen {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using C = std::complex<double>;

std::string coordinate(const char* kind, const char* lines) {
    return std::string("%%MatrixMarket matrix coordinate ") + kind + "\n" + lines;
}
std::string array(const char* kind, const char* lines) {
    return std::string("%%MatrixMarket matrix array ") + kind + "\n" + lines;
}

TEST(Reader, GeneralEntriesAreSortedByRowAndColumn) {
    const CsrMatrix a = read_text(coordinate("real general", "2 3 3\n2 3 1.5\n2 1 -2\n1 2 7\n"));
    EXPECT_EQ(a.rows, 2);
    EXPECT_EQ(a.cols, 3);
    EXPECT_EQ(a.value_type, ValueType::f64);
    EXPECT_EQ(a.index_type, IndexType::i32);
    EXPECT_EQ(a.offset_type, IndexType::i32);
    EXPECT_EQ(a.row_ptr.bytes(), 3 * sizeof(std::int32_t));
    EXPECT_THAT(entries(a), ElementsAre(Entry{0, 1, 7}, Entry{1, 0, -2}, Entry{1, 2, 1.5}));
}

TEST(Reader, FieldsBecomeDoubleOrComplex) {
    EXPECT_THAT(entries(read_text(coordinate("double general", "1 1 1\n1 1 0.5\n"))),
                ElementsAre(Entry{0, 0, 0.5}));
    EXPECT_THAT(entries(read_text(coordinate("integer general", "1 1 1\n1 1 -12\n"))),
                ElementsAre(Entry{0, 0, -12}));
    EXPECT_THAT(entries(read_text(coordinate("unsigned-integer general", "1 1 1\n1 1 12\n"))),
                ElementsAre(Entry{0, 0, 12}));
    EXPECT_THAT(entries(read_text(coordinate("pattern general", "1 2 1\n1 2\n"))),
                ElementsAre(Entry{0, 1, 1}));
    const CsrMatrix a = read_text(coordinate("complex general", "1 1 1\n1 1 3 -4.5\n"));
    EXPECT_EQ(a.value_type, ValueType::c64);
    EXPECT_THAT(entries(a), ElementsAre(Entry{0, 0, C(3, -4.5)}));
}

TEST(Reader, SymmetricEntriesAreMirrored) {
    EXPECT_THAT(entries(read_text(coordinate("real symmetric", "2 2 2\n1 1 3\n2 1 4\n"))),
                ElementsAre(Entry{0, 0, 3}, Entry{0, 1, 4}, Entry{1, 0, 4}));
    EXPECT_THAT(entries(read_text(coordinate("pattern symmetric", "2 2 2\n2 2\n2 1\n"))),
                ElementsAre(Entry{0, 1, 1}, Entry{1, 0, 1}, Entry{1, 1, 1}));
    EXPECT_THAT(entries(read_text(coordinate("real skew-symmetric", "2 2 1\n2 1 4\n"))),
                ElementsAre(Entry{0, 1, -4}, Entry{1, 0, 4}));
    EXPECT_THAT(entries(read_text(coordinate("complex symmetric", "2 2 1\n2 1 4 5\n"))),
                ElementsAre(Entry{0, 1, C(4, 5)}, Entry{1, 0, C(4, 5)}));
    EXPECT_THAT(entries(read_text(coordinate("complex skew-symmetric", "2 2 1\n2 1 4 5\n"))),
                ElementsAre(Entry{0, 1, C(-4, -5)}, Entry{1, 0, C(4, 5)}));
    EXPECT_THAT(entries(read_text(coordinate("complex hermitian", "2 2 2\n2 1 4 5\n1 1 2 0\n"))),
                ElementsAre(Entry{0, 0, 2}, Entry{0, 1, C(4, -5)}, Entry{1, 0, C(4, 5)}));
}

TEST(Reader, EntriesAboveTheDiagonalOfASymmetricFileAreMirroredToo) {
    EXPECT_THAT(entries(read_text(coordinate("real symmetric", "2 2 1\n1 2 4\n"))),
                ElementsAre(Entry{0, 1, 4}, Entry{1, 0, 4}));
    EXPECT_THAT(entries(read_text(coordinate("complex hermitian", "2 2 1\n1 2 4 5\n"))),
                ElementsAre(Entry{0, 1, C(4, 5)}, Entry{1, 0, C(4, -5)}));
}

TEST(Reader, BothSidesOfASymmetricFileCountOnceWhenTheyAgree) {
    EXPECT_THAT(entries(read_text(coordinate("real symmetric", "2 2 3\n1 2 4\n2 2 1\n2 1 4\n"))),
                ElementsAre(Entry{0, 1, 4}, Entry{1, 0, 4}, Entry{1, 1, 1}));
    EXPECT_THAT(entries(read_text(coordinate("complex hermitian", "2 2 2\n1 2 4 -5\n2 1 4 5\n"))),
                ElementsAre(Entry{0, 1, C(4, -5)}, Entry{1, 0, C(4, 5)}));
    EXPECT_THAT(entries(read_text(coordinate("real skew-symmetric", "2 2 2\n1 2 -4\n2 1 4\n"))),
                ElementsAre(Entry{0, 1, -4}, Entry{1, 0, 4}));
    // Sides may be mixed, and duplicates on one side are added up before they are compared.
    EXPECT_THAT(
        entries(read_text(coordinate("real symmetric", "3 3 4\n1 2 4\n2 1 1\n2 1 3\n1 3 9\n"))),
        ElementsAre(Entry{0, 1, 4}, Entry{0, 2, 9}, Entry{1, 0, 4}, Entry{2, 0, 9}));
}

TEST(Reader, DuplicatesAreAddedUp) {
    EXPECT_THAT(entries(read_text(
                    coordinate("real general", "2 2 5\n1 1 1\n1 2 5\n1 1 2\n2 2 1\n1 1 4\n"))),
                ElementsAre(Entry{0, 0, 7}, Entry{0, 1, 5}, Entry{1, 1, 1}));
    EXPECT_THAT(entries(read_text(coordinate("pattern general", "1 1 2\n1 1\n1 1\n"))),
                ElementsAre(Entry{0, 0, 2}));
    EXPECT_THAT(entries(read_text(coordinate("real symmetric", "2 2 2\n2 1 1\n2 1 2\n"))),
                ElementsAre(Entry{0, 1, 3}, Entry{1, 0, 3}));
    const CsrMatrix a = read_text(coordinate("real general", "1 1 2\n1 1 1\n1 1 -1\n"));
    EXPECT_THAT(entries(a), ElementsAre(Entry{0, 0, 0}));
    EXPECT_EQ(a.values.bytes(), sizeof(double));
}

TEST(Reader, ExplicitZerosOfCoordinateFilesStay) {
    EXPECT_THAT(entries(read_text(coordinate("real general", "1 2 2\n1 1 0\n1 2 1\n"))),
                ElementsAre(Entry{0, 0, 0}, Entry{0, 1, 1}));
    EXPECT_THAT(entries(read_text(coordinate("real skew-symmetric", "1 1 1\n1 1 0\n"))),
                ElementsAre(Entry{0, 0, 0}));
}

TEST(Reader, ArraysAreColumnByColumnAndDropZeros) {
    EXPECT_THAT(entries(read_text(array("real general", "2 3\n1\n2\n0\n4\n5\n0\n"))),
                ElementsAre(Entry{0, 0, 1}, Entry{0, 2, 5}, Entry{1, 0, 2}, Entry{1, 1, 4}));
    EXPECT_THAT(entries(read_text(array("integer symmetric", "2 2\n1\n2\n3\n"))),
                ElementsAre(Entry{0, 0, 1}, Entry{0, 1, 2}, Entry{1, 0, 2}, Entry{1, 1, 3}));
    EXPECT_THAT(entries(read_text(array("real skew-symmetric", "3 3\n1\n2\n3\n"))),
                ElementsAre(Entry{0, 1, -1}, Entry{0, 2, -2}, Entry{1, 0, 1}, Entry{1, 2, -3},
                            Entry{2, 0, 2}, Entry{2, 1, 3}));
    EXPECT_THAT(
        entries(read_text(array("complex hermitian", "2 2\n1 0\n2 3\n4 0\n"))),
        ElementsAre(Entry{0, 0, 1}, Entry{0, 1, C(2, -3)}, Entry{1, 0, C(2, 3)}, Entry{1, 1, 4}));
    EXPECT_THAT(entries(read_text(array("real skew-symmetric", "1 1\n"))), IsEmpty());
}

TEST(Reader, EmptyMatrices) {
    for (const char* size : {"0 0 0", "0 5 0", "5 0 0", "4 4 0"}) {
        const CsrMatrix a = read_text(coordinate("real general", size) + "\n");
        EXPECT_EQ(a.nnz, 0) << size;
        EXPECT_EQ(a.row_ptr.bytes(), static_cast<std::size_t>(a.rows + 1) * 4) << size;
    }
    EXPECT_EQ(read_text(array("real general", "0 3\n")).cols, 3);
}

TEST(Reader, BannerInAnyCaseAndBlanksBetweenItsWords) {
    EXPECT_THAT(
        entries(read_text("%%matrixmarket MATRIX\tCoordinate  Real GENERAL \n1 1 1\n1 1 2\n")),
        ElementsAre(Entry{0, 0, 2}));
}

TEST(Reader, CommentsAndBlankLinesAnywhereAfterTheBanner) {
    EXPECT_THAT(
        entries(read_text(coordinate(
            "real general", "%\n\n  % indented\n\t\n2 2 2\n% a\n\n1 1 1\n \n%b\n2 2 2\n\n%\n"))),
        ElementsAre(Entry{0, 0, 1}, Entry{1, 1, 2}));
}

TEST(Reader, CarriageReturnsTabsAndAMissingLastLineEnd) {
    EXPECT_THAT(entries(read_text("%%MatrixMarket matrix coordinate real general\r\n%c\r\n\r\n"
                                  "2 2 2\r\n 1\t1  5 \r\n2 2 6\r\n")),
                ElementsAre(Entry{0, 0, 5}, Entry{1, 1, 6}));
    EXPECT_THAT(entries(read_text(coordinate("real general", "1 1 1\n1 1 5"))),
                ElementsAre(Entry{0, 0, 5}));
    EXPECT_THAT(entries(read_text(coordinate("real general", "1 1 1\r\n1 1 5\r"))),
                ElementsAre(Entry{0, 0, 5}));
    EXPECT_EQ(read_text(coordinate("real general", "2 2 0")).rows, 2);
}

TEST(Reader, IndicesMayHaveSignsAndLeadingZeros) {
    EXPECT_THAT(entries(read_text(coordinate("pattern general", "+3 03 01\n+2 003\n"))),
                ElementsAre(Entry{1, 2, 1}));
}

TEST(Reader, MoreColumnsThanInt32HaveWideIndices) {
    const CsrMatrix a =
        read_text(coordinate("real general", "1 5000000000 2\n1 5000000000 1\n1 1 2\n"));
    EXPECT_EQ(a.index_type, IndexType::i64);
    EXPECT_THAT(entries(a), ElementsAre(Entry{0, 0, 2}, Entry{0, 4999999999, 1}));
}

TEST(Reader, HeaderTellsWhatTheFileSaid) {
    const TestFile file(coordinate("Double Skew-Symmetric", "2 2 1\n2 1 1\n"));
    FileHeader header;
    read_matrix(file.path(), &header);
    EXPECT_EQ(header.kind, "matrix market");
    EXPECT_EQ(header.layout, "coordinate");
    EXPECT_EQ(header.field, "double");
    EXPECT_EQ(header.symmetry, "skew-symmetric");
    EXPECT_EQ(header.stored, 1);
}

TEST(Reader, GzipOneMemberSeveralAndPadded) {
    const std::string text = coordinate("real general", "2 2 2\n1 1 5\n2 2 6\n");
    const auto right = ElementsAre(Entry{0, 0, 5}, Entry{1, 1, 6});
    EXPECT_THAT(entries(read_text(gzip(text))), right);
    EXPECT_THAT(entries(read_text(gzip(text.substr(0, 50)) + gzip(text.substr(50)))), right);
    EXPECT_THAT(entries(read_text(gzip(text) + std::string(100, '\0'))), right);
    EXPECT_THAT(entries(read_text(gzip(text.substr(0, text.size() - 1)))), right);
}

}  // namespace
}  // namespace spmvgen
