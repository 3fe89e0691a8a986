/* Matrices on a GPU, made of PETSc's AIJCUSPARSE: handles are made of its arrays on the device, and
 * multiply on PETSc's device and stream. PETSc's functions for that type check its name, so that
 * matrices of ours keep it. */
#include "petscspmvgen.h"

#if defined(PETSC_HAVE_CUDA)
#include <petscdevice_cuda.h>
#include <stdio.h>

/* Names under which PETSc's own creators stay, when those of aijcusparse are replaced. */
#define PETSCS_SEQ "petsc_seqaijcusparse"
#define PETSCS_MPI "petsc_mpiaijcusparse"

/* ---- the matrix ------------------------------------------------------------------------------ */

/* By what a product moves at the least, and a launch. Nothing waits for the GPU to measure it. */
static PetscLogDouble Seconds(PetscInt rows, PetscInt nnz) {
    const double bytes = (double)nnz * (sizeof(PetscScalar) + sizeof(PetscInt)) +
                         (double)rows * (2 * sizeof(PetscScalar) + sizeof(PetscInt));
    return 4e-6 + bytes / 2e12;
}

static PetscErrorCode SetDevice(spmvgen_options* options, PetscBool listed) {
    PetscDeviceContext context;
    PetscDevice device;
    PetscInt id;
    char name[32];

    PetscFunctionBegin;
    PetscCall(PetscDeviceContextGetCurrentContext(&context));
    PetscCall(PetscDeviceContextGetDevice(context, &device));
    PetscCall(PetscDeviceGetDeviceId(device, &id));
    PetscCall(PetscSNPrintf(name, sizeof name, "cuda:%d", (int)id));
    PetscCall(SpmvgenCheck(spmvgen_options_set(options, "device", name)));
    PetscCall(SpmvgenCheck(spmvgen_options_set(options, "device_arrays", "true")));
    /* Lists are freed when the handle is made. */
    PetscCall(SpmvgenCheck(spmvgen_options_set(options, "copy", listed ? "true" : "false")));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ToDevice(const PetscInt* host, PetscInt count, const PetscInt** device) {
    void* memory;

    PetscFunctionBegin;
    PetscCallCUDA(cudaMalloc(&memory, (size_t)count * sizeof *host));
    PetscCallCUDA(cudaMemcpy(memory, host, (size_t)count * sizeof *host, cudaMemcpyHostToDevice));
    *device = memory;
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetArrays(Mat A, const PetscInt* row_ptr, const PetscInt* col_idx,
                                const RowList* list, Arrays* arrays) {
    const PetscBool listed = list->rows != NULL ? PETSC_TRUE : PETSC_FALSE;

    PetscFunctionBegin;
    (void)row_ptr;
    (void)col_idx;
    *arrays = (Arrays){.owns_list = listed};
    /* PETSc's offsets of compressed rows are not used: which rows these are, it does not tell. */
    PetscCall(MatSeqAIJCUSPARSEGetIJ(A, listed, &arrays->row_ptr, &arrays->col_idx));
    PetscCall(MatSeqAIJCUSPARSEGetArrayRead(A, &arrays->values));
    if (listed) {
        PetscCall(ToDevice(list->rows, list->count + 1, &arrays->listed_rows));
        PetscCall(ToDevice(list->row_ptr, list->count + 1, &arrays->row_ptr));
    }
    PetscCallCUDA(cudaDeviceSynchronize()); /* the arrays must be complete */
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RestoreArrays(Mat A, Arrays* arrays) {
    PetscFunctionBegin;
    if (arrays->owns_list) {
        PetscCallCUDA(cudaFree((void*)arrays->listed_rows));
        PetscCallCUDA(cudaFree((void*)arrays->row_ptr));
    }
    PetscCall(MatSeqAIJCUSPARSERestoreArrayRead(A, &arrays->values));
    PetscCall(MatSeqAIJCUSPARSERestoreIJ(A, arrays->owns_list, &arrays->row_ptr, &arrays->col_idx));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- vectors --------------------------------------------------------------------------------- */

static PetscErrorCode Stream(void** stream) {
    cudaStream_t current;

    PetscFunctionBegin;
    PetscCall(PetscGetCurrentCUDAStream(&current));
    *stream = current;
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Zero(PetscScalar* array, PetscInt size) {
    cudaStream_t stream;

    PetscFunctionBegin;
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(cudaMemsetAsync(array, 0, (size_t)size * sizeof *array, stream));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CopyNumbers(Vec from, Vec to) {
    const PetscScalar* source;
    PetscScalar* target;
    PetscInt size;

    PetscFunctionBegin;
    PetscCall(VecGetLocalSize(from, &size));
    PetscCall(VecGetArrayRead(from, &source));
    PetscCall(VecGetArrayWrite(to, &target));
    PetscCall(PetscArraycpy(target, source, size));
    PetscCall(VecRestoreArrayWrite(to, &target));
    PetscCall(VecRestoreArrayRead(from, &source));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Take(Vec v, PetscBool reads, Vec* taken) {
    PetscBool cuda, bound;
    PetscInt size;

    PetscFunctionBegin;
    *taken = v;
    PetscCall(PetscObjectTypeCompareAny((PetscObject)v, &cuda, VECSEQCUDA, VECMPICUDA, ""));
    PetscCall(VecBoundToCPU(v, &bound));
    if (cuda && !bound) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(VecGetLocalSize(v, &size));
    PetscCall(VecCreate(PETSC_COMM_SELF, taken));
    PetscCall(VecSetSizes(*taken, size, size));
    PetscCall(VecSetType(*taken, VECSEQCUDA));
    if (reads) PetscCall(CopyNumbers(v, *taken));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GiveBack(Vec v, PetscBool written, Vec* taken) {
    PetscFunctionBegin;
    if (*taken == v) PetscFunctionReturn(PETSC_SUCCESS);
    if (written) PetscCall(CopyNumbers(*taken, v));
    PetscCall(VecDestroy(taken));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Begin(void) {
    return PetscLogGpuTimeBegin();
}

static PetscErrorCode End(PetscLogDouble flops) {
    PetscFunctionBegin;
    PetscCall(PetscLogGpuTimeEnd());
    PetscCall(PetscLogGpuFlops(flops));
    PetscFunctionReturn(PETSC_SUCCESS);
}

const Place cuda_place = {
    .seq = MATSEQAIJCUSPARSESPMVGEN,
    .mpi = MATMPIAIJCUSPARSESPMVGEN,
    .base = MATSEQAIJCUSPARSE,
    .base_mpi = MATMPIAIJCUSPARSE,
    .petsc = PETSCS_SEQ,
    .petsc_mpi = PETSCS_MPI,
    .renames = PETSC_FALSE,
    .gpu = PETSC_TRUE,
    /* The milliseconds after which level lazy plans. */
    .patience = {.products = 100, .seconds = 0.005, .update = 10},
    .seconds = Seconds,
    .set_device = SetDevice,
    .get_arrays = GetArrays,
    .restore_arrays = RestoreArrays,
    .get_values = MatSeqAIJCUSPARSEGetArrayRead,
    .restore_values = MatSeqAIJCUSPARSERestoreArrayRead,
    .take = Take,
    .give_back = GiveBack,
    .get_read = VecCUDAGetArrayRead,
    .restore_read = VecCUDARestoreArrayRead,
    .get_write = VecCUDAGetArrayWrite,
    .restore_write = VecCUDARestoreArrayWrite,
    .get = VecCUDAGetArray,
    .restore = VecCUDARestoreArray,
    .zero = Zero,
    .stream = Stream,
    .begin = Begin,
    .end = End,
};

/* ---- the types ------------------------------------------------------------------------------- */

/* Registers PETSc's creator of a type under another name, and ours in its place if asked. */
static PetscErrorCode Register(MatType base, MatType petsc, MatType type, PetscBool all,
                               PetscErrorCode (*create)(Mat)) {
    PetscErrorCode (*creator)(Mat);

    PetscFunctionBegin;
    PetscCall(PetscFunctionListFind(MatList, base, &creator));
    PetscCheck(creator != NULL, PETSC_COMM_SELF, PETSC_ERR_PLIB, "PETSc has no type %s", base);
    PetscCall(MatRegister(petsc, creator));
    PetscCall(MatRegister(type, create));
    if (all) PetscCall(MatRegister(base, create));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateSeq(Mat A) {
    PetscFunctionBegin;
    PetscCall(MatSetType(A, cuda_place.petsc));
    PetscCall(SetSeqAIJSpmvgen(A, &cuda_place, PETSC_TRUE));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateMpi(Mat A) {
    PetscFunctionBegin;
    PetscCall(MatSetType(A, cuda_place.petsc_mpi));
    PetscCall(SetMPIAIJSpmvgen(A, &cuda_place, PETSC_TRUE));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatConvert_SeqAIJ_SeqAIJCUSPARSESpmvgen(Mat A, MatType type, MatReuse reuse,
                                                       Mat* newmat) {
    PetscFunctionBegin;
    (void)type;
    PetscCall(MatConvert(A, MATSEQAIJCUSPARSE, reuse, newmat));
    PetscCall(SetSeqAIJSpmvgen(*newmat, &cuda_place, PETSC_TRUE));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatConvert_MPIAIJ_MPIAIJCUSPARSESpmvgen(Mat A, MatType type, MatReuse reuse,
                                                       Mat* newmat) {
    PetscFunctionBegin;
    (void)type;
    PetscCall(MatConvert(A, MATMPIAIJCUSPARSE, reuse, newmat));
    PetscCall(SetMPIAIJSpmvgen(*newmat, &cuda_place, PETSC_TRUE));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RegisterCuda(void) {
    PetscBool all = PETSC_FALSE;

    PetscFunctionBegin;
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-mat_spmvgen_aijcusparse", &all, NULL));
    PetscCall(MatRegisterRootName(MATAIJCUSPARSESPMVGEN, MATSEQAIJCUSPARSESPMVGEN,
                                  MATMPIAIJCUSPARSESPMVGEN));
    PetscCall(Register(MATSEQAIJCUSPARSE, PETSCS_SEQ, MATSEQAIJCUSPARSESPMVGEN, all, CreateSeq));
    PetscCall(Register(MATMPIAIJCUSPARSE, PETSCS_MPI, MATMPIAIJCUSPARSESPMVGEN, all, CreateMpi));
    PetscCall(MatSeqAIJRegister(MATSEQAIJCUSPARSESPMVGEN, MatConvert_SeqAIJ_SeqAIJCUSPARSESpmvgen));
    PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
