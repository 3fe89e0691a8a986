#include "handle/plan/kernel_makers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <limits>
#include <stdexcept>

#include "registry.hpp"

namespace spmvgen {
namespace {

constexpr double no_end = std::numeric_limits<double>::infinity();

Choice choice_of(const char* kernel) {
    Choice choice;
    choice.signature.kernel = kernel;
    choice.signature.target = parse_target("sm_90");
    choice.signature = complete(choice.signature);
    return choice;
}

/// Makers of csr_classical, which is made when it is let, and of csr_light, at once.
struct KernelMaking : testing::Test {
    const Choice slow = choice_of("csr_classical"), quick = choice_of("csr_light");
    std::promise<void> let;
    std::shared_future<void> is_let{let.get_future()};
    std::atomic<int> made = 0;
    double now_ms = 0;

    std::vector<KernelMakers::Piece> pieces_of(const Signature& s) {
        const auto make = [this, waits = s.kernel == slow.signature.kernel] {
            if (waits) is_let.wait();
            ++made;
        };
        return {make, make};
    }
    KernelMakers makers(int threads, bool beside) {
        return KernelMakers({threads, beside, [this] { return now_ms; }},
                            [this](const Signature& s) { return pieces_of(s); });
    }
};

TEST_F(KernelMaking, WhatIsMadeFirstIsToldFirst) {
    KernelMakers all = makers(4, true);
    const std::vector<Choice> choices{slow, quick};
    for (auto& choice : choices) all.begin(choice, 0, no_end);
    EXPECT_EQ(all.wait_for_one(choices), 1u);
    let.set_value();
    EXPECT_EQ(all.wait_for_one(std::vector{slow}), 0u);
    EXPECT_EQ(made, 4) << "two pieces each";
}

TEST_F(KernelMaking, NothingIsStillBeingMadeWhereThatDisturbsTrials) {
    KernelMakers all = makers(4, false);
    const std::vector<Choice> choices{quick, slow};
    for (auto& choice : choices) all.begin(choice, 0, no_end);
    let.set_value();
    EXPECT_EQ(all.wait_for_one(choices), 0u);
    EXPECT_EQ(made, 4);
}

TEST_F(KernelMaking, EachIsMadeOnce) {
    KernelMakers all = makers(2, true);
    for (int i = 0; i < 3; ++i) all.begin(quick, 0, no_end);
    all.wait_for_all();
    EXPECT_EQ(made, 2);
}

TEST_F(KernelMaking, NothingIsBegunThatWouldEndTooLate) {
    now_ms = 100;
    KernelMakers all = makers(1, true);
    all.begin(quick, 51, 150);
    EXPECT_EQ(all.wait_for_one(std::vector{quick}), 0u) << "it will not be made";
    EXPECT_EQ(made, 0);
}

TEST_F(KernelMaking, WhatTookLongerThanExpectedIsExpectedOfTheNext) {
    std::vector<std::string> order;
    KernelMakers all({1, true, [&] { return now_ms; }},
                     [&](const Signature& s) -> std::vector<KernelMakers::Piece> {
                         return {[&, kernel = s.kernel] {
                             order.push_back(kernel);
                             now_ms += 60;
                         }};
                     });
    all.begin(slow, 20, 150);
    all.wait_for_all();
    all.begin(quick, 31, 150);  // 60 + 3 * 31 ms
    all.wait_for_all();
    EXPECT_EQ(order, std::vector<std::string>{"csr_classical"});
}

TEST_F(KernelMaking, WhatHasNotBegunIsForgottenAtTheEnd) {
    {
        KernelMakers all = makers(1, true);
        all.begin(slow, 0, no_end);
        all.begin(quick, 0, no_end);
        let.set_value();
    }
    EXPECT_LE(made, 4);
}

TEST_F(KernelMaking, AFailureIsNoMoreThanAKernelThatIsNotThere) {
    KernelMakers all({1, true, [] { return 0.0; }},
                     [](const Signature&) -> std::vector<KernelMakers::Piece> {
                         return {[] { throw std::runtime_error("no compiler"); }};
                     });
    all.begin(quick, 0, no_end);
    EXPECT_EQ(all.wait_for_one(std::vector{quick}), 0u);
}

}  // namespace
}  // namespace spmvgen
