// Which matrices are stored in blocks, and as what.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chosen.hpp"
#include "matrix/suites/gallery.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;

TEST(Chooser, BlocksOfFiniteElementsAreFound) {
    Request request = request_for("sm_90");
    request.kernel = "strips";
    // As many blocks as fill a GPU.
    const CsrMatrix fem = with_random_values(make_gallery_matrix("fem:nx=400,ny=400"));
    const Chosen blocked = chosen(fem, request);
    EXPECT_EQ(blocked.param("block_rows"), blocked.param("block_cols"));
    EXPECT_EQ(blocked.param("block_rows"), 3) << blocked.choice.reason;
}

TEST(Chooser, BlocksThatACpusCachesHoldStayBlocks) {
    const auto small = [](const char* spec) {
        return chosen(with_random_values(make_gallery_matrix(spec)), request_for("x86-64-v4"));
    };
    const Chosen elements = small("fem:nx=20,ny=20,dofs=4");
    EXPECT_EQ(elements.kernel(), "bcsr") << elements.choice.reason;
    EXPECT_GE(elements.param("block_rows") * elements.param("block_cols"), 4);
    EXPECT_THAT(elements.choice.reason, HasSubstr(" MB of entries a thread in blocks: bcsr"));
    EXPECT_NE(small("fem_tri:nx=40,ny=40").kernel(), "bcsr") << "no blocks";
    EXPECT_EQ(small("fem:nx=220,ny=220,dofs=4").kernel(), "strips_cpu") << "more than caches hold";
    Request few_applies = request_for("x86-64-v4");
    few_applies.look = false;
    EXPECT_NE(chosen(make_gallery_matrix("fem:nx=20,ny=20,dofs=4"), few_applies).kernel(), "bcsr");
}

TEST(Chooser, WhereGathersAreSlowLargeBlocksStayBlocksAndStripsOfThemHaveFewLanes) {
    const auto on = [](const char* target, const CsrMatrix& matrix) {
        return chosen(matrix, request_for(target));
    };
    const auto made = [](const char* spec) {
        return with_random_values(make_gallery_matrix(spec));
    };
    const char* const intel = "x86-64-v4:tune=sapphirerapids";
    const char* const amd = "x86-64-v4:tune=znver5";
    const CsrMatrix fours = made("fem:nx=220,ny=220,dofs=4");
    EXPECT_EQ(on(intel, fours).kernel(), "strips_cpu");
    EXPECT_EQ(on(amd, fours).kernel(), "bcsr");
    const CsrMatrix threes = made("fem:nx=220,ny=220");
    for (const char* target : {intel, amd}) {
        const Chosen blocked = on(target, threes);
        ASSERT_EQ(blocked.kernel(), "strips_cpu") << blocked.choice.reason;
        ASSERT_EQ(blocked.param("block_rows"), 3) << blocked.choice.reason;
        EXPECT_EQ(blocked.param("lanes"), target == intel ? 16 : 8);
    }
    EXPECT_EQ(on(amd, made("stencil5:nx=60,ny=60")).param("lanes"), 16) << "no blocks";
}

TEST(Chooser, BlocksWithMuchFillPayOnlyInACoresCaches) {
    const CsrMatrix matrix = with_random_values(make_gallery_matrix("fem:nx=9,ny=9"));
    Request request = request_for("x86-64-v4");
    request.blocks = BlockChoice{.rows = 4, .cols = 2, .fill = 2};
    const auto kernel_of = [&](std::int64_t nnz) {
        RowFeatures f = analyse_row_lengths(matrix.view());
        f.nnz = nnz;
        return choose(f, request).signature.kernel;
    };
    EXPECT_EQ(kernel_of(matrix.nnz), "bcsr");
    EXPECT_NE(kernel_of(1'000'000), "bcsr") << "bytes decide";
    request.blocks->fill = 2.2;
    EXPECT_NE(kernel_of(matrix.nnz), "bcsr");
    request.blocks = BlockChoice{.rows = 2, .cols = 2, .fill = 1.8};
    EXPECT_NE(kernel_of(matrix.nnz), "bcsr") << "small blocks";
}

TEST(Chooser, FewBlockRowsOnAGpuHaveSeveralLanesEach) {
    const CsrMatrix elements = with_random_values(make_gallery_matrix("fem:nx=120,ny=120"));
    const Chosen few = chosen(elements, request_for("sm_90"));
    EXPECT_EQ(few.kernel(), "bcsr_fused") << few.choice.reason;
    EXPECT_GT(few.param("block_rows") * few.param("block_cols"), 1);
    EXPECT_GT(few.param("subwarp"), 1);
    EXPECT_THAT(few.choice.reason, HasSubstr(" blocks, 43200 rows: bcsr_fused"));
    Request coded = request_for("sm_90");
    coded.strips = {5.0 * static_cast<double>(elements.nnz), 1, 1};
    EXPECT_EQ(chosen(elements, coded).kernel(), "strips") << "as codes of values would have it";
}

}  // namespace
}  // namespace spmvgen
