// A stand-in for libmkl_rt: the functions that `spmvgen bench` calls, f64 only. $MKL_STANDIN says
// how its products are: right, wrong, wrong later (from the tenth on), or right with a SIGINT.
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace {

struct Matrix {
    int rows;
    const int *begin, *columns;
    const double* values;
};

bool is(const char* mode) {
    const char* asked = std::getenv("MKL_STANDIN");
    return asked != nullptr && std::strcmp(asked, mode) == 0;
}

std::atomic<int> products = 0;

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

struct Description {
    int type, mode, diag;
};

int MKL_Set_Interface_Layer(int layer) {
    return layer;
}
int MKL_Set_Threading_Layer(int layer) {
    products = 0;
    return layer;
}
void MKL_Set_Num_Threads(int) {}
void MKL_Get_Version_String(char* text, int) {
    std::strcpy(text, "stand-in  ");
}
int mkl_sparse_set_mv_hint(void*, int, Description, int) {
    return 0;
}
int mkl_sparse_set_mm_hint(void*, int, Description, int, int, int) {
    return 0;
}
int mkl_sparse_set_memory_hint(void*, int) {
    return 0;
}
int mkl_sparse_optimize(void*) {
    return is("no optimize") ? 6 : 0;
}
int mkl_sparse_destroy(void* matrix) {
    delete static_cast<Matrix*>(matrix);
    return 0;
}
int mkl_sparse_d_create_csr(void** matrix, int, int rows, int, const int* begin, const int*,
                            const int* columns, const double* values) {
    *matrix = new Matrix{rows, begin, columns, values};
    return 0;
}
int mkl_sparse_d_mv(int, double, void* matrix, Description, const double* x, double, double* y) {
    const auto& a = *static_cast<const Matrix*>(matrix);
    for (int i = 0; i < a.rows; ++i) {
        y[i] = 0;
        for (int k = a.begin[i]; k < a.begin[i + 1]; ++k) y[i] += a.values[k] * x[a.columns[k]];
    }
    if (is("wrong") || (is("wrong later") && ++products >= 10)) y[1] *= 2;
    if (is("interrupt")) std::raise(SIGINT);
    return 0;
}
int mkl_sparse_d_mm(int, double, void* matrix, Description, int layout, const double* x,
                    int columns, int ldx, double, double* y, int ldy) {
    constexpr int row_major = 101;
    if (layout != row_major) return 6;
    const auto& a = *static_cast<const Matrix*>(matrix);
    for (int i = 0; i < a.rows; ++i)
        for (int r = 0; r < columns; ++r) {
            double sum = 0;
            for (int k = a.begin[i]; k < a.begin[i + 1]; ++k)
                sum += a.values[k] * x[a.columns[k] * ldx + r];
            y[i * ldy + r] = sum;
        }
    return 0;
}
}
