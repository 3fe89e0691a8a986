// What tuning_db/records-*.json.gz hold, and that the library finds them beside itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>

#include "tuner/records/matrix_print.hpp"
#include "tuner/records/tuning_db.hpp"

namespace spmvgen {
namespace {

using testing::IsEmpty;

TEST(RecordFiles, WhatIsShippedIsSound) {
    std::vector<std::string> warnings;
    const auto found = read_record_files(tuning_files("records-"), warnings);
    const auto raw = read_record_files(tuning_files_of(SPMVGEN_SHIPPED, "records-"), warnings);
    EXPECT_THAT(warnings, IsEmpty());
    EXPECT_GT(found.size(), 100u);
    EXPECT_EQ(found.size(), raw.size());
}

/// How much slower one kernel is than another, over matrices.
struct Ratios {
    int matrices = 0;
    double logarithms = 0, worst = 1;
    void add(double ratio) {
        ++matrices;
        logarithms += std::log(ratio);
        worst = std::max(worst, ratio);
    }
    double mean() const { return std::exp(logarithms / std::max(matrices, 1)); }
};

/// Nothing where other work disturbed the measurement.
std::optional<double> time_of(const TuningRecord& r, const std::string& kernel) {
    const auto timed = std::ranges::find(r.kernels, kernel, &TimedKernel::kernel);
    if (timed == r.kernels.end() || timed->high_us > 1.5 * timed->low_us) return {};
    return timed->us;
}

/// What became of one matrix that was looked up among the others.
struct Neighbour {
    double distance = 1e9;
    double ratio = 1;       ///< time of the nearest one's kernel over the best one's
    double rule_ratio = 1;  ///< of the rule's kernel
};

std::optional<Neighbour> neighbour_of(const TuningRecord& r, std::span<const SourcedRecord> all) {
    Neighbour n;
    const TuningRecord* nearest = nullptr;
    for (auto& [other, file] : all) {
        if (other.device != r.device || other.question != r.question) continue;
        if (matrix_print(other.features) == matrix_print(r.features)) continue;
        const double apart = distance(r.features, other.features);
        if (apart >= n.distance) continue;
        n.distance = apart;
        nearest = &other;
    }
    const auto rule = time_of(r, r.rule);
    if (nearest == nullptr || !rule) return {};
    double best = *rule;
    for (auto& kernel : r.kernels) best = std::min(best, time_of(r, kernel.kernel).value_or(best));
    n.rule_ratio = *rule / best;
    const bool blocks = alike_blocks(r.features, nearest->features);
    for (auto& kernel : nearest->kernels) {
        const auto us = time_of(r, kernel.kernel);
        if (!us || (kernel.kernel.starts_with("bcsr") && !blocks)) continue;
        n.ratio = *us / best;
        return n;
    }
    return {};
}

// What most_distance rests on (docs/how-to/tune.md).
class Shipped : public testing::TestWithParam<std::string> {};

TEST_P(Shipped, TheKernelOfAMatrixThatIsAlikeIsBetterThanTheRules) {
    std::vector<std::string> warnings;
    auto all = read_record_files(tuning_files_of(SPMVGEN_SHIPPED, GetParam()), warnings);
    // Others did not look for the best.
    std::erase_if(all, [](const SourcedRecord& s) { return s.record.method != "exhaustive"; });
    std::vector<Neighbour> neighbours;
    for (auto& source : all)
        if (const auto n = neighbour_of(source.record, all)) neighbours.push_back(*n);
    std::printf("%zu matrices; over the best: the nearest one's kernel, the rule's (worst)\n",
                all.size());
    for (const double limit : {0.1, 0.15, most_distance, 0.25, 0.3, 0.5, 0.8, 1e9}) {
        Ratios alike, rule;
        for (auto& n : neighbours) {
            if (n.distance > limit) continue;
            alike.add(n.ratio);
            rule.add(n.rule_ratio);
        }
        std::printf("| %.3g | %d | %.3f, %.2f | %.3f, %.2f |\n", limit, alike.matrices,
                    alike.mean(), alike.worst, rule.mean(), rule.worst);
        if (limit != most_distance) continue;
        EXPECT_LE(alike.mean(), rule.mean());
        EXPECT_LE(alike.worst, 1.25);
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, Shipped,
                         testing::Values("records-nvidia-h200-f64", "records-x86-64-v4"),
                         [](auto& device) {
                             std::string name = device.param;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace spmvgen
