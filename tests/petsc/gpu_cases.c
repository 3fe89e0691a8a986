/* What there is on GPUs alone. */
#include "cases.h"

/* Values in the memory of the GPU, to a pattern that PETSc has. */
static PetscErrorCode DeviceCoordinates(Test* test) {
    const PetscInt rows = test->grid * 4;
    PetscInt first, last, *i, *j;
    Vec numbers;
    Pair pair;

    PetscFunctionBeginUser;
    PetscCall(NewEmptyPair(test, rows, rows, &pair));
    PetscCall(MatGetOwnershipRange(pair.aij, &first, &last));
    PetscCall(VecCreate(PETSC_COMM_SELF, &numbers));
    PetscCall(VecSetSizes(numbers, 2 * (last - first), PETSC_DECIDE));
    PetscCall(VecSetType(numbers, VECSEQCUDA));
    for (int round = 0; round < 3; ++round) {
        PetscCall(VecSetRandom(numbers, NULL));
        for (int k = 0; k < 2; ++k) {
            Mat A = k ? pair.ours : pair.aij;
            const PetscScalar* values;
            if (round == 0) {
                PetscCall(PetscMalloc2(2 * (last - first), &i, 2 * (last - first), &j));
                for (PetscInt row = first; row < last; ++row) {
                    i[2 * (row - first)] = i[2 * (row - first) + 1] = row;
                    j[2 * (row - first)] = row;
                    j[2 * (row - first) + 1] = (row * 5 + 1) % rows;
                }
                PetscCall(MatSetPreallocationCOO(A, 2 * (last - first), i, j));
                PetscCall(PetscFree2(i, j));
            }
            PetscCall(k ? VecGetArrayReadAndMemType(numbers, &values, NULL)
                        : VecGetArrayRead(numbers, &values));
            PetscCall(MatSetValuesCOO(A, values, round == 1 ? ADD_VALUES : INSERT_VALUES));
            PetscCall(k ? VecRestoreArrayReadAndMemType(numbers, &values)
                        : VecRestoreArrayRead(numbers, &values));
        }
        PetscCall(Compare(test, "MatSetValuesCOO from the GPU", &pair));
    }
    PetscCall(VecDestroy(&numbers));
    PetscCall(DestroyPair(&pair));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bound to the host, changed there, and bound no longer. */
static PetscErrorCode Bound(Test* test, Pair* pair) {
    PetscFunctionBeginUser;
    for (int k = 0; k < 2; ++k) PetscCall(MatBindToCPU(k ? pair->ours : pair->aij, PETSC_TRUE));
    PetscCall(Compare(test, "MatBindToCPU", pair));
    for (int k = 0; k < 2; ++k) PetscCall(MatScale(k ? pair->ours : pair->aij, 1.5));
    PetscCall(Compare(test, "and MatScale", pair));
    for (int k = 0; k < 2; ++k) PetscCall(MatBindToCPU(k ? pair->ours : pair->aij, PETSC_FALSE));
    PetscCall(Compare(test, "bound no longer", pair));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* MatSetType, as MatSetFromOptions calls it again, leaves an assembled matrix as it is. */
static PetscErrorCode SetTypeAgain(Test* test, Pair* pair) {
    Mat converted;

    PetscFunctionBeginUser;
    PetscCall(MatSetType(pair->ours, test->ours));
    PetscCall(Compare(test, "MatSetType, again", pair));
    PetscCall(MatDuplicate(pair->aij, MAT_COPY_VALUES, &converted));
    PetscCall(MatSetType(converted, test->ours));
    Pair made = {.aij = pair->aij, .ours = converted};
    PetscCall(Compare(test, "MatSetType of aij", &made));
    PetscCall(MatDestroy(&converted));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Gpus(Test* test, Pair* pair) {
    PetscFunctionBeginUser;
    if (IsHost(test)) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(DeviceCoordinates(test));
    PetscCall(Bound(test, pair));
    PetscCall(SetTypeAgain(test, pair));
    test->on_host = PETSC_TRUE;
    PetscCall(Compare(test, "vectors of the host", pair));
    test->on_host = PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
}
