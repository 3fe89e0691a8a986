// An apply through the C interface allocates nothing. The generic kernel serves, so that no LLVM is
// loaded, which would meet this program's operator new.
#include <gtest/gtest.h>

#include "../handle/counting_new.hpp"
#include "c_fixture.hpp"

namespace spmvgen {
namespace {

TEST(CAllocations, AnApplyMakesNone) {
    const Tiny tiny;
    const spmvgen_matrix matrix = tiny.view();
    spmvgen_handle* handle = nullptr;
    ASSERT_EQ(told(spmvgen_create(&matrix, COptions{{"cache", "off"}, {"threads", "1"}}, &handle)),
              "ok");
    const double x[] = {10, 20}, one = 1, zero = 0;
    double y[3];
    const auto apply = [&] {
        return spmvgen_apply(handle, SPMVGEN_F64, &one, x, &zero, y, nullptr);
    };
    ASSERT_EQ(told(apply()), "ok");
    const int before = allocations_so_far();
    ASSERT_GT(before, 0);
    for (int i = 0; i < 100; ++i)
        if (apply() != SPMVGEN_OK) break;
    EXPECT_EQ(allocations_so_far(), before);
    EXPECT_EQ(y[1], 60);
    spmvgen_destroy(handle);
}

}  // namespace
}  // namespace spmvgen
