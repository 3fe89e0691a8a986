/* The products: by a handle, or by PETSc's own loops as long as a handle is not worth its price. */
#include "petscspmvgen.h"

#include <petsctime.h>

/* y = op(A) x + beta y */
static PetscErrorCode Apply(const Place* place, const Product* product, Op op, const PetscScalar* x,
                            PetscScalar beta, PetscScalar* y, PetscInt y_size) {
    const PetscScalar one = 1, zero = 0;
    void* stream;

    PetscFunctionBegin;
    PetscCall(place->stream(&stream));
    PetscCall(place->begin());
    if (product->listed && op == OP_N && beta == zero) {
        PetscCall(place->zero(y, y_size));
        beta = one;
    }
    PetscCall(
        SpmvgenCheck(spmvgen_apply(product->handle, SPMVGEN_SCALAR, &one, x, &beta, y, stream)));
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

/* The time of a product by PETSc that was begun then. */
static PetscErrorCode NoteTime(Mat A, Context* context, Op op, PetscLogDouble begin) {
    const Place* place = context->place;
    PetscLogDouble end;

    PetscFunctionBegin;
    PetscCall(PetscTime(&end));
    if (place->seconds != NULL) {
        PetscLogDouble nnz;
        PetscInt rows;
        MatInfo info;
        PetscCall(MatGetLocalSize(A, &rows, NULL));
        PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
        nnz = info.nz_used;
        context->products[op].waited_seconds += place->seconds(rows, (PetscInt)nnz);
    } else {
        context->products[op].waited_seconds += end - begin;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MultiplyByPetsc(Mat A, Context* context, Op op, Vec x, Vec y) {
    PetscLogDouble begin;

    PetscFunctionBegin;
    PetscCall(PetscTime(&begin));
    if (op == OP_N) PetscCall(context->petsc.mult(A, x, y));
    if (op == OP_T) PetscCall(context->petsc.mult_transpose(A, x, y));
    if (op == OP_H) PetscCall(ConjugateTranspose(&context->petsc, A, x, y));
    PetscCall(NoteTime(A, context, op, begin));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MultiplyAddByPetsc(Mat A, Context* context, Op op, Vec x, Vec y, Vec z) {
    PetscLogDouble begin;

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
    PetscCall(NoteTime(A, context, op, begin));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* v, or what stands for it where A multiplies. */
static PetscErrorCode Take(Mat A, const Place* place, Vec v, PetscBool reads, Vec* taken) {
    PetscBool bound;

    PetscFunctionBegin;
    *taken = v;
    PetscCall(MatBoundToCPU(A, &bound));
    if (place->take != NULL && !bound) PetscCall(place->take(v, reads, taken));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GiveBack(const Place* place, Vec v, PetscBool written, Vec* taken) {
    PetscFunctionBegin;
    if (*taken != v) PetscCall(place->give_back(v, written, taken));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = op(A) x + beta y by the handle, of vectors where A is; beta is 0 or 1 */
static PetscErrorCode ApplyByHandle(const Context* context, const Product* product, Op op, Vec x,
                                    PetscScalar beta, Vec y) {
    const Place* place = context->place;
    const PetscBool adds = beta != (PetscScalar)0 ? PETSC_TRUE : PETSC_FALSE;
    const PetscScalar* x_array;
    PetscScalar* y_array;
    PetscInt y_size;

    PetscFunctionBegin;
    PetscCall(VecGetLocalSize(y, &y_size));
    PetscCall(place->get_read(x, &x_array));
    PetscCall((adds ? place->get : place->get_write)(y, &y_array));
    PetscCall(Apply(place, product, op, x_array, beta, y_array, y_size));
    PetscCall(place->end(2.0 * (double)product->nnz - (adds ? 0 : (double)context->nonempty)));
    PetscCall((adds ? place->restore : place->restore_write)(y, &y_array));
    PetscCall(place->restore_read(x, &x_array));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = op(A) x */
static PetscErrorCode Multiply(Mat A, Op op, Vec x, Vec y) {
    Product* product;
    Context* context;
    Vec our_x, our_y;

    PetscFunctionBegin;
    PetscCall(GetContext(A, &context));
    PetscCall(GetProduct(A, context, op, &product));
    PetscCall(Take(A, context->place, x, PETSC_TRUE, &our_x));
    PetscCall(Take(A, context->place, y, PETSC_FALSE, &our_y));
    if (product == NULL)
        PetscCall(MultiplyByPetsc(A, context, op, our_x, our_y));
    else
        PetscCall(ApplyByHandle(context, product, op, our_x, 0, our_y));
    PetscCall(GiveBack(context->place, x, PETSC_FALSE, &our_x));
    PetscCall(GiveBack(context->place, y, PETSC_TRUE, &our_y));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* z = y + op(A) x */
static PetscErrorCode MultiplyAdd(Mat A, Op op, Vec x, Vec y, Vec z) {
    Product* product;
    Context* context;
    Vec our_x, our_z;

    PetscFunctionBegin;
    PetscCall(GetContext(A, &context));
    PetscCall(GetProduct(A, context, op, &product));
    if (product == NULL && !context->place->gpu) {
        PetscCall(MultiplyAddByPetsc(A, context, op, x, y, z));
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    /* PETSc 3.26 adds to what is in z, too, where z is another vector of a GPU than y. */
    if (y != z) PetscCall(VecCopy(y, z));
    PetscCall(Take(A, context->place, x, PETSC_TRUE, &our_x));
    PetscCall(Take(A, context->place, z, PETSC_TRUE, &our_z));
    if (product == NULL)
        PetscCall(MultiplyAddByPetsc(A, context, op, our_x, our_z, our_z));
    else
        PetscCall(ApplyByHandle(context, product, op, our_x, 1, our_z));
    PetscCall(GiveBack(context->place, x, PETSC_FALSE, &our_x));
    PetscCall(GiveBack(context->place, z, PETSC_TRUE, &our_z));
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
