// Epilogues in two steps, for GPU kernels that load what several rows need before they store one.
// Where an epilogue reads vectors the generator has other definitions.
#pragma once

constexpr bool loads_operands = false;  ///< whether an epilogue reads vectors

/// What the epilogue reads for one row.
template <typename Value>
struct row_operands {
    Value value;
};

/// Loads it.
template <typename Value>
[[gnu::always_inline]] inline row_operands<Value> load_operands([[maybe_unused]] long row) {
    return {};
}

/// epilogue() with what was loaded for row `row`.
template <typename Value>
[[gnu::always_inline]] inline Value epilogue_of(Value value,
                                                [[maybe_unused]] row_operands<Value> operands,
                                                [[maybe_unused]] long row) {
    return value;
}
