/* PETSc matrix types whose products run through spmvgen; docs/how-to/petsc.md is the manual. This
 * header is what the files of the adaptor share.
 *
 * A matrix of such a type stays an AIJ of PETSc: only products and views are replaced, everything
 * else works on PETSc's own arrays. Public interface of PETSc only, but for PetscObjectStateGet.
 * Functions return PETSc's error codes; none may be called by two threads at the same time. */
#ifndef PETSCSPMVGEN_H
#define PETSCSPMVGEN_H

#include <petscmat.h>
#include <spmvgen/spmvgen.h>

#define MATSEQAIJSPMVGEN "seqaijspmvgen"
#define MATMPIAIJSPMVGEN "mpiaijspmvgen"
#define MATAIJSPMVGEN "aijspmvgen"
/* A name that begins with that of the type it is made of is what MatSetType takes for a subclass:
 * it converts an assembled matrix instead of emptying it. */
#define MATSEQAIJCUSPARSESPMVGEN "seqaijcusparsespmvgen"
#define MATMPIAIJCUSPARSESPMVGEN "mpiaijcusparsespmvgen"
#define MATAIJCUSPARSESPMVGEN "aijcusparsespmvgen"

/* Between versions of PETSc. */
#if PETSC_VERSION_LT(3, 19, 0)
#define PETSC_SUCCESS 0
#endif
/* Any function of a matrix. PETSc's own name for it came and changed. */
typedef void AnyFunction(void);

#if defined(PETSC_USE_COMPLEX) && defined(PETSC_USE_REAL_DOUBLE)
#define SPMVGEN_SCALAR SPMVGEN_C64
#elif defined(PETSC_USE_COMPLEX) && defined(PETSC_USE_REAL_SINGLE)
#define SPMVGEN_SCALAR SPMVGEN_C32
#elif defined(PETSC_USE_REAL_DOUBLE)
#define SPMVGEN_SCALAR SPMVGEN_F64
#elif defined(PETSC_USE_REAL_SINGLE)
#define SPMVGEN_SCALAR SPMVGEN_F32
#else
#error "spmvgen has no type for PetscScalar of this precision: configure PETSc for single or double"
#endif
#if defined(PETSC_USE_64BIT_INDICES)
#define SPMVGEN_INDEX SPMVGEN_I64
#else
#define SPMVGEN_INDEX SPMVGEN_I32
#endif

/* An error of spmvgen as one of PETSc, with spmvgen's own text. */
PETSC_INTERN PetscErrorCode SpmvgenCheck(spmvgen_status status);

/* ---- settings.c ---------------------------------------------------------------------------- */

/* When products go from PETSc's loops to a handle. Planning costs as much as tens of products, more
 * where a kernel has to be compiled, and nobody tells how many products will come. */
typedef struct {
    PetscInt products; /* of a pattern, by PETSc, before it is planned */
    PetscReal seconds; /* that these must have taken, too */
    PetscInt update;   /* products with new values, by PETSc, before a handle gets them */
} Patience;

/* What the options database asks for. */
typedef struct {
    Patience patience;
    spmvgen_options* options; /* owned */
    char order[16]; /* option reorder, if it is for square matrices with all rows; "" = it is not */
} Settings;

/* Reads -mat_spmvgen_options and -mat_spmvgen_after, over these defaults, for matrices on a GPU or
 * in the host's memory. */
PETSC_INTERN PetscErrorCode SpmvgenSettingsRead(const Patience* patience, PetscBool gpu,
                                                Settings* settings);

/* ---- rows.c -------------------------------------------------------------------------------- */

/* The rows of a matrix that have entries, where these are few: the off-diagonal block of a rank. A
 * handle is then made of them alone. */
typedef struct {
    PetscInt count;    /* rows with entries */
    PetscInt* rows;    /* owned; NULL = the handle has all rows */
    PetscInt* row_ptr; /* owned; offsets of these rows */
} RowList;

/* Of a CSR matrix with m rows. Keeps nothing of row_ptr. */
PETSC_INTERN PetscErrorCode RowListCreate(PetscInt m, const PetscInt* row_ptr, RowList* list);
PETSC_INTERN PetscErrorCode RowListDestroy(RowList* list);

/* ---- host.c, cuda.c: where matrices are ------------------------------------------------------ */

/* A sequential matrix as spmvgen takes it, in the memory where it multiplies. */
typedef struct {
    const PetscInt* row_ptr; /* of the listed rows, where rows are listed */
    const PetscInt* col_idx;
    const PetscInt* listed_rows; /* NULL = all rows */
    const PetscScalar* values;
    PetscBool owns_list; /* row_ptr and listed_rows are freed by restore_arrays */
} Arrays;

