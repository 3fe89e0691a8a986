/* Products with several right-hand sides. */
#include "cases.h"

typedef PetscErrorCode (*DenseProduct)(Mat, Mat, MatReuse, PetscReal, Mat*);

/* The norm of the difference between the products of the two; found is that of ours, which is made
 * anew, or filled again. */
static PetscErrorCode CompareDense(Test* test, const char* what, const Pair* pair,
                                   DenseProduct product, Mat X, MatReuse reuse, Mat* found) {
    Mat expected, difference;
    PetscReal norm;

    PetscFunctionBeginUser;
    PetscCall(product(pair->aij, X, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &expected));
    if (reuse == MAT_REUSE_MATRIX) PetscCall(MatSetRandom(*found, NULL));
    PetscCall(product(pair->ours, X, reuse, PETSC_DEFAULT, found));
    PetscCall(MatDuplicate(*found, MAT_COPY_VALUES, &difference));
    PetscCall(MatAXPY(difference, -1, expected, SAME_NONZERO_PATTERN));
    PetscCall(MatNorm(difference, NORM_FROBENIUS, &norm));
    PetscCall(Report(test, what, pair->ours, norm));
    PetscCall(MatDestroy(&expected));
    PetscCall(MatDestroy(&difference));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DenseProducts(Test* test, Pair* pair) {
    PetscInt m, n, local_m, local_n;
    Mat X, found;

    PetscFunctionBeginUser;
    if (!IsHost(test)) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(MatGetSize(pair->aij, &m, &n));
    PetscCall(MatGetLocalSize(pair->aij, &local_m, &local_n));
    for (int transposed = 0; transposed < 2; ++transposed) {
        const char* what = transposed ? "A transposed times dense" : "A times dense";
        const DenseProduct product = transposed ? MatTransposeMatMult : MatMatMult;
        PetscCall(MatCreateDense(PETSC_COMM_WORLD, transposed ? local_m : local_n, PETSC_DECIDE,
                                 transposed ? m : n, 5, NULL, &X));
        PetscCall(MatSetRandom(X, NULL));
        PetscCall(CompareDense(test, what, pair, product, X, MAT_INITIAL_MATRIX, &found));
        PetscCall(MatScale(pair->aij, 2));
        PetscCall(MatScale(pair->ours, 2));
        PetscCall(CompareDense(test, "new values, into the same", pair, product, X,
                               MAT_REUSE_MATRIX, &found));
        for (int k = 0; k < 3; ++k) /* by PETSc's loops, too */
            PetscCall(
                CompareDense(test, "the same again", pair, product, X, MAT_REUSE_MATRIX, &found));
        for (int k = 0; k < 2; ++k) {
            Mat A = k ? pair->ours : pair->aij;
            PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
            PetscCall(Fill(A, test->grid - transposed, 1, PETSC_TRUE));
        }
        PetscCall(MatDestroy(&found));
        PetscCall(
            CompareDense(test, "with a new pattern", pair, product, X, MAT_INITIAL_MATRIX, &found));
        PetscCall(MatDestroy(&X));
        PetscCall(MatDestroy(&found));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DenseProductsOfFewRows(Test* test) {
    const PetscInt rows = 50 * test->grid;
    PetscInt first, last, local;
    Mat all, X, found;
    Pair pair;

    PetscFunctionBeginUser;
    PetscCall(NewEmptyPair(test, rows, rows, &pair));
    for (int k = 0; k < 2; ++k) {
        Mat A = k ? pair.ours : pair.aij;
        PetscCall(MatGetOwnershipRange(A, &first, &last));
        for (PetscInt i = first; i < last; i += 11)
            PetscCall(MatSetValue(A, i, (i * 3) % rows, Number(i, 0), INSERT_VALUES));
        PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
        PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    }
    PetscCall(Compare(test, "few rows with entries", &pair));
    if (!IsHost(test)) {
        PetscCall(DestroyPair(&pair));
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(MatGetLocalSize(pair.aij, NULL, &local));
    PetscCall(MatCreateDense(PETSC_COMM_WORLD, local, PETSC_DECIDE, rows, 7, NULL, &all));
    PetscCall(MatSetRandom(all, NULL));
    PetscCall(
        CompareDense(test, "times dense", &pair, MatMatMult, all, MAT_INITIAL_MATRIX, &found));
    PetscCall(
        CompareDense(test, "times dense, again", &pair, MatMatMult, all, MAT_REUSE_MATRIX, &found));
    PetscCall(MatDestroy(&found));
    PetscCall(MatDenseGetSubMatrix(all, PETSC_DECIDE, PETSC_DECIDE, 2, 6, &X));
    PetscCall(
        CompareDense(test, "times some columns", &pair, MatMatMult, X, MAT_INITIAL_MATRIX, &found));
    PetscCall(MatDestroy(&found));
    PetscCall(MatDenseRestoreSubMatrix(all, &X));
    PetscCall(MatDestroy(&all));
    PetscCall(DestroyPair(&pair));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DenseProductsPlan(Test* test) {
    PetscEventPerfInfo before, after;
    PetscLogEvent event;
    Mat A, X, found;

    PetscFunctionBeginUser;
    PetscCall(PetscLogEventGetId("MatSpmvgenPlan", &event));
    PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &before));
    PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 100, 100, 6, NULL, &A));
    PetscCall(Fill(A, 10, 1, PETSC_FALSE));
    PetscCall(MatConvert(A, "seqaijspmvgen", MAT_INPLACE_MATRIX, &A));
    PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, 100, 5, NULL, &X));
    PetscCall(MatSetRandom(X, NULL));
    PetscCall(MatMatMult(A, X, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &found));
    PetscCall(MatMatMult(A, X, MAT_REUSE_MATRIX, PETSC_DEFAULT, &found));
    PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &after));
    /* At the second one at the latest: five columns of the first count as five products. */
    PetscCall(Report(test, "a dense product plans", A, after.count == before.count + 1 ? 0 : 1));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&X));
    PetscCall(MatDestroy(&found));
    PetscFunctionReturn(PETSC_SUCCESS);
}
