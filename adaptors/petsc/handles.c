/* When a matrix gets a handle, new values, or another handle. */
#include "petscspmvgen.h"

#include <petsc/private/petscimpl.h> /* PetscObjectStateGet */

static const char* const op_names[NUM_OPS] = {"N", "T", "H"};

/* PETSc's arrays of a sequential matrix, between Get and Restore. */
typedef struct {
    PetscInt m, n, nnz;
    const PetscInt *row_ptr, *col_idx;
    const PetscScalar* values;
} Arrays;

static PetscErrorCode GetArrays(Mat A, Arrays* arrays) {
    PetscInt rows;
    PetscBool done;

    PetscFunctionBegin;
    PetscCall(MatGetLocalSize(A, &arrays->m, &arrays->n));
    PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &arrays->row_ptr, &arrays->col_idx,
                          &done));
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "PETSc gives no CSR of this matrix");
    arrays->nnz = arrays->row_ptr[arrays->m];
    PetscCall(MatSeqAIJGetArrayRead(A, &arrays->values));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RestoreArrays(Mat A, Arrays* arrays) {
    PetscInt rows;
    PetscBool done;

    PetscFunctionBegin;
    PetscCall(MatSeqAIJRestoreArrayRead(A, &arrays->values));
    PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &arrays->row_ptr,
                              &arrays->col_idx, &done));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReleaseHandle(Product* product) {
    PetscFunctionBegin;
    spmvgen_destroy(product->handle);
    product->handle = NULL;
    product->waited_seconds = 0;
    product->dense = (DenseTimes){.columns = 0};
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ContextDestroy(Context* context) {
    PetscFunctionBegin;
    for (Op op = OP_N; op < NUM_OPS; ++op) PetscCall(ReleaseHandle(&context->products[op]));
    spmvgen_options_destroy(context->settings.options);
    PetscCall(PetscFree(context));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeHandle(Mat A, Context* context, Op op, Product* product) {
    spmvgen_options* options = context->settings.options;
    PetscLogEvent event;
    Arrays arrays;
    RowList list;

    PetscFunctionBegin;
    PetscCall(PetscLogEventGetId("MatSpmvgenPlan", &event));
    PetscCall(PetscLogEventBegin(event, A, 0, 0, 0));
    PetscCall(GetArrays(A, &arrays));
    PetscCall(RowListCreate(arrays.m, arrays.row_ptr, &list));
    product->listed = list.rows != NULL ? PETSC_TRUE : PETSC_FALSE;
    const spmvgen_matrix matrix = {
        .struct_size = sizeof matrix,
        .layout = SPMVGEN_CSR,
        .value_type = SPMVGEN_SCALAR,
        .index_type = SPMVGEN_INDEX,
        .offset_type = SPMVGEN_INDEX,
        .rows = arrays.m,
        .cols = arrays.n,
        .nnz = arrays.nnz,
        .row_ptr = product->listed ? list.row_ptr : arrays.row_ptr,
        .col_idx = arrays.col_idx,
        .values = arrays.values,
        .listed_rows = list.rows,
        .num_listed = product->listed ? list.count : 0,
    };
    PetscCall(SpmvgenCheck(spmvgen_options_set(options, "op", op_names[op])));
    PetscCall(SpmvgenCheck(spmvgen_create(&matrix, options, &product->handle)));
    product->col_idx = arrays.col_idx;
    product->nnz = arrays.nnz;
    context->nonempty = list.count;
    PetscCall(RowListDestroy(&list));
    PetscCall(RestoreArrays(A, &arrays));
    PetscCall(PetscLogEventEnd(event, A, 0, 0, 0));
    PetscCall(PetscInfo(A, "spmvgen: planned op %s of %" PetscInt_FMT " entries\n", op_names[op],
                        product->nnz));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UpdateValues(Mat A, Product* product) {
    const PetscScalar* values;

    PetscFunctionBegin;
    PetscCall(MatSeqAIJGetArrayRead(A, &values));
    PetscCall(SpmvgenCheck(spmvgen_update_values(product->handle, SPMVGEN_SCALAR, values, NULL)));
    PetscCall(MatSeqAIJRestoreArrayRead(A, &values));
    PetscCall(PetscInfo(A, "spmvgen: new values for the same pattern\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the handle was made of another pattern than A's. */
static PetscErrorCode HasOtherPattern(Mat A, const Product* product, PetscObjectState pattern,
                                      PetscBool* other) {
    Arrays arrays;

    PetscFunctionBegin;
    *other = pattern != product->pattern ? PETSC_TRUE : PETSC_FALSE;
    if (*other || product->handle == NULL) PetscFunctionReturn(PETSC_SUCCESS);
    /* States count changes of one object; PETSc may have put another one's arrays into it. */
    PetscCall(GetArrays(A, &arrays));
    if (arrays.col_idx != product->col_idx || arrays.nnz != product->nnz) *other = PETSC_TRUE;
    PetscCall(RestoreArrays(A, &arrays));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Takes notice of what changed since the last product. */
static PetscErrorCode NoteChanges(Mat A, Product* product, PetscObjectState values) {
    PetscObjectState pattern;
    PetscBool other;

    PetscFunctionBegin;
    PetscCall(MatGetNonzeroState(A, &pattern));
    PetscCall(HasOtherPattern(A, product, pattern, &other));
    if (other) PetscCall(ReleaseHandle(product));
    /* Until there is a handle, products with other values count, too. */
    if (other || product->handle != NULL) product->waited = 0;
    product->pattern = pattern;
    product->values = values;
    product->ready = PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool IsPatient(const Patience* patience, const Product* product) {
    const PetscBool waits =
        product->handle != NULL
            ? product->waited < patience->update
            : product->waited < patience->products || product->waited_seconds < patience->seconds;
    return waits ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode GetProduct(Mat A, Context* context, Op op, Product** found) {
    Product* product = &context->products[op];
    PetscObjectState values;

    PetscFunctionBegin;
    PetscCall(PetscObjectStateGet((PetscObject)A, &values));
    if (values != product->values) PetscCall(NoteChanges(A, product, values));
    *found = NULL;
    if (!product->ready) {
        if (IsPatient(&context->settings.patience, product)) {
            ++product->waited;
            PetscFunctionReturn(PETSC_SUCCESS);
        }
        if (product->handle == NULL)
            PetscCall(MakeHandle(A, context, op, product));
        else
            PetscCall(UpdateValues(A, product));
        product->ready = PETSC_TRUE;
    }
    *found = product;
    PetscFunctionReturn(PETSC_SUCCESS);
}
