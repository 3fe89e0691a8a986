// Every kernel of the registry through the whole compiler: made by the real generator, run by a
// handle, and checked against the compensated reference, for every type and every mode of α and β.
#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <random>
#include <vector>

#include "registry.hpp"
#include "spmvgen/spmvgen.hpp"
#include "verify/reference.hpp"

namespace spmvgen {
namespace {

struct Case {
    std::string kernel;
    ValueType value;
    int num_rhs;
    IndexType index, offset;
};

void PrintTo(const Case& c, std::ostream* out) {
    *out << c.kernel << " " << to_string(c.value) << " " << to_string(c.index) << " "
         << to_string(c.offset) << " k=" << c.num_rhs;
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (auto& entry : kernel_registry()) {
        if (entry.kind != TargetKind::host) continue;
        const std::string id(entry.id);
        for (auto value : {ValueType::f32, ValueType::f64, ValueType::c32, ValueType::c64})
            all.push_back({id, value, 1, IndexType::i32, IndexType::i32});
        all.push_back({id, ValueType::f64, 3, IndexType::i32, IndexType::i32});
        all.push_back({id, ValueType::f64, 1, IndexType::i32, IndexType::i64});
        all.push_back({id, ValueType::c64, 2, IndexType::i64, IndexType::i64});
    }
    return all;
}

/// 61×53: empty rows first, last and between, one full row, rows of 0 to 20 unsorted entries.
template <typename Value, typename Index, typename Offset>
struct Odd {
    static constexpr int rows = 61, cols = 53;
    std::vector<Offset> row_ptr{0};
    std::vector<Index> col_idx;
    std::vector<Value> values;

    Odd() {
        std::mt19937 random(3);
        for (int row = 0; row < rows; ++row) {
            const bool empty = row == 0 || row == 30 || row >= rows - 2;
            const int length = row == 31 ? cols : empty ? 0 : static_cast<int>(random() % 21);
            for (int k = 0; k < length; ++k) {
                col_idx.push_back(static_cast<Index>(row == 31 ? k : random() % cols));
                values.push_back(number<Value>(random));
            }
            row_ptr.push_back(static_cast<Offset>(values.size()));
        }
    }
    CsrView view() const {
        return csr_view(rows, cols, row_ptr.data(), col_idx.data(), values.data());
    }
    template <typename T>
    static T number(std::mt19937& random) {
        const auto part = [&] { return static_cast<float>(random() % 2000) / 1000 - 1; };
        if constexpr (std::is_floating_point_v<T>)
            return part();
        else
            return {part(), part()};
    }
};

template <typename Value, typename Index, typename Offset>
void check(const Case& c) {
    const Odd<Value, Index, Offset> odd;
    Options options;
    options.kernel = c.kernel;
    options.num_rhs = c.num_rhs;
    options.threads = 3;
    options.copy = false;  // keeps the index types where the format is CSR
    options.cache = CacheMode::memory;
    options.strict = true;
    const Handle handle(odd.view(), options);
    EXPECT_NE(handle.source(), "");
    std::mt19937 random(5);
    std::vector<Value> x(static_cast<std::size_t>(odd.cols * c.num_rhs));
    for (auto& v : x) v = odd.template number<Value>(random);
    for (const float alpha : {1.0F, -1.5F, 0.0F}) {
        for (const float beta : {0.0F, 1.0F, 2.5F}) {
            const Value a(alpha), b(beta);
            std::vector<Value> before(static_cast<std::size_t>(odd.rows * c.num_rhs),
                                      std::numeric_limits<float>::quiet_NaN());
            if (beta != 0)
                for (auto& v : before) v = odd.template number<Value>(random);
            std::vector<Value> after = before;
            handle.apply(a, x.data(), b, after.data());
            const CheckResult result = check_product(
                odd.view(), {&a, x.data(), &b, before.data(), after.data(), c.num_rhs});
            EXPECT_TRUE(result.passed)
                << "α = " << alpha << ", β = " << beta << ": " << result.message;
        }
    }
}

class EveryKernel : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(, EveryKernel, testing::ValuesIn(cases()));

TEST_P(EveryKernel, GivesTheRightProductInEveryMode) {
    const Case& c = GetParam();
    dispatch(c.value, [&](auto value) {
        dispatch(c.index, [&](auto index) {
            dispatch(c.offset, [&](auto offset) {
                check<decltype(value), decltype(index), decltype(offset)>(c);
            });
        });
    });
}

}  // namespace
}  // namespace spmvgen
