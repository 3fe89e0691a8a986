#include "pairs.h"

static const PetscReal tolerance = 1e-12;

PetscScalar Number(PetscInt i, PetscInt j) {
    const PetscReal re = ((i * 7919 + j * 104729) % 1009) / (PetscReal)1009 - 0.5;
    const PetscReal im = ((i * 6007 + j * 7027) % 997) / (PetscReal)997 - 0.5;
#if defined(PETSC_USE_COMPLEX)
    return PetscCMPLX(re, im);
#else
    return re + 0 * im;
#endif
}

PetscErrorCode Fill(Mat A, PetscInt grid, PetscScalar scale, PetscBool more) {
    PetscInt first, last, rows, cols;

    PetscFunctionBeginUser;
    PetscCall(MatGetSize(A, &rows, &cols));
    PetscCall(MatGetOwnershipRange(A, &first, &last));
    for (PetscInt i = first; i < last; ++i) {
        const PetscInt near[6] = {
            i,        i % grid > 0 ? i - 1 : -1,     i % grid < grid - 1 ? i + 1 : -1, i - grid,
            i + grid, more ? (i * 7 + 3) % cols : -1};
        for (int k = 0; k < 6; ++k) {
            const PetscInt j = near[k] < cols ? near[k] : -1; /* negative ones are ignored */
            PetscCall(MatSetValue(A, i, j, scale * (Number(i, near[k]) + (k == 0 ? 4.0 : 0.0)),
                                  ADD_VALUES));
        }
    }
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode New(MatType type, PetscInt rows, PetscInt cols, Mat* A) {
    PetscFunctionBeginUser;
    PetscCall(MatCreate(PETSC_COMM_WORLD, A));
    PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, rows, cols));
    PetscCall(MatSetType(*A, type));
    PetscCall(MatSeqAIJSetPreallocation(*A, 8, NULL));
    PetscCall(MatMPIAIJSetPreallocation(*A, 8, NULL, 8, NULL));
    PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NewEmptyPair(const Test* test, PetscInt rows, PetscInt cols, Pair* pair) {
    PetscFunctionBeginUser;
    PetscCall(New(test->reference, rows, cols, &pair->aij));
    PetscCall(New(test->ours, rows, cols, &pair->ours));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NewPair(const Test* test, PetscInt grid, PetscInt rows, PetscInt cols, Pair* pair) {
    PetscFunctionBeginUser;
    PetscCall(NewEmptyPair(test, rows, cols, pair));
    PetscCall(Fill(pair->aij, grid, 1, PETSC_FALSE));
    PetscCall(Fill(pair->ours, grid, 1, PETSC_FALSE));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DestroyPair(Pair* pair) {
    PetscFunctionBeginUser;
    PetscCall(MatDestroy(&pair->aij));
    PetscCall(MatDestroy(&pair->ours));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* *worst = max(*worst, |a - b|); b is used up. */
static PetscErrorCode Difference(Vec a, Vec b, PetscReal* worst) {
    PetscReal difference;

    PetscFunctionBeginUser;
    PetscCall(VecAXPY(b, -1, a));
    PetscCall(VecNorm(b, NORM_INFINITY, &difference));
    if (!(difference <= *worst)) *worst = difference; /* NaN, too */
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Report(Test* test, const char* what, Mat ours, PetscReal worst) {
    const PetscBool right = worst < tolerance ? PETSC_TRUE : PETSC_FALSE;
    MatType type = "";

    PetscFunctionBeginUser;
    if (ours != NULL) PetscCall(MatGetType(ours, &type));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-34s %-16s difference %.1e%s\n", what, type,
                          (double)worst, right ? "" : "   WRONG"));
    test->wrong += !right;
    PetscFunctionReturn(PETSC_SUCCESS);
}

typedef PetscErrorCode (*Multiply)(Mat, Vec, Vec);
typedef PetscErrorCode (*MultiplyAdd)(Mat, Vec, Vec, Vec);

/* y = op(A) x over old numbers, z = y + op(A) x, and the same in place. */
static PetscErrorCode CompareProducts(const Pair* pair, Multiply multiply, MultiplyAdd add, Vec x,
                                      Vec y, PetscReal* worst) {
    Vec expected, found;

    PetscFunctionBeginUser;
    PetscCall(VecDuplicate(y, &expected));
    PetscCall(VecDuplicate(y, &found));
    PetscCall(VecSet(found, PETSC_INFINITY));
    PetscCall(multiply(pair->aij, x, expected));
    PetscCall(multiply(pair->ours, x, found));
    PetscCall(Difference(expected, found, worst));
    PetscCall(add(pair->aij, x, y, expected));
    PetscCall(add(pair->ours, x, y, found));
    PetscCall(Difference(expected, found, worst));
    PetscCall(VecCopy(y, found));
    PetscCall(add(pair->ours, x, found, found));
    PetscCall(Difference(expected, found, worst));
    PetscCall(VecDestroy(&expected));
    PetscCall(VecDestroy(&found));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Compare(Test* test, const char* what, const Pair* pair) {
    PetscReal worst = 0;
    PetscInt m, n;
    Vec x, y;

    PetscFunctionBeginUser;
    PetscCall(MatCreateVecs(pair->aij, &x, &y));
    PetscCall(VecSetRandom(x, NULL));
    PetscCall(VecSetRandom(y, NULL));
    PetscCall(CompareProducts(pair, MatMult, MatMultAdd, x, y, &worst));
    PetscCall(CompareProducts(pair, MatMultTranspose, MatMultTransposeAdd, y, x, &worst));
    PetscCall(CompareProducts(pair, MatMultHermitianTranspose, MatMultHermitianTransposeAdd, y, x,
                              &worst));
    PetscCall(MatGetSize(pair->aij, &m, &n));
    if (m == n) {
        Vec expected, found;
        PetscCall(VecDuplicate(x, &expected));
        PetscCall(VecDuplicate(x, &found));
        PetscCall(MatGetDiagonal(pair->aij, expected));
        PetscCall(MatGetDiagonal(pair->ours, found));
        PetscCall(Difference(expected, found, &worst));
        PetscCall(VecDestroy(&expected));
        PetscCall(VecDestroy(&found));
    }
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(Report(test, what, pair->ours, worst));
    PetscFunctionReturn(PETSC_SUCCESS);
}
