/* The shortest use of spmvgen from C: y = Ax with a kernel made for A. C99. */
#include <spmvgen/spmvgen.h>
#include <stdio.h>

static int failed(spmvgen_status status) {
    if (status == SPMVGEN_OK) return 0;
    fprintf(stderr, "%s: %s\n", spmvgen_status_name(status), spmvgen_last_error());
    return 1;
}

int main(void) {
    const int32_t row_ptr[] = {0, 2, 3}, col_idx[] = {0, 1, 1};
    const double values[] = {1, 2, 3}, x[] = {10, 20}, alpha = 1, beta = 0;
    const spmvgen_matrix matrix = {.struct_size = sizeof matrix,
                                   .layout = SPMVGEN_CSR,
                                   .value_type = SPMVGEN_F64,
                                   .index_type = SPMVGEN_I32,
                                   .offset_type = SPMVGEN_I32,
                                   .rows = 2,
                                   .cols = 2,
                                   .nnz = 3,
                                   .row_ptr = row_ptr,
                                   .col_idx = col_idx,
                                   .values = values};
    spmvgen_options* options = NULL;
    spmvgen_handle* handle = NULL;
    double y[2];
    char kernel[256];
    const int wrong =
        failed(spmvgen_options_create(&options)) ||
        failed(spmvgen_options_set(options, "cache", "memory")) ||
        failed(spmvgen_create(&matrix, options, &handle)) ||
        failed(spmvgen_apply(handle, SPMVGEN_F64, &alpha, x, &beta, y, NULL)) ||
        failed(spmvgen_info_field(handle, "kernel", kernel, sizeof kernel, NULL));
    if (!wrong) printf("y = (%g, %g), by %s\n", y[0], y[1], kernel);
    spmvgen_destroy(handle);
    spmvgen_options_destroy(options);
    return wrong;
}
