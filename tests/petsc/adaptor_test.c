/* Matrices of type aijspmvgen against those of type aij with the same entries, through everything
 * that changes a matrix. Run with -dll_append .../libpetscspmvgen.so on any number of ranks; what
 * is left of the command line is PETSc's: -mat_spmvgen_after 0, -mat_spmvgen_options device=... .
 * Exit status 1 when a product differs, or when nothing went through spmvgen. */
#include "pairs.h"

/* ---- what changes a matrix in place ---------------------------------------------------------- */

static PetscErrorCode NewValues(Mat* A, PetscInt grid) {
    return Fill(*A, grid, 2, PETSC_FALSE);
}
static PetscErrorCode Scale(Mat* A, PetscInt grid) {
    (void)grid;
    return MatScale(*A, 0.5);
}
static PetscErrorCode Shift(Mat* A, PetscInt grid) {
    (void)grid;
    return MatShift(*A, 1);
}
static PetscErrorCode DiagonalScale(Mat* A, PetscInt grid) {
    Vec left, right;

    PetscFunctionBeginUser;
    (void)grid;
    PetscCall(MatCreateVecs(*A, &right, &left));
    PetscCall(VecSet(left, 0.75));
    PetscCall(VecSet(right, 1.25));
    PetscCall(MatDiagonalScale(*A, left, right));
    PetscCall(VecDestroy(&left));
    PetscCall(VecDestroy(&right));
    PetscFunctionReturn(PETSC_SUCCESS);
}
static PetscErrorCode Refill(Mat* A, PetscInt grid) {
    PetscFunctionBeginUser;
    PetscCall(MatZeroEntries(*A));
    PetscCall(Fill(*A, grid, 3, PETSC_FALSE));
    PetscFunctionReturn(PETSC_SUCCESS);
}
static PetscErrorCode NewEntries(Mat* A, PetscInt grid) {
    return Fill(*A, grid, 1, PETSC_TRUE);
}
static PetscErrorCode Conjugate(Mat* A, PetscInt grid) {
    (void)grid;
    return MatConjugate(*A);
}
static PetscErrorCode AddAnother(Mat* A, PetscInt grid) {
    MatType type;
    PetscInt m, n;
    Mat other;

    PetscFunctionBeginUser;
    PetscCall(MatGetType(*A, &type));
    PetscCall(MatGetSize(*A, &m, &n));
    PetscCall(New(type, m, n, &other));
    PetscCall(Fill(other, grid / 2, 0.5, PETSC_TRUE));
    PetscCall(MatAXPY(*A, 0.5, other, DIFFERENT_NONZERO_PATTERN));
    PetscCall(MatDestroy(&other));
    PetscFunctionReturn(PETSC_SUCCESS);
}
static PetscErrorCode ZeroRows(Mat* A, PetscInt grid) {
    PetscInt first, last, rows[3];

    PetscFunctionBeginUser;
    (void)grid;
    PetscCall(MatGetOwnershipRange(*A, &first, &last));
    for (PetscInt k = 0; k < 3; ++k) rows[k] = first + k * (last - first) / 4;
    PetscCall(MatZeroRows(*A, 3, rows, 2.0, NULL, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
}
static PetscErrorCode TransposeInPlace(Mat* A, PetscInt grid) {
    (void)grid;
    return MatTranspose(*A, MAT_INPLACE_MATRIX, A);
}
static PetscErrorCode ToAijAndBack(Mat* A, PetscInt grid) {
    PetscBool ours;

    PetscFunctionBeginUser;
    (void)grid;
    PetscCall(
        PetscObjectTypeCompareAny((PetscObject)*A, &ours, "seqaijspmvgen", "mpiaijspmvgen", ""));
    PetscCall(MatConvert(*A, MATAIJ, MAT_INPLACE_MATRIX, A));
    if (ours) PetscCall(MatConvert(*A, "aijspmvgen", MAT_INPLACE_MATRIX, A));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ChangesInPlace(Test* test, Pair* pair) {
    static const struct {
        const char* what;
        PetscErrorCode (*change)(Mat* A, PetscInt grid);
    } changes[] = {
        {"new values by MatSetValues", NewValues},
        {"MatScale", Scale},
        {"MatShift", Shift},
        {"MatDiagonalScale", DiagonalScale},
        {"MatZeroEntries, filled again", Refill},
        {"MatConjugate", Conjugate},
        {"new entries", NewEntries},
        {"new values after new entries", NewEntries},
        {"MatAXPY, another pattern", AddAnother},
        {"MatZeroRows", ZeroRows},
        {"MatTranspose in place", TransposeInPlace},
        {"MatScale after it", Scale},
        {"MatConvert in place, twice", ToAijAndBack},
        {"MatShift after it", Shift},
    };

    PetscFunctionBeginUser;
    PetscCall(Compare(test, "assembled", pair));
    for (size_t k = 0; k < sizeof changes / sizeof *changes; ++k) {
        PetscCall(changes[k].change(&pair->aij, test->grid));
        PetscCall(changes[k].change(&pair->ours, test->grid));
        PetscCall(Compare(test, changes[k].what, pair));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what makes other matrices --------------------------------------------------------------- */

static PetscErrorCode Duplicate(Mat A, Mat* made) {
    return MatDuplicate(A, MAT_COPY_VALUES, made);
}
static PetscErrorCode DuplicateAndAdd(Mat A, Mat* made) {
    PetscFunctionBeginUser;
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, made));
    PetscCall(MatAXPY(*made, 2, A, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(PETSC_SUCCESS);
}
static PetscErrorCode ToOurs(Mat A, Mat* made) {
    return MatConvert(A, "aijspmvgen", MAT_INITIAL_MATRIX, made);
}
static PetscErrorCode ToAij(Mat A, Mat* made) {
    return MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, made);
}
static PetscErrorCode Transpose(Mat A, Mat* made) {
    return MatTranspose(A, MAT_INITIAL_MATRIX, made);
}
static PetscErrorCode Square(Mat A, Mat* made) {
    return MatMatMult(A, A, MAT_INITIAL_MATRIX, PETSC_DEFAULT, made);
}
static PetscErrorCode TripleProduct(Mat A, Mat* made) {
    PetscFunctionBeginUser;
    PetscCall(MatPtAP(A, A, MAT_INITIAL_MATRIX, PETSC_DEFAULT, made));
    PetscCall(MatScale(*made, 0.01));
    PetscFunctionReturn(PETSC_SUCCESS);
}
static PetscErrorCode EverySecond(Mat A, Mat* made) {
    PetscInt first, last;
    IS is;

    PetscFunctionBeginUser;
    PetscCall(MatGetOwnershipRange(A, &first, &last));
    PetscCall(ISCreateStride(PETSC_COMM_WORLD, (last - first) / 2, first, 2, &is));
    PetscCall(MatCreateSubMatrix(A, is, is, MAT_INITIAL_MATRIX, made));
    PetscCall(ISDestroy(&is));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OtherMatrices(Test* test, const Pair* pair) {
    static const struct {
        const char* what;
        PetscErrorCode (*make)(Mat A, Mat* made);
    } makers[] = {
        {"MatDuplicate", Duplicate},          {"MatAXPY, same pattern", DuplicateAndAdd},
        {"MatConvert to aijspmvgen", ToOurs}, {"MatConvert to aij", ToAij},
        {"MatTranspose", Transpose},          {"A times A", Square},
        {"MatPtAP", TripleProduct},           {"MatCreateSubMatrix", EverySecond},
    };

    PetscFunctionBeginUser;
    for (size_t k = 0; k < sizeof makers / sizeof *makers; ++k) {
        Pair made;
        PetscCall(makers[k].make(pair->aij, &made.aij));
        PetscCall(makers[k].make(pair->ours, &made.ours));
        PetscCall(Compare(test, makers[k].what, &made));
        PetscCall(DestroyPair(&made));
    }
    { /* one made of the other type, too */
        Pair made = {.aij = pair->aij};
        PetscCall(MatConvert(pair->aij, "aijspmvgen", MAT_INITIAL_MATRIX, &made.ours));
        PetscCall(Compare(test, "MatConvert from aij", &made));
        PetscCall(MatDestroy(&made.ours));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Overlapping blocks of rows, as ASM takes them: PETSc puts its own destroy over the type's. */
static PetscErrorCode Submatrices(Test* test, const Pair* pair) {
    PetscInt first, last, rows;
    Mat *aij, *ours;
    Pair made;
    IS is;

    PetscFunctionBeginUser;
    PetscCall(MatGetSize(pair->aij, &rows, NULL));
    PetscCall(MatGetOwnershipRange(pair->aij, &first, &last));
    last = PetscMin(last + test->grid, rows);
    PetscCall(ISCreateStride(PETSC_COMM_SELF, last - first, first, 1, &is));
    PetscCall(MatCreateSubMatrices(pair->aij, 1, &is, &is, MAT_INITIAL_MATRIX, &aij));
    PetscCall(MatCreateSubMatrices(pair->ours, 1, &is, &is, MAT_INITIAL_MATRIX, &ours));
    made = (Pair){aij[0], ours[0]};
    PetscCall(Compare(test, "MatCreateSubMatrices", &made));
    PetscCall(MatCreateSubMatrices(pair->ours, 1, &is, &is, MAT_REUSE_MATRIX, &ours));
    PetscCall(Compare(test, "the same, again", &made));
    PetscCall(MatDestroySubMatrices(1, &aij));
    PetscCall(MatDestroySubMatrices(1, &ours));
    PetscCall(ISDestroy(&is));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- several right-hand sides ---------------------------------------------------------------- */

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

/* The products, with what changes the matrix in between. */
static PetscErrorCode DenseProducts(Test* test, Pair* pair) {
    PetscInt m, n, local_m, local_n;
    Mat X, found;

    PetscFunctionBeginUser;
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

/* Few rows with entries, and columns with gaps between them: parts of larger dense matrices. */
static PetscErrorCode DenseProductsOfFewRows(Test* test) {
    const PetscInt rows = 50 * test->grid;
    PetscInt first, last, local;
    Mat all, X, found;
    Pair pair;

    PetscFunctionBeginUser;
    PetscCall(New(MATAIJ, rows, rows, &pair.aij));
    PetscCall(New("aijspmvgen", rows, rows, &pair.ours));
    for (int k = 0; k < 2; ++k) {
        Mat A = k ? pair.ours : pair.aij;
        PetscCall(MatGetOwnershipRange(A, &first, &last));
        for (PetscInt i = first; i < last; i += 11)
            PetscCall(MatSetValue(A, i, (i * 3) % rows, Number(i, 0), INSERT_VALUES));
        PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
        PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    }
    PetscCall(Compare(test, "few rows with entries", &pair));
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

/* A sequential product goes through the handle, and not through PETSc's loops: of the event of
 * planning there is then one more. */
static PetscErrorCode DenseProductsPlan(Test* test) {
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

/* Entries by MatSetValuesCOO, which makes the blocks of a rank in a way of its own. */
static PetscErrorCode Coordinates(Test* test) {
    const PetscInt rows = test->grid * 4;
    PetscInt first, last, count = 0, *i, *j;
    PetscScalar* values;
    Pair pair;

    PetscFunctionBeginUser;
    PetscCall(New(MATAIJ, rows, rows, &pair.aij));
    PetscCall(New("aijspmvgen", rows, rows, &pair.ours));
    PetscCall(MatGetOwnershipRange(pair.aij, &first, &last));
    PetscCall(
        PetscMalloc3(3 * (last - first), &i, 3 * (last - first), &j, 3 * (last - first), &values));
    for (PetscInt row = first; row < last; ++row)
        for (PetscInt k = 0; k < 3; ++k) {
            i[count] = row;
            j[count] = (row + k * 13) % rows;
            values[count++] = Number(row, k);
        }
    for (int k = 0; k < 2; ++k) {
        Mat A = k ? pair.ours : pair.aij;
        PetscInt *i_copy, *j_copy; /* are PETSc's to change */
        PetscCall(PetscMalloc2(count, &i_copy, count, &j_copy));
        PetscCall(PetscArraycpy(i_copy, i, count));
        PetscCall(PetscArraycpy(j_copy, j, count));
        PetscCall(MatSetPreallocationCOO(A, count, i_copy, j_copy));
        PetscCall(MatSetValuesCOO(A, values, INSERT_VALUES));
        PetscCall(PetscFree2(i_copy, j_copy));
    }
    PetscCall(Compare(test, "MatSetValuesCOO", &pair));
    for (PetscInt k = 0; k < count; ++k) values[k] *= 2.0;
    PetscCall(MatSetValuesCOO(pair.aij, values, INSERT_VALUES));
    PetscCall(MatSetValuesCOO(pair.ours, values, INSERT_VALUES));
    PetscCall(Compare(test, "MatSetValuesCOO, again", &pair));
    PetscCall(PetscFree3(i, j, values));
    PetscCall(DestroyPair(&pair));
    PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char** argv) {
    Test test = {.grid = 40};
    PetscEventPerfInfo planned;
    PetscLogEvent event;
    Pair pair;

    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscLogDefaultBegin());
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-grid", &test.grid, NULL));
    const PetscInt rows = test.grid * test.grid;
    PetscCall(NewPair(test.grid, rows, rows, &pair));
    PetscCall(ChangesInPlace(&test, &pair));
    PetscCall(OtherMatrices(&test, &pair));
    PetscCall(Submatrices(&test, &pair));
    PetscCall(DenseProducts(&test, &pair));
    PetscCall(DestroyPair(&pair));
    PetscCall(NewPair(test.grid, rows, rows / 2 + 7, &pair));
    PetscCall(Compare(&test, "fewer columns than rows", &pair));
    PetscCall(DestroyPair(&pair));
    PetscCall(NewPair(test.grid, rows / 3, rows, &pair));
    PetscCall(Compare(&test, "fewer rows than columns", &pair));
    PetscCall(DenseProducts(&test, &pair));
    PetscCall(DestroyPair(&pair));
    PetscCall(NewPair(1, 1, 1, &pair));
    PetscCall(Compare(&test, "1 x 1", &pair));
    PetscCall(DestroyPair(&pair));
    PetscCall(Coordinates(&test));
    PetscCall(DenseProductsOfFewRows(&test));
    PetscCall(DenseProductsPlan(&test));

    PetscCall(PetscLogEventGetId("MatSpmvgenPlan", &event));
    PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &planned));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "handles made: %d; wrong: %d\n", planned.count,
                          (int)test.wrong));
    PetscCall(PetscFinalize());
    return test.wrong != 0 || planned.count == 0;
}
