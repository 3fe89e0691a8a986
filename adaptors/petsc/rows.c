/* Rows that are not there. Of the off-diagonal block of a rank only the rows at the border have
 * entries, and a product over all rows would take as long as that of the diagonal block. */
#include "petscspmvgen.h"

PetscErrorCode RowListCreate(PetscInt m, const PetscInt* row_ptr, RowList* list) {
    PetscInt k = 0;

    PetscFunctionBegin;
    *list = (RowList){.count = 0};
    for (PetscInt i = 0; i < m; ++i) list->count += row_ptr[i] != row_ptr[i + 1];
    /* Lists cost a pass over the sums, which rows without entries must exceed. */
    if (list->count > m / 5 * 2) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscMalloc2(list->count + 1, &list->rows, list->count + 1, &list->row_ptr));
    for (PetscInt i = 0; i < m; ++i) {
        if (row_ptr[i] == row_ptr[i + 1]) continue;
        list->rows[k] = i;
        list->row_ptr[k++] = row_ptr[i];
    }
    list->row_ptr[k] = row_ptr[m];
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RowListDestroy(RowList* list) {
    PetscFunctionBegin;
    PetscCall(PetscFree2(list->rows, list->row_ptr));
    *list = (RowList){.count = 0};
    PetscFunctionReturn(PETSC_SUCCESS);
}
