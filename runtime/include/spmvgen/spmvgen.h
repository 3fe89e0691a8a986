/* spmvgen in C: y = alpha A x + beta y with a kernel made for this matrix. Plain C99.
 *
 * - Every function that can fail returns a status, 0 = done; spmvgen_last_error() then says what is
 *   wrong and what to do. A null pointer where none is allowed is SPMVGEN_INVALID_ARGUMENT, not a
 *   crash. After a failure, what a function would have given is NULL or 0.
 * - Objects are opaque. They are made by ..._create and freed by ..._destroy, which takes NULL.
 * - Options are set by name and text: spmvgen_options_set(options, "device", "cuda:0").
 * - The first field of a struct is its size, so that it can grow: set it to sizeof, all else that
 *   is not needed to 0.
 * - No constant is 0, so that what was not set is found out.
 * - Text is UTF-8. Functions that give text take a buffer and its size, and say in *needed, which
 *   may be NULL, how many bytes the text takes with its final 0. With buffer = NULL and size = 0
 *   that is all they do; a buffer that is too small is SPMVGEN_INVALID_ARGUMENT and stays as it is.
 *
 * The whole is described in docs/reference/c-api.md. */
#ifndef SPMVGEN_SPMVGEN_H
#define SPMVGEN_SPMVGEN_H

#include <stddef.h>
#include <stdint.h>

/* Number of the binary interface below. It is raised when a function, a constant or a struct's
 * field changes or goes away; new ones leave it as it is. */
#define SPMVGEN_ABI 1

#if defined(__GNUC__)
#define SPMVGEN_API __attribute__((visibility("default")))
#else
#define SPMVGEN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What became of a call. */
typedef enum spmvgen_status {
    SPMVGEN_OK = 0,
    SPMVGEN_INVALID_ARGUMENT = 1, /* a call or an option is wrong */
    SPMVGEN_INVALID_INPUT = 2,    /* a file or a blob is wrong */
    SPMVGEN_UNSUPPORTED = 3,      /* legal, but this build, kernel or machine cannot do it */
    SPMVGEN_IO = 4,               /* the operating system or a GPU's driver refused */
    SPMVGEN_COMPILE = 5,          /* a kernel could not be made */
    SPMVGEN_INTERNAL = 6,         /* a defect of spmvgen */
    SPMVGEN_OUT_OF_MEMORY = 7
} spmvgen_status;

/* SPMVGEN_ABI of the library. A program that loads it by itself compares that with its own. */
SPMVGEN_API int32_t spmvgen_abi(void);
/* Version of the library, "0.2.0". */
SPMVGEN_API const char* spmvgen_version(void);
/* Name of a status: "ok", "invalid_argument", ...; "unknown" for another number. */
SPMVGEN_API const char* spmvgen_status_name(int32_t status);
/* What was wrong with the last call that failed in this thread; "" when none did. Valid until the
 * next call that fails in this thread. */
SPMVGEN_API const char* spmvgen_last_error(void);

/* Types of values, and of indices and row offsets. C32 and C64 are complex: two floats or doubles,
 * re and im, as float _Complex and double _Complex. */
enum {
    SPMVGEN_F32 = 1,
    SPMVGEN_F64 = 2,
    SPMVGEN_C32 = 3,
    SPMVGEN_C64 = 4,
    SPMVGEN_I32 = 32,
    SPMVGEN_I64 = 64
};

/* How the entries of a matrix are given. */
enum {
    SPMVGEN_CSR = 1, /* row i has entries row_ptr[i] ... row_ptr[i+1]-1 */
    SPMVGEN_COO = 2, /* entry k is in row row_idx[k]; in any order */
    SPMVGEN_CSC = 3, /* column j has entries col_ptr[j] ... col_ptr[j+1]-1 */
    SPMVGEN_BSR = 4  /* CSR whose entries are dense blocks */
};

/* What is known of alpha or beta: exactly 0, exactly 1, any number, or any number in the memory of
 * a GPU, which the kernel reads. */
enum { SPMVGEN_ZERO = 1, SPMVGEN_ONE = 2, SPMVGEN_GENERAL = 3, SPMVGEN_DEVICE = 4 };
/* Where the numbers of several vectors are, which are the columns of a matrix. */
enum { SPMVGEN_ROW = 1, SPMVGEN_COLUMN = 2 };

