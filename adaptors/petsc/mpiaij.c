/* The parallel type: an MPIAIJ whose two blocks are of the sequential type. */
#include "petscspmvgen.h"

static PetscErrorCode MatAssemblyEnd_MPIAIJSpmvgen(Mat A, MatAssemblyType type);
static PetscErrorCode MatView_MPIAIJSpmvgen(Mat A, PetscViewer viewer);

/* PETSc's function for an operation of an MPIAIJ, from a new one: what A keeps may be lost where
 * PETSc merges another matrix into it. */
static PetscErrorCode PetscsOperation(MatOperation operation, AnyFunction** function) {
    Mat fresh;

    PetscFunctionBegin;
    PetscCall(MatCreate(PETSC_COMM_SELF, &fresh));
    PetscCall(MatSetSizes(fresh, 0, 0, 0, 0));
    PetscCall(MatSetType(fresh, MATMPIAIJ));
    PetscCall(MatGetOperation(fresh, operation, function));
    PetscCall(MatDestroy(&fresh));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* NULL for blocks that there are not yet. */
static PetscErrorCode GetBlocks(Mat A, Mat blocks[2]) {
    PetscFunctionBegin;
    PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetBlocks(Mat A, PetscBool ours) {
    Mat blocks[2];

    PetscFunctionBegin;
    PetscCall(GetBlocks(A, blocks));
    for (int k = 0; k < 2; ++k)
        if (blocks[k] != NULL) PetscCall(SetSeqAIJSpmvgen(blocks[k], ours));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc makes blocks at many places; after an assembly they are there to stay. */
static PetscErrorCode MatAssemblyEnd_MPIAIJSpmvgen(Mat A, MatAssemblyType type) {
    AnyFunction* petsc;

    PetscFunctionBegin;
    PetscCall(PetscsOperation(MATOP_ASSEMBLY_END, &petsc));
    PetscCall(((PetscErrorCode(*)(Mat, MatAssemblyType))petsc)(A, type));
    PetscCall(SetBlocks(A, PETSC_TRUE));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatView_MPIAIJSpmvgen(Mat A, PetscViewer viewer) {
    static const char* const names[2] = {"diagonal block", "off-diagonal block"};
    AnyFunction* petsc;
    PetscViewerFormat format;
    PetscBool ascii, ours;
    Mat blocks[2];

    PetscFunctionBegin;
    PetscCall(PetscsOperation(MATOP_VIEW, &petsc));
    PetscCall(((PetscErrorCode(*)(Mat, PetscViewer))petsc)(A, viewer));
    PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
    PetscCall(PetscViewerGetFormat(viewer, &format));
    if (!ascii || (format != PETSC_VIEWER_ASCII_INFO && format != PETSC_VIEWER_ASCII_INFO_DETAIL))
        PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(GetBlocks(A, blocks));
    for (int k = 0; k < 2; ++k) {
        if (blocks[k] == NULL) continue;
        PetscCall(PetscObjectTypeCompare((PetscObject)blocks[k], MATSEQAIJSPMVGEN, &ours));
        if (ours) PetscCall(ViewHandles(blocks[k], names[k], viewer));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetOperations(Mat A, PetscBool ours) {
    AnyFunction* assembly_end = (AnyFunction*)MatAssemblyEnd_MPIAIJSpmvgen;
    AnyFunction* view = (AnyFunction*)MatView_MPIAIJSpmvgen;

    PetscFunctionBegin;
    if (!ours) {
        PetscCall(PetscsOperation(MATOP_ASSEMBLY_END, &assembly_end));
        PetscCall(PetscsOperation(MATOP_VIEW, &view));
    }
    PetscCall(MatSetOperation(A, MATOP_ASSEMBLY_END, assembly_end));
    PetscCall(MatSetOperation(A, MATOP_VIEW, view));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ProductWithDense(Mat product) {
    return ProductAsOf(product, "MatProductSetFromOptions_mpiaij_mpidense_C");
}
static PetscErrorCode ProductOfDense(Mat product) {
    return ProductAsOf(product, "MatProductSetFromOptions_mpidense_mpiaij_C");
}

static PetscErrorCode MatConvert_MPIAIJ_MPIAIJSpmvgen(Mat, MatType, MatReuse, Mat*);
static PetscErrorCode MatConvert_MPIAIJSpmvgen_MPIAIJ(Mat, MatType, MatReuse, Mat*);

/* What PETSc finds by name on a matrix of ours; NULLs take it away. */
static PetscErrorCode ComposeFunctions(Mat A, PetscBool ours) {
    const struct {
        const char* name;
        AnyFunction* function;
    } all[] = {
        {"MatConvert_mpiaijspmvgen_mpiaij_C", (AnyFunction*)MatConvert_MPIAIJSpmvgen_MPIAIJ},
        {"MatConvert_mpiaij_mpiaijspmvgen_C", (AnyFunction*)MatConvert_MPIAIJ_MPIAIJSpmvgen},
        {"MatProductSetFromOptions_mpiaijspmvgen_mpidense_C", (AnyFunction*)ProductWithDense},
        {"MatProductSetFromOptions_mpidense_mpiaijspmvgen_C", (AnyFunction*)ProductOfDense},
    };

    PetscFunctionBegin;
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        PetscCall(
            PetscObjectComposeFunction((PetscObject)A, all[k].name, ours ? all[k].function : NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* One function for both directions. */
static PetscErrorCode Convert(Mat A, PetscBool ours, MatReuse reuse, Mat* newmat) {
    const MatType type = ours ? MATMPIAIJSPMVGEN : MATMPIAIJ;
    PetscBool same;
    Mat B = *newmat;

    PetscFunctionBegin;
    if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
    PetscCall(PetscObjectTypeCompare((PetscObject)B, type, &same));
    if (!same) {
        PetscCall(SetOperations(B, ours));
        PetscCall(ComposeFunctions(B, ours));
        PetscCall(PetscObjectChangeTypeName((PetscObject)B, type));
        PetscCall(SetBlocks(B, ours));
    }
    *newmat = B;
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatConvert_MPIAIJ_MPIAIJSpmvgen(Mat A, MatType type, MatReuse reuse,
                                                      Mat* newmat) {
    (void)type;
    return Convert(A, PETSC_TRUE, reuse, newmat);
}

static PetscErrorCode MatConvert_MPIAIJSpmvgen_MPIAIJ(Mat A, MatType type, MatReuse reuse,
                                                      Mat* newmat) {
    (void)type;
    return Convert(A, PETSC_FALSE, reuse, newmat);
}

PetscErrorCode MatCreate_MPIAIJSpmvgen(Mat A) {
    PetscFunctionBegin;
    PetscCall(MatSetType(A, MATMPIAIJ));
    PetscCall(Convert(A, PETSC_TRUE, MAT_INPLACE_MATRIX, &A));
    PetscFunctionReturn(PETSC_SUCCESS);
}
