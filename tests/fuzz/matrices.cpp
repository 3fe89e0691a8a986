#include "matrices.hpp"

#include <cmath>
#include <complex>
#include <cstring>

#include "spmvgen/error.hpp"
#include "support.hpp"

namespace spmvgen::fuzz {
namespace {

/// Rows ascend by column without duplicates, and the narrowest types are used.
void check_promises(const CsrMatrix& a) {
    const CsrView view = a.view();
    try {
        validate(view);
    } catch (const Error& error) {
        check(false, std::string("what is read is a CSR matrix: ") + error.what());
    }
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t k = view.row_begin(i) + 1; k < view.row_begin(i + 1); ++k)
            check(view.col(k - 1) < view.col(k), "columns ascend within a row");
    const auto narrow = [](std::int64_t size) {
        return size <= INT32_MAX ? IndexType::i32 : IndexType::i64;
    };
    check(a.index_type == narrow(a.cols), "columns are as narrow as they can be");
}

bool same_bytes(const Buffer& a, const Buffer& b) {
    return a.bytes() == b.bytes() &&
           (a.bytes() == 0 || std::memcmp(a.data(), b.data(), a.bytes()) == 0);
}

template <typename Real>
bool same_numbers(const Real* a, const Real* b, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const bool both_nan = std::isnan(a[i]) && std::isnan(b[i]);
        if (!both_nan && std::memcmp(a + i, b + i, sizeof(Real)) != 0) return false;
    }
    return true;
}

}  // namespace

Reading read(const std::string& path, const ReadOptions& options) {
    Reading result;
    try {
        result.matrix = read_matrix(path, nullptr, options);
        check_promises(*result.matrix);
    } catch (const Error& error) {
        result.refusal = error.what();
        check(error.code() == ErrorCode::invalid_input,
              "it is the input's fault: " + result.refusal);
        check(result.refusal.starts_with(path + ":"), "the file is named: " + result.refusal);
        result.refusal.erase(0, path.size());
    }
    return result;
}

bool same(const CsrMatrix& a, const CsrMatrix& b, bool any_nan) {
    if (a.rows != b.rows || a.cols != b.cols || a.nnz != b.nnz || a.index_type != b.index_type ||
        a.offset_type != b.offset_type || a.value_type != b.value_type ||
        !same_bytes(a.row_ptr, b.row_ptr) || !same_bytes(a.col_idx, b.col_idx))
        return false;
    if (!any_nan) return same_bytes(a.values, b.values);
    const std::size_t numbers = a.values.bytes() / sizeof(double);
    return a.values.bytes() == b.values.bytes() &&
           same_numbers(a.values.as<double>().data(), b.values.as<double>().data(), numbers);
}

void check_round_trips(const CsrMatrix& a) {
    // Other forms of a matrix may need more memory than the one that it came in.
    const FreeMemory plenty(std::int64_t{1} << 28);
    const MemoryFile binary;
    write_csr_binary(binary.path(), a.view());
    const Reading again = read(binary.path(), {1, 0});
    check(again.matrix && same(a, *again.matrix, false), "binary CSR reads back: " + again.refusal);

    const MemoryFile text;
    write_matrix_market(text.path(), a.view());
    const Reading reread = read(text.path(), {1, 0});
    check(reread.matrix.has_value(), "Matrix Market reads back" + reread.refusal);
    const ValueType wide = is_complex(a.value_type) ? ValueType::c64 : ValueType::f64;
    CsrMatrix expected = convert_values(a.view(), wide);
    expected.offset_type = reread.matrix->offset_type;
    if (a.offset_type == expected.offset_type)
        check(same(expected, *reread.matrix, true), "Matrix Market keeps every entry");
}

}  // namespace spmvgen::fuzz
