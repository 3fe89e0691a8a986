// spmvgen.h: matrices in other layouts than CSR, and some rows of one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "c_fixture.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;

TEST(CLayouts, TakesEntriesInAnyOrder) {
    const int row_idx[] = {2, 0, 1, 0, 0}, col_idx[] = {0, 1, 1, 0, 1};
    const double values[] = {4, 1.5, 3, 1, 0.5};
    spmvgen_matrix matrix{.struct_size = sizeof(spmvgen_matrix),
                          .layout = SPMVGEN_COO,
                          .value_type = SPMVGEN_F64,
                          .index_type = SPMVGEN_I32,
                          .offset_type = 0,
                          .rows = 3,
                          .cols = 2,
                          .nnz = 5,
                          .row_ptr = nullptr,
                          .row_idx = row_idx,
                          .col_idx = col_idx,
                          .values = values,
                          .col_ptr = nullptr,
                          .block_height = 0,
                          .block_width = 0,
                          .block_layout = 0,
                          .reserved = 0,
                          .listed_rows = nullptr,
                          .num_listed = 0};
    spmvgen_handle* handle = nullptr;
    ASSERT_EQ(told(spmvgen_create(&matrix, COptions(), &handle)), "ok");
    std::vector<double> y(3);
    EXPECT_EQ(told(spmvgen_apply(handle, SPMVGEN_F64, &one, x.data(), &zero, y.data(), nullptr)),
              "ok");
    EXPECT_EQ(y, (std::vector<double>{50, 60, 40}));
    spmvgen_destroy(handle);
    matrix.offset_type = SPMVGEN_I32;
    EXPECT_EQ(told(spmvgen_create(&matrix, COptions(), &handle)),
              "invalid_argument: matrix.offset_type is for SPMVGEN_CSR, SPMVGEN_CSC and "
              "SPMVGEN_BSR: leave it 0");
}

// The three rows of Tiny as rows 5, 0 and 3 of seven.
TEST(CLayouts, TakesListsOfRows) {
    const Tiny tiny;
    const int rows[] = {5, 0, 3};
    spmvgen_matrix matrix = tiny.view();
    matrix.rows = 7;
    matrix.listed_rows = rows;
    matrix.num_listed = 3;
    spmvgen_handle* handle = nullptr;
    ASSERT_EQ(told(spmvgen_create(&matrix, COptions(), &handle)), "ok");
    std::vector<double> y(7, 1);
    EXPECT_EQ(told(spmvgen_apply(handle, SPMVGEN_F64, &one, x.data(), &one, y.data(), nullptr)),
              "ok");
    EXPECT_EQ(y, (std::vector<double>{61, 1, 1, 41, 1, 51, 1}));
    EXPECT_EQ(info_field(handle, "rows"), "7");
    EXPECT_THAT(info_field(handle, "reason"), testing::StartsWith("3 of 7 rows are listed; "));
    spmvgen_blob* text = nullptr;
    EXPECT_EQ(told(spmvgen_explain(handle, &matrix, COptions(), &text)), "ok");
    spmvgen_blob_destroy(text);
    spmvgen_destroy(handle);
    const auto refusal = [&](auto change) {
        spmvgen_matrix wrong = matrix;
        change(wrong);
        return told(spmvgen_create(&wrong, COptions(), &handle));
    };
    EXPECT_EQ(refusal([](auto& m) { m.rows = 5; }),
              "invalid_argument: broken list of rows: rows[0] is 5, outside 0…4");
    EXPECT_EQ(refusal([](auto& m) { m.listed_rows = nullptr; }),
              "invalid_argument: matrix.num_listed is 3, but matrix.listed_rows is NULL");
    EXPECT_EQ(refusal([](auto& m) { m.num_listed = -1; }),
              "invalid_argument: broken CSR matrix: negative size (-1 rows, 2 columns, 4 entries)");
    EXPECT_EQ(refusal([](auto& m) {
                  m.layout = SPMVGEN_COO;
                  m.row_ptr = nullptr;
                  m.offset_type = 0;
              }),
              "invalid_argument: matrix.listed_rows or num_listed is for SPMVGEN_CSR: leave it 0");
    spmvgen_batch* batch = nullptr;
    EXPECT_EQ(
        told(spmvgen_batch_create_repeated(&matrix, 2, nullptr, SPMVGEN_CONCATENATED, &batch)),
        "invalid_argument: matrix.listed_rows is not NULL: batches take all rows");
}

