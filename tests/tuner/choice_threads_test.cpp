// Choices that many threads keep and look for, in two memories over one file, as two processes
// have.
#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <thread>
#include <vector>

#include "../store/samples.hpp"
#include "matrix/features/features.hpp"
#include "matrix/suites/gallery.hpp"
#include "tuner/recall/choice_memory.hpp"
#include "tuner/rules/choose.hpp"

namespace spmvgen {
namespace {

/// ThreadSanitizer does not know libgomp's barriers, so no team makes the matrix.
const bool no_teams = (omp_set_num_threads(1), true);

constexpr int threads = 8, choices_of_each = 200;  // more bytes than the file is left with

ChoiceKey key_of(int number) {
    const auto bits = static_cast<std::uint64_t>(number);
    return {{bits, ~bits}};
}

/// The choice that is kept for a number, which its prediction and its order have.
class NumberedChoices {
  public:
    void keep(ChoiceMemory& memory, int number) const {
        KnownChoice known = known_;
        known.prediction = Prediction{number + 1.0, 0.5};
        memory.keep(key_of(number), known);
        memory.note_order(key_of(number), {true, number + 2.0, number + 3.0, "clusters"});
    }
    std::optional<KnownChoice> find(ChoiceMemory& memory, int number) const {
        return memory.find(key_of(number), known_.choice.signature.target);
    }
    bool is_of(const KnownChoice& found, int number) const {
        return found.choice.signature == known_.choice.signature && found.prediction &&
               found.prediction->us == number + 1.0 &&
               (!found.order || found.order->us == number + 2.0);
    }

  private:
    const KnownChoice known_{
        choose(analyse_row_lengths(make_gallery_matrix("stencil5:nx=40,ny=40").view()),
               Request{.kernel = "csr_classical", .target = parse_target("sm_90")})};
};

TEST(ChoiceThreads, EachFindsWhatWasKeptUnderItsKey) {
    const TemporaryDirectory directory;
    const auto file = [&] {
        return SharedLines({directory.path().string(), true}, choices_name, true);
    };
    const NumberedChoices numbered;
    ChoiceMemory one(file()), other(file());
    std::atomic<int> wrong = 0;
    std::vector<std::jthread> team;
    for (int t = 0; t < threads; ++t)
        team.emplace_back([&, t] {
            ChoiceMemory& memory = t % 2 == 0 ? one : other;
            for (int i = 0; i < choices_of_each; ++i) {
                const int number = t * choices_of_each + i;
                numbered.keep(memory, number);
                const auto found = numbered.find(memory, number);
                wrong += !found || !found->order || !numbered.is_of(*found, number);
            }
        });
    team.clear();
    EXPECT_EQ(wrong, 0);
    ChoiceMemory third(file());
    int known = 0;
    for (int number = 0; number < threads * choices_of_each; ++number)
        if (const auto found = numbered.find(third, number)) {
            ++known;
            EXPECT_TRUE(numbered.is_of(*found, number)) << number;
        }
    EXPECT_GT(known, 0);
    EXPECT_LT(known, threads * choices_of_each) << "the file was cut";
}

}  // namespace
}  // namespace spmvgen
