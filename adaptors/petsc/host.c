/* Matrices in the host's memory, made of PETSc's AIJ. */
#include "petscspmvgen.h"

static PetscErrorCode SetDevice(spmvgen_options* options, PetscBool listed) {
    (void)options; /* the host, or what the user says */
    (void)listed;
    return PETSC_SUCCESS;
}

static PetscErrorCode GetArrays(Mat A, const PetscInt* row_ptr, const PetscInt* col_idx,
                                const RowList* list, Arrays* arrays) {
    PetscFunctionBegin;
    *arrays = (Arrays){.row_ptr = list->rows != NULL ? list->row_ptr : row_ptr,
                       .col_idx = col_idx,
                       .listed_rows = list->rows};
    PetscCall(MatSeqAIJGetArrayRead(A, &arrays->values));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RestoreArrays(Mat A, Arrays* arrays) {
    return MatSeqAIJRestoreArrayRead(A, &arrays->values);
}

static PetscErrorCode Zero(PetscScalar* array, PetscInt size) {
    return PetscArrayzero(array, size);
}

static PetscErrorCode Stream(void** stream) {
    *stream = NULL;
    return PETSC_SUCCESS;
}

static PetscErrorCode Begin(void) {
    return PETSC_SUCCESS;
}

static PetscErrorCode End(PetscLogDouble flops) {
    return PetscLogFlops(flops);
}

const Place host_place = {
    .seq = MATSEQAIJSPMVGEN,
    .mpi = MATMPIAIJSPMVGEN,
    .base = MATSEQAIJ,
    .base_mpi = MATMPIAIJ,
    .petsc = MATSEQAIJ,
    .petsc_mpi = MATMPIAIJ,
    .renames = PETSC_TRUE,
    .gpu = PETSC_FALSE,
    /* Repaid by fewer products than these on matrices for which planning pays at all. */
    .patience = {.products = 100, .seconds = 0.05, .update = 10},
    .set_device = SetDevice,
    .get_arrays = GetArrays,
    .restore_arrays = RestoreArrays,
    .get_values = MatSeqAIJGetArrayRead,
    .restore_values = MatSeqAIJRestoreArrayRead,
    .get_read = VecGetArrayRead,
    .restore_read = VecRestoreArrayRead,
    .get_write = VecGetArrayWrite,
    .restore_write = VecRestoreArrayWrite,
    .get = VecGetArray,
    .restore = VecRestoreArray,
    .zero = Zero,
    .stream = Stream,
    .begin = Begin,
    .end = End,
};

PetscErrorCode PlaceOf(Mat A, const Place** place) {
    PetscFunctionBegin;
    (void)A; /* a PETSc without GPUs does not ask */
    *place = &host_place;
#if defined(PETSC_HAVE_CUDA)
    PetscBool cuda;
    PetscCall(
        PetscObjectTypeCompareAny((PetscObject)A, &cuda, MATSEQAIJCUSPARSE, MATMPIAIJCUSPARSE, ""));
    if (cuda) *place = &cuda_place;
#endif
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CreateEmpty(MatType type, Mat* fresh) {
    PetscFunctionBegin;
    PetscCall(MatCreate(PETSC_COMM_SELF, fresh));
    PetscCall(MatSetSizes(*fresh, 0, 0, 0, 0));
    PetscCall(MatSetType(*fresh, type));
    PetscFunctionReturn(PETSC_SUCCESS);
}