// [ 1 2 . . ]
// [ 3 4 . . ]   of columns, and of blocks
TEST(CLayouts, TakesColumnsAndBlocks) {
    const int32_t col_ptr[] = {0, 2, 4, 4, 4}, row_idx[] = {0, 1, 0, 1};
    const int32_t row_ptr[] = {0, 1}, col_idx[] = {0};
    const double by_columns[] = {1, 3, 2, 4};
    spmvgen_matrix columns{};
    columns.struct_size = sizeof columns;
    columns.layout = SPMVGEN_CSC;
    columns.value_type = SPMVGEN_F64;
    columns.index_type = columns.offset_type = SPMVGEN_I32;
    columns.rows = 2;
    columns.cols = columns.nnz = 4;
    columns.values = by_columns;
    spmvgen_matrix blocks = columns;
    columns.col_ptr = col_ptr;
    columns.row_idx = row_idx;
    blocks.layout = SPMVGEN_BSR;
    blocks.row_ptr = row_ptr;
    blocks.col_idx = col_idx;
    blocks.block_height = blocks.block_width = 2;
    blocks.block_layout = SPMVGEN_COLUMN;
    const std::vector<double> in{10, 20, 30, 40};
    for (const spmvgen_matrix& matrix : {columns, blocks}) {
        spmvgen_handle* handle = nullptr;
        ASSERT_EQ(told(spmvgen_create(&matrix, COptions(), &handle)), "ok");
        std::vector<double> y(2);
        EXPECT_EQ(
            told(spmvgen_apply(handle, SPMVGEN_F64, &one, in.data(), &zero, y.data(), nullptr)),
            "ok");
        EXPECT_EQ(y, (std::vector<double>{50, 110}));
        spmvgen_destroy(handle);
    }
    const auto refusal = [](spmvgen_matrix matrix, auto change) {
        change(matrix);
        spmvgen_handle* handle = nullptr;
        return told(spmvgen_create(&matrix, COptions(), &handle));
    };
    const std::string invalid = "invalid_argument: matrix.";
    EXPECT_EQ(refusal(columns, [&](auto& m) { m.col_idx = col_idx; }),
              invalid + "col_idx is for SPMVGEN_CSR, SPMVGEN_COO and SPMVGEN_BSR: leave it 0");
    EXPECT_EQ(refusal(columns, [&](auto& m) { m.row_ptr = row_ptr; }),
              invalid + "row_ptr is for SPMVGEN_CSR and SPMVGEN_BSR: leave it 0");
    EXPECT_EQ(refusal(columns, [&](auto& m) { m.block_width = 2; }),
              invalid + "block_height, block_width or block_layout is for SPMVGEN_BSR: leave it 0");
    EXPECT_EQ(refusal(blocks, [&](auto& m) { m.col_ptr = col_ptr; }),
              invalid + "col_ptr is for SPMVGEN_CSC: leave it 0");
    EXPECT_EQ(refusal(blocks, [&](auto& m) { m.block_height = 0; }),
              invalid + "block_height is 0 and matrix.block_width 2: use 1 or more");
    EXPECT_EQ(refusal(blocks, [&](auto& m) { m.nnz = 5; }),
              invalid + "nnz is 5, no multiple of the 4 numbers of a block");
    EXPECT_EQ(refusal(blocks, [&](auto& m) { m.block_layout = 0; }),
              invalid + "block_layout is 0: use SPMVGEN_ROW or SPMVGEN_COLUMN");
    EXPECT_EQ(refusal(blocks, [&](auto& m) { m.reserved = 1; }), invalid + "reserved is not 0");
}

// [ 2 . ]
// [ 3 4 ]
TEST(CLayouts, GivesAMatrixAndItsTranspose) {
    const int32_t row_ptr[] = {0, 1, 3}, of_rows[] = {0, 0, 1}, row_idx[] = {1, 0, 1},
                  col_idx[] = {1, 0, 0};
    const double by_rows[] = {2, 3, 4}, by_entries[] = {4, 2, 3};
    spmvgen_matrix rows{};
    rows.struct_size = sizeof rows;
    rows.layout = SPMVGEN_CSR;
    rows.value_type = SPMVGEN_F64;
    rows.index_type = rows.offset_type = SPMVGEN_I32;
    rows.rows = rows.cols = 2;
    rows.nnz = 3;
    rows.row_ptr = row_ptr;
    rows.col_idx = of_rows;
    rows.values = by_rows;
    spmvgen_matrix entries = rows;
    entries.layout = SPMVGEN_COO;
    entries.offset_type = 0;
    entries.row_ptr = nullptr;
    entries.row_idx = row_idx;
    entries.col_idx = col_idx;
    entries.values = by_entries;
    const std::vector<double> in{1, 10};
    const auto product = [&](const spmvgen_handle* handle) {
        std::vector<double> y(2);
        EXPECT_EQ(
            told(spmvgen_apply(handle, SPMVGEN_F64, &one, in.data(), &zero, y.data(), nullptr)),
            "ok");
        return y;
    };
    for (const spmvgen_matrix& matrix : {rows, entries}) {
        spmvgen_handle *a = nullptr, *transposed = nullptr;
        ASSERT_EQ(told(spmvgen_create_pair(&matrix, COptions(), "T", &a, &transposed)), "ok");
        EXPECT_EQ(product(a), (std::vector<double>{2, 43}));
        EXPECT_EQ(product(transposed), (std::vector<double>{32, 40}));
        spmvgen_destroy(a);
        spmvgen_destroy(transposed);
    }
    spmvgen_handle *a = nullptr, *transposed = nullptr;
    EXPECT_EQ(told(spmvgen_create_pair(&rows, COptions(), "C", &a, &transposed)),
              "invalid_argument: transpose is 'C': use T or H");
    EXPECT_EQ(told(spmvgen_create_pair(&rows, COptions(), nullptr, &a, &transposed)),
              "invalid_argument: transpose is NULL");
    EXPECT_EQ(told(spmvgen_create_pair(&rows, COptions(), "T", &a, nullptr)),
              "invalid_argument: transposed is NULL");
    rows.listed_rows = row_ptr;
    rows.num_listed = 1;
    EXPECT_EQ(told(spmvgen_create_pair(&rows, COptions(), "T", &a, &transposed)),
              "invalid_argument: matrix.listed_rows is not NULL: pairs are made of all rows");
    EXPECT_EQ(a, nullptr);
    EXPECT_EQ(transposed, nullptr);
}

}  // namespace
}  // namespace spmvgen
