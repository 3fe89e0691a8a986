#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry.hpp"

/// What the files of templates/families are made of. Each describes kernels that belong together, and the
/// formats that they alone read, in one constant `Family FILE_family`, which templates/CMakeLists.txt
/// finds by the file's name: no list has to be kept.
namespace spmvgen {

struct Family {
    std::span<const FormatEntry> formats = {};
    std::span<const KernelEntry> kernels;
};

/// The families in the order in which their kernels are listed, and thereby preferred where nothing
/// else decides.
std::vector<Family> families();

/// What kernels of several formats take: sizes, the rows and columns of CSR, operands.
extern const std::span<const ArgumentTemplate> common_arguments;

// ArgumentTemplate::described of arrays of values, which a parameter may encode.
std::string values_text(const ArgumentTemplate& array, const Signature& signature);
std::string coded_values_text(const ArgumentTemplate& array, const Signature& signature);

/// The array `values` of a format that stores so many of them: "[nnz]".
constexpr ArgumentTemplate values_array(std::string_view extent) {
    return {"values", Element::storage, extent, "value of each entry", true, values_text};
}

/// The array `coded_values`, of formats that may have it.
inline constexpr ArgumentTemplate coded_values_array{
    "coded_values", Element::u8, "[stored entries]", "", false, coded_values_text};

/// The array `col_idx` of a format that has one for each entry.
constexpr ArgumentTemplate columns_array(std::string_view extent) {
    return {"col_idx", Element::index, extent, "column of each entry, from 0"};
}

/// "ceil(ITEMS / n)", or the items themselves: for ArgumentTemplate::described.
inline std::string shared_out(const std::string& items, std::int64_t n) {
    return n == 1 ? items : "ceil(" + items + " / " + std::to_string(n) + ")";
}

inline std::int64_t param(const Signature& s, const ParamName& name) {
    return s.params.at(name);
}

/// Threads of a block, of kernels with parameter "block".
inline int block_of(const Signature& s) {
    return static_cast<int>(param(s, "block"));
}

inline std::int64_t warps_of_block(const Signature& s) {
    return param(s, "block") / s.target.wavefront;
}

// What steps beside the product itself are for.

inline bool has_product(const Signature& s) {
    return s.alpha != Scale::zero;
}

inline bool only_scales(const Signature& s) {
    return !has_product(s);
}

inline bool has_epilogue(const Signature& s) {
    return !s.epilogue.empty();
}

inline GridRule thread_a_row(const Signature& s) {
    return {.items = "num_rows", .items_per_block = param(s, "block")};
}

/// Of steps that end in store_scaled of dialect/gpu_segments.hpp, for `items` rows of y.
inline GridRule rows_to_scale(const Signature& s, const char* items = "num_rows") {
    constexpr std::int64_t rows_of_thread = 4;  // scaled_rows there
    return {.items = items, .items_per_block = param(s, "block") * rows_of_thread};
}

inline GridRule scaled_rows(const Signature& s) {
    return rows_to_scale(s);
}

/// Words where parts of a row's sum meet, for each right-hand side.
inline std::int64_t meeting_words(const Signature& s) {
    return accumulator_type(s) == ValueType::c64 ? 3 : 1;
}

}  // namespace spmvgen
