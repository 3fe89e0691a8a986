// A stand-in for libcusparse 12.9.77 over memory that is this machine's: f64 CSR, COO and BSR with
// int32 indices; sliced ELL is refused. Products go onto streams of the stand-in for CUDA.
// $CUSPARSE_STANDIN: "wrong", CSR's second algorithm is wrong; "wrong op", that of SpMVOp;
// "no capture", SpMVOp cannot be captured; "lost", a captured SpMVOp does nothing; "old", it is
// 12.6.77.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "control.hpp"

namespace {

using Int = std::int64_t;
constexpr int allocation_failed = 2, invalid_value = 3, execution_failed = 6;

struct Matrix {
    Int rows = 0, entries = 0, block = 1;
    const int *offsets = nullptr, *row_idx = nullptr, *columns = nullptr;
    const double* values = nullptr;
};

void multiply_vector(const Matrix& a, const double* x, double* y) {
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

/// Of row-major x and y with `vectors` columns.
void multiply(const Matrix& a, const double* x, Int cols, double* y, Int vectors) {
    if (vectors == 1) return multiply_vector(a, x, y);
    std::vector<double> one_x(static_cast<std::size_t>(cols)),
        one_y(static_cast<std::size_t>(a.rows));
    for (Int v = 0; v < vectors; ++v) {
        for (std::size_t j = 0; j < one_x.size(); ++j)
            one_x[j] = x[static_cast<Int>(j) * vectors + v];
        multiply_vector(a, one_x.data(), one_y.data());
        for (std::size_t i = 0; i < one_y.size(); ++i)
            y[static_cast<Int>(i) * vectors + v] = one_y[i];
    }
}

/// A row-major matrix.
struct Dense {
    Int rows, cols;
    double* values;
    bool by_columns;
};

const double* doubles(const void* p) {
    return static_cast<const double*>(p);
}
const int* ints(const void* p) {
    return static_cast<const int*>(p);
}

bool mode_is(const char* mode) {
    const char* set = std::getenv("CUSPARSE_STANDIN");
    return set != nullptr && std::strcmp(set, mode) == 0;
}

struct Handle {
    void* stream = nullptr;
};

/// A product that waits on a stream; what is wrong is added to the first element of y.
struct Work {
    Matrix a;
    const double* x;
    double* y;
    double wrong;
    Int cols = 0, vectors = 1;  ///< of x: rows, columns
    bool by_columns = false;
};

int enqueue(const char* name, const Handle& handle, const Work& work) {
    const auto run = [](void* data) {
        const Work& w = *static_cast<Work*>(data);
        if (w.by_columns)
            for (Int i = 0; i < w.vectors; ++i)
                multiply(w.a, w.x + i * w.cols, w.cols, w.y + i * w.a.rows, 1);
        else
            multiply(w.a, w.x, w.cols, w.y, w.vectors);
        *w.y += w.wrong;
    };
    return spmvgen_standin_cuda_enqueue(
        name, handle.stream, run, [](void* data) { delete static_cast<Work*>(data); },
        new Work(work));
}

/// The descriptor of SpMVOp, and its plan.
struct Op {
    const Matrix* a;
    int algorithm;
};

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int cusparseCreate(void** handle) {
    *handle = new Handle();
    return 0;
}
int cusparseDestroy(void* handle) {
    delete static_cast<Handle*>(handle);
    return 0;
}
int cusparseSetStream(void* handle, void* stream) {
    static_cast<Handle*>(handle)->stream = stream;
    return 0;
}
int cusparseGetProperty(int part, int* value) {
    if (part < 0 || part > 2) return invalid_value;
    const int version[] = {12, mode_is("old") ? 6 : 9, 77};
    *value = version[part];
    return 0;
}
const char* cusparseGetErrorString(int status) {
    return status == invalid_value      ? "invalid value"
           : status == execution_failed ? "execution failed"
                                        : "resource allocation failed";
}
int cusparseCreateCsr(void** a, Int rows, Int, Int nnz, const void* offsets, const void* columns,
                      const void* values, int, int, int, int type) {
    if (type != 1) return invalid_value;
    *a = new Matrix{rows, nnz, 1, ints(offsets), nullptr, ints(columns), doubles(values)};
    return 0;
}
int cusparseCreateCoo(void** a, Int rows, Int, Int nnz, const void* row_idx, const void* columns,
                      const void* values, int, int, int type) {
    if (type != 1) return invalid_value;
    *a = new Matrix{rows, nnz, 1, nullptr, ints(row_idx), ints(columns), doubles(values)};
    return 0;
}
int cusparseCreateSlicedEll(void**, Int, Int, Int, Int, Int, const void*, const void*, const void*,
                            int, int, int, int) {
    return allocation_failed;
}
int cusparseCreateBsr(void** a, Int rows, Int, Int blocks, Int block, Int, const void* offsets,
                      const void* columns, const void* values, int, int, int, int type, int) {
    if (type != 1) return invalid_value;
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
int cusparseSpMV(void* handle, int, const void*, void* a, void* x, const void*, void* y, int,
                 int algorithm, void*) {
    return enqueue("cusparseSpMV", *static_cast<Handle*>(handle),
                   {*static_cast<Matrix*>(a), doubles(x), static_cast<double*>(y),
                    algorithm == 3 && mode_is("wrong") ? 1.0 : 0.0});
}
int cusparseCreateDnMat(void** matrix, Int rows, Int cols, Int stride, void* values, int,
                        int order) {
    const bool by_columns = order == 1;
    if ((order != 2 && !by_columns) || stride != (by_columns ? rows : cols)) return invalid_value;
    *matrix = new Dense{rows, cols, static_cast<double*>(values), by_columns};
    return 0;
}
int cusparseDestroyDnMat(void* matrix) {
    delete static_cast<Dense*>(matrix);
    return 0;
}
int cusparseSpMM_bufferSize(void*, int, int, const void*, void*, void*, const void*, void*, int,
                            int, std::size_t* bytes) {
    *bytes = 100;
    return 0;
}
int cusparseSpMM_preprocess(void*, int, int, const void*, void*, void*, const void*, void*, int,
                            int, void*) {
    return 0;
}
int cusparseSpMM(void* handle, int, int, const void*, void* a, void* x, const void*, void* y, int,
                 int algorithm, void*) {
    const Dense& from = *static_cast<Dense*>(x);
    return enqueue(
        "cusparseSpMM", *static_cast<Handle*>(handle),
        {*static_cast<Matrix*>(a), from.values, static_cast<Dense*>(y)->values,
         algorithm == 12 && mode_is("wrong") ? 1.0 : 0.0, from.rows, from.cols, from.by_columns});
}
int cusparseSpMVOp_bufferSize(void*, int, const void*, const void*, void*, void*, int, int,
                              std::size_t* bytes) {
    *bytes = 200;
    return 0;
}
int cusparseSpMVOp_createDescr(void*, void** op, int, const void* a, const void*, void*, void*,
                               int type, int algorithm, void* buffer) {
    if (type != 1 || algorithm < 1 || algorithm > 2 || buffer == nullptr) return invalid_value;
    *op = new Op{static_cast<const Matrix*>(a), algorithm};
    return 0;
}
int cusparseSpMVOp_destroyDescr(void* op) {
    delete static_cast<Op*>(op);
    return 0;
}
int cusparseSpMVOp_createPlan(void*, void* op, void** plan, const void* code, std::size_t bytes) {
    if (code != nullptr || bytes != 0) return invalid_value;
    *plan = new Op(*static_cast<Op*>(op));
    return 0;
}
int cusparseSpMVOp_destroyPlan(void* plan) {
    delete static_cast<Op*>(plan);
    return 0;
}
int cusparseSpMVOp(void* handle, void* plan, const void* alpha, const void* beta, void* x, void* y,
                   void* z) {
    const Op& op = *static_cast<Op*>(plan);
    const Handle& on = *static_cast<Handle*>(handle);
    if (*doubles(alpha) != 1 || *doubles(beta) != 0 || y != z) return invalid_value;
    const bool is_captured = spmvgen_standin_cuda_captures(on.stream);
    if (is_captured && mode_is("no capture")) return execution_failed;
    if (is_captured && mode_is("lost")) return 0;
    return enqueue("cusparseSpMVOp", on,
                   {*op.a, doubles(x), static_cast<double*>(z),
                    op.algorithm == 2 && mode_is("wrong op") ? 1.0 : 0.0});
}
}
