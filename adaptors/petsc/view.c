/* -mat_view ::ascii_info and ::ascii_info_detail. */
#include "petscspmvgen.h"

static const char* const op_texts[NUM_OPS] = {"A", "A transposed", "A conjugate transposed"};

/* The main fields of info(). */
static const char* const fields[] = {"kernel", "format",     "origin",  "reason",
                                     "bytes",  "prepare_ms", "warning", NULL};

/* *text is freed by PetscFree. */
static PetscErrorCode FieldText(const spmvgen_handle* handle, const char* field, char** text) {
    size_t needed = 0;

    PetscFunctionBegin;
    PetscCall(SpmvgenCheck(spmvgen_info_field(handle, field, NULL, 0, &needed)));
    PetscCall(PetscMalloc1(needed, text));
    PetscCall(SpmvgenCheck(spmvgen_info_field(handle, field, *text, needed, NULL)));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ViewFields(const spmvgen_handle* handle, PetscViewer viewer) {
    PetscFunctionBegin;
    for (const char* const* field = fields; *field != NULL; ++field) {
        char* text;
        PetscCall(FieldText(handle, *field, &text));
        if (*text != 0) PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: %s\n", *field, text));
        PetscCall(PetscFree(text));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ViewAll(const spmvgen_handle* handle, PetscViewer viewer) {
    size_t needed = 0;
    char* text;

    PetscFunctionBegin;
    PetscCall(SpmvgenCheck(spmvgen_info(handle, NULL, 0, &needed)));
    PetscCall(PetscMalloc1(needed, &text));
    PetscCall(SpmvgenCheck(spmvgen_info(handle, text, needed, NULL)));
    /* PETSc's formatting ends lines at some thousand characters. */
    PetscCall(PetscViewerASCIISynchronizedPrintf(viewer, "%s", "  "));
    for (size_t at = 0; at < needed; at += 1000)
        PetscCall(PetscViewerASCIISynchronizedPrintf(viewer, "%.1000s", text + at));
    PetscCall(PetscViewerASCIISynchronizedPrintf(viewer, "%s", "\n"));
    PetscCall(PetscFree(text));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* One op; every rank of the viewer calls it, those without a handle with NULL. */
static PetscErrorCode ViewHandle(const spmvgen_handle* handle, const char* name, Op op,
                                 PetscBool detail, PetscViewer viewer) {
    const char* end = handle != NULL ? ":" : ": PETSc's own products so far";
    PetscMPIInt rank;

    PetscFunctionBegin;
    if (handle == NULL && op != OP_N) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)viewer), &rank));
    if (detail) {
        PetscCall(PetscViewerASCIISynchronizedPrintf(viewer, "[%d] spmvgen, %s, %s%s\n", rank, name,
                                                     op_texts[op], end));
        if (handle != NULL) PetscCall(ViewAll(handle, viewer));
    } else if (rank == 0) {
        PetscCall(PetscViewerASCIIPrintf(viewer, "spmvgen, %s, %s%s\n", name, op_texts[op], end));
        if (handle != NULL) PetscCall(ViewFields(handle, viewer));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewHandles(Mat A, const char* name, PetscViewer viewer) {
    PetscViewerFormat format;
    Context* context;
    Product* unused;

    PetscFunctionBegin;
    PetscCall(GetContext(A, &context));
    /* -mat_view comes before the first product: what that would do is planned now. */
    if (context->settings.patience.products == 0) PetscCall(GetProduct(A, context, OP_N, &unused));
    PetscCall(PetscViewerGetFormat(viewer, &format));
    PetscCall(PetscViewerASCIIPushSynchronized(viewer));
    for (Op op = OP_N; op < NUM_OPS; ++op)
        PetscCall(ViewHandle(context->products[op].handle, name, op,
                             format == PETSC_VIEWER_ASCII_INFO_DETAIL ? PETSC_TRUE : PETSC_FALSE,
                             viewer));
    PetscCall(PetscViewerFlush(viewer));
    PetscCall(PetscViewerASCIIPopSynchronized(viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatView_SeqAIJSpmvgen(Mat A, PetscViewer viewer) {
    PetscViewerFormat format;
    PetscBool ascii;
    Context* context;

    PetscFunctionBegin;
    PetscCall(GetContext(A, &context));
    PetscCall(context->petsc.view(A, viewer));
    PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
    PetscCall(PetscViewerGetFormat(viewer, &format));
    if (ascii && (format == PETSC_VIEWER_ASCII_INFO || format == PETSC_VIEWER_ASCII_INFO_DETAIL))
        PetscCall(ViewHandles(A, "matrix", viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
}
