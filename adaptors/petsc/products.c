/* The products: by a handle, or by PETSc's own loops as long as a handle is not worth its price. */
#include "petscspmvgen.h"

#include <petsctime.h>

/* y = op(A) x + beta y */
static PetscErrorCode Apply(const Product* product, Op op, const PetscScalar* x, PetscScalar beta,
                            PetscScalar* y, PetscInt y_size) {
    const PetscScalar one = 1, zero = 0;

    PetscFunctionBegin;
    if (product->listed && op == OP_N && beta == zero) {
        PetscCall(PetscArrayzero(y, y_size));
        beta = one;
    }
    PetscCall(
        SpmvgenCheck(spmvgen_apply(product->handle, SPMVGEN_SCALAR, &one, x, &beta, y, NULL)));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = conj(Aᵀ conj(x)) by PETSc's loops, which have no other way. */
static PetscErrorCode ConjugateTranspose(const Operations* petsc, Mat A, Vec x, Vec y) {
    Vec conjugate;

    PetscFunctionBegin;
    PetscCall(VecDuplicate(x, &conjugate));
    PetscCall(VecCopy(x, conjugate));
    PetscCall(VecConjugate(conjugate));
    PetscCall(petsc->mult_transpose(A, conjugate, y));
    PetscCall(VecConjugate(y));
    PetscCall(VecDestroy(&conjugate));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MultiplyByPetsc(Mat A, Context* context, Op op, Vec x, Vec y) {
    PetscLogDouble begin, end;

    PetscFunctionBegin;
    PetscCall(PetscTime(&begin));
    if (op == OP_N) PetscCall(context->petsc.mult(A, x, y));
    if (op == OP_T) PetscCall(context->petsc.mult_transpose(A, x, y));
    if (op == OP_H) PetscCall(ConjugateTranspose(&context->petsc, A, x, y));
    PetscCall(PetscTime(&end));
    context->products[op].waited_seconds += end - begin;
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MultiplyAddByPetsc(Mat A, Context* context, Op op, Vec x, Vec y, Vec z) {
    PetscLogDouble begin, end;

    PetscFunctionBegin;
    PetscCall(PetscTime(&begin));
    if (op == OP_N) PetscCall(context->petsc.mult_add(A, x, y, z));
    if (op == OP_T) PetscCall(context->petsc.mult_transpose_add(A, x, y, z));
    if (op == OP_H) {
        Vec product;
        PetscCall(VecDuplicate(z, &product));
        PetscCall(ConjugateTranspose(&context->petsc, A, x, product));
        PetscCall(VecAXPY(product, 1, y));
        PetscCall(VecCopy(product, z));
        PetscCall(VecDestroy(&product));
    }
    PetscCall(PetscTime(&end));
    context->products[op].waited_seconds += end - begin;
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = op(A) x */
static PetscErrorCode Multiply(Mat A, Op op, Vec x, Vec y) {
    const PetscScalar* x_array;
    PetscScalar* y_array;
    PetscInt y_size;
    Product* product;
    Context* context;

    PetscFunctionBegin;
    PetscCall(GetContext(A, &context));
    PetscCall(GetProduct(A, context, op, &product));
    if (product == NULL) {
        PetscCall(MultiplyByPetsc(A, context, op, x, y));
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(VecGetLocalSize(y, &y_size));
    PetscCall(VecGetArrayRead(x, &x_array));
    PetscCall(VecGetArrayWrite(y, &y_array));
    PetscCall(Apply(product, op, x_array, 0, y_array, y_size));
    PetscCall(VecRestoreArrayWrite(y, &y_array));
    PetscCall(VecRestoreArrayRead(x, &x_array));
    PetscCall(PetscLogFlops(2.0 * (double)product->nnz - (double)context->nonempty));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* z = y + op(A) x */
static PetscErrorCode MultiplyAdd(Mat A, Op op, Vec x, Vec y, Vec z) {
    const PetscScalar* x_array;
    PetscScalar* z_array;
    PetscInt z_size;
    Product* product;
    Context* context;

    PetscFunctionBegin;
    PetscCall(GetContext(A, &context));
    PetscCall(GetProduct(A, context, op, &product));
    if (product == NULL) {
        PetscCall(MultiplyAddByPetsc(A, context, op, x, y, z));
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (y != z) PetscCall(VecCopy(y, z));
    PetscCall(VecGetLocalSize(z, &z_size));
    PetscCall(VecGetArrayRead(x, &x_array));
    PetscCall(VecGetArray(z, &z_array));
    PetscCall(Apply(product, op, x_array, 1, z_array, z_size));
    PetscCall(VecRestoreArray(z, &z_array));
    PetscCall(VecRestoreArrayRead(x, &x_array));
    PetscCall(PetscLogFlops(2.0 * (double)product->nnz));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMult_SeqAIJSpmvgen(Mat A, Vec x, Vec y) {
    return Multiply(A, OP_N, x, y);
}
PetscErrorCode MatMultAdd_SeqAIJSpmvgen(Mat A, Vec x, Vec y, Vec z) {
    return MultiplyAdd(A, OP_N, x, y, z);
}
PetscErrorCode MatMultTranspose_SeqAIJSpmvgen(Mat A, Vec x, Vec y) {
    return Multiply(A, OP_T, x, y);
}
PetscErrorCode MatMultTransposeAdd_SeqAIJSpmvgen(Mat A, Vec x, Vec y, Vec z) {
    return MultiplyAdd(A, OP_T, x, y, z);
}
PetscErrorCode MatMultHermitianTranspose_SeqAIJSpmvgen(Mat A, Vec x, Vec y) {
    return Multiply(A, PetscDefined(USE_COMPLEX) ? OP_H : OP_T, x, y);
}
PetscErrorCode MatMultHermitianTransposeAdd_SeqAIJSpmvgen(Mat A, Vec x, Vec y, Vec z) {
    return MultiplyAdd(A, PetscDefined(USE_COMPLEX) ? OP_H : OP_T, x, y, z);
}
