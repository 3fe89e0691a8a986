// Whatever the rules choose is in the list of what they may choose: kernel sets are made from it.
#include "tuner/rules/possible.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "matrix/features/batch_features.hpp"
#include "matrix/suites/gallery.hpp"
#include "spmvgen/error.hpp"
#include "tuner/rules/batch_rules.hpp"
#include "tuner/rules/matrix_rules.hpp"

namespace spmvgen {
namespace {

constexpr ValueType all_values[] = {ValueType::f32, ValueType::f64, ValueType::c32, ValueType::c64};

std::vector<Target> all_targets() {
    std::vector<Target> targets;
    for (auto& row : architectures()) {
        targets.push_back(parse_target(row.name));
        for (const int wavefront : row.gpu.wavefronts)
            if (wavefront != 0 && wavefront != targets.back().wavefront) {
                targets.push_back(targets.back());
                targets.back().wavefront = wavefront;
            }
    }
    return targets;
}

/// The names of what the rules may choose, listed once for each target, type and wish: listing
/// takes longer than all choices.
class Possible {
  public:
    const std::set<std::string>& of(const Request& request, ValueType value) {
        auto& names = known_[{to_string(request.target), value, request.deterministic,
                              request.batch, request.num_rhs, request.format}];
        if (names.empty())
            for (auto& s : request.batch ? possible_batch_choices(request, value)
                                         : possible_choices(request, value))
                names.insert(kernel_name(s));
        return names;
    }

