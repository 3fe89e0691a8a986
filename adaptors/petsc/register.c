/* What PETSc calls when it has opened the library. */
#include "petscspmvgen.h"

#include <stdlib.h>

/* The ranks of a node would say the same: its first one speaks, unless the user asks otherwise. */
static PetscErrorCode SilenceOtherRanks(MPI_Comm comm) {
    PetscMPIInt rank;
    MPI_Comm node;

    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    PetscCallMPI(MPI_Comm_rank(node, &rank));
    PetscCallMPI(MPI_Comm_free(&node));
    if (rank != 0) setenv("SPMVGEN_LOG", "quiet", 0);
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* The name that PETSc derives from that of the file, libpetscspmvgen.so. Collective on
 * PETSC_COMM_WORLD. */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_petscspmvgen(void) {
    PetscLogEvent event;

    PetscFunctionBegin;
    PetscCheck(spmvgen_abi() == SPMVGEN_ABI, PETSC_COMM_SELF, PETSC_ERR_LIB,
               "libspmvgen has binary interface %d, and this library was made for %d: install the "
               "two of one version",
               (int)spmvgen_abi(), SPMVGEN_ABI);
    PetscCall(SilenceOtherRanks(PETSC_COMM_WORLD));
    PetscCall(MatInitializePackage());
    PetscCall(MatRegisterRootName(MATAIJSPMVGEN, MATSEQAIJSPMVGEN, MATMPIAIJSPMVGEN));
    PetscCall(MatRegister(MATSEQAIJSPMVGEN, MatCreate_SeqAIJSpmvgen));
    PetscCall(MatRegister(MATMPIAIJSPMVGEN, MatCreate_MPIAIJSpmvgen));
    PetscCall(MatSeqAIJRegister(MATSEQAIJSPMVGEN, MatConvert_SeqAIJ_SeqAIJSpmvgen));
#if defined(PETSC_HAVE_CUDA)
    PetscCall(RegisterCuda());
#endif
    PetscCall(PetscLogEventRegister("MatSpmvgenPlan", MAT_CLASSID, &event));
    PetscFunctionReturn(PETSC_SUCCESS);
}
