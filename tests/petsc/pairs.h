/* The same matrix of type aij and of one of our types, made, compared and reported on. */
#ifndef PAIRS_H
#define PAIRS_H

#include <petscmat.h>

#if PETSC_VERSION_LT(3, 19, 0)
#define PETSC_SUCCESS 0
#endif

/* The same matrix twice. */
typedef struct {
    Mat aij, ours;
} Pair;

typedef struct {
    PetscInt grid;     /* points of a side; matrices have grid^2 rows */
    PetscInt wrong;    /* cases */
    char ours[64];     /* type of ours, "aijspmvgen" */
    PetscBool on_host; /* vectors are in the host's memory, wherever ours is */
} Test;

/* A number without a pattern, between -0.5 and 0.5. */
PetscScalar Number(PetscInt i, PetscInt j);
/* Adds a five-point grid of numbers; with more, another entry in most rows, far from the diagonal.
 */
PetscErrorCode Fill(Mat A, PetscInt grid, PetscScalar scale, PetscBool more);
/* An empty matrix. */
PetscErrorCode New(MatType type, PetscInt rows, PetscInt cols, Mat* A);
/* Empty ones, and filled ones. */
PetscErrorCode NewEmptyPair(const Test* test, PetscInt rows, PetscInt cols, Pair* pair);
PetscErrorCode NewPair(const Test* test, PetscInt grid, PetscInt rows, PetscInt cols, Pair* pair);
PetscErrorCode DestroyPair(Pair* pair);
/* Compares all products, of vectors where ours is, and on the host the diagonal: on GPUs that of
 * rows without entries is not PETSc's to have. */
PetscErrorCode Compare(Test* test, const char* what, const Pair* pair);
/* Writes a line, and counts the case when `worst` is no small number. */
PetscErrorCode Report(Test* test, const char* what, Mat ours, PetscReal worst);

/* Whether ours is in the host's memory. */
PetscBool IsHost(const Test* test);
/* Converts what PETSc made of a matrix of ours on a GPU, which is PETSc's. */
PetscErrorCode MakeOurs(const Test* test, Mat* A);

#endif