  private:
    std::map<std::tuple<std::string, ValueType, bool, bool, int, std::string>,
             std::set<std::string>>
        known_;
};

Possible possible;

/// What reached the test: how many distinct kernels were chosen.
std::set<std::string> check(const std::vector<Features>& matrices, const std::string& format) {
    std::set<std::string> chosen;
    std::mt19937_64 random(7);
    for (Features f : matrices)
        for (auto& target : all_targets()) {
            f.value_type = all_values[random() % 4];
            Request request{.format = format, .target = target};
            request.threads = 1 << random() % 7;
            request.units = static_cast<int>(random() % 400);
            request.deterministic = random() % 2 == 0;
            request.num_rhs = random() % 4 == 0 ? 3 : 1;
            // What Chooser finds out of a matrix.
            const auto outlook = random() % 4;
            if (outlook == 1) request.strips = {1.0, 1.0, 1.0};
            if (outlook == 2 && !request.deterministic && request.num_rhs == 1)
                request.hubs = {hub_blocks(request, f.value_type).hubs, 0.5};
            const Choice choice = choose(f, request);
            const std::string name =
                kernel_name(for_any_matrix(choice.signature, {}, f.value_type));
            chosen.insert(name + "@" + to_string(target));
            EXPECT_TRUE(possible.of(request, f.value_type).contains(name))
                << to_string(choice.signature) << ": " << choice.reason;
            if (testing::Test::HasFailure()) return chosen;
        }
    return chosen;
}

std::vector<Features> gallery_features() {
    std::vector<Features> all;
    for (auto& entry : gallery()) {
        std::string specification(entry.name);
        char separator = ':';
        for (auto& [name, preset] : entry.params) {
            if (preset < 300) continue;  // not a size
            specification += separator + std::string(name) + "=" +
                             std::to_string(std::min<std::int64_t>(std::int64_t(preset), 300));
            separator = ',';
        }
        all.push_back(analyse(make_gallery_matrix(specification).view()));
    }
    return all;
}

/// A number with any order of magnitude.
double any_size(std::mt19937_64& random, double most) {
    return std::exp(std::uniform_real_distribution<double>(0, std::log(most))(random));
}

/// Features that no matrix need have: the rules must not rest on their belonging together.
Features random_features(std::mt19937_64& random) {
    Features f;
    f.rows = static_cast<std::int64_t>(any_size(random, 1e11));
    f.cols = static_cast<std::int64_t>(any_size(random, 1e11));
    f.mean_row = any_size(random, 1e7) - (random() % 2 == 0 ? 0.9 : 0);
    f.nnz = static_cast<std::int64_t>(f.mean_row * static_cast<double>(f.rows));
    f.min_row = static_cast<std::int64_t>(f.mean_row / any_size(random, 100));
    f.max_row = static_cast<std::int64_t>(f.mean_row * any_size(random, 1000));
    f.ell_padding = any_size(random, 100);
    for (std::size_t i = 0; i < 3; ++i) {
        f.sell_padding[i] = random() % 3 == 0 ? 1 : any_size(random, 10);
        f.sell_sorted_padding[i] = random() % 3 == 0 ? 1 : any_size(random, f.sell_padding[i] + 1);
    }
    for (auto& count : f.row_histogram)
        if (random() % 8 == 0) count = static_cast<std::int64_t>(any_size(random, 1e9));
    return f;
}

TEST(Possible, HoldsWhatIsChosenForTheGallery) {
    EXPECT_GE(check(gallery_features(), "auto").size(), 40u);
}

/// 600 times, and with $SPMVGEN_EVERY_ARCHITECTURE, as the long tests have it, 3000.
TEST(Possible, HoldsWhatIsChosenForRandomFeatures) {
    const std::size_t count = std::getenv("SPMVGEN_EVERY_ARCHITECTURE") != nullptr ? 3000 : 600;
    std::mt19937_64 random(1);
    std::vector<Features> matrices;
    while (matrices.size() < count) matrices.push_back(random_features(random));
    EXPECT_GE(check(matrices, "auto").size(), count);
}

TEST(Possible, HoldsWhatIsChosenWithinAFormat) {
    std::mt19937_64 random(2);
    std::vector<Features> matrices;
    for (int i = 0; i < 300; ++i) matrices.push_back(random_features(random));
    for (const char* format : {"csr", "coo", "ell", "sell"})
        EXPECT_GE(check(matrices, format).size(), 30u) << format;
}

TEST(Possible, HoldsWhatIsChosenAtTheEdges) {
    std::vector<Features> matrices{Features{}};  // empty
    const double means[] = {0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 4.5, 8, 16, 32, 40, 64, 256, 1e4, 1e9};
    const std::int64_t rows[] = {1, 2, 63, 4095, 4096, 39'999, 40'000, INT32_MAX, INT64_C(1) << 31};
    for (const double mean : means)
        for (const std::int64_t count : rows)
            for (const double padding : {1.0, 1.02, 1.1, 3.0}) {
                Features f;
                f.rows = f.cols = count;
                f.mean_row = mean;
                f.nnz = static_cast<std::int64_t>(mean * static_cast<double>(count));
                f.max_row = static_cast<std::int64_t>(std::ceil(mean));
                f.ell_padding = padding;
                f.sell_padding = {padding, padding, padding};
                f.sell_sorted_padding = {1, 1, 1};
                matrices.push_back(f);
                f.max_row = f.nnz;  // one row has all
                matrices.push_back(f);
            }
    EXPECT_GE(check(matrices, "auto").size(), 300u);
}

TEST(Possible, IsSmallEnoughToBeMade) {
    const auto count = [](const char* target, ValueType value) {
        return possible_choices({.target = parse_target(target)}, value).size();
    };
    // csr_rows, csr_vector (4, 8), csr_balanced and coo_segmented (1, 4, 8), sell (unsorted,
    // sorted): four pairs of index types; strips_cpu: unsorted and sorted, three limits of long
    // rows; all but csr_rows and coo_segmented with prefetch or not.
    EXPECT_EQ(count("x86-64-v4", ValueType::f64), 4u * (1 + 3 + 2 * (2 + 3 + 3 + 3 * 3)));
    EXPECT_EQ(count("x86-64-v2", ValueType::f64), 4u * (1 + 2 + 2 * (1 + 2 + 3 + 3 * 3)));
    // csr_classical: subwarp 1 … 32, the first with unroll 4 and 8; csr_load_balance: blocks of 128
    // and 256; csr_by_length: subwarp 2, 4, each with blocks for rows from 129 or 513 entries on;
    // coo; sell_slices, strips: lanes 1 with unroll 2, 4, 8, lanes 2 with 4, 8, lanes 4 … 32 with
    // 8, each unsorted and sorted, strips in two windows; tiles: runs of 1 … 4, with more entries a
    // lane, or in larger blocks, 32 … 256 sums staged; tiles_hubs: runs of 1 … 32, up to 128 sums;
    // ell_groups: 16 groups, 1 … 512 blocks a row.
    EXPECT_EQ(count("sm_90", ValueType::f64),
              4u * (7 + 2 + 4 + 1 + (2 + 3) * 9 + 5 * 4 + 6 * 3 + 10));
}

TEST(Possible, SaysWhichFormatsCannotBeListed) {
    for (const char* target : {"x86-64-v4", "sm_90"})
        for (const char* format : {"csr-k", "bcsr"}) try {
                possible_choices({.format = format, .target = parse_target(target)},
                                 ValueType::f64);
                ADD_FAILURE() << format;
            } catch (const Error& error) {
                EXPECT_EQ(error.code(), ErrorCode::unsupported);
                EXPECT_THAT(error.what(), testing::EndsWith("name the kernel and its parameters"));
            }
}

TEST(Possible, HoldsWhatIsChosenForBatches) {
    std::mt19937_64 random(3);
    std::set<std::string> chosen;
    for (int i = 0; i < 2000; ++i) {
        BatchFeatures f;
        f.systems = static_cast<std::int64_t>(any_size(random, 1e6)) - 1;
        f.max_rows = static_cast<std::int64_t>(any_size(random, 1e5));
        f.max_cols = static_cast<std::int64_t>(any_size(random, 1e5));
        f.rows = f.systems * f.max_rows;
        f.cols = f.systems * f.max_cols;
        f.nnz = static_cast<std::int64_t>(static_cast<double>(f.rows) * any_size(random, 100));
        f.ell_entries =
            static_cast<std::int64_t>(static_cast<double>(f.nnz) * any_size(random, 10));
        f.max_shared_cols = random() % 4 == 0 ? 0 : f.max_cols;
        f.value_type = all_values[random() % 4];
        for (auto& target : all_targets()) {
            const Request request{.target = target, .batch = true};
            const Choice choice = choose_batch(f, request);
            const std::string name = kernel_name(choice.signature);
            chosen.insert(name + "@" + to_string(target));
            ASSERT_TRUE(possible.of(request, f.value_type).contains(name))
                << to_string(choice.signature);
        }
    }
    EXPECT_GE(chosen.size(), 1000u);
}

TEST(Possible, ModesAreThoseThatHandlesAskFor) {
    EXPECT_EQ(handle_modes(TargetKind::host, false).size(), 6u);
    EXPECT_EQ(handle_modes(TargetKind::cuda, false).size(), 8u);
    EXPECT_EQ(handle_modes(TargetKind::hip, true).size(), 9u);
}

}  // namespace
}  // namespace spmvgen
