#pragma once
#include <cstdint>
#include <vector>

namespace spmvgen {

/// A file of the edge folder that is read, and what it holds.
struct AcceptedFile {
    const char* name;
    std::int64_t rows, cols, nnz;
    /// Sum of (i+1)(2j+1)·a_ij over the finite entries, real and imaginary part.
    double weighted_re, weighted_im;
    std::int64_t non_finite;  ///< entries left out of the sums
    const char* why;          ///< why it is read so, where that is not plain
};

/// A file of the edge folder that is refused: `file:line: message`. A message that ends in '*' goes
/// on with what depends on the machine.
struct RefusedFile {
    const char* name;
    int line;
    const char* message;
    const char* why;  ///< the reason, where the message does not tell it
};

const std::vector<AcceptedFile>& accepted_files();
const std::vector<RefusedFile>& refused_files();

}  // namespace spmvgen
