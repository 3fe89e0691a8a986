// spmvgen.h: kernels as bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "c_fixture.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;

TEST(CKernels, AreExportedAndImported) {
    const Tiny tiny;
    const spmvgen_matrix matrix = tiny.view();
    spmvgen_handle* handle = nullptr;
    ASSERT_EQ(told(spmvgen_create(&matrix, COptions{{"kernel", "csr_rows"}}, &handle)), "ok");
    spmvgen_blob* blob = nullptr;
    ASSERT_EQ(told(spmvgen_export_kernels(&blob)), "ok");
    ASSERT_GT(spmvgen_blob_size(blob), 0u);
    std::int64_t accepted = -1, rejected = -1;
    spmvgen_blob* reasons = nullptr;
    ASSERT_EQ(told(spmvgen_import_kernels(spmvgen_blob_data(blob), spmvgen_blob_size(blob),
                                          &accepted, &rejected, &reasons)),
              "ok");
    EXPECT_GE(accepted, 1);
    EXPECT_EQ(rejected, 0);
    EXPECT_STREQ(spmvgen_blob_data(reasons), "");
    spmvgen_blob_destroy(reasons);
    ASSERT_EQ(told(spmvgen_import_kernels("nonsense", 8, &accepted, &rejected, &reasons)), "ok");
    EXPECT_EQ(accepted, 0);
    EXPECT_EQ(rejected, 1);
    EXPECT_THAT(spmvgen_blob_data(reasons), testing::EndsWith("\n"));
    EXPECT_EQ(told(spmvgen_import_kernels("nonsense", 8, nullptr, nullptr, nullptr)), "ok");
    spmvgen_blob_destroy(reasons);
    spmvgen_blob_destroy(blob);
    spmvgen_destroy(handle);
}

/// What spmvgen_emit gives for these options, or the status and the last error.
std::string emitted(std::vector<std::pair<const char*, const char*>> options) {
    std::vector<const char*> names, values;
    for (auto& [name, value] : options) {
        names.push_back(name);
        values.push_back(value);
    }
    spmvgen_blob* blob = nullptr;
    const auto status = spmvgen_emit(names.data(), values.data(), names.size(), &blob);
    if (status != SPMVGEN_OK) return told(status);
    const std::string text(spmvgen_blob_data(blob), spmvgen_blob_size(blob));
    spmvgen_blob_destroy(blob);
    return text;
}

TEST(CKernels, AreEmittedByName) {
    const std::string ell =
        emitted({{"format", "ell"}, {"arch", "gfx906"}, {"value", "f32"}, {"param.groups", "4"}});
    EXPECT_THAT(ell, HasSubstr("__global__"));
    EXPECT_THAT(ell, HasSubstr("const float* __restrict__ x"));
    EXPECT_THAT(emitted({{"kernel", "csr_rows"},
                         {"arch", "x86-64-v3"},
                         {"rhs", "2"},
                         {"x_form", "rows"},
                         {"y_form", "columns"}}),
                HasSubstr("--x-form rows --y-form columns"));
    EXPECT_THAT(emitted({{"kernel", "csr_rows"}, {"arch", "x86-64-v3"}, {"as", "asm"}}),
                HasSubstr(".text"));
}

TEST(CKernels, WhatCannotBeEmittedIsNamed) {
    EXPECT_EQ(emitted({}), "invalid_argument: no kernel is named: set format or kernel");
    EXPECT_THAT(emitted({{"frmat", "csr"}}),
                HasSubstr("invalid_argument: unknown option 'frmat': use one of format, kernel"));
    EXPECT_EQ(
        emitted({{"kernel", "csr_rows"}, {"alpha", "two"}}),
        "invalid_argument: alpha: unknown scale mode 'two': use one of zero, one, general, device");
    EXPECT_EQ(emitted({{"kernel", "csr_rows"}, {"rhs", "65"}}),
              "invalid_argument: number of right-hand sides 65 is outside 1…64");
    EXPECT_THAT(emitted({{"kernel", "csr_rows"}, {"arch", "x86-64-v3"}, {"as", "ptx"}}),
                HasSubstr("there is no ptx of x86-64-v3: use one of source, object"));
    EXPECT_EQ(emitted({{"format", nullptr}}), "invalid_argument: values[i] is NULL");
}

TEST(CKernels, AChoiceIsExplained) {
    const Tiny tiny;
    const spmvgen_matrix matrix = tiny.view();
    const COptions options;
    spmvgen_handle* handle = nullptr;
    ASSERT_EQ(told(spmvgen_create(&matrix, options, &handle)), "ok");
    spmvgen_blob* text = nullptr;
    ASSERT_EQ(told(spmvgen_explain(handle, &matrix, options, &text)), "ok");
    EXPECT_THAT(spmvgen_blob_data(text), testing::EndsWith("\n"));
    spmvgen_blob_destroy(text);
    EXPECT_EQ(told(spmvgen_explain(nullptr, &matrix, options, &text)),
              "invalid_argument: handle is NULL");
    EXPECT_EQ(text, nullptr);
    spmvgen_matrix csc = matrix;  // of the transpose
    csc.layout = SPMVGEN_CSC;
    std::swap(csc.rows, csc.cols);
    std::swap(csc.row_ptr, csc.col_ptr);
    std::swap(csc.col_idx, csc.row_idx);
    const COptions transposing{{"op", "T"}};
    ASSERT_EQ(told(spmvgen_explain(handle, &csc, transposing, &text)), "ok");
    EXPECT_THAT(spmvgen_blob_data(text), testing::EndsWith("\n"));
    spmvgen_blob_destroy(text);
    spmvgen_matrix coo = matrix;
    coo.layout = SPMVGEN_COO;
    EXPECT_EQ(told(spmvgen_explain(handle, &coo, options, &text)),
              "invalid_argument: matrix.layout is SPMVGEN_COO: choices are explained of "
              "SPMVGEN_CSC and SPMVGEN_CSR");
    spmvgen_destroy(handle);
}

TEST(CKernels, NullsAreErrors) {
    EXPECT_EQ(told(spmvgen_export_kernels(nullptr)), "invalid_argument: blob is NULL");
    EXPECT_EQ(told(spmvgen_import_kernels(nullptr, 0, nullptr, nullptr, nullptr)),
              "invalid_argument: data is NULL");
    EXPECT_EQ(spmvgen_blob_data(nullptr), nullptr);
    EXPECT_EQ(spmvgen_blob_size(nullptr), 0u);
    spmvgen_blob_destroy(nullptr);
}

}  // namespace
}  // namespace spmvgen
