/* The sequential type: a SEQAIJ with other products. */
#include "petscspmvgen.h"

PetscErrorCode MatDuplicate_SeqAIJSpmvgen(Mat A, MatDuplicateOption option, Mat* B) {
    Context* context;

    PetscFunctionBegin;
    PetscCall(GetContext(A, &context));
    PetscCall(context->petsc.duplicate(A, option, B));
    PetscCall(SetSeqAIJSpmvgen(*B, context->place, PETSC_TRUE));
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
static PetscErrorCode ComposeFunctions(Mat A, const Place* place, PetscBool ours) {
    const struct {
        const Place* place;
        const char* name;
        AnyFunction* function;
    } all[] = {
        {&host_place, "MatConvert_seqaijspmvgen_seqaij_C",
         (AnyFunction*)MatConvert_SeqAIJSpmvgen_SeqAIJ},
        {&host_place, "MatConvert_seqaij_seqaijspmvgen_C",
         (AnyFunction*)MatConvert_SeqAIJ_SeqAIJSpmvgen},
        {&host_place, "MatProductSetFromOptions_seqaijspmvgen_seqdense_C",
         (AnyFunction*)ProductWithDense},
        {&host_place, "MatProductSetFromOptions_seqdense_seqaijspmvgen_C",
         (AnyFunction*)ProductOfDense},
        {&host_place, "MatProductSetFromOptions_seqaijspmvgen_seqaij_C",
         (AnyFunction*)ProductWithAij},
        {&host_place, "MatProductSetFromOptions_seqaij_seqaijspmvgen_C",
         (AnyFunction*)ProductWithAij},
#if defined(PETSC_HAVE_CUDA)
        {&cuda_place, "MatConvert_seqaijcusparse_seqaijcusparsespmvgen_C",
         (AnyFunction*)MatConvert_SeqAIJ_SeqAIJCUSPARSESpmvgen},
        {&cuda_place, "MatConvert_seqaij_seqaijcusparsespmvgen_C",
         (AnyFunction*)MatConvert_SeqAIJ_SeqAIJCUSPARSESpmvgen},
#endif
    };

    PetscFunctionBegin;
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        if (all[k].place == place)
            PetscCall(PetscObjectComposeFunction((PetscObject)A, all[k].name,
                                                 ours ? all[k].function : NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetSeqAIJSpmvgen(Mat A, const Place* place, PetscBool ours) {
    PetscBool is_ours = PETSC_FALSE;

    PetscFunctionBegin;
    PetscCall(IsSeqAIJSpmvgen(A, &is_ours));
    if (is_ours == ours) PetscFunctionReturn(PETSC_SUCCESS);
    if (ours)
        PetscCall(ReplaceOperations(A, place));
    else
        PetscCall(RestoreOperations(A));
    PetscCall(ComposeFunctions(A, place, ours));
    if (place->renames)
        PetscCall(PetscObjectChangeTypeName((PetscObject)A, ours ? place->seq : place->base));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Convert(Mat A, PetscBool ours, MatReuse reuse, Mat* newmat) {
    Mat B = *newmat;

    PetscFunctionBegin;
    if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
    PetscCall(SetSeqAIJSpmvgen(B, &host_place, ours));
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
    PetscCall(SetSeqAIJSpmvgen(A, &host_place, PETSC_TRUE));
    PetscFunctionReturn(PETSC_SUCCESS);
}
