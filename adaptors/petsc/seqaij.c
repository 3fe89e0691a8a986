/* The sequential type: a SEQAIJ with other products. */
#include "petscspmvgen.h"

#include <stddef.h>
#include <string.h>

/* The name under which it is composed. */
static const char context_name[] = "spmvgen_context";

/* Which of PETSc's functions are replaced, where Operations keeps them, and by what. */
static const struct {
    MatOperation operation;
    size_t place;
    AnyFunction* ours;
} replaced[] = {
    {MATOP_MULT, offsetof(Operations, mult), (AnyFunction*)MatMult_SeqAIJSpmvgen},
    {MATOP_MULT_ADD, offsetof(Operations, mult_add), (AnyFunction*)MatMultAdd_SeqAIJSpmvgen},
    {MATOP_MULT_TRANSPOSE, offsetof(Operations, mult_transpose),
     (AnyFunction*)MatMultTranspose_SeqAIJSpmvgen},
    {MATOP_MULT_TRANSPOSE_ADD, offsetof(Operations, mult_transpose_add),
     (AnyFunction*)MatMultTransposeAdd_SeqAIJSpmvgen},
    {MATOP_MULT_HERMITIAN_TRANSPOSE, offsetof(Operations, mult_hermitian),
     (AnyFunction*)MatMultHermitianTranspose_SeqAIJSpmvgen},
    {MATOP_MULT_HERMITIAN_TRANS_ADD, offsetof(Operations, mult_hermitian_add),
     (AnyFunction*)MatMultHermitianTransposeAdd_SeqAIJSpmvgen},
    {MATOP_VIEW, offsetof(Operations, view), (AnyFunction*)MatView_SeqAIJSpmvgen},
};
enum { NUM_REPLACED = sizeof replaced / sizeof *replaced };

