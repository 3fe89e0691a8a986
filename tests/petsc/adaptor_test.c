/* Matrices of our types against those of type aij with the same entries, through everything that
 * changes a matrix. Run with -dll_append .../libpetscspmvgen.so on any number of ranks. Options are
 * -ours with our type, -grid with the points of a side, -only with one of the groups at the end;
 * what is left of the command line is PETSc's: -mat_spmvgen_after 0, -mat_spmvgen_options
 * device=... Exit status 1 when a product differs, or when nothing went through spmvgen. */
#include "cases.h"

#include <string.h>

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
        PetscBool host_only;
    } changes[] = {
        {"new values by MatSetValues", NewValues, PETSC_FALSE},
        {"MatScale", Scale, PETSC_FALSE},
        {"MatShift", Shift, PETSC_FALSE},
        {"MatDiagonalScale", DiagonalScale, PETSC_FALSE},
        {"MatZeroEntries, filled again", Refill, PETSC_FALSE},
        {"MatConjugate", Conjugate, PETSC_FALSE},
        {"new entries", NewEntries, PETSC_FALSE},
        {"new values after new entries", NewEntries, PETSC_FALSE},
        {"MatAXPY, another pattern", AddAnother, PETSC_FALSE},
        {"MatZeroRows", ZeroRows, PETSC_FALSE},
        {"MatTranspose in place", TransposeInPlace, PETSC_FALSE},
        {"MatScale after it", Scale, PETSC_FALSE},
        {"MatConvert in place, twice", ToAijAndBack, PETSC_TRUE},
        {"MatShift after it", Shift, PETSC_FALSE},
    };

    PetscFunctionBeginUser;
    PetscCall(Compare(test, "assembled", pair));
    for (size_t k = 0; k < sizeof changes / sizeof *changes; ++k) {
        if (changes[k].host_only && !IsHost(test)) continue;
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
        PetscBool host_only;
    } makers[] = {
        {"MatDuplicate", Duplicate, PETSC_FALSE},
        {"MatAXPY, same pattern", DuplicateAndAdd, PETSC_FALSE},
        {"MatConvert to aijspmvgen", ToOurs, PETSC_TRUE},
        {"MatConvert to aij", ToAij, PETSC_TRUE},
        {"MatTranspose", Transpose, PETSC_FALSE},
        {"A times A", Square, PETSC_FALSE},
        {"MatPtAP", TripleProduct, PETSC_FALSE},
        {"MatCreateSubMatrix", EverySecond, PETSC_FALSE},
    };

    PetscFunctionBeginUser;
    for (size_t k = 0; k < sizeof makers / sizeof *makers; ++k) {
        Pair made;
        if (makers[k].host_only && !IsHost(test)) continue;
        PetscCall(makers[k].make(pair->aij, &made.aij));
        PetscCall(makers[k].make(pair->ours, &made.ours));
        PetscCall(MakeOurs(test, &made.ours));
        PetscCall(Compare(test, makers[k].what, &made));
        PetscCall(DestroyPair(&made));
    }
    { /* one made of the other type, too */
        Pair made = {.aij = pair->aij};
        PetscCall(MatConvert(pair->aij, test->ours, MAT_INITIAL_MATRIX, &made.ours));
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
    PetscCall(MakeOurs(test, &ours[0]));
    made = (Pair){aij[0], ours[0]};
    PetscCall(Compare(test, "MatCreateSubMatrices", &made));
    PetscCall(MatCreateSubMatrices(pair->ours, 1, &is, &is, MAT_REUSE_MATRIX, &ours));
    PetscCall(Compare(test, "the same, again", &made));
    PetscCall(MatDestroySubMatrices(1, &aij));
    PetscCall(MatDestroySubMatrices(1, &ours));
    PetscCall(ISDestroy(&is));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries by MatSetValuesCOO, which makes the blocks of a rank in a way of its own. */
static PetscErrorCode Coordinates(Test* test) {
    const PetscInt rows = test->grid * 4;
    PetscInt first, last, count = 0, *i, *j;
    PetscScalar* values;
    Pair pair;

    PetscFunctionBeginUser;
    PetscCall(NewEmptyPair(test, rows, rows, &pair));
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

/* ---- groups of cases ------------------------------------------------------------------------- */

static PetscErrorCode Shapes(Test* test, Pair* pair) {
    const PetscInt rows = test->grid * test->grid;
    Pair other;

    PetscFunctionBeginUser;
    (void)pair;
    PetscCall(NewPair(test, test->grid, rows, rows / 2 + 7, &other));
    PetscCall(Compare(test, "fewer columns than rows", &other));
    PetscCall(DestroyPair(&other));
    PetscCall(NewPair(test, test->grid, rows / 3, rows, &other));
    PetscCall(Compare(test, "fewer rows than columns", &other));
    PetscCall(DenseProducts(test, &other));
    PetscCall(DestroyPair(&other));
    PetscCall(NewPair(test, 1, 1, 1, &other));
    PetscCall(Compare(test, "1 x 1", &other));
    PetscCall(DestroyPair(&other));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Others(Test* test, Pair* pair) {
    return OtherMatrices(test, pair);
}
static PetscErrorCode Parts(Test* test, Pair* pair) {
    return Submatrices(test, pair);
}
static PetscErrorCode ByCoordinates(Test* test, Pair* pair) {
    (void)pair;
    return Coordinates(test);
}
static PetscErrorCode FewRows(Test* test, Pair* pair) {
    (void)pair;
    return DenseProductsOfFewRows(test);
}
static PetscErrorCode Plans(Test* test, Pair* pair) {
    (void)pair;
    return IsHost(test) ? DenseProductsPlan(test) : PETSC_SUCCESS;
}

/* The group that is asked for, or all, one after another with the same matrix. */
static PetscErrorCode RunGroups(Test* test) {
    static const struct {
        const char* name;
        PetscErrorCode (*run)(Test* test, Pair* pair);
    } groups[] = {
        {"changes", ChangesInPlace},
        {"others", Others},
        {"parts", Parts},
        {"dense", DenseProducts},
        {"shapes", Shapes},
        {"coordinates", ByCoordinates},
        {"few", FewRows},
        {"plans", Plans},
        {"gpu", Gpus},
    };
    const PetscInt rows = test->grid * test->grid;
    char only[64] = "";
    PetscBool given;
    Pair pair;

    PetscFunctionBeginUser;
    PetscCall(PetscOptionsGetString(NULL, NULL, "-only", only, sizeof only, &given));
    PetscCall(NewPair(test, test->grid, rows, rows, &pair));
    for (size_t k = 0; k < sizeof groups / sizeof *groups; ++k)
        if (!given || strcmp(only, groups[k].name) == 0) PetscCall(groups[k].run(test, &pair));
    PetscCall(DestroyPair(&pair));
    PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char** argv) {
    Test test = {.grid = 40, .ours = "aijspmvgen"};
    PetscEventPerfInfo planned;
    PetscLogEvent event;

    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscLogDefaultBegin());
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-grid", &test.grid, NULL));
    PetscCall(PetscOptionsGetString(NULL, NULL, "-ours", test.ours, sizeof test.ours, NULL));
    PetscCall(RunGroups(&test));

    PetscCall(PetscLogEventGetId("MatSpmvgenPlan", &event));
    PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &planned));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "handles made: %d; wrong: %d\n", planned.count,
                          (int)test.wrong));
    PetscCall(PetscFinalize());
    return test.wrong != 0 || planned.count == 0;
}
