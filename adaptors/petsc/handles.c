/* When a matrix gets a handle, new values, or another handle. */
#include "petscspmvgen.h"

#include <petsc/private/petscimpl.h> /* PetscObjectStateGet */

static const char* const op_names[NUM_OPS] = {"N", "T", "H"};

/* The pattern of a sequential matrix, which PETSc has in the host's memory whatever the type. */
typedef struct {
    PetscInt m, n, nnz;
    const PetscInt *row_ptr, *col_idx;
} Pattern;

static PetscErrorCode GetPattern(Mat A, Pattern* pattern) {
    PetscInt rows;
    PetscBool done;

    PetscFunctionBegin;
    PetscCall(MatGetLocalSize(A, &pattern->m, &pattern->n));
    PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &pattern->row_ptr,
                          &pattern->col_idx, &done));
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "PETSc gives no CSR of this matrix");
    pattern->nnz = pattern->row_ptr[pattern->m];
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RestorePattern(Mat A, Pattern* pattern) {
    PetscInt rows;
    PetscBool done;

    PetscFunctionBegin;
    PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &pattern->row_ptr,
                              &pattern->col_idx, &done));
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

/* The handle of A with rows that are listed, or not. */
static PetscErrorCode CreateHandle(Mat A, const Context* context, Op op, const Pattern* pattern,
                                   const RowList* list, spmvgen_handle** handle) {
    const Settings* settings = &context->settings;
    spmvgen_options* options = settings->options;
    const Place* place = context->place;
    Arrays arrays;

    PetscFunctionBegin;
    PetscCall(place->get_arrays(A, pattern->row_ptr, pattern->col_idx, list, &arrays));
    const spmvgen_matrix matrix = {
        .struct_size = sizeof matrix,
        .layout = SPMVGEN_CSR,
        .value_type = SPMVGEN_SCALAR,
        .index_type = SPMVGEN_INDEX,
        .offset_type = SPMVGEN_INDEX,
        .rows = pattern->m,
        .cols = pattern->n,
        .nnz = pattern->nnz,
        .row_ptr = arrays.row_ptr,
        .col_idx = arrays.col_idx,
        .values = arrays.values,
        .listed_rows = arrays.listed_rows,
        .num_listed = arrays.listed_rows != NULL ? list->count : 0,
    };
    PetscCall(SpmvgenCheck(spmvgen_options_set(options, "op", op_names[op])));
    PetscCall(place->set_device(options, arrays.listed_rows != NULL ? PETSC_TRUE : PETSC_FALSE));
    if (settings->order[0] != 0) {
        const PetscBool has_order =
            pattern->m == pattern->n && arrays.listed_rows == NULL ? PETSC_TRUE : PETSC_FALSE;
        PetscCall(SpmvgenCheck(
            spmvgen_options_set(options, "reorder", has_order ? settings->order : "auto")));
    }
    PetscCall(SpmvgenCheck(spmvgen_create(&matrix, options, handle)));
    PetscCall(place->restore_arrays(A, &arrays));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeHandle(Mat A, Context* context, Op op, Product* product) {
    PetscLogEvent event;
    Pattern pattern;
    RowList list;

    PetscFunctionBegin;
    PetscCall(PetscLogEventGetId("MatSpmvgenPlan", &event));
    PetscCall(PetscLogEventBegin(event, A, 0, 0, 0));
    PetscCall(GetPattern(A, &pattern));
    PetscCall(RowListCreate(pattern.m, pattern.row_ptr, &list));
    PetscCall(CreateHandle(A, context, op, &pattern, &list, &product->handle));
    product->listed = list.rows != NULL ? PETSC_TRUE : PETSC_FALSE;
    product->col_idx = pattern.col_idx;
    product->nnz = pattern.nnz;
    context->nonempty = list.count;
    PetscCall(RowListDestroy(&list));
    PetscCall(RestorePattern(A, &pattern));
    PetscCall(PetscLogEventEnd(event, A, 0, 0, 0));
    PetscCall(PetscInfo(A, "spmvgen: planned op %s of %" PetscInt_FMT " entries\n", op_names[op],
                        product->nnz));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UpdateValues(Mat A, const Place* place, Product* product) {
    const PetscScalar* values;
    void* stream;

    PetscFunctionBegin;
    PetscCall(place->stream(&stream));
    PetscCall(place->get_values(A, &values));
    PetscCall(SpmvgenCheck(spmvgen_update_values(product->handle, SPMVGEN_SCALAR, values, stream)));
    PetscCall(place->restore_values(A, &values));
    PetscCall(PetscInfo(A, "spmvgen: new values for the same pattern\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the handle was made of another pattern than A's. */
static PetscErrorCode HasOtherPattern(Mat A, const Product* product, PetscObjectState state,
                                      PetscBool* other) {
    Pattern pattern;

    PetscFunctionBegin;
    *other = state != product->pattern ? PETSC_TRUE : PETSC_FALSE;
    if (*other || product->handle == NULL) PetscFunctionReturn(PETSC_SUCCESS);
    /* States count changes of one object; PETSc may have put another one's arrays into it. */
    PetscCall(GetPattern(A, &pattern));
    if (pattern.col_idx != product->col_idx || pattern.nnz != product->nnz) *other = PETSC_TRUE;
    PetscCall(RestorePattern(A, &pattern));
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
    PetscBool bound;

    PetscFunctionBegin;
    *found = NULL;
    PetscCall(MatBoundToCPU(A, &bound));
    if (bound && context->place->gpu) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscObjectStateGet((PetscObject)A, &values));
    if (values != product->values) PetscCall(NoteChanges(A, product, values));
    if (!product->ready) {
        if (IsPatient(&context->settings.patience, product)) {
            ++product->waited;
            PetscFunctionReturn(PETSC_SUCCESS);
        }
        if (product->handle == NULL)
            PetscCall(MakeHandle(A, context, op, product));
        else
            PetscCall(UpdateValues(A, context->place, product));
        product->ready = PETSC_TRUE;
    }
    *found = product;
    PetscFunctionReturn(PETSC_SUCCESS);
}
