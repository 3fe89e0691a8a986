#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "matrix/buffer.hpp"
#include "spmvgen/error.hpp"
#include "spmvgen/matrix.hpp"
#include "spmvgen/signature.hpp"

namespace spmvgen {

struct StripsLayout;

/// A matrix in the storage format of one kernel: named arrays and scalars, as the kernel's
/// arguments name them. Immutable once made.
struct StoredMatrix {
    Format format = Format::csr;
    std::vector<Buffer> owned;                    ///< keeps the arrays alive that are not borrowed
    std::map<std::string, const void*> arrays;    ///< "row_ptr" → first element
    std::map<std::string, std::int64_t> scalars;  ///< "num_rows" → m
    std::int64_t stored = 0;                      ///< entries with padding
    std::int64_t bytes = 0;                       ///< bytes of the arrays that one apply reads
    std::int64_t memory_limit = 0;  ///< bytes that `owned` may have at most; 0 = no limit
};

/// A format takes more memory than it may.
class TooLarge : public Error {
  public:
    TooLarge(const std::string& why, const std::string& advice)
        : Error(ErrorCode::invalid_argument, why + advice), why_(why) {}
    /// What takes how much, without the advice that the message ends with.
    const std::string& why() const { return why_; }

  private:
    std::string why_;
};

/// Converts `matrix` to the format that `signature`'s kernel reads (its parameters included:
/// "lanes", "sigma", …). Index and offset types become the signature's, values are rounded to its
/// storage type where that is narrower than theirs; CSR arrays of the right types are borrowed when
/// `borrow`, else copied. Parallel. Throws Error(invalid_argument) when the matrix does not fit the
/// signature's types; TooLarge, before anything of that size is allocated, when the arrays that are
/// not borrowed would take more than `memory_limit` bytes, or, when that is 0, padded arrays more
/// than half of the machine's free memory (the message gives the padding ratio).
///
/// The columns may be missing (col_idx null) where only the values are wanted, of formats that put
/// them where row lengths say (not bcsr): arrays of columns then hold anything.
///
/// `row_order`, for kernels that take their rows in any order (their parameter any_order or gaps is
/// 1): which element of y each row of `matrix` makes, a permutation; empty = its own.
///
/// `strips`, for format strips: lay_out_strips() of the matrix for the signature, where somebody
/// has it; one of another shape is left alone.
StoredMatrix convert(const CsrView& matrix, const Signature& signature, bool borrow,
                     std::int64_t memory_limit = 0, std::span<const std::int32_t> row_order = {},
                     const StripsLayout* strips = nullptr);

}  // namespace spmvgen
