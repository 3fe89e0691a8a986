#pragma once
#include <algorithm>
#include <string>

#include "matrix/csr_matrix.hpp"
#include "tuner/chooser/chooser.hpp"

namespace spmvgen {

/// Of a CPU with two threads, or of a GPU with as many units as an H200.
inline Request request_for(const char* target, bool encode = true) {
    Request request{.target = parse_target(target), .threads = 2, .units = 132};
    request.encode = encode;
    return request;
}

/// What is chosen for a matrix.
struct Chosen {
    Choice choice;
    std::int64_t param(const std::string& name) const { return choice.signature.params.at(name); }
    std::string kernel() const { return choice.signature.kernel; }
};

inline Chosen chosen(const CsrMatrix& matrix, const Request& request) {
    return {choose_for(matrix.view(), analyse_row_lengths(matrix.view()), request)};
}

/// Values without any pattern.
inline CsrMatrix with_random_values(const CsrMatrix& matrix) {
    CsrMatrix copy{matrix.rows,
                   matrix.cols,
                   matrix.nnz,
                   matrix.offset_type,
                   matrix.index_type,
                   matrix.value_type,
                   Buffer(matrix.row_ptr.bytes()),
                   Buffer(matrix.col_idx.bytes()),
                   Buffer(matrix.values.bytes())};
    std::ranges::copy(matrix.row_ptr.as<char>(), copy.row_ptr.as<char>().begin());
    std::ranges::copy(matrix.col_idx.as<char>(), copy.col_idx.as<char>().begin());
    double k = 1;
    for (double& value : copy.values.as<double>()) value = 1 / (k += 1);
    return copy;
}

}  // namespace spmvgen
