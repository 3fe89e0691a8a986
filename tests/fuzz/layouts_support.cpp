#include "layouts.hpp"

namespace spmvgen::fuzz {

Sizes::Sizes(Input& input) : flags(input.byte()) {
    rows = input.byte() % 24;
    cols = input.byte() % 24;
    count = input.byte() % 40;
    height = input.byte() % 5;
    width = input.byte() % 5;
    if ((flags & 16) != 0) (height % 2 == 0 ? rows : count) = -1;
}

std::vector<double> ascending(std::int64_t count) {
    std::vector<double> values;
    for (std::int64_t k = 0; k < count; ++k) values.push_back(static_cast<double>(k + 1));
    return values;
}

std::vector<double> new_values(std::int64_t count) {
    std::vector<double> values;
    for (std::int64_t k = 0; k < count; ++k) values.push_back(static_cast<double>(7 - 3 * k));
    return values;
}

Places places_of(const CsrView& a) {
    Places places;
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t k = a.row_begin(i); k < a.row_begin(i + 1); ++k)
            places[{i, a.col(k)}] += a.values_as<double>()[k];
    return places;
}

Places places_of(CsrView matrix, const Buffer& values) {
    matrix.values = values.data();
    return places_of(matrix);
}

void check_order(const CsrView& matrix, const ValueOrder& order, const std::vector<double>& given,
                 const Places& expected) {
    check(order.count == matrix.nnz, "each value has a place that it comes from");
    check(places_of(matrix, ordered_values(order, ValueType::f64, given.data(), 2)) == expected,
          "new values get the places of the old ones");
}

}  // namespace spmvgen::fuzz