/* The types of PETSc that ours are made of, and what depends on the memory that they are in. */
typedef struct {
    MatType seq, mpi;         /* types of ours, as the user names them */
    MatType base, base_mpi;   /* PETSc's types, as its matrices name themselves */
    MatType petsc, petsc_mpi; /* the same, as they are made */
    PetscBool renames;        /* matrices name themselves by our type, else by PETSc's */
    PetscBool gpu;
    Patience patience;
    /* Of one product by PETSc, by prediction; NULL = measured. */
    PetscLogDouble (*seconds)(PetscInt rows, PetscInt nnz);
    /* Sets where handles are to multiply. */
    PetscErrorCode (*set_device)(spmvgen_options* options, PetscBool listed);
    /* list is that of the host's arrays row_ptr and col_idx of A. */
    PetscErrorCode (*get_arrays)(Mat A, const PetscInt* row_ptr, const PetscInt* col_idx,
                                 const RowList* list, Arrays* arrays);
    PetscErrorCode (*restore_arrays)(Mat A, Arrays* arrays);
    PetscErrorCode (*get_values)(Mat A, const PetscScalar** values);
    PetscErrorCode (*restore_values)(Mat A, const PetscScalar** values);
    /* A vector in this memory for v: v itself or, where that is elsewhere, one that is freed by
     * give_back, with v's numbers if they are read. NULL: any vector will do. */
    PetscErrorCode (*take)(Vec v, PetscBool reads, Vec* taken);
    PetscErrorCode (*give_back)(Vec v, PetscBool written, Vec* taken);
    PetscErrorCode (*get_read)(Vec v, const PetscScalar** array);
    PetscErrorCode (*restore_read)(Vec v, const PetscScalar** array);
    PetscErrorCode (*get_write)(Vec v, PetscScalar** array);
    PetscErrorCode (*restore_write)(Vec v, PetscScalar** array);
    PetscErrorCode (*get)(Vec v, PetscScalar** array);
    PetscErrorCode (*restore)(Vec v, PetscScalar** array);
    PetscErrorCode (*zero)(PetscScalar* array, PetscInt size);
    PetscErrorCode (*stream)(void** stream); /* on which PETSc works now */
    PetscErrorCode (*begin)(void);           /* of a product, for -log_view */
    PetscErrorCode (*end)(PetscLogDouble flops);
} Place;

extern PETSC_VISIBILITY_INTERNAL const Place host_place;
#if defined(PETSC_HAVE_CUDA)
extern PETSC_VISIBILITY_INTERNAL const Place cuda_place;
/* Registers the types of aijcusparse. */
PETSC_INTERN PetscErrorCode RegisterCuda(void);
/* From PETSc's types, of GPUs or not. */
PETSC_INTERN PetscErrorCode MatConvert_SeqAIJ_SeqAIJCUSPARSESpmvgen(Mat, MatType, MatReuse, Mat*);
PETSC_INTERN PetscErrorCode MatConvert_MPIAIJ_MPIAIJCUSPARSESpmvgen(Mat, MatType, MatReuse, Mat*);
#endif
/* That of a matrix of ours, or of one that may become one; the host's for all others. */
PETSC_INTERN PetscErrorCode PlaceOf(Mat A, const Place** place);
/* A matrix without rows, which tells what functions PETSc gives to those of a type. */
PETSC_INTERN PetscErrorCode CreateEmpty(MatType type, Mat* fresh);

/* ---- handles.c ----------------------------------------------------------------------------- */

/* y = op(A) x: A, its transpose, its conjugate transpose. Real matrices have no OP_H. */
typedef enum { OP_N, OP_T, OP_H, NUM_OPS } Op;

/* What products with dense matrices took, by PETSc's loops and by a handle. Dense matrices lie
 * column by column, which suits those loops: neither way is always the faster one. */
typedef enum { BY_PETSC, BY_HANDLE, NUM_WAYS } Way;
typedef struct {
    PetscInt columns; /* of these products */
    PetscInt tried[NUM_WAYS];
    PetscLogDouble seconds[NUM_WAYS]; /* the least */
} DenseTimes;

/* What one op of one matrix needs; made when it is first wanted. */
typedef struct {
    spmvgen_handle* handle;        /* owned; NULL = not planned yet */
    PetscBool listed;              /* and leaves rows of y without entries alone */
    const PetscInt* col_idx;       /* PETSc's array that the handle was made of, */
    PetscInt nnz;                  /* and its length */
    PetscObjectState pattern;      /* of the matrix at the last look */
    PetscObjectState values;       /* the same of its values */
    PetscBool ready;               /* the handle has these values */
    PetscInt waited;               /* products by PETSc since they changed */
    PetscLogDouble waited_seconds; /* of those before the first handle */
    DenseTimes dense;
} Product;