/* Notes PETSc's functions of a matrix that still has them. */
static PetscErrorCode ReadOperations(Mat A, Operations* petsc) {
    AnyFunction* function = NULL;

    PetscFunctionBegin;
    for (int k = 0; k < NUM_REPLACED; ++k) {
        PetscCall(MatGetOperation(A, replaced[k].operation, &function));
        memcpy((char*)petsc + replaced[k].place, &function, sizeof function);
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Puts ours in their place, or PETSc's back. */
static PetscErrorCode SetOperations(Mat A, const Operations* petsc, PetscBool ours) {
    PetscFunctionBegin;
    for (int k = 0; k < NUM_REPLACED; ++k) {
        AnyFunction* function = replaced[k].ours;
        if (!ours) memcpy(&function, (const char*)petsc + replaced[k].place, sizeof function);
        PetscCall(MatSetOperation(A, replaced[k].operation, function));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the context ----------------------------------------------------------------------------- */

/* Until 3.22 PETSc calls it with the pointer, then with its address, as void* or void**. */
static PetscErrorCode DestroyComposed(void* context) {
#if PETSC_VERSION_LT(3, 23, 0)
    return ContextDestroy((Context*)context);
#else
    return ContextDestroy(*(Context**)context);
#endif
}

static PetscErrorCode ComposeContext(Mat A, const Operations* petsc, Context** context) {
    PetscContainer container;

    PetscFunctionBegin;
    PetscCall(PetscNew(context));
    (*context)->petsc = *petsc;
    for (Op op = OP_N; op < NUM_OPS; ++op) {
        (*context)->products[op].pattern = -1;
        (*context)->products[op].values = -1;
    }
    PetscCall(SpmvgenSettingsRead(&(*context)->settings));
    PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
    PetscCall(PetscContainerSetPointer(container, *context));
#if PETSC_VERSION_LT(3, 23, 0)
    PetscCall(PetscContainerSetUserDestroy(container, DestroyComposed));
#else
    PetscCall(PetscContainerSetCtxDestroy(container, (PetscCtxDestroyFn*)DestroyComposed));
#endif
    PetscCall(PetscObjectCompose((PetscObject)A, context_name, (PetscObject)container));
    PetscCall(PetscContainerDestroy(&container));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* What PETSc composed is gone where it merged another matrix into A (MatHeaderMerge): A has then
 * our functions and the other's objects. A new matrix tells PETSc's functions. */
static PetscErrorCode ComposeLostContext(Mat A, Context** context) {
    Operations petsc;
    PetscBool same;
    Mat fresh;

    PetscFunctionBegin;
    PetscCall(MatCreate(PETSC_COMM_SELF, &fresh));
    PetscCall(MatSetSizes(fresh, 0, 0, 0, 0));
    PetscCall(MatSetType(fresh, MATSEQAIJ));
    PetscCall(PetscObjectTypeCompare((PetscObject)fresh, MATSEQAIJSPMVGEN, &same));
    if (same) { /* -mat_seqaij_type */
        PetscCall(GetContext(fresh, context));
        petsc = (*context)->petsc;
    } else {
        PetscCall(ReadOperations(fresh, &petsc));
    }
    PetscCall(MatDestroy(&fresh));
    PetscCall(ComposeContext(A, &petsc, context));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetContext(Mat A, Context** context) {
    PetscContainer container;

    PetscFunctionBegin;
    PetscCall(PetscObjectQuery((PetscObject)A, context_name, (PetscObject*)&container));
    if (container == NULL)
        PetscCall(ComposeLostContext(A, context));
    else
        PetscCall(PetscContainerGetPointer(container, (void**)context));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- products of matrices: PETSc looks for them by the names of types -------------------------
 */

PetscErrorCode ProductAsOf(Mat product, const char* name) {
    PetscErrorCode (*set)(Mat) = NULL;
    Mat mats[3];

    PetscFunctionBegin;
    PetscCall(MatProductGetMats(product, &mats[0], &mats[1], &mats[2]));
    for (int k = 0; k < 3 && set == NULL; ++k)
        if (mats[k] != NULL) PetscCall(PetscObjectQueryFunction((PetscObject)mats[k], name, &set));
    if (set != NULL) PetscCall((*set)(product));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ProductWithDense(Mat product) {
    PetscFunctionBegin;
    PetscCall(ProductAsOf(product, "MatProductSetFromOptions_seqaij_seqdense_C"));
    PetscCall(SetDenseProduct(product));
    PetscFunctionReturn(PETSC_SUCCESS);
}
static PetscErrorCode ProductOfDense(Mat product) {
    return ProductAsOf(product, "MatProductSetFromOptions_seqdense_seqaij_C");
}
static PetscErrorCode ProductWithAij(Mat product) {
    return ProductAsOf(product, "MatProductSetFromOptions_seqaij_seqaij_C");
}

/* ---- the type -------------------------------------------------------------------------------- */

static PetscErrorCode MatConvert_SeqAIJSpmvgen_SeqAIJ(Mat, MatType, MatReuse, Mat*);

/* What PETSc finds by name on a matrix of ours; NULLs take it away. */
static PetscErrorCode ComposeFunctions(Mat A, PetscBool ours) {
    const struct {
        const char* name;
        AnyFunction* function;
    } all[] = {
        {"MatConvert_seqaijspmvgen_seqaij_C", (AnyFunction*)MatConvert_SeqAIJSpmvgen_SeqAIJ},
        {"MatConvert_seqaij_seqaijspmvgen_C", (AnyFunction*)MatConvert_SeqAIJ_SeqAIJSpmvgen},
        {"MatProductSetFromOptions_seqaijspmvgen_seqdense_C", (AnyFunction*)ProductWithDense},
        {"MatProductSetFromOptions_seqdense_seqaijspmvgen_C", (AnyFunction*)ProductOfDense},
        {"MatProductSetFromOptions_seqaijspmvgen_seqaij_C", (AnyFunction*)ProductWithAij},
        {"MatProductSetFromOptions_seqaij_seqaijspmvgen_C", (AnyFunction*)ProductWithAij},
    };

    PetscFunctionBegin;
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        PetscCall(
            PetscObjectComposeFunction((PetscObject)A, all[k].name, ours ? all[k].function : NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetSeqAIJSpmvgen(Mat A, PetscBool ours) {
    Operations petsc;
    PetscBool is_ours;
    Context* context;

    PetscFunctionBegin;
    PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJSPMVGEN, &is_ours));
    if (is_ours == ours) PetscFunctionReturn(PETSC_SUCCESS);
    if (ours) {
        PetscCall(ReadOperations(A, &petsc));
        PetscCall(ComposeContext(A, &petsc, &context));
    } else {
        PetscCall(GetContext(A, &context));
        petsc = context->petsc;
        PetscCall(PetscObjectCompose((PetscObject)A, context_name, NULL));
    }
    PetscCall(SetOperations(A, &petsc, ours));
    PetscCall(ComposeFunctions(A, ours));
    PetscCall(PetscObjectChangeTypeName((PetscObject)A, ours ? MATSEQAIJSPMVGEN : MATSEQAIJ));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Convert(Mat A, PetscBool ours, MatReuse reuse, Mat* newmat) {
    Mat B = *newmat;

    PetscFunctionBegin;
    if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
    PetscCall(SetSeqAIJSpmvgen(B, ours));
    *newmat = B;
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatConvert_SeqAIJ_SeqAIJSpmvgen(Mat A, MatType type, MatReuse reuse, Mat* newmat) {
    (void)type;
    return Convert(A, PETSC_TRUE, reuse, newmat);
}

static PetscErrorCode MatConvert_SeqAIJSpmvgen_SeqAIJ(Mat A, MatType type, MatReuse reuse,
                                                      Mat* newmat) {
    (void)type;
    return Convert(A, PETSC_FALSE, reuse, newmat);
}

PetscErrorCode MatCreate_SeqAIJSpmvgen(Mat A) {
    PetscFunctionBegin;
    PetscCall(MatSetType(A, MATSEQAIJ));
    PetscCall(SetSeqAIJSpmvgen(A, PETSC_TRUE));
    PetscFunctionReturn(PETSC_SUCCESS);
}
