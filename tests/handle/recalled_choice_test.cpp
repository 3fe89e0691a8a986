// Handles of matrices whose structure a handle was made for before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../store/samples.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "handle/kernels/kernel_sources.hpp"
#include "handle/plan/planning.hpp"
#include "matrix/suites/gallery.hpp"
#include "verify/reference.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A provider of each test, as another process would have it, over one cache directory.
class RecalledChoice : public testing::Test {
  protected:
    void SetUp() override {
        options_.cache_dir = (temporary_.path() / "cache").string();
        options_.threads = 1;
        if (profile_to_predict(parse_target("native"), nullptr) == nullptr)
            GTEST_SKIP() << "no profile of this CPU, so no time is predicted";
    }
    /// Makes a handle of the matrix with other values, checks its product, and tells of it.
    Info made(KernelProvider& provider, const Options& options, double factor = 1) {
        CsrMatrix matrix = make_gallery_matrix("stencil5:nx=80,ny=80");
        auto* values = static_cast<double*>(matrix.values.data());
        for (std::int64_t i = 0; i < matrix.nnz; ++i) values[i] *= factor * static_cast<double>(i);
        const std::vector<double> x(static_cast<std::size_t>(matrix.cols), 0.5);
        std::vector<double> y(static_cast<std::size_t>(matrix.rows));
        const Handle handle = make_handle(matrix.view(), options, provider);
        handle.apply(1.0, x.data(), 0.0, y.data());
        const double one = 1, zero = 0;
        const CheckResult found =
            check_product(matrix.view(), {&one, x.data(), &zero, nullptr, y.data()});
        EXPECT_TRUE(found.passed) << found.message;
        return handle.info();
    }

    TemporaryDirectory temporary_;
    Options options_;
};

TEST_F(RecalledChoice, IsThatOfTheFirstHandleInThisProcessAndInOthers) {
    KernelProvider here(default_kernel_sources()), other(default_kernel_sources());
    const Info first = made(here, options_);
    EXPECT_THAT(first.reason, Not(HasSubstr("recalled")));
    for (KernelProvider* provider : {&here, &other}) {
        const Info again = made(*provider, options_, 3);
        EXPECT_THAT(again.reason, HasSubstr("; recalled"));
        EXPECT_EQ(again.kernel, first.kernel);
        EXPECT_EQ(again.threads, first.threads);
        EXPECT_GT(again.predicted_us, 0);
        EXPECT_EQ(again.profile.empty(), first.profile.empty());
    }
}

TEST_F(RecalledChoice, IsMadeAnewWhereThatIsAskedFor) {
    KernelProvider here(default_kernel_sources());
    Options anew = options_, same_bits = options_;
    anew.choose_anew = true;
    same_bits.deterministic = true;
    for (const Options& options : {anew, same_bits, anew, same_bits})
        EXPECT_THAT(made(here, options).reason, Not(HasSubstr("recalled")));
    EXPECT_THAT(made(here, options_).reason, Not(HasSubstr("recalled")));
    EXPECT_THAT(made(here, options_).reason, HasSubstr("; recalled"));
}

TEST_F(RecalledChoice, IsKeptInMemoryAloneWhereTheCacheIs) {
    KernelProvider here(default_kernel_sources()), other(default_kernel_sources());
    options_.cache = CacheMode::memory;
    (void)made(here, options_);
    EXPECT_THAT(made(here, options_).reason, HasSubstr("; recalled"));
    EXPECT_THAT(made(other, options_).reason, Not(HasSubstr("recalled")));
    EXPECT_FALSE(std::filesystem::exists(options_.cache_dir));
}

TEST_F(RecalledChoice, IsReadAndNotWrittenWhereTheCacheIs) {
    KernelProvider here(default_kernel_sources()), other(default_kernel_sources());
    (void)made(here, options_);
    const auto file = std::filesystem::path(options_.cache_dir) / choices_name;
    const std::string kept = read_file(file);
    EXPECT_NE(kept, "");
    options_.cache = CacheMode::readonly;
    EXPECT_THAT(made(other, options_).reason, HasSubstr("; recalled"));
    EXPECT_EQ(read_file(file), kept);
}

}  // namespace
}  // namespace spmvgen
