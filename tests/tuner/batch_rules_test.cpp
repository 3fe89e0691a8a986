// The rules of batches: what they choose, on figures made up for each.
#include <gtest/gtest.h>

#include "registry_batch.hpp"
#include "tuner/rules/batch_rules.hpp"

namespace spmvgen {
namespace {

/// `systems` alike, with rows of `row` entries, the longest of `longest`.
BatchFeatures like(std::int64_t systems, std::int64_t rows, std::int64_t row,
                   std::int64_t longest) {
    BatchFeatures f;
    f.systems = systems;
    f.rows = f.cols = systems * rows;
    f.nnz = f.rows * row;
    f.max_rows = f.max_cols = f.max_shared_cols = rows;
    f.max_nnz = rows * row;
    f.max_row = longest;
    f.ell_entries = f.rows * longest;
    return f;
}

Choice chosen(const BatchFeatures& f, const char* target, Request request = {}) {
    request.target = parse_target(target);
    return choose_batch(f, request);
}

TEST(BatchRules, TheFormatFollowsThePaddingOfEll) {
    EXPECT_EQ(chosen(like(100, 500, 8, 8), "sm_90").signature.kernel, "batch_ell");
    EXPECT_EQ(chosen(like(100, 500, 8, 16), "sm_90").signature.kernel, "batch_csr");
    EXPECT_EQ(chosen(like(100, 500, 8, 300), "gfx906").signature.kernel, "batch_coo");
    EXPECT_EQ(chosen(like(100, 500, 8, 8), "x86-64-v3").signature.kernel, "batch_csr_rows");
    EXPECT_EQ(chosen(like(100, 500, 8, 16), "sm_90").reason,
              "mean row 8.0, padding 2.00 in ELL: batch_csr");
    Request coo;
    coo.format = "coo";
    EXPECT_EQ(chosen(like(100, 500, 8, 8), "sm_90", coo).signature.kernel, "batch_coo");
}

TEST(BatchRules, SharedMemoryHoldsTheLargestXThatFits) {
    const auto shared_x = [](const BatchFeatures& f, const char* format) {
        Request request;
        request.format = format;
        const Signature s = chosen(f, "sm_90", request).signature;
        EXPECT_LE(batch_shared_bytes(s), most_batch_shared);
        return s.params.at("shared_x");
    };
    EXPECT_EQ(shared_x(like(9, 10, 3, 3), "csr"), 64);
    EXPECT_EQ(shared_x(like(9, 1000, 3, 3), "csr"), 1024);
    EXPECT_EQ(shared_x(like(9, 1024, 3, 3), "ell"), 1024);
    EXPECT_EQ(shared_x(like(9, 6144, 3, 3), "csr"), 6144) << "48 KiB of f64";
    EXPECT_EQ(shared_x(like(9, 6144, 3, 3), "coo"), 4096) << "beside the products";
    BatchFeatures f = like(9, 10000, 3, 3);
    f.max_shared_cols = 0;
    EXPECT_EQ(shared_x(f, "csr"), 0) << "none fits";
    f.max_shared_cols = 200;
    EXPECT_EQ(shared_x(f, "csr"), 256) << "those that fit";
}

TEST(BatchRules, ThreadsFollowTheMeanSystem) {
    const auto params = [](const BatchFeatures& f, const char* format) {
        Request request;
        request.format = format;
        return chosen(f, "sm_90", request).signature.params;
    };
    EXPECT_EQ(params(like(9, 1000, 40, 40), "csr").at("subwarp"), 16);
    EXPECT_EQ(params(like(9, 1000, 40, 40), "csr").at("block"), 256);
    EXPECT_EQ(params(like(9, 10, 3, 3), "csr").at("subwarp"), 1);
    EXPECT_EQ(params(like(9, 10, 3, 3), "csr").at("block"), 64);
    EXPECT_EQ(params(like(9, 16, 64, 64), "ell").at("groups"), 4);
    EXPECT_EQ(params(like(9, 1000, 64, 64), "ell").at("groups"), 1);
    Request fixed;
    fixed.kernel = "batch_csr";
    fixed.params = {{"subwarp", 4}, {"shared_x", 0}};
    const Signature s = chosen(like(9, 1000, 40, 40), "gfx906", fixed).signature;
    EXPECT_EQ(s.params.at("subwarp"), 4);
    EXPECT_EQ(s.params.at("shared_x"), 0);
}

TEST(BatchRules, TypesHoldTheWholeBatch) {
    EXPECT_EQ(chosen(like(1000, 1000, 40, 40), "sm_90").signature.offset, IndexType::i32);
    EXPECT_EQ(chosen(like(100000, 1000, 40, 40), "sm_90").signature.offset, IndexType::i64)
        << "4·10^9 entries";
    EXPECT_EQ(chosen(like(100000, 1000, 40, 40), "sm_90").signature.index, IndexType::i32)
        << "columns count within a system";
}

}  // namespace
}  // namespace spmvgen
