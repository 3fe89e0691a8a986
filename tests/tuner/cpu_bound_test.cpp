// What is known of a kernel's time on a CPU before it is laid out, and what it spares.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "matrix/csr_matrix.hpp"
#include "matrix/suites/gallery.hpp"
#include "tuner/chooser/chooser.hpp"
#include "tuner/chooser/counted_choice.hpp"
#include "tuner/cost/figures/figures.hpp"
#include "tuner/cost/predict.hpp"

namespace spmvgen {
namespace {

constexpr int bound_team = 2;

/// The choice for two threads of the CPU whose profile ships.
class CpuChoice {
  public:
    explicit CpuChoice(const std::string& spec) : matrix_(make_gallery_matrix(spec)) {}

    std::vector<CountedChoice::Candidate> better() {
        return counted_.better(request_, rules_.signature, *rules());
    }
    std::vector<CountedChoice::Candidate> ranked() { return counted_.ranked(request_); }
    /// What is taken in place of the rules' kernel.
    std::string taken(const std::vector<CountedChoice::Candidate>& candidates) {
        for (auto& c : candidates)
            if (c.prediction.bad_us() <
                counted_.limit_us(c.kernel, rules_.signature.kernel, *rules()))
                return c.kernel + testing::PrintToString(c.params);
        return "the rules' kernel";
    }

  private:
    std::optional<Prediction> rules() { return counted_.predict(rules_.signature); }

    const CsrMatrix matrix_;
    const RowFeatures rows_ = analyse_row_lengths(matrix_.view());
    const DeviceProfile& profile_ = *find_device_profile("x86-64-v4");
    Request request_{.target = parse_target("x86-64-v4"), .threads = bound_team};
    Chooser chooser_{matrix_.view(), rows_};
    const Choice rules_ = chooser_.sampled(request_);
    CountedChoice counted_{matrix_.view(),   rows_,   profile_, bound_team,
                           *cpu_constants(), nullptr, chooser_};
};

std::ptrdiff_t laid_out(const std::vector<CountedChoice::Candidate>& candidates) {
    return std::ranges::count(candidates, "strips_cpu", &CountedChoice::Candidate::kernel);
}

TEST(CpuBound, StripsThatSurelyLoseAreNotLaidOut) {
    CpuChoice random("random:rows=8000,cols=8000,per_row=6");
    EXPECT_GT(laid_out(random.ranked()), 0);
    EXPECT_EQ(laid_out(random.better()), 0);
    CpuChoice grid("stencil5:nx=120,ny=120");
    EXPECT_GT(laid_out(grid.better()), 0) << "columns of neighbouring rows are neighbours";
}

TEST(CpuBound, KernelsThatAreCountedAlikeAreWeighedOnce) {
    CpuChoice random("random:rows=8000,cols=8000,per_row=6");
    const auto all = random.ranked();
    EXPECT_EQ(std::ranges::count(all, "csr_k_rows", &CountedChoice::Candidate::kernel), 0);
    EXPECT_GT(std::ranges::count(all, "csr_vector", &CountedChoice::Candidate::kernel), 0);
}

class CpuBoundOf : public testing::TestWithParam<int> {};

TEST_P(CpuBoundOf, DoesNotChangeWhatIsFound) {
    CpuChoice choice(fmt::format("random:seed={},max_nnz=100000", GetParam()));
    const auto pruned = choice.better(), all = choice.ranked();
    EXPECT_LE(pruned.size(), all.size());
    EXPECT_EQ(choice.taken(pruned), choice.taken(all));
}

INSTANTIATE_TEST_SUITE_P(Seeds, CpuBoundOf, testing::Range(600, 616));

TEST(CpuDiagonals, HeadsAreEntriesWithoutOneBeforeThem) {
    const CsrMatrix diagonal = make_gallery_matrix("stencil5:nx=100,ny=1");
    EXPECT_LT(heads_of_diagonals(diagonal.view(), 1, 1), 0.02);
    EXPECT_GT(heads_of_diagonals(diagonal.view(), 1, 0), 0.3) << "below each other";
    EXPECT_TRUE(has_rising_rows(diagonal.view()));
    const CsrMatrix random = make_gallery_matrix("random:rows=8000,cols=8000,per_row=6");
    EXPECT_GT(heads_of_diagonals(random.view(), 1, 1), 0.95);
}

}  // namespace
}  // namespace spmvgen
