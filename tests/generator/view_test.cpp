#include <gtest/gtest.h>

#include "template_case.hpp"

namespace spmvgen::specializer {
namespace {

const Bindings row_types{{{"Value", "double"}, {"Index", "int"}}, {{"width", "4"}}, {}};

const std::string row_view = R"(
/// Never seen.
template <typename Value, typename Index>
struct row_view {
    const Index* columns;  ///< of the row
    const Value* values;
    long count;
};
)";

TEST(Views, BecomeAVariableForEachField) {
    EXPECT_EQ(specialised(row_view + R"(
/// The sum of a row.
template <typename Value, typename Index>
inline Value row_sum(const row_view<Value, Index>& row, const Value* x, int unroll) {
    Value sum = {};
    for (long k = 0; k < row.count; k += unroll) {
        sum += row.values[k] * x[row.columns[k]];
    }
    return sum;
}
template <typename Value, typename Index, int width>
void kernel(const Index* ptr, const Index* columns, const Value* values, const Value* x, Value* y,
            long i) {
    const row_view<Value, Index> row = {
        .columns = columns + ptr[i],
        .values = values + ptr[i],
        .count = ptr[i + 1] - ptr[i],
    };
    y[i] = row_sum<Value>(row, x, width) + row.columns[0];
}
)",
                          row_types),
              R"(/// The sum of a row.
static inline double row_sum(const int* columns, const double* values, long count, const double* x,
                             int unroll) {
    double sum = {};
    for (long k = 0; k < count; k += unroll) {
        sum += values[k] * x[columns[k]];
    }
    return sum;
}

static inline void kernel(const int* ptr, const int* columns, const double* values, const double* x,
                          double* y, long i) {
    const int* row_columns = columns + ptr[i];
    const double* row_values = values + ptr[i];
    const long count = ptr[i + 1] - ptr[i];
    y[i] = row_sum(row_columns, row_values, count, x, 4) + row_columns[0];
}
)");
}

TEST(Views, AreHandedOnWholeByValueAndByReference) {
    EXPECT_EQ(
        specialised(row_view + R"(
template <typename Value, typename Index>
inline void skip(row_view<Value, Index>& row, long count) {
    row.columns += count;
    row.values += count;
    row.count -= count;
}
template <typename Value, typename Index>
inline Value first(row_view<Value, Index> row, row_view<Value, Index> other, long n) {
    skip(row, n);
    return row.values[0] * other.columns[0] * row.count;
}
template <typename Value, typename Index, int width>
void kernel(const Index* columns, const Value* values, Value* y, long n) {
    row_view<Value, Index> row = {columns, values, width};
    y[0] = first(row, row, n);
    y[1] = row.count;
}
)",
                    row_types),
        R"(static inline void skip(const int*& columns, const double*& values, long& row_count, long count) {
    columns += count;
    values += count;
    row_count -= count;
}

static inline double first(const int* row_columns, const double* row_values, long row_count,
                           const int* other_columns, long n) {
    skip(row_columns, row_values, row_count, n);
    return row_values[0] * other_columns[0] * row_count;
}

static inline void kernel(const int* columns, const double* values, double* y, long n) {
    long count = 4;
    y[0] = first(columns, values, count, columns, n);
    y[1] = count;
}
)");
}

/// What rule 20 says of a kernel's body.
std::string refused(const std::string& body) {
    return refusal(
        template_use(row_view + "template <typename Value, typename Index, int width>\n" +
                         "void kernel(const Index* columns, Value* values) {\n" + body + "\n}\n",
                     row_types));
}

const std::string place = "invalid_input: templates/cpu/test.hpp:11: rule 20: ";

TEST(Views, GetAllTheirFields) {
    EXPECT_EQ(refused("    row_view<Value, Index> row = {.columns = columns, .values = values};\n"
                      "    values[0] = row.count;"),
              place +
                  "view 'row' gets no 'count'; give all fields where it is declared: {.a = …, "
                  ".b = …}");
}

TEST(Views, AreNothingButReadAndHandedOn) {
    const std::string other_use =
        place +
        "a struct that holds pointers is a view; declare it with all fields, read "
        "these, or hand it to a helper, and do nothing else with it";
    EXPECT_EQ(refused("    row_view<Value, Index>* row = nullptr;\n    values[0] = row->count;"),
              other_use);
    EXPECT_EQ(refused("    row_view<Value, Index> a = {columns, values, 4}, b = a; values[0] = 1;"),
              other_use);
    EXPECT_EQ(refused("    row_view<Value, Index> a = {columns, values, 4}; auto& b = a; values[0] "
                      "= b.count;"),
              other_use);
    EXPECT_EQ(refused("    row_view<Value, Index> a = {columns, values, 4}; a = a;"), other_use);
}

}  // namespace
}  // namespace spmvgen::specializer
