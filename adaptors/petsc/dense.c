/* Products with dense matrices. PETSc sets them up: what it would call to multiply is replaced,
 * after it has decided on C. */
#include "petscspmvgen.h"

#include <petsctime.h>

/* Names under which PETSc's own functions are composed with C. */
static const char symbolic_name[] = "spmvgen_product_symbolic";
static const char numeric_name[] = "spmvgen_product_numeric";

typedef PetscErrorCode (*ProductFunction)(Mat C);

/* C = op(A) B, by the handle. */
static PetscErrorCode ApplyMany(const Product* product, Op op, Mat B, Mat C) {
    const PetscScalar one = 1, zero = 0;
    const PetscScalar *beta = &zero, *b;
    PetscInt rows, columns, ldb, ldc;
    PetscScalar* c;

    PetscFunctionBegin;
    PetscCall(MatGetSize(C, &rows, &columns));
    PetscCall(MatDenseGetLDA(B, &ldb));
    PetscCall(MatDenseGetLDA(C, &ldc));
    PetscCall(MatDenseGetArrayRead(B, &b));
    PetscCall(MatDenseGetArrayWrite(C, &c));
    if (product->listed && op == OP_N) {
        for (PetscInt k = 0; k < columns; ++k) PetscCall(PetscArrayzero(c + k * ldc, rows));
        beta = &one;
    }
    PetscCall(
        SpmvgenCheck(spmvgen_apply_many(product->handle, SPMVGEN_SCALAR, columns, &one, b, ldb,
                                        SPMVGEN_COLUMN, beta, c, ldc, SPMVGEN_COLUMN, NULL)));
    PetscCall(MatDenseRestoreArrayWrite(C, &c));
    PetscCall(MatDenseRestoreArrayRead(B, &b));
    PetscCall(PetscLogFlops(2.0 * (double)product->nnz * (double)columns));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MultiplyByPetsc(Mat C) {
    ProductFunction numeric;

    PetscFunctionBegin;
    PetscCall(PetscObjectQueryFunction((PetscObject)C, numeric_name, &numeric));
    PetscCall((*numeric)(C));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each way twice, for the first time may have to make a kernel; then the faster one. One in 32
 * goes the other way: what was measured may have been disturbed. */
static Way NextWay(const DenseTimes* times) {
    if (times->tried[BY_HANDLE] < 2) return BY_HANDLE;
    if (times->tried[BY_PETSC] < 2) return BY_PETSC;
    const PetscBool other =
        (times->tried[BY_HANDLE] + times->tried[BY_PETSC]) % 32 == 0 ? PETSC_TRUE : PETSC_FALSE;
    const PetscBool handle =
        times->seconds[BY_HANDLE] <= times->seconds[BY_PETSC] ? PETSC_TRUE : PETSC_FALSE;
    return handle != other ? BY_HANDLE : BY_PETSC;
}

static void Note(DenseTimes* times, Way way, PetscLogDouble seconds) {
    if (times->tried[way]++ == 0 || seconds < times->seconds[way]) times->seconds[way] = seconds;
}

static PetscErrorCode Numeric(Mat C) {
    PetscLogDouble begin, end;
    MatProductType type;
    PetscInt columns;
    Product *ready, *product;
    Context* context;
    Mat A, B;

    PetscFunctionBegin;
    PetscCall(MatProductGetType(C, &type));
    PetscCall(MatProductGetMats(C, &A, &B, NULL));
    PetscCall(MatGetSize(C, NULL, &columns));
    const Op op = type == MATPRODUCT_AtB ? OP_T : OP_N;
    PetscCall(GetContext(A, &context));
    PetscCall(GetProduct(A, context, op, &ready));
    product = &context->products[op];
    if (product->dense.columns != columns) product->dense = (DenseTimes){.columns = columns};
    const Way way = ready != NULL ? NextWay(&product->dense) : BY_PETSC;
    PetscCall(PetscTime(&begin));
    if (way == BY_HANDLE)
        PetscCall(ApplyMany(product, op, B, C));
    else
        PetscCall(MultiplyByPetsc(C));
    PetscCall(PetscTime(&end));
    Note(&product->dense, way, end - begin);
    if (ready == NULL) { /* counts as a product for each column */
        product->waited += columns - 1;
        product->waited_seconds += end - begin;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc gives C its type and its arrays, and then tells by what it would multiply. */
static PetscErrorCode Symbolic(Mat C) {
    ProductFunction symbolic;
    AnyFunction* numeric = NULL;

    PetscFunctionBegin;
    PetscCall(PetscObjectQueryFunction((PetscObject)C, symbolic_name, &symbolic));
    PetscCall((*symbolic)(C));
    PetscCall(MatGetOperation(C, MATOP_PRODUCTNUMERIC, &numeric));
    PetscCall(PetscObjectComposeFunction((PetscObject)C, numeric_name, numeric));
    PetscCall(MatSetOperation(C, MATOP_PRODUCTNUMERIC, (AnyFunction*)Numeric));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetDenseProduct(Mat product) {
    AnyFunction* symbolic = NULL;
    MatProductType type;

    PetscFunctionBegin;
    PetscCall(MatProductGetType(product, &type));
    if (type != MATPRODUCT_AB && type != MATPRODUCT_AtB) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(MatGetOperation(product, MATOP_PRODUCTSYMBOLIC, &symbolic));
    if (symbolic == NULL) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscObjectComposeFunction((PetscObject)product, symbolic_name, symbolic));
    PetscCall(MatSetOperation(product, MATOP_PRODUCTSYMBOLIC, (AnyFunction*)Symbolic));
    PetscFunctionReturn(PETSC_SUCCESS);
}