/* A matrix that the caller owns: rows x cols with nnz entries, each with its column, from 0 (or 1,
 * by option index_base), and its value; those of a row in any order, duplicates add up. With BSR
 * the nnz entries are the numbers of all blocks; block b has those from b * block_height *
 * block_width on, row_ptr counts blocks, and col_idx has a block column for each. CSR may have some
 * of its rows only: with listed_rows, row_ptr is that of num_listed rows, the i-th of which is row
 * listed_rows[i], and products touch no other rows of y, whatever beta is. What a layout has no use
 * for is 0. */
typedef struct spmvgen_matrix {
    size_t struct_size;  /* sizeof(spmvgen_matrix) */
    int32_t layout;      /* SPMVGEN_CSR, COO, CSC or BSR */
    int32_t value_type;  /* of values: SPMVGEN_F32, F64, C32 or C64 */
    int32_t index_type;  /* of col_idx, and of row_idx: SPMVGEN_I32 or I64 */
    int32_t offset_type; /* of row_ptr and col_ptr: SPMVGEN_I32 or I64; 0 with COO */
    int64_t rows, cols;  /* the shape */
    int64_t nnz;         /* entries */
    const void* row_ptr; /* CSR: rows + 1 elements, or num_listed + 1; BSR: rows / block_height + 1;
                            may be NULL when there are no rows */
    const void* row_idx; /* COO, CSC: nnz elements; may be NULL when nnz is 0 */
    const void* col_idx; /* CSR, COO: nnz elements, BSR: one for each block; may be NULL when nnz is
                            0 */
    const void* values;  /* nnz elements; may be NULL when nnz is 0 */
    const void* col_ptr; /* CSC: cols + 1 elements; may be NULL when cols is 0 */
    int32_t block_height, block_width; /* BSR: of each block; rows and cols are multiples */
    int32_t block_layout;    /* BSR: SPMVGEN_ROW or SPMVGEN_COLUMN, how a block's numbers come */
    int32_t reserved;        /* 0 */
    const void* listed_rows; /* CSR: num_listed elements of index_type, each row once, in any order;
                                NULL = all rows */
    int64_t num_listed;
} spmvgen_matrix;

/* What a handle is to be. Not to be changed while another thread uses it. */
typedef struct spmvgen_options spmvgen_options;

/* The defaults: everything is chosen from the matrix. */
SPMVGEN_API spmvgen_status spmvgen_options_create(spmvgen_options** options);
/* Sets an option of docs/reference/cpp-handle.md: text as it is, numbers in decimal, "true" or
 * "false"; a parameter of the kernel as "param.NAME", with "" to have it chosen again. An unknown
 * name or a value that cannot be is an error that lists what is allowed; what a device cannot do is
 * found out by spmvgen_create. */
SPMVGEN_API spmvgen_status spmvgen_options_set(spmvgen_options* options, const char* name,
                                               const char* value);
/* What an option is set to. */
SPMVGEN_API spmvgen_status spmvgen_options_get(const spmvgen_options* options, const char* name,
                                               char* buffer, size_t size, size_t* needed);
/* The names of all options, a line each. */
SPMVGEN_API spmvgen_status spmvgen_options_names(char* buffer, size_t size, size_t* needed);
/* With option copy set to false: release(owner) is called when the options and all handles made
 * with them need the caller's arrays no more; at once when this call fails. Another owner, or NULL,
 * takes its place. release may be called by any thread, within a call that destroys. */
SPMVGEN_API spmvgen_status spmvgen_options_set_owner(spmvgen_options* options, void* owner,
                                                     void (*release)(void* owner));
/* go_on(context, kernel, microseconds) is called for each kernel that level measure or exhaustive
 * has timed, by the thread that plans: that of spmvgen_create, but with option compile set to
 * behind one of the library's. 0 = no more; what was measured by then counts. NULL: none. */
SPMVGEN_API spmvgen_status spmvgen_options_set_on_measured(
    spmvgen_options* options, int32_t (*go_on)(void* context, const char* kernel, double us),
    void* context);
SPMVGEN_API void spmvgen_options_destroy(spmvgen_options* options);

/* One matrix ready to be multiplied. Several threads may use one handle at the same time, but not
 * while it is destroyed. */
typedef struct spmvgen_handle spmvgen_handle;

/* Checks, analyses and converts A, and makes or finds the kernel for alpha = 1, beta = 0. With
 * options = NULL the defaults hold. Keeps nothing of the caller's, unless option copy is false. */
