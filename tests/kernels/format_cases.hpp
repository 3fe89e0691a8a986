#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "formats/stored_matrix.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"

/// A small matrix and what tests of the storage formats ask of its conversions.
namespace spmvgen::format_cases {

// [ 1 . 2 . ]
// [ . . . . ]
// [ 3 4 . 5 ]
// [ . 6 . . ]
// [ . . . 7 ]
inline const std::vector<int> row_ptr{0, 2, 2, 5, 6, 7};
inline const std::vector<int> col_idx{0, 2, 0, 1, 3, 1, 3};
inline const std::vector<double> numbers{1, 2, 3, 4, 5, 6, 7};

inline CsrView small() {
    return csr_view<double>(5, 4, row_ptr.data(), col_idx.data(), numbers.data());
}

inline Signature signature(const std::string& kernel, Params params = {}) {
    Signature s;
    s.kernel = kernel;
    s.params = std::move(params);
    s.target = parse_target(kernel_entry(kernel).gpu ? "sm_90" : "x86-64-v3");
    return complete(s);
}

template <typename T>
std::vector<T> array(const StoredMatrix& m, const char* name, int count) {
    const T* data = static_cast<const T*>(m.arrays.at(name));
    return {data, data + count};
}

inline std::string refusal(const CsrView& matrix, const Signature& s) {
    try {
        convert(matrix, s, false);
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::invalid_argument);
        return e.what();
    }
    return "accepted";
}

}  // namespace spmvgen::format_cases
