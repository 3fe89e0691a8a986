/* What a sequential matrix of ours has beside PETSc's, and the functions that make it one. */
#include "petscspmvgen.h"

#include <stddef.h>
#include <string.h>

/* The name under which a context is composed. */
static const char context_name[] = "spmvgen_context";

/* ---- functions that are replaced ------------------------------------------------------------- */

static PetscErrorCode MatBindToCPU_SeqAIJSpmvgen(Mat A, PetscBool bind);

/* Which of PETSc's functions are replaced, where Operations keeps them, and by what. Those of GPUs
 * only: duplicates of other matrices are ours by the name of their type. Where numbers are real,
 * PETSc takes the Hermitian operations for the transposed ones. */
static const struct {
    MatOperation operation;
    size_t place;
    AnyFunction* ours;
    PetscBool gpu_only;
} replaced[] = {
    {MATOP_MULT, offsetof(Operations, mult), (AnyFunction*)MatMult_SeqAIJSpmvgen, PETSC_FALSE},
    {MATOP_MULT_ADD, offsetof(Operations, mult_add), (AnyFunction*)MatMultAdd_SeqAIJSpmvgen,
     PETSC_FALSE},
    {MATOP_MULT_TRANSPOSE, offsetof(Operations, mult_transpose),
     (AnyFunction*)MatMultTranspose_SeqAIJSpmvgen, PETSC_FALSE},
    {MATOP_MULT_TRANSPOSE_ADD, offsetof(Operations, mult_transpose_add),
     (AnyFunction*)MatMultTransposeAdd_SeqAIJSpmvgen, PETSC_FALSE},
#if defined(PETSC_USE_COMPLEX)
    {MATOP_MULT_HERMITIAN_TRANSPOSE, offsetof(Operations, mult_hermitian),
     (AnyFunction*)MatMultHermitianTranspose_SeqAIJSpmvgen, PETSC_FALSE},
    {MATOP_MULT_HERMITIAN_TRANS_ADD, offsetof(Operations, mult_hermitian_add),
     (AnyFunction*)MatMultHermitianTransposeAdd_SeqAIJSpmvgen, PETSC_FALSE},
#endif
    {MATOP_VIEW, offsetof(Operations, view), (AnyFunction*)MatView_SeqAIJSpmvgen, PETSC_FALSE},
    {MATOP_BIND_TO_CPU, offsetof(Operations, bind_to_cpu), (AnyFunction*)MatBindToCPU_SeqAIJSpmvgen,
     PETSC_TRUE},
    {MATOP_DUPLICATE, offsetof(Operations, duplicate), (AnyFunction*)MatDuplicate_SeqAIJSpmvgen,
     PETSC_TRUE},
};
enum { NUM_REPLACED = sizeof replaced / sizeof *replaced };

/* Notes PETSc's functions of a matrix, where it has them and not ours. */
static PetscErrorCode ReadOperations(Mat A, Operations* petsc) {
    AnyFunction* function = NULL;

    PetscFunctionBegin;
    for (int k = 0; k < NUM_REPLACED; ++k) {
        PetscCall(MatGetOperation(A, replaced[k].operation, &function));
        if (function != replaced[k].ours)
            memcpy((char*)petsc + replaced[k].place, &function, sizeof function);
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Puts ours in their place, or PETSc's back. */
static PetscErrorCode SetOperations(Mat A, const Context* context, PetscBool ours) {
    PetscFunctionBegin;
    for (int k = 0; k < NUM_REPLACED; ++k) {
        AnyFunction* function = replaced[k].ours;
        if (replaced[k].gpu_only && !context->place->gpu) continue;
        if (!ours)
            memcpy(&function, (const char*)&context->petsc + replaced[k].place, sizeof function);
        PetscCall(MatSetOperation(A, replaced[k].operation, function));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc exchanges products when a matrix moves between the GPU and the host. */
static PetscErrorCode MatBindToCPU_SeqAIJSpmvgen(Mat A, PetscBool bind) {
    PetscScalar* values;
    Context* context;

    PetscFunctionBegin;
    PetscCall(GetContext(A, &context));
    PetscCall(SetOperations(A, context, PETSC_FALSE));
    PetscCall(context->petsc.bind_to_cpu(A, bind));
    PetscCall(ReadOperations(A, &context->petsc));
    PetscCall(SetOperations(A, context, PETSC_TRUE));
    if (!bind) { /* PETSc 3.26 does not notice that the host's numbers may be newer */
        PetscCall(MatSeqAIJGetArrayWrite(A, &values));
        PetscCall(MatSeqAIJRestoreArrayWrite(A, &values));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode IsSeqAIJSpmvgen(Mat A, PetscBool* ours) {
    AnyFunction* mult = NULL;

    PetscFunctionBegin;
    PetscCall(MatGetOperation(A, MATOP_MULT, &mult));
    *ours = mult == (AnyFunction*)MatMult_SeqAIJSpmvgen ? PETSC_TRUE : PETSC_FALSE;
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

static PetscErrorCode ComposeContext(Mat A, const Place* place, const Operations* petsc,
                                     Context** context) {
    PetscContainer container;

    PetscFunctionBegin;
    PetscCall(PetscNew(context));
    (*context)->place = place;
    (*context)->petsc = *petsc;
    for (Op op = OP_N; op < NUM_OPS; ++op) {
        (*context)->products[op].pattern = -1;
        (*context)->products[op].values = -1;
    }
    PetscCall(SpmvgenSettingsRead(&place->patience, place->gpu, &(*context)->settings));
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
    const Place* place;
    Operations petsc;
    PetscBool ours;
    Mat fresh;

    PetscFunctionBegin;
    PetscCall(PlaceOf(A, &place));
    PetscCall(CreateEmpty(place->petsc, &fresh));
    PetscCall(IsSeqAIJSpmvgen(fresh, &ours));
    if (ours) { /* -mat_seqaij_type */
        PetscCall(GetContext(fresh, context));
        petsc = (*context)->petsc;
    } else {
        PetscCall(ReadOperations(fresh, &petsc));
    }
    PetscCall(MatDestroy(&fresh));
    PetscCall(ComposeContext(A, place, &petsc, context));
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

PetscErrorCode ReplaceOperations(Mat A, const Place* place) {
    Operations petsc = {.mult = NULL};
    PetscContainer container;
    Context* context;

    PetscFunctionBegin;
    /* One that was ours before PETSc converted it to its type has a context. */
    PetscCall(PetscObjectQuery((PetscObject)A, context_name, (PetscObject*)&container));
    if (container == NULL) {
        PetscCall(ReadOperations(A, &petsc));
        PetscCall(ComposeContext(A, place, &petsc, &context));
    } else {
        PetscCall(PetscContainerGetPointer(container, (void**)&context));
        PetscCall(ReadOperations(A, &context->petsc));
    }
    PetscCall(SetOperations(A, context, PETSC_TRUE));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RestoreOperations(Mat A) {
    Context* context;

    PetscFunctionBegin;
    PetscCall(GetContext(A, &context));
    PetscCall(SetOperations(A, context, PETSC_FALSE));
    PetscCall(PetscObjectCompose((PetscObject)A, context_name, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
}
