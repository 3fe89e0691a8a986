/* The parallel type: an MPIAIJ whose two blocks are of the sequential type. */
#include "petscspmvgen.h"

static PetscErrorCode MatAssemblyEnd_MPIAIJSpmvgen(Mat A, MatAssemblyType type);
static PetscErrorCode MatView_MPIAIJSpmvgen(Mat A, PetscViewer viewer);
static PetscErrorCode MatDuplicate_MPIAIJSpmvgen(Mat A, MatDuplicateOption option, Mat* B);

/* Which of PETSc's functions are replaced, and by what. */
static const struct {
    MatOperation operation;
    AnyFunction* ours;
    PetscBool gpu_only;
} replaced[] = {
    {MATOP_ASSEMBLY_END, (AnyFunction*)MatAssemblyEnd_MPIAIJSpmvgen, PETSC_FALSE},
    {MATOP_VIEW, (AnyFunction*)MatView_MPIAIJSpmvgen, PETSC_FALSE},
    {MATOP_DUPLICATE, (AnyFunction*)MatDuplicate_MPIAIJSpmvgen, PETSC_TRUE},
};

/* PETSc's function for an operation of matrices like A, from a new one: what A keeps may be lost
 * where PETSc merges another matrix into it. */
static PetscErrorCode PetscsOperation(Mat A, MatOperation operation, AnyFunction** function) {
    const Place* place;
    Mat fresh;

    PetscFunctionBegin;
    PetscCall(PlaceOf(A, &place));
    PetscCall(CreateEmpty(place->petsc_mpi, &fresh));
    PetscCall(MatGetOperation(fresh, operation, function));
    PetscCall(MatDestroy(&fresh));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode IsMPIAIJSpmvgen(Mat A, PetscBool* ours) {
    AnyFunction* assembly_end = NULL;

    PetscFunctionBegin;
    PetscCall(MatGetOperation(A, MATOP_ASSEMBLY_END, &assembly_end));
    *ours = assembly_end == (AnyFunction*)MatAssemblyEnd_MPIAIJSpmvgen ? PETSC_TRUE : PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* NULL for blocks that there are not yet. */
static PetscErrorCode GetBlocks(Mat A, Mat blocks[2]) {
    PetscFunctionBegin;
    PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetBlocks(Mat A, const Place* place, PetscBool ours) {
    Mat blocks[2];

    PetscFunctionBegin;
    PetscCall(GetBlocks(A, blocks));
    for (int k = 0; k < 2; ++k)
        if (blocks[k] != NULL) PetscCall(SetSeqAIJSpmvgen(blocks[k], place, ours));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc makes blocks at many places; after an assembly they are there to stay. */
static PetscErrorCode MatAssemblyEnd_MPIAIJSpmvgen(Mat A, MatAssemblyType type) {
    const Place* place;
    AnyFunction* petsc;

    PetscFunctionBegin;
    PetscCall(PlaceOf(A, &place));
    PetscCall(PetscsOperation(A, MATOP_ASSEMBLY_END, &petsc));
    PetscCall(((PetscErrorCode(*)(Mat, MatAssemblyType))petsc)(A, type));
    PetscCall(SetBlocks(A, place, PETSC_TRUE));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatView_MPIAIJSpmvgen(Mat A, PetscViewer viewer) {
    static const char* const names[2] = {"diagonal block", "off-diagonal block"};
    AnyFunction* petsc;
    PetscViewerFormat format;
    PetscBool ascii, ours;
    Mat blocks[2];

    PetscFunctionBegin;
    PetscCall(PetscsOperation(A, MATOP_VIEW, &petsc));
    PetscCall(((PetscErrorCode(*)(Mat, PetscViewer))petsc)(A, viewer));
    PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
    PetscCall(PetscViewerGetFormat(viewer, &format));
    if (!ascii || (format != PETSC_VIEWER_ASCII_INFO && format != PETSC_VIEWER_ASCII_INFO_DETAIL))
        PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(GetBlocks(A, blocks));
    for (int k = 0; k < 2; ++k) {
        if (blocks[k] == NULL) continue;
        PetscCall(IsSeqAIJSpmvgen(blocks[k], &ours));
        if (ours) PetscCall(ViewHandles(blocks[k], names[k], viewer));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDuplicate_MPIAIJSpmvgen(Mat A, MatDuplicateOption option, Mat* B) {
    const Place* place;
    AnyFunction* petsc;

    PetscFunctionBegin;
    PetscCall(PlaceOf(A, &place));
    PetscCall(PetscsOperation(A, MATOP_DUPLICATE, &petsc));
    PetscCall(((PetscErrorCode(*)(Mat, MatDuplicateOption, Mat*))petsc)(A, option, B));
    PetscCall(SetMPIAIJSpmvgen(*B, place, PETSC_TRUE));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetOperations(Mat A, const Place* place, PetscBool ours) {
    PetscFunctionBegin;
    for (size_t k = 0; k < sizeof replaced / sizeof *replaced; ++k) {
        AnyFunction* function = replaced[k].ours;
        if (replaced[k].gpu_only && !place->gpu) continue;
        if (!ours) PetscCall(PetscsOperation(A, replaced[k].operation, &function));
        PetscCall(MatSetOperation(A, replaced[k].operation, function));
    }
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
static PetscErrorCode ComposeFunctions(Mat A, const Place* place, PetscBool ours) {
    const struct {
        const Place* place;
        const char* name;
        AnyFunction* function;
    } all[] = {
        {&host_place, "MatConvert_mpiaijspmvgen_mpiaij_C",
         (AnyFunction*)MatConvert_MPIAIJSpmvgen_MPIAIJ},
        {&host_place, "MatConvert_mpiaij_mpiaijspmvgen_C",
         (AnyFunction*)MatConvert_MPIAIJ_MPIAIJSpmvgen},
        {&host_place, "MatProductSetFromOptions_mpiaijspmvgen_mpidense_C",
         (AnyFunction*)ProductWithDense},
        {&host_place, "MatProductSetFromOptions_mpidense_mpiaijspmvgen_C",
         (AnyFunction*)ProductOfDense},
#if defined(PETSC_HAVE_CUDA)
        {&cuda_place, "MatConvert_mpiaijcusparse_mpiaijcusparsespmvgen_C",
         (AnyFunction*)MatConvert_MPIAIJ_MPIAIJCUSPARSESpmvgen},
        {&cuda_place, "MatConvert_mpiaij_mpiaijcusparsespmvgen_C",
         (AnyFunction*)MatConvert_MPIAIJ_MPIAIJCUSPARSESpmvgen},
#endif
    };

    PetscFunctionBegin;
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        if (all[k].place == place)
            PetscCall(PetscObjectComposeFunction((PetscObject)A, all[k].name,
                                                 ours ? all[k].function : NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetMPIAIJSpmvgen(Mat A, const Place* place, PetscBool ours) {
    PetscBool is_ours = PETSC_FALSE;

    PetscFunctionBegin;
    PetscCall(IsMPIAIJSpmvgen(A, &is_ours));
    if (is_ours == ours) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(SetOperations(A, place, ours));
    PetscCall(ComposeFunctions(A, place, ours));
    if (place->renames)
        PetscCall(PetscObjectChangeTypeName((PetscObject)A, ours ? place->mpi : place->base_mpi));
    PetscCall(SetBlocks(A, place, ours));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* One function for both directions. */
static PetscErrorCode Convert(Mat A, PetscBool ours, MatReuse reuse, Mat* newmat) {
    Mat B = *newmat;

    PetscFunctionBegin;
    if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
    PetscCall(SetMPIAIJSpmvgen(B, &host_place, ours));
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
    PetscCall(SetMPIAIJSpmvgen(A, &host_place, PETSC_TRUE));
    PetscFunctionReturn(PETSC_SUCCESS);
}
