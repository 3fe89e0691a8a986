// The reference of epilogues must find what is wrong, and pass what rounding explains.
#include "verify/epilogue_check.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace spmvgen {
namespace {

const std::string program =
    "t = value * tau - c[row]; w[row] = w[row] + t; dot += t; most max= fabs(t); t > 0 ? t : 0";

/// A run of `program` over three rows that is right.
struct Right {
    std::vector<double> value{1, -2, 3}, y{1.5, 0, 7};
    EpilogueRun run() const {
        // tau, c, w, dot, most
        return {.type = ValueType::f64,
                .value = value,
                .y = y,
                .before = {{2}, {0.5, 1, -1}, {10, 20, 30}, {NAN}, {NAN}},
                .after = {{2}, {0.5, 1, -1}, {11.5, 15, 37}, {3.5}, {7}}};
    }
};

TEST(EpilogueCheck, PassesWhatIsRight) {
    const Right right;
    EXPECT_EQ(check_epilogue(program, right.run()), "");
    EpilogueRun rounded = right.run();
    rounded.after[2][2] *= 1 + 0x1p-52;
    EXPECT_EQ(check_epilogue(program, rounded), "");
}

TEST(EpilogueCheck, FindsEachWrongNumber) {
    Right right;
    right.y[0] = 1.5000001;
    EXPECT_EQ(check_epilogue(program, right.run()),
              "y[0] is 1.5000001, but the epilogue gives 1.5");
    right.y[0] = NAN;
    EXPECT_EQ(check_epilogue(program, right.run()), "y[0] is nan, but the epilogue gives 1.5");
    right.y[0] = 1.5;
    EpilogueRun run = right.run();
    run.after[2][1] = 16;
    EXPECT_EQ(check_epilogue(program, run), "w[1] is 16, but the epilogue gives 15");
    run = right.run();
    run.after[3][0] = 8.5;
    EXPECT_EQ(check_epilogue(program, run), "dot is 8.5, but the epilogue gives 3.5");
    run = right.run();
    run.after[4][0] = 5;
    EXPECT_EQ(check_epilogue(program, run), "most is 5, but the epilogue gives 7");
}

TEST(EpilogueCheck, LeavesOutWhatRoundingDecides) {
    const std::vector<double> value{0.1}, y{5};
    const EpilogueRun run{
        .type = ValueType::f64, .value = value, .y = y, .before = {}, .after = {}};
    // 3 · 0.1 is not 0.3, by less than its rounding.
    EXPECT_EQ(check_epilogue("value * 3 > 0.3 ? 5 : 6", run), "");
    EXPECT_EQ(check_epilogue("value * 3 > 0.31 ? 5 : 6", run),
              "y[0] is 5, but the epilogue gives 6");
}

TEST(EpilogueCheck, ComputesAsTheLanguageDoes) {
    const auto gives = [](const std::string& expression) {
        const std::vector<double> value{1, 1, 1, 7}, y{NAN, NAN, NAN, NAN};
        std::string text = check_epilogue(
            expression,
            {.type = ValueType::f64, .value = value, .y = y, .before = {}, .after = {}});
        return text.substr(text.rfind(' ') + 1);
    };
    EXPECT_EQ(gives("1 / 2 + 5 % 3 + row"), "2");
    EXPECT_EQ(gives("1 / 2. - -value * 2"), "2.5");
    EXPECT_EQ(gives("2 + 3 * 4 < 15 && !(value != 1) || value > 8 ? sqrt(16) : fmin(1, 2)"), "4");
    EXPECT_EQ(gives("value == 1 ? value >= 1 ? 3 : 4 : 5"), "3");
}

TEST(EpilogueCheck, SaysWhatItDoesNotKnow) {
    EXPECT_EQ(why_not_checkable("value + 1"), "");
    EXPECT_EQ(why_not_checkable("erf(value)"), "the reference knows no 'erf'");
    EXPECT_EQ(why_not_checkable("value & 1"), "the reference knows no '&' here");
    EXPECT_EQ(why_not_checkable("value % 2"),
              "the reference knows no % of numbers that are not whole");
    EXPECT_EQ(why_not_checkable("value +"), "the reference knows no expression that ends here");
}

}  // namespace
}  // namespace spmvgen