SPMVGEN_API spmvgen_status spmvgen_create(const spmvgen_matrix* matrix,
                                          const spmvgen_options* options, spmvgen_handle** handle);
/* Handles of A and of its transpose, from one matrix that is checked and brought into CSR once:
 * transpose is "T", or "H" for the conjugate of it. Option op must be "N". Rows cannot be listed.
 * Both are NULL when the call fails; new values go to each. */
SPMVGEN_API spmvgen_status spmvgen_create_pair(const spmvgen_matrix* matrix,
                                               const spmvgen_options* options,
                                               const char* transpose, spmvgen_handle** handle,
                                               spmvgen_handle** transposed);
/* y = alpha A x + beta y. type is that of alpha, x, beta and y; alpha and beta point to one element
 * in the host's memory. x and y are pointers of the handle's device and must not overlap; y is not
 * read when beta is 0, x not when alpha is. stream is a cudaStream_t or hipStream_t, NULL for the
 * default one and for CPUs. On a GPU the product is only enqueued. */
SPMVGEN_API spmvgen_status spmvgen_apply(const spmvgen_handle* handle, int32_t type,
                                         const void* alpha, const void* x, const void* beta,
                                         void* y, void* stream);
/* z = alpha A x + beta y: as spmvgen_apply, but y is only read. z is y, or overlaps neither it nor
 * x. */
SPMVGEN_API spmvgen_status spmvgen_apply_out_of_place(const spmvgen_handle* handle, int32_t type,
                                                      const void* alpha, const void* x,
                                                      const void* beta, const void* y, void* z,
                                                      void* stream);
/* As spmvgen_apply, but alpha and beta point to the memory of the handle's device, as x and y, and
 * are read when the product runs; y is read even where beta is 0. */
SPMVGEN_API spmvgen_status spmvgen_apply_device_scalars(const spmvgen_handle* handle, int32_t type,
                                                        const void* alpha, const void* x,
                                                        const void* beta, void* y, void* stream);
/* What a name of option epilogue stands for: a vector with an element for each row of the product,
 * or one number, in the memory of the handle's device and of the vectors' type. */
typedef struct spmvgen_operand {
    const char* name;
    void* data; /* not written where the epilogue only reads it */
} spmvgen_operand;
/* The operands that an epilogue names, a line each: "NAME ROLE", where the role is vector, written
 * vector, number, written number, sum or maximum. */
SPMVGEN_API spmvgen_status spmvgen_epilogue_operands(const char* epilogue, char* buffer,
                                                     size_t size, size_t* needed);
/* As spmvgen_apply, with the count operands that the epilogue names, each once, in any order. */
SPMVGEN_API spmvgen_status spmvgen_apply_with(const spmvgen_handle* handle, int32_t type,
                                              const void* alpha, const void* x, const void* beta,
                                              void* y, const spmvgen_operand* operands,
                                              size_t count, void* stream);
/* Y = alpha A X + beta Y for k vectors, whatever num_rhs the handle is planned for. Vector r has
 * its number i at x[i * ldx + r] with layout SPMVGEN_ROW and at x[i + r * ldx] with SPMVGEN_COLUMN;
 * y likewise. What lies between is not touched. Otherwise as spmvgen_apply. */
SPMVGEN_API spmvgen_status spmvgen_apply_many(const spmvgen_handle* handle, int32_t type, int64_t k,
                                              const void* alpha, const void* x, int64_t ldx,
                                              int32_t x_layout, const void* beta, void* y,
                                              int64_t ldy, int32_t y_layout, void* stream);
/* Makes ready what applies with such alpha and beta need on stream: SPMVGEN_ZERO, ONE, GENERAL. */
SPMVGEN_API spmvgen_status spmvgen_prepare(const spmvgen_handle* handle, int32_t alpha,
                                           int32_t beta, void* stream);
/* Bytes of a workspace for applies with such alpha and beta; 0 = they need none. */
SPMVGEN_API spmvgen_status spmvgen_workspace_bytes(const spmvgen_handle* handle, int32_t alpha,
                                                   int32_t beta, size_t* bytes);
/* spmvgen_apply with a workspace of the caller's, in the handle's device, instead of the handle's.
 * Nothing else may use it until the product is done. On a GPU it must hold zeros before its first
 * apply, after one that failed, and after any other use than by applies of this handle. */
SPMVGEN_API spmvgen_status spmvgen_apply_with_workspace(const spmvgen_handle* handle, int32_t type,
                                                        const void* alpha, const void* x,
                                                        const void* beta, void* y, void* stream,
                                                        void* workspace, size_t bytes);
