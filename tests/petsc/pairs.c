#include "pairs.h"

#include <string.h>

static const PetscReal tolerance = 1e-12;

PetscBool IsHost(const Test* test) {
    return strcmp(test->ours, "aijspmvgen") == 0 ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode MakeOurs(const Test* test, Mat* A) {
    PetscFunctionBeginUser;
    if (!IsHost(test)) PetscCall(MatConvert(*A, test->ours, MAT_INPLACE_MATRIX, A));
    PetscFunctionReturn(PETSC_SUCCESS);
}

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
    PetscCall(New(MATAIJ, rows, cols, &pair->aij));
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

static PetscErrorCode CompareDiagonals(const Pair* pair, PetscReal* worst) {
    Vec expected, found;

    PetscFunctionBeginUser;
    PetscCall(MatCreateVecs(pair->aij, &expected, NULL));
    PetscCall(VecDuplicate(expected, &found));
    PetscCall(MatGetDiagonal(pair->aij, expected));
    PetscCall(MatGetDiagonal(pair->ours, found));
    PetscCall(Difference(expected, found, worst));
    PetscCall(VecDestroy(&expected));
    PetscCall(VecDestroy(&found));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Compare(Test* test, const char* what, const Pair* pair) {
    static const struct {
        const char* name;
        Multiply multiply;
        MultiplyAdd add;
        PetscBool transposed;
    } products[] = {
        {"A", MatMult, MatMultAdd, PETSC_FALSE},
        {"A transposed", MatMultTranspose, MatMultTransposeAdd, PETSC_TRUE},
        {"A conjugate transposed", MatMultHermitianTranspose, MatMultHermitianTransposeAdd,
         PETSC_TRUE},
    };
    PetscReal worst = 0;
    PetscInt m, n;
    Vec x, y;

    PetscFunctionBeginUser;
    PetscCall(MatCreateVecs(test->on_host ? pair->aij : pair->ours, &x, &y));
    PetscCall(VecSetRandom(x, NULL));
    PetscCall(VecSetRandom(y, NULL));
    for (size_t k = 0; k < sizeof products / sizeof *products; ++k) {
        /* cuSPARSE has no conjugates of real matrices, and PETSc 3.26 asks for them. */
        if (k == 2 && !IsHost(test) && !PetscDefined(USE_COMPLEX)) continue;
        const PetscBool transposed = products[k].transposed;
        const PetscReal before = worst;
        PetscCall(CompareProducts(pair, products[k].multiply, products[k].add, transposed ? y : x,
                                  transposed ? x : y, &worst));
        if (!(worst < tolerance) && before < tolerance)
            PetscCall(PetscPrintf(PETSC_COMM_WORLD, "products of %s:\n", products[k].name));
    }
    PetscCall(MatGetSize(pair->aij, &m, &n));
    if (m == n && IsHost(test)) PetscCall(CompareDiagonals(pair, &worst));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(Report(test, what, pair->ours, worst));
    PetscFunctionReturn(PETSC_SUCCESS);
}