/* PETSc's own functions, that ours took the place of. */
typedef struct {
    PetscErrorCode (*mult)(Mat, Vec, Vec);
    PetscErrorCode (*mult_add)(Mat, Vec, Vec, Vec);
    PetscErrorCode (*mult_transpose)(Mat, Vec, Vec);
    PetscErrorCode (*mult_transpose_add)(Mat, Vec, Vec, Vec);
    PetscErrorCode (*mult_hermitian)(Mat, Vec, Vec); /* NULL: it has none, and conjugates */
    PetscErrorCode (*mult_hermitian_add)(Mat, Vec, Vec, Vec); /* the same */
    PetscErrorCode (*view)(Mat, PetscViewer);
    PetscErrorCode (*bind_to_cpu)(Mat, PetscBool); /* GPUs */
    PetscErrorCode (*duplicate)(Mat, MatDuplicateOption, Mat*);
} Operations;

/* What a sequential matrix of ours has beside PETSc's. Composed with it, so that it goes where the
 * matrix goes when PETSc exchanges headers. */
typedef struct {
    const Place* place;
    Settings settings;
    Operations petsc;
    PetscInt nonempty; /* rows with entries, for counting flops */
    Product products[NUM_OPS];
} Context;

PETSC_INTERN PetscErrorCode ContextDestroy(Context* context);
/* *product is ready for A as it is; NULL = PETSc's own loops are to run. */
PETSC_INTERN PetscErrorCode GetProduct(Mat A, Context* context, Op op, Product** product);

/* ---- context.c ------------------------------------------------------------------------------- */

PETSC_INTERN PetscErrorCode GetContext(Mat A, Context** context);
/* Whether the products of a sequential matrix are ours. */
PETSC_INTERN PetscErrorCode IsSeqAIJSpmvgen(Mat A, PetscBool* ours);
/* Puts ours in the place of PETSc's functions of a sequential matrix at a place, and a context with
 * it; or PETSc's back, without one. */
PETSC_INTERN PetscErrorCode ReplaceOperations(Mat A, const Place* place);
PETSC_INTERN PetscErrorCode RestoreOperations(Mat A);

/* ---- products.c, view.c: what takes the place of a SEQAIJ's functions ----------------------- */

PETSC_INTERN PetscErrorCode MatMult_SeqAIJSpmvgen(Mat A, Vec x, Vec y);
PETSC_INTERN PetscErrorCode MatMultAdd_SeqAIJSpmvgen(Mat A, Vec x, Vec y, Vec z);
PETSC_INTERN PetscErrorCode MatMultTranspose_SeqAIJSpmvgen(Mat A, Vec x, Vec y);
PETSC_INTERN PetscErrorCode MatMultTransposeAdd_SeqAIJSpmvgen(Mat A, Vec x, Vec y, Vec z);
PETSC_INTERN PetscErrorCode MatMultHermitianTranspose_SeqAIJSpmvgen(Mat A, Vec x, Vec y);
PETSC_INTERN PetscErrorCode MatMultHermitianTransposeAdd_SeqAIJSpmvgen(Mat A, Vec x, Vec y, Vec z);
PETSC_INTERN PetscErrorCode MatView_SeqAIJSpmvgen(Mat A, PetscViewer viewer);

/* Writes what the handles of a sequential matrix do: in format ascii_info the main fields of
 * info(), on the first rank; in ascii_info_detail all of it, of all ranks. Collective on viewer. */
PETSC_INTERN PetscErrorCode ViewHandles(Mat A, const char* name, PetscViewer viewer);

/* ---- dense.c --------------------------------------------------------------------------------- */

/* Puts ours in the place of PETSc's product of a SEQAIJ, or its transpose, and a dense matrix,
 * which `product` stands for, and for which PETSc's functions have been set. */
PETSC_INTERN PetscErrorCode SetDenseProduct(Mat product);

/* ---- seqaij.c, mpiaij.c: the types ----------------------------------------------------------- */

PETSC_INTERN PetscErrorCode MatDuplicate_SeqAIJSpmvgen(Mat A, MatDuplicateOption option, Mat* B);
/* Makes a sequential matrix of PETSc's type at a place one of ours, or the other way round; one
 * that is so already stays as it is. */
PETSC_INTERN PetscErrorCode SetSeqAIJSpmvgen(Mat A, const Place* place, PetscBool ours);
PETSC_INTERN PetscErrorCode MatConvert_SeqAIJ_SeqAIJSpmvgen(Mat, MatType, MatReuse, Mat*);
PETSC_INTERN PetscErrorCode MatCreate_SeqAIJSpmvgen(Mat A);
PETSC_INTERN PetscErrorCode MatCreate_MPIAIJSpmvgen(Mat A);
/* The same for parallel ones, and their blocks. */
PETSC_INTERN PetscErrorCode SetMPIAIJSpmvgen(Mat A, const Place* place, PetscBool ours);

/* The product of A, B and perhaps C that `product` stands for, as PETSc's function for the types
 * `name` makes it: "MatProductSetFromOptions_seqaij_seqdense_C". */
PETSC_INTERN PetscErrorCode ProductAsOf(Mat product, const char* name);

#endif
