// A stand-in for libcusparse over memory that is this machine's: f64 CSR, COO and BSR with int32
// indices; sliced ELL is refused. $CUSPARSE_STANDIN=wrong: CSR's second algorithm is wrong.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using Int = std::int64_t;
constexpr int allocation_failed = 2, invalid_value = 3;

struct Matrix {
    Int rows = 0, entries = 0, block = 1;
    const int *offsets = nullptr, *row_idx = nullptr, *columns = nullptr;
    const double* values = nullptr;
};

void multiply(const Matrix& a, const double* x, double* y) {
    const Int b = a.block;
    for (Int i = 0; i < a.rows * b; ++i) y[i] = 0;
    const auto add = [&](Int row, Int k) {
        for (Int i = 0; i < b; ++i)
            for (Int j = 0; j < b; ++j)
                y[row * b + i] += a.values[(k * b + i) * b + j] * x[a.columns[k] * b + j];
    };
    for (Int row = 0; a.offsets != nullptr && row < a.rows; ++row)
        for (Int k = a.offsets[row]; k < a.offsets[row + 1]; ++k) add(row, k);
    for (Int k = 0; a.row_idx != nullptr && k < a.entries; ++k) add(a.row_idx[k], k);
}

const double* doubles(const void* p) {
    return static_cast<const double*>(p);
}
const int* ints(const void* p) {
    return static_cast<const int*>(p);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int cusparseCreate(void** handle) {
    *handle = new int(0);
    return 0;
}
int cusparseDestroy(void* handle) {
    delete static_cast<int*>(handle);
    return 0;
}
int cusparseGetVersion(void*, int* version) {
    *version = 12345;
    return 0;
}
const char* cusparseGetErrorString(int status) {
    return status == invalid_value ? "invalid value" : "resource allocation failed";
}
int cusparseCreateCsr(void** a, Int rows, Int, Int nnz, const void* offsets, const void* columns,
                      const void* values, int, int, int, int type) {
    if (type != 1) return invalid_value;
    *a = new Matrix{rows, nnz, 1, ints(offsets), nullptr, ints(columns), doubles(values)};
    return 0;
}
int cusparseCreateCoo(void** a, Int rows, Int, Int nnz, const void* row_idx, const void* columns,
                      const void* values, int, int, int) {
    *a = new Matrix{rows, nnz, 1, nullptr, ints(row_idx), ints(columns), doubles(values)};
    return 0;
}
int cusparseCreateSlicedEll(void**, Int, Int, Int, Int, Int, const void*, const void*, const void*,
                            int, int, int, int) {
    return allocation_failed;
}
int cusparseCreateBsr(void** a, Int rows, Int, Int blocks, Int block, Int, const void* offsets,
                      const void* columns, const void* values, int, int, int, int, int) {
    *a = new Matrix{rows, blocks, block, ints(offsets), nullptr, ints(columns), doubles(values)};
    return 0;
}
int cusparseDestroySpMat(void* a) {
    delete static_cast<Matrix*>(a);
    return 0;
}
int cusparseCreateDnVec(void** vector, Int, void* data, int) {
    *vector = data;
    return 0;
}
int cusparseDestroyDnVec(void*) {
    return 0;
}
int cusparseSpMV_bufferSize(void*, int, const void*, void*, void*, const void*, void*, int, int,
                            std::size_t* bytes) {
    *bytes = 100;
    return 0;
}
int cusparseSpMV_preprocess(void*, int, const void*, void*, void*, const void*, void*, int, int,
                            void*) {
    return 0;
}
int cusparseSpMV(void*, int, const void*, void* a, void* x, const void*, void* y, int,
                 int algorithm, void*) {
    multiply(*static_cast<Matrix*>(a), doubles(x), static_cast<double*>(y));
    const char* mode = std::getenv("CUSPARSE_STANDIN");
    if (algorithm == 3 && mode != nullptr && std::strcmp(mode, "wrong") == 0)
        *static_cast<double*>(y) += 1;
    return 0;
}
}