/* New numbers for the same pattern: values[k] is that of entry k of the matrix that the handle was
 * made of. Nothing is planned again. The array is read before this returns, but a handle that
 * borrows its values borrows this array instead. No apply of the handle may run at the same time;
 * on a GPU the new numbers come after what was enqueued on stream. After a failure but SPMVGEN_IO
 * the handle has the old numbers. */
SPMVGEN_API spmvgen_status spmvgen_update_values(spmvgen_handle* handle, int32_t type,
                                                 const void* values, void* stream);
/* What the handle does and why, as one JSON object. */
SPMVGEN_API spmvgen_status spmvgen_info(const spmvgen_handle* handle, char* buffer, size_t size,
                                        size_t* needed);
/* One field of it by name, such as "kernel" or "bytes"; text without quotes. */
SPMVGEN_API spmvgen_status spmvgen_info_field(const spmvgen_handle* handle, const char* name,
                                              char* buffer, size_t size, size_t* needed);
/* The emitted source of the kernel for alpha = 1, beta = 0; "" when the generic kernel serves. */
SPMVGEN_API spmvgen_status spmvgen_source(const spmvgen_handle* handle, char* buffer, size_t size,
                                          size_t* needed);
/* Of a reordered matrix the order, new to old: *order has *count elements and is valid as long as
 * the handle. NULL and 0 without option reorder. */
SPMVGEN_API spmvgen_status spmvgen_row_order(const spmvgen_handle* handle, const int32_t** order,
                                             int64_t* count);
SPMVGEN_API void spmvgen_destroy(spmvgen_handle* handle);

/* Listed elements of vectors: what is packed before it travels to another GPU or process, and
 * unpacked afterwards (docs/how-to/several-gpus.md). */
typedef struct spmvgen_list spmvgen_list;

/* count elements, each list[i] from 0, of vectors of that type; elements are rows of option num_rhs
 * numbers. The list is copied to the device of the options, and kernels are made or found. */
SPMVGEN_API spmvgen_status spmvgen_list_create(int32_t type, const int32_t* list, int64_t count,
                                               const spmvgen_options* options, spmvgen_list** made);
/* packed[i] = x[list[i]]. As spmvgen_apply enqueues: one launch, no wait. x may be memory of
 * another GPU that this one can use. */
SPMVGEN_API spmvgen_status spmvgen_list_gather(const spmvgen_list* list, int32_t type,
                                               const void* x, void* packed, void* stream);
/* y[list[i]] = packed[i]; an error where an element is listed twice. */
SPMVGEN_API spmvgen_status spmvgen_list_scatter(const spmvgen_list* list, int32_t type,
                                                const void* packed, void* y, void* stream);
/* y[list[i]] += packed[i], likewise. */
SPMVGEN_API spmvgen_status spmvgen_list_add(const spmvgen_list* list, int32_t type,
                                            const void* packed, void* y, void* stream);
SPMVGEN_API void spmvgen_list_destroy(spmvgen_list* list);
/* Lets kernels and copies of a device use the memory of another one, "cuda:0" and "cuda:1", until
 * the process ends. *can is 1, or 0 where the devices cannot. */
SPMVGEN_API spmvgen_status spmvgen_enable_peer_access(const char* device, const char* other,
                                                      int32_t* can);

/* Many matrices multiplied in one launch: y_i = alpha A_i x_i + beta y_i. */
typedef struct spmvgen_batch spmvgen_batch;

/* How the x_i stand in x, and the y_i in y. */
enum {
    SPMVGEN_CONCATENATED = 1, /* one after another */
    SPMVGEN_INTERLEAVED = 2   /* of one matrix only: see docs/how-to/batches.md */
};

/* Where the vectors of one system lie: element j of x_i is x[x_offset + j * x_stride]. */
typedef struct spmvgen_batch_place {
    size_t struct_size; /* sizeof(spmvgen_batch_place) */
    int64_t x_offset, x_stride;
    int64_t y_offset, y_stride;
} spmvgen_batch_place;

/* count systems, an array of structs that have one struct_size. systems may be NULL when count
 * is 0. */
SPMVGEN_API spmvgen_status spmvgen_batch_create(const spmvgen_matrix* systems, int64_t count,
                                                const spmvgen_options* options, int32_t layout,
                                                spmvgen_batch** batch);
