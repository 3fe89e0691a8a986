/* Groups of cases of the adaptor's test that have a file of their own. */
#ifndef CASES_H
#define CASES_H

#include "pairs.h"

/* Products with dense matrices, with what changes the matrix in between. None on GPUs, where they
 * are PETSc's. */
PetscErrorCode DenseProducts(Test* test, Pair* pair);
/* Few rows with entries, and columns with gaps between them: parts of larger dense matrices. */
PetscErrorCode DenseProductsOfFewRows(Test* test);
/* A sequential product goes through the handle, and not through PETSc's loops: of the event of
 * planning there is then one more. */
PetscErrorCode DenseProductsPlan(Test* test);
/* Values in the GPU's memory, matrices bound to the host, vectors of the host. */
PetscErrorCode Gpus(Test* test, Pair* pair);

#endif
