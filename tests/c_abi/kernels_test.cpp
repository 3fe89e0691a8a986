// spmvgen.h: kernels as bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "c_fixture.hpp"

namespace spmvgen {
namespace {

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