/* count products with one matrix. */
SPMVGEN_API spmvgen_status spmvgen_batch_create_repeated(const spmvgen_matrix* matrix,
                                                         int64_t count,
                                                         const spmvgen_options* options,
                                                         int32_t layout, spmvgen_batch** batch);
/* As those of a handle. */
SPMVGEN_API spmvgen_status spmvgen_batch_apply(const spmvgen_batch* batch, int32_t type,
                                               const void* alpha, const void* x, const void* beta,
                                               void* y, void* stream);
SPMVGEN_API spmvgen_status spmvgen_batch_prepare(const spmvgen_batch* batch, int32_t alpha,
                                                 int32_t beta, void* stream);
SPMVGEN_API spmvgen_status spmvgen_batch_info(const spmvgen_batch* batch, char* buffer, size_t size,
                                              size_t* needed);
SPMVGEN_API spmvgen_status spmvgen_batch_info_field(const spmvgen_batch* batch, const char* name,
                                                    char* buffer, size_t size, size_t* needed);
SPMVGEN_API spmvgen_status spmvgen_batch_source(const spmvgen_batch* batch, char* buffer,
                                                size_t size, size_t* needed);
/* Number of systems, of elements of x and of y; each may be NULL. */
SPMVGEN_API spmvgen_status spmvgen_batch_sizes(const spmvgen_batch* batch, int64_t* systems,
                                               int64_t* x_size, int64_t* y_size);
/* Fills in *place, whose struct_size is set, for one system. */
SPMVGEN_API spmvgen_status spmvgen_batch_place_of(const spmvgen_batch* batch, int64_t system,
                                                  spmvgen_batch_place* place);
SPMVGEN_API void spmvgen_batch_destroy(spmvgen_batch* batch);

/* Bytes that the library owns. */
typedef struct spmvgen_blob spmvgen_blob;

/* All kernels that this process has loaded or imported, as the bytes of a kernel set: what one
 * process compiled, others import. */
SPMVGEN_API spmvgen_status spmvgen_export_kernels(spmvgen_blob** blob);
/* Takes the kernels of such bytes, or of a kernel set's file, for all handles that are made from
 * now on. The bytes are copied; they are code that this process will run, so take them from whom
 * you trust. Kernels that are damaged or were made by another spmvgen are rejected, which is no
 * failure: *reasons gets why, a line each. accepted, rejected and reasons may be NULL. */
SPMVGEN_API spmvgen_status spmvgen_import_kernels(const void* data, size_t size, int64_t* accepted,
                                                  int64_t* rejected, spmvgen_blob** reasons);
/* The bytes, with a 0 behind the last one, and their number without it; NULL and 0 of NULL. */
SPMVGEN_API const char* spmvgen_blob_data(const spmvgen_blob* blob);
SPMVGEN_API size_t spmvgen_blob_size(const spmvgen_blob* blob);
SPMVGEN_API void spmvgen_blob_destroy(spmvgen_blob* blob);

/* The text of a kernel that is named instead of chosen, as the command `spmvgen emit` writes it.
 * names[i] is an option of that command without its dashes, values[i] its text: format or kernel,
 * arch, value, storage, accumulator, index, offset, epilogue, alpha, beta, rhs, as ("source" when
 * it is not there, else a form of docs/reference/command-line.md), and param.NAME. Needs the kernel
 * compiler. */
SPMVGEN_API spmvgen_status spmvgen_emit(const char* const* names, const char* const* values,
                                        size_t count, spmvgen_blob** kernel);
/* For people, in lines: what there is to say about the choice of a kernel that a handle made,
 * beside the field "reason" of its info. matrix and options are those that it was made of; the
 * matrix is CSR or CSC in this machine's memory and is analysed again. "" where there was no
 * choice, where the matrix was reordered, and where op is not "N" (of CSC: not "T"). */
SPMVGEN_API spmvgen_status spmvgen_explain(const spmvgen_handle* handle,
                                           const spmvgen_matrix* matrix,
                                           const spmvgen_options* options, spmvgen_blob** text);

/* What became of the requests for kernels in this process so far, as one JSON object; and one of
 * the counters by name, such as "compiles_started". */
SPMVGEN_API spmvgen_status spmvgen_counters(char* buffer, size_t size, size_t* needed);
SPMVGEN_API spmvgen_status spmvgen_counter(const char* name, double* value);

#ifdef __cplusplus
}
#endif

#endif
