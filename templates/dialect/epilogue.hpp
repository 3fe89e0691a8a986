// What is stored in place of an element of y. The generator puts the user's expression here; a
// kernel calls it only when has_epilogue.
#pragma once
#include "dialect/loading/no_operands.hpp"

/// `value` is the element αAx + βy, `row` its row.
template <typename Value>
[[gnu::always_inline]] inline Value epilogue(Value value, [[maybe_unused]] long row) {
    return value;
}
