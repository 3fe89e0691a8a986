#include <gtest/gtest.h>

#include "template_case.hpp"

namespace spmvgen::specializer {
namespace {

TEST(Constants, KeepTheirNamesWhereTheyStandAlone) {
    EXPECT_EQ(specialised(R"(
/// Where no row is.
constexpr long no_row = -1;
constexpr int first_bit = 4;  ///< of a mark
constexpr int last_bit = first_bit + 3;
constexpr bool checks = true;
enum class mode { off, on };

template <int shift>
void kernel(long* y, const int* marks) {
    y[0] = no_row;
    y[1] = marks[0] >> first_bit;
    y[2] = marks[1] >> last_bit << shift;
    y[3] = first_bit * shift;
    if constexpr (checks) {
        y[4] = first_bit + 1;
    }
}
)",
                          {{}, {{"shift", "2"}}, {}}),
              R"(/// Where no row is.
constexpr long no_row = -1;
constexpr int first_bit = 4;  ///< of a mark
constexpr int last_bit = 7;

static inline void kernel(long* y, const int* marks) {
    y[0] = no_row;
    y[1] = marks[0] >> first_bit;
    y[2] = marks[1] >> last_bit << 2;
    y[3] = 8;
    y[4] = 5;
}
)");
}

TEST(Constants, OfTheTargetAreNumbers) {
    auto use = template_use(R"(
#include "dialect/target.hpp"
template <int shift>
void kernel(int* y) {
    y[0] = lanes;
    y[1] = y[0] % lanes << shift;
}
)",
                            {{}, {{"shift", "2"}}, {}});
    use.files["dialect/target.hpp"] = "#pragma once\nconstexpr int lanes = 64;\n";
    EXPECT_EQ(format(specialize(use).text), R"(static inline void kernel(int* y) {
    y[0] = 64;
    y[1] = y[0] % 64 << 2;
}
)");
}

}  // namespace
}  // namespace spmvgen::specializer
