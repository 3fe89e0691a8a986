// A batch's applies allocate nothing. In a program of its own: operator new is replaced.
#include <gtest/gtest.h>

#include "counting_new.hpp"
#include "spmvgen/batch.hpp"

namespace spmvgen {
namespace {

TEST(BatchAllocations, AppliesAllocateNothing) {
    const std::vector<std::int32_t> a_ptr{0, 2, 3}, a_col{0, 1, 2}, b_ptr{0, 1, 1, 2}, b_col{0, 0};
    const std::vector<double> a{1, 2, 3}, b{7, 8}, x{1, 10, 100, 2};
    const std::vector<CsrView> systems{csr_view(2, 3, a_ptr.data(), a_col.data(), a.data()),
                                       csr_view(3, 1, b_ptr.data(), b_col.data(), b.data())};
    for (const char* format : {"csr", "coo", "ell"}) {
        Options o;
        o.cache = CacheMode::memory;
        o.strict = true;
        o.format = format;
        o.threads = 2;
        o.all_threads = true;
        const BatchHandle handle(systems, o);
        std::vector<double> y(5, 1);
        handle.prepare(Scale::general, Scale::general);
        handle.apply(2.0, x.data(), 3.0, y.data());
        const int before = allocations_so_far();
        handle.apply(2.0, x.data(), 3.0, y.data());
        handle.apply(1.0, x.data(), 0.0, y.data());
        EXPECT_EQ(allocations_so_far(), before) << format;
        EXPECT_EQ(y, (std::vector<double>{21, 300, 14, 0, 16}));
    }
}

}  // namespace
}  // namespace spmvgen
