// Diagonals on CPUs: the work of dia_cpu by hand, and what a sample may miss.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "matrix/features/features.hpp"
#include "matrix/random.hpp"
#include "tuner/chooser/chooser.hpp"
#include "tuner/plan/kernel_plan.hpp"
#include "tuner/records/signature_name.hpp"

namespace spmvgen {
namespace {

/// One diagonal of 4096 rows that moves one column to the right after each `rows` rows: steps of
/// its work, `lanes` rows at a time.
double steps_of_pieces(int rows, int lanes) {
    constexpr int height = 4096;
    std::vector<int> offsets, columns;
    for (int row = 0; row < height; ++row) {
        offsets.push_back(row);
        columns.push_back(row + row / rows);
    }
    offsets.push_back(height);
    const std::vector<double> values(height, 1.5);
    const CsrView matrix{height,         2 * height,     height,
                         IndexType::i32, IndexType::i32, ValueType::f64,
                         offsets.data(), columns.data(), values.data()};
    const RowFeatures features = analyse_row_lengths(matrix);
    MatrixFigures figures(matrix, features);
    const auto work = cpu_work(
        figures,
        *parse_kernel_name(fmt::format("dia_cpu_f64_i32_o32_a1_b0_k1_lanes{}_tile512", lanes),
                           parse_target("x86-64-v4")),
        1);
    EXPECT_TRUE(work);
    return work ? work->steps : 0;
}

TEST(CpuWorkOfDiagonals, RowsThatAreLeftOverFollowOneByOne) {
    constexpr double nnz = 4096, lane = 8;
    const auto by_hand = [&](double heads, double left_over) {
        const double pieces = heads + (nnz - heads) / 512;
        return 2 * (nnz - heads * left_over) / lane + heads * left_over + pieces;
    };
    EXPECT_DOUBLE_EQ(steps_of_pieces(4, 16), by_hand(1024, nnz / (1024 + 3072.0 / 512)))
        << "no piece has 16 rows: all of them";
    EXPECT_DOUBLE_EQ(steps_of_pieces(64, 16), by_hand(64, 7.5)) << "half of what 16 may leave";
}

/// Pieces of five diagonals, of 40 rows each: in those rows that `has_diagonals` names; others have
/// as many entries anywhere.
struct CutDiagonals {
    template <typename Rows>
    explicit CutDiagonals(const Rows& has_diagonals) {
        const generators::Random random(0, generators::Purpose::column);
        for (std::int32_t row = 0; row < rows; ++row) {
            std::set<std::int32_t> own;
            for (std::int32_t d = 0; d < 5; ++d)
                if (random.below(2, row / 40, d) == 1) own.insert(row + 100 * d);
            const std::int64_t length = std::ssize(own);
            if (!has_diagonals(row)) own.clear();
            for (std::int64_t k = 0; std::ssize(own) < length; ++k)
                own.insert(static_cast<std::int32_t>(random.below(cols, rows + row, k)));
            offsets.push_back(static_cast<std::int32_t>(columns.size()));
            columns.insert(columns.end(), own.begin(), own.end());
        }
        offsets.push_back(static_cast<std::int32_t>(columns.size()));
        for (std::size_t k = 0; k < columns.size(); ++k) values.push_back(random.unit(0, k));
    }
    CsrView view() const {
        return {rows,           cols,           std::ssize(columns), IndexType::i32, IndexType::i32,
                ValueType::f64, offsets.data(), columns.data(),      values.data()};
    }
    static constexpr std::int32_t rows = 3800, cols = rows + 500;
    std::vector<std::int32_t> offsets, columns;
    std::vector<double> values;
};

/// What loads x singly is slow.
DeviceProfile slow_gathers() {
    DeviceProfile profile;
    profile.device = "slow gathers";
    profile.launch_us.value = 2;
    profile.read.push_back({.threads = 1, .bytes = 1e6, .per_s = 2e10});
    for (const double bytes : {32768.0, 1e8})
        profile.gather.push_back({.threads = 1, .bytes = bytes, .per_s = 1e8});
    return profile;
}

TEST(CpuDiagonals, AreLookedForBeyondTheSample) {
    // A sample's rows depend on lengths alone, which are the same for all of these.
    const CutDiagonals whole([](std::int32_t) { return true; });
    const RowFeatures features = analyse_row_lengths(whole.view());
    std::vector<std::int32_t> rows;  // of each entry
    for (std::int32_t row = 0; row < CutDiagonals::rows; ++row)
        rows.resize(static_cast<std::size_t>(whole.view().row_begin(row + 1)), row);
    CsrView marked = whole.view();
    marked.col_idx = rows.data();
    const SampledRows sample = SampledRows::of_choice(marked, host_sample);
    const auto* const found = sample.view().col_idx_as<std::int32_t>();
    const std::set<std::int32_t> sampled(found, found + sample.view().nnz);
    ASSERT_LT(std::ssize(sampled), 2 * CutDiagonals::rows / 3);
    const CutDiagonals cut([&](std::int32_t row) { return sampled.contains(row); });

    const SampledRows of_whole = SampledRows::of_choice(whole.view(), host_sample);
    EXPECT_FALSE(
        MatrixFigures(whole.view(), features, of_whole, 1, CountedFor::cpu).has_more_heads());
    const SampledRows of_some = SampledRows::of_choice(cut.view(), host_sample);
    MatrixFigures of_cut(cut.view(), features, of_some, 1, CountedFor::cpu);
    EXPECT_LT(of_cut.diagonal_heads(), 0.05);
    EXPECT_TRUE(of_cut.has_more_heads());
    EXPECT_GT(of_cut.diagonal_heads(), 0.3);

    const DeviceProfile profile = slow_gathers();
    Request request{.target = parse_target("x86-64-v4"), .threads = 1};
    request.profile = &profile;
    EXPECT_EQ(choose_for(whole.view(), features, request, 1).signature.kernel, "dia_cpu");
    Request of_sample = request;
    EXPECT_EQ(Chooser(cut.view(), features, 1).sampled(of_sample).signature.kernel, "dia_cpu");
    EXPECT_NE(choose_for(cut.view(), features, request, 1).signature.kernel, "dia_cpu");
}

}  // namespace
}  // namespace spmvgen
